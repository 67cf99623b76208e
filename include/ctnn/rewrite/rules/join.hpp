// SPDX-License-Identifier: BSL-1.0
// Joining and cutting: concat, split and slice.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// concat > concat along one axis  ->  concat of all parts
struct concat_chain {
  static constexpr rule_info info{"concat_chain", "concat > concat -> concat", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::concat, op::concat>;
  static constexpr int axis(const rewriter& r, node_id n) {
    return normal_axis(r.get<op::concat>(n).axis, r.shape(r.output(n)).rank);
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (axis(r, m.first) != axis(r, m.last)) return {"they join along different axes", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in;
    for (std::size_t i = 0; i < r.inputs_count(m.last); ++i) {
      if (static_cast<int>(i) != m.input) {
        in.push_back(r.input(m.last, static_cast<int>(i)));
        continue;
      }
      for (std::size_t k = 0; k < r.inputs_count(m.first); ++k) in.push_back(r.input(m.first, static_cast<int>(k)));
    }
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, r.get<op::concat>(m.last), r.name(m.last), in, {});
  }
};

/// slice > slice along one axis  ->  slice
struct slice_chain {
  static constexpr rule_info info{"slice_chain", "slice > slice -> slice", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::slice, op::slice>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const int rank = r.shape(r.output(m.last)).rank;
    if (normal_axis(r.get<op::slice>(m.first).axis, rank) != normal_axis(r.get<op::slice>(m.last).axis, rank))
      return {"they cut along different axes", r.name(m.first)};
    if (r.shape(r.output(m.first)) == r.shape(r.output(m.last))) return {"it cuts nothing off"};  // slice_of_all's
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto outer = r.get<op::slice>(m.last);
    const value_id x = r.input(m.first), cut = r.output(m.first);
    const int axis = normal_axis(outer.axis, r.shape(cut).rank);
    const auto inner_bounds = r.get<op::slice>(m.first).bounds(r.shape(x)[axis]);
    const auto bounds = outer.bounds(r.shape(cut)[axis]);
    op::slice both;
    both.axis = outer.axis;
    both.start = inner_bounds[0] + bounds[0];
    both.end = inner_bounds[0] + bounds[1];
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, both, r.name(m.last), {&x, 1}, {});
  }
};

/// slice of a concat that is exactly one of its parts  ->  the part
struct slice_of_concat {
  static constexpr rule_info info{"slice_of_concat", "slice(concat(..., x, ...)) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::concat, op::slice>;
  /// The part that the slice cuts out, or none.
  static constexpr value_id part(const rewriter& r, const match& m) {
    const extents& whole = r.shape(r.output(m.first));
    const auto s = r.get<op::slice>(m.last);
    const int axis = normal_axis(s.axis, whole.rank);
    if (axis != normal_axis(r.get<op::concat>(m.first).axis, whole.rank)) return none;
    const auto bounds = s.bounds(whole[axis]);
    int begin = 0;
    for (std::size_t i = 0; i < r.inputs_count(m.first); ++i) {
      const value_id v = r.input(m.first, static_cast<int>(i));
      const int end = begin + r.shape(v)[axis];
      if (begin == bounds[0] && end == bounds[1]) return v;
      begin = end;
    }
    return none;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (part(r, m) == none) return {"it does not cut out exactly one part", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, part(r, m)); }
};

/// concat of all parts of a split, in order  ->  what was split
struct concat_of_split {
  static constexpr rule_info info{"concat_of_split", "concat(split(x)) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::split, op::concat>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents& whole = r.shape(r.input(m.first));
    const auto parts = static_cast<std::size_t>(r.at(m.first).outputs.count);
    if (normal_axis(r.get<op::split>(m.first).axis, whole.rank) != normal_axis(r.get<op::concat>(m.last).axis, whole.rank))
      return {"it joins along another axis", r.name(m.first)};
    if (parts != r.inputs_count(m.last)) return {"it joins other values, too, or not all parts", r.name(m.first)};
    for (std::size_t i = 0; i < parts; ++i)
      if (r.input(m.last, static_cast<int>(i)) != r.output(m.first, static_cast<int>(i)))
        return {"it joins the parts in another order", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.first)); }
};

}  // namespace ctnn::rules
