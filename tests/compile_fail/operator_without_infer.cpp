// SPDX-License-Identifier: BSL-1.0
// An operator that does not say the shape of its output.
// expect: ctnn: an operator tells the shapes of its outputs: constexpr ctnn::problem infer(
// expect: twice
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct twice {
  static constexpr std::string_view name = "twice";
  static constexpr void fields(auto&, auto&&) {}
#ifdef CTNN_CORRECTED
  constexpr nn::problem infer(nn::ir::inputs in, nn::ir::outputs result) const {
    result[0] = in[0];
    return {};
  }
#endif
};

using net = nn::network<nn::input<"x", nn::shape<2>>, nn::layer<twice, "t">>;
static_assert(nn::optimized<net>::size > 0);
