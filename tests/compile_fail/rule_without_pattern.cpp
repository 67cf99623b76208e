// SPDX-License-Identifier: BSL-1.0
// A struct without a pattern is no rule.
// expect: ctnn: a rule needs `using pattern`
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct nothing {
  static constexpr nn::rule_info info{"nothing", "relu -> x", nn::lowers::nodes, nn::numerics::exact};
#ifdef CTNN_CORRECTED
  using pattern = nn::single<nn::op::activation>;
#else
  using pattern = nn::op::activation;
#endif
  static constexpr void rewrite(nn::rewriter& r, const nn::match& m) { r.bypass(m.last, r.input(m.last)); }
};
using net = nn::network<nn::input<"image", nn::shape<4>>, nn::relu<"relu">>;

static_assert(nn::optimized<net, nn::rule_list<nothing>>::size > 0);
