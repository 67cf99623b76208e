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
    if (is_byte(r.type(r.input(m.last))) && p.function == op::pooling::average) return {"it averages bytes"};
    if (r.shape(r.input(m.last)) == r.shape(r.output(m.last))) return {"it changes nothing"};  // one_view's
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

/// A window as large as the image (signal, volume), which is not padded  ->  adaptive_pool
struct whole_pool {
  static constexpr rule_info info{"whole_pool", "pool(all of x) -> adaptive_pool(1)", lowers::tier,
                                  numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = single<op::pool>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::pool>(m.last);
    if (p.function == op::pooling::lp || p.indices) return {"it computes something else"};
    const extents& x = r.shape(r.input(m.last));
    for (int i = 0; i < p.axes; ++i) {
      const window_axis a = p.along(i, x.back(p.axes - 1 - i));
      if (a.before != 0 || a.after != 0) return {"it pads"};
      if (a.taps != a.size) return {"its window is not all there is"};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::pool>(m.last);
    const value_id x = r.input(m.last);
    r.become(m.last, op::adaptive_pool{p.function, {1}, false, p.axes}, r.name(m.last), {&x, 1}, {});
  }
};

/// reduce that keeps its axes as 1 > flatten or reshape without them, or the other way round  ->  reduce
struct reduce_reshape {
  static constexpr rule_info info{"reduce_reshape", "reduce > flatten|reshape -> reduce", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  struct match : ir::match {
    op::reduce whole{};
  };
  using pattern = chain<op::reduce, find::any_of<op::flatten, op::reshape>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    m.whole = r.get<op::reduce>(m.first);
    m.whole.keep = !m.whole.keep;
    extents y;
    const extents& x = r.shape(r.input(m.first));
    if (m.whole.infer({&x, 1}, {&y, 1}) || !(y == r.shape(r.output(m.last))))
      return {"it does more than leave out or bring back the axes", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, m.whole, {&x, 1}, {});
  }
};

/// mean > mean, sum > sum, max > max, min > min  ->  one of them over the axes of both
struct reduce_chain {
  static constexpr rule_info info{"reduce_chain", "reduce > reduce -> reduce", lowers::nodes, numerics::reassociates};
  struct match : ir::match {
    op::reduce both{};
  };
  using pattern = chain<op::reduce, op::reduce>;
  static constexpr reason guard(const rewriter& r, match& m) {
    using enum op::reduction;
    const auto first = r.get<op::reduce>(m.first), last = r.get<op::reduce>(m.last);
    const op::reduction f = last.function;
    if (f != mean && f != sum && f != max && f != min) return {"its function is not the same of results of its own"};
    if (first.function != f) return {"its input has another function", r.name(m.first)};
    const extents& x = r.shape(r.input(m.first));
    const unsigned gone = first.reduced(x), then = last.reduced(r.shape(r.output(m.first)));
    m.both.function = f;
    m.both.axes.clear();
    for (int i = 0, at = 0; i < x.rank; ++i) {
      const bool is_gone = (gone >> i & 1u) != 0;
      const bool stays = first.keep || !is_gone;
      if (is_gone || (then >> at & 1u) != 0) m.both.axes.push_back(i);
      at += stays ? 1 : 0;
    }
    for (const bool keep : {true, false}) {
      extents y;
      m.both.keep = keep;
      if (!m.both.infer({&x, 1}, {&y, 1}) && y == r.shape(r.output(m.last))) return {};
    }
    return {"some axes stay and others go", r.name(m.first)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, m.both, {&x, 1}, {});
  }
};

}  // namespace ctnn::rules
