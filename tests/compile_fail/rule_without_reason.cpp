// SPDX-License-Identifier: BSL-1.0
// A guard that says no without a reason.
// expect: ctnn: a rule's guard is `static constexpr reason guard(const rewriter&, const match&)`
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct silent {
  static constexpr nn::rule_info info{"silent", "relu -> x", nn::lowers::nodes, nn::numerics::exact};
  using pattern = nn::single<nn::op::activation>;
#ifdef CTNN_CORRECTED
  static constexpr nn::reason guard(const nn::rewriter&, const nn::match&) { return {"no"}; }
#else
  static constexpr bool guard(const nn::rewriter&, const nn::match&) { return false; }
#endif
  static constexpr void rewrite(nn::rewriter& r, const nn::match& m) { r.bypass(m.last, r.input(m.last)); }
};
using net = nn::network<nn::input<"image", nn::shape<4>>, nn::relu<"relu">>;

static_assert(nn::optimized<net, nn::rule_list<silent>>::size > 0);
