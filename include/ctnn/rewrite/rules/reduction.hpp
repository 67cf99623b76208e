// SPDX-License-Identifier: BSL-1.0
// Reductions that are spelled as something else.
#pragma once

#include "../../graph/operators/pooling.hpp"
#include "../../graph/operators/reduce.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

/// global pooling over one axis or three, whose windows no vectors walk  ->  reduce
struct global_pool_to_reduce {
  static constexpr rule_info info{"global_pool_to_reduce", "adaptive_pool(1) of signals|volumes -> reduce",
                                  lowers::tier, numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = single<op::adaptive_pool>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::adaptive_pool>(m.last);
    if (!p.is_global()) return {"it is not global"};
    if (p.axes == 2) return {"it pools images"};
    if (r.shape(r.input(m.last)) == r.shape(r.output(m.last))) return {"it changes nothing"};  // same_shape's
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::adaptive_pool>(m.last);
    op::reduce to{p.function == op::pooling::max ? op::reduction::max : op::reduction::mean};
    for (int i = -p.axes; i < 0; ++i) to.axes.push_back(i);
    to.keep = !p.flatten;
    const value_id x = r.input(m.last);
    r.become(m.last, to, r.name(m.last), {&x, 1}, {});
  }
};

}  // namespace ctnn::rules
