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
    r.read_instead(m.last, in);
  }
};

/// slice of a concat that is exactly one of its parts  ->  the part
struct slice_of_concat {
  static constexpr rule_info info{"slice_of_concat", "slice(concat(..., x, ...)) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::concat, op::slice>;
  struct match : ir::match {
    value_id part = none;
  };
  static constexpr reason guard(const rewriter& r, match& m) {
    const extents& whole = r.shape(r.output(m.first));
    const auto axis = static_cast<std::size_t>(normal_axis(r.get<op::concat>(m.first).axis, whole.rank));
    const op::slice::walks taken = r.get<op::slice>(m.last).over(whole);
    bool steps = false;
    for (const op::slice::walk& w : taken) steps = steps || w.step != 1;
    int begin = 0;
    for (const value_id v : r.inputs_of(m.first)) {
      if (!steps && begin == taken[axis].first && r.shape(v) == r.shape(r.output(m.last))) m.part = v;
      begin += r.shape(v)[static_cast<int>(axis)];
    }
    if (m.part == none) return {"it does not cut out exactly one part", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, m.part); }
};

/// slices that cut a concat within single parts each  ->  slices of those parts
struct slice_within_part {
  static constexpr rule_info info{"slice_within_part", "slice(concat(..., x, ...)) within x -> slice(x)", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::concat, op::slice>;
  /// A slice of the concat as one of its parts' own.
  struct cut {
    value_id part = none;
    op::slice taken{};
  };
  static constexpr cut within(const rewriter& r, node_id concat, node_id slice) {
    const extents& whole = r.shape(r.output(concat));
    const int axis = normal_axis(r.get<op::concat>(concat).axis, whole.rank);
    op::slice::walks taken = r.get<op::slice>(slice).over(whole);
    op::slice::walk& along = taken[static_cast<std::size_t>(axis)];
    const int last = along.first + (along.count - 1) * along.step;
    int begin = 0;
    for (const value_id v : r.inputs_of(concat)) {
      const int end = begin + r.shape(v)[axis];
      const bool inside = along.first >= begin && last >= begin && along.first < end && last < end;
      if (inside && along.count > 0 && r.type(v) == r.type(r.output(slice))) {
        along.first -= begin;
        return {v, op::slice::of(r.shape(v), taken)};
      }
      begin = end;
    }
    return {};
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.is_output(r.output(m.first))) return {"its input is a network output too", r.name(m.first), true};
    if (r.inputs_count(m.first) == 1) return {"its input joins nothing", r.name(m.first)};  // concat_of_one's
    return r.refused_reader(r.output(m.first), [&](node_id n) -> reason {
      if (!r.is<op::slice>(n)) return {"another layer needs all parts", r.name(n)};
      return within(r, m.first, n).part == none ? reason{"it does not cut within one part", r.name(n)} : reason{};
    });
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id whole = r.output(m.first);
    pool<node_id> cuts;  // known before the last of them has the concat removed
    for (node_id n = m.first + 1; static_cast<int>(cuts.size()) < r.readers(whole); ++n)
      if (r.live(n) && r.is<op::slice>(n) && r.input(n) == whole) cuts.push_back(n);
    r.note(r.name(m.first), r.name(m.last));
    for (const node_id n : cuts) {
      const cut c = within(r, m.first, n);
      r.become(n, c.taken, r.name(n), {&c.part, 1}, {});
    }
  }
};

/// split of a concat into the parts that it joins  ->  the parts
struct split_of_concat {
  static constexpr rule_info info{"split_of_concat", "split(concat(x, y ...)) -> x, y ...", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::concat, op::split>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const int rank = r.shape(r.output(m.first)).rank;
    if (normal_axis(r.get<op::split>(m.last).axis, rank) != normal_axis(r.get<op::concat>(m.first).axis, rank))
      return {"it joins along another axis", r.name(m.first)};
    bool same = r.at(m.last).outputs.count == static_cast<int>(r.inputs_count(m.first));
    for (int i = 0; same && i < r.at(m.last).outputs.count; ++i)
      same = r.shape(r.input(m.first, i)) == r.shape(r.output(m.last, i)) &&
             r.type(r.input(m.first, i)) == r.type(r.output(m.last, i));
    return same ? reason{} : reason{"it cuts in other places", r.name(m.first)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.bypass(m.last, r.inputs_of(m.first), r.name(m.first));
  }
};

/// concat of all parts of a split, in order  ->  what was split
struct concat_of_split {
  static constexpr rule_info info{"concat_of_split", "concat(split(x)) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::split, op::concat>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents& whole = r.shape(r.input(m.first));
    const auto parts = static_cast<std::size_t>(r.at(m.first).outputs.count);
    if (normal_axis(r.get<op::split>(m.first).axis, whole.rank) !=
        normal_axis(r.get<op::concat>(m.last).axis, whole.rank))
      return {"it joins along another axis", r.name(m.first)};
    if (parts != r.inputs_count(m.last)) return {"it joins other values, too, or not all parts", r.name(m.first)};
    for (std::size_t i = 0; i < parts; ++i)
      if (r.input(m.last, static_cast<int>(i)) != r.output(m.first, static_cast<int>(i)))
        return {"it joins the parts in another order", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.first)); }
};

/// slices of one value that share all of it along an axis  ->  one split
struct slices_to_split {
  static constexpr rule_info info{"slices_to_split", "slices of one value that share it -> split", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::slice>;
  struct match : ir::match {
    int axis = none;
    pool<node_id> slices;  ///< in the order of their parts
  };

 private:
  /// The axis along which slice n takes one piece and of all others all, or none.
  static constexpr int axis_of(const rewriter& r, node_id n, op::slice::walk& taken) {
    const extents& x = r.shape(r.input(n));
    const op::slice::walks walks = r.get<op::slice>(n).over(x);
    int axis = none;
    for (int a = 0; a < x.rank; ++a) {
      const op::slice::walk& w = walks[static_cast<std::size_t>(a)];
      if (w.takes_all(x[a])) continue;
      if (axis != none || w.step != 1 || w.count == 0) return none;
      axis = a;
      taken = w;
    }
    return axis;
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    const value_id x = r.input(m.last);
    if (r.readers(x) < 2) return find::detail::another_operator;
    op::slice::walk own, other;
    m.axis = axis_of(r, m.last, own);
    if (m.axis == none) return {"it takes no piece of one axis"};
    // Piece by piece from the beginning; the last to be seen makes the rewrite.
    const auto end = static_cast<node_id>(r.view().nodes.size());
    const int whole = r.shape(x)[m.axis];
    for (int at = 0; at < whole;) {
      node_id next = none;
      for (node_id n = r.producer(x) + 1; n < end && next == none; ++n)
        if (r.live(n) && r.is<op::slice>(n) && r.input(n) == x && axis_of(r, n, other) == m.axis && other.first == at)
          next = n;
      if (next == none || next > m.last) return find::detail::another_operator;
      m.slices.push_back(next);
      axis_of(r, next, other);
      at += other.count;
      if (at > whole) return find::detail::another_operator;
    }
    bool is_one = false;
    for (const node_id n : m.slices) is_one = is_one || n == m.last;
    return is_one ? reason{} : find::detail::another_operator;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    op::split parts;
    parts.axis = m.axis;
    for (const node_id n : m.slices) parts.sizes.push_back(r.shape(r.output(n))[m.axis]);
    r.cut_at_once(m.slices, parts);
  }
};

}  // namespace ctnn::rules
