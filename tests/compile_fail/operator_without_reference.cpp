// SPDX-License-Identifier: BSL-1.0
// An operator that the compiler cannot run.
// expect: ctnn: the operator has no constexpr run_reference(
// expect: mistake::no_reference
// expect: layer_called<'t'>
// expect: what<'t', 'w', 'i', 'c', 'e'>
#include <ctnn/ctnn.hpp>
#include <ctnn/network/constant_run.hpp>

namespace nn = ctnn;

struct twice {
  static constexpr std::string_view name = "twice";
  static constexpr void fields(auto&, auto&&) {}
  constexpr nn::problem infer(nn::ir::inputs in, nn::ir::outputs result) const {
    result[0] = in[0];
    return {};
  }
};
#ifdef CTNN_CORRECTED
constexpr void run(const twice&, const nn::ir::arguments& a) {
  for (std::int64_t i = 0; i < a.out[0].shape.count(); ++i) a.out[0].data[i] = 2 * a.in[0].data[i];
}
#endif

using net = nn::network<nn::input<"x", nn::shape<2>>, nn::layer<twice, "t">>;
constexpr std::array<nn::named_weight, 0> no_weights{};
constexpr float x[] = {1, 2};
const auto y = nn::constant_run<net, no_weights>(x);
