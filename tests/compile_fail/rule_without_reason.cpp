// SPDX-License-Identifier: BSL-1.0
// A guard that says no without a reason.
// expect: ctnn: a rule's guard is `static constexpr reason guard(const rewriter&, const match&)`
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct silent {
  static constexpr nn::ir::rule_info info{"silent", "relu -> x", nn::ir::lowers::nodes, nn::ir::numerics::exact};
  using pattern = nn::ir::single<nn::op::activation>;
#ifdef CTNN_CORRECTED
  static constexpr nn::ir::reason guard(const nn::ir::rewriter&, const nn::ir::match&) { return {"no"}; }
#else
  static constexpr bool guard(const nn::ir::rewriter&, const nn::ir::match&) { return false; }
#endif
  static constexpr void rewrite(nn::ir::rewriter& r, const nn::ir::match& m) { r.bypass(m.last, r.input(m.last)); }
};
using net = nn::network<nn::input<"image", nn::shape<4>>, nn::relu<"relu">>;

static_assert(nn::optimized<net, nn::rule_list<silent>>::size > 0);
