// SPDX-License-Identifier: BSL-1.0
// A network that is wrong, in a program that uses all of its engine: still one error.
// expect: ctnn: shapes do not match
// expect: needed<1, 16>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using state_shape = nn::shape<1, 16>;
#else
using state_shape = nn::shape<16>;
#endif
using gru = nn::network<nn::input<"x", nn::shape<1, 8>>, nn::input<"h", state_shape>,
                        nn::gru<"cell", nn::from<"x", "h">, nn::hidden<16>>, nn::output<"cell.0", "cell.1">>;
using fused = nn::optimized<gru>;

constexpr float input_weight[48 * 8] = {}, state_weight[48 * 16] = {}, bias[48] = {};
constexpr nn::named_weight weights[] = {{"cell", "weight_ih_l0", input_weight}, {"cell", "weight_hh_l0", state_weight},
                                        {"cell", "bias_ih_l0", bias}, {"cell", "bias_hh_l0", bias}};
constexpr auto folded = nn::fold<gru, weights>();
nn::parameters<fused> read_at_start{nn::zeros};
nn::arena<fused> memory;
nn::engine<fused, nn::shared_arena> cell{read_at_start, memory};
nn::engine<fused> own{folded};

float step(std::span<const float, 8> sample, std::span<float, 16> state) {
  cell.run(nn::in<"x">(sample), nn::in<"h">(state), nn::into<"cell.1">(state));
  own.run(nn::in<"x">(sample), nn::in<"h">(state));
  const auto y = own.output<0>();
  const auto last = own.output<"cell.1">();
  return y[0] + last[15];
}
