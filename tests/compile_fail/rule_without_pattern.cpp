// SPDX-License-Identifier: BSL-1.0
// A struct without a pattern is no rule.
// expect: ctnn: a rule needs `using pattern`
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct nothing {
  static constexpr nn::ir::rule_info info{"nothing", "relu -> x", nn::ir::lowers::nodes, nn::ir::numerics::exact};
#ifdef CTNN_CORRECTED
  using pattern = nn::ir::single<nn::op::activation>;
#else
  using pattern = nn::op::activation;
#endif
  static constexpr void rewrite(nn::ir::rewriter& r, const nn::ir::match& m) { r.bypass(m.last, r.input(m.last)); }
};
using net = nn::network<nn::input<"image", nn::shape<4>>, nn::relu<"relu">>;

static_assert(nn::optimized<net, nn::rule_list<nothing>>::size > 0);
