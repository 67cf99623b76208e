// SPDX-License-Identifier: BSL-1.0
// An operator that no kernel computes.
// lines: 26
// expect: ctnn: an operator of the network has no kernel: include <ctnn/typed.hpp>, or give it void run(const Op&, const ctnn::ir::arguments&) beside its struct
// expect: kernel_of<twice>
#include <ctnn/ctnn.hpp>

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
inline void run(const twice&, const nn::ir::arguments& a) {
  for (std::int64_t i = 0; i < a.out[0].shape.count(); ++i) a.out[0].data[i] = 2 * a.in[0].data[i];
}
#endif

using net = nn::network<nn::input<"x", nn::shape<2>>, nn::layer<twice, "t">>;
nn::parameters<net> weights{nn::zeros};
nn::engine<net> engine{weights};
