// SPDX-License-Identifier: BSL-1.0
// Operators over values whose axes move, come or go: the same operators with other fields. Whoever adds a batch, takes
// one away or takes a permute through asks here.
#pragma once

#include "../kernels/operator_code.hpp"  // before operators that compare their records

#include "../graph/graph.hpp"

namespace ctnn::ir {

/// Where the axes of a value go.
struct axis_map {
  extents before{}, after{};
  int to[max_rank]{};  ///< by axis; none: it goes, as one of 1 may

  /// x with one axis more before its own.
  static constexpr axis_map added(const extents& x, int size) {
    axis_map m{x, x.with_axis(0, size)};
    for (int a = 0; a < x.rank; ++a) m.to[a] = a + 1;
    return m;
  }
  /// x without its first axis.
  static constexpr axis_map removed(const extents& x) {
    axis_map m{x, x.from(1)};
    for (int a = 0; a < x.rank; ++a) m.to[a] = a == 0 ? none : a - 1;
    return m;
  }
  /// x, of what p makes of it.
  static constexpr axis_map unpermuted(const op::permute& p, const extents& x) {
    axis_map m{x, x};
    for (int i = 0; i < x.rank; ++i) {
      m.to[i] = p.order[static_cast<std::size_t>(i)];
      m.before[i] = x[m.to[i]];
    }
    return m;
  }

  constexpr int operator()(int axis) const { return to[axis]; }
  /// Do the axes from `first` on stay the last ones, in their order?
  constexpr bool keeps_last(int first) const {
    for (int a = first; a < before.rank; ++a)
      if (to[a] == none || to[a] != after.rank - before.rank + a) return false;
    return true;
  }
};

namespace detail {

/// Operators some of whose fields are axes, or have an entry for each.
using operators_of_axes =
    operator_list<op::softmax, op::log_softmax, op::concat, op::split, op::quantize, op::dequantize, op::layer_norm,
                  op::rms_norm, op::linear, op::permute, op::reduce, op::pad, op::slice>;

/// The same of any operator on channels, whose field `axis` says where they are.
constexpr bool move_channels(const operator_type* type, span<const double> fields, const axis_map& m,
                             field_values& moved) {
  const int old = channel_axis(m.before, type->channel_axis(fields)), now = m(old);
  // Groups are of the axes behind the channels, too.
  if (now == none || (type == &type_of<op::group_norm> && !m.keeps_last(old))) return false;
  const spelled_options said = type->spell(fields);
  const double axis = spelled_axis(m.after, now);
  pool<option_record> options(1, {"axis", {&axis, 1}});
  for (const spelled_option& o : said)
    if (o.key != "axis") options.push_back({o.key, {o.values.data(), o.values.size()}});
  return !type->configure({options.data(), options.size()}, moved);
}

/// Gives the fields of op, whose first input is m.before, what they are for m.after; false: another operator it would
/// be.
template <class Op>
constexpr bool move_axes(Op& op, const axis_map& m) {
  const int rank = m.before.rank;
  if constexpr (std::is_same_v<Op, op::linear>) {
    return m.keeps_last(rank - op.axes);
  } else if constexpr (std::is_same_v<Op, op::layer_norm> || std::is_same_v<Op, op::rms_norm>) {
    const int first = normal_axis(op.axis, rank);
    op.axis = m(first);
    return m.keeps_last(first);
  } else if constexpr (std::is_same_v<Op, op::permute>) {
    // The first axis comes or goes, before and behind.
    list<int> order;
    if (m.after.rank > rank) order.push_back(0);
    for (int axis : op.order)
      if (m(axis) != none) order.push_back(m(axis));
    const bool first = m.after.rank > rank || (m.after.rank < rank && op.order[0] == 0);
    op.order = order;
    return first && m.keeps_last(m.after.rank < rank ? 1 : 0);
  } else if constexpr (std::is_same_v<Op, op::reduce>) {
    const unsigned old = op.reduced(m.before);
    unsigned now = 0;
    for (int a = 0; a < rank; ++a) {
      if ((old >> a & 1u) == 0) continue;
      if (m(a) == none) return false;
      now |= 1u << m(a);
    }
    op.axes.clear();
    for (int a = 0; a < m.after.rank; ++a)
      if (now >> a & 1u) op.axes.push_back(a);
    return now != 0;
  } else if constexpr (std::is_same_v<Op, op::pad>) {
    op::pad moved = op;
    moved.before.clear();
    moved.after.clear();
    for (int a = 0; a < m.after.rank; ++a) moved.before.push_back(0), moved.after.push_back(0);
    for (int a = 0; a < rank; ++a) {
      const auto from = static_cast<std::size_t>(a);
      if (m(a) == none && (op.before[from] != 0 || op.after[from] != 0)) return false;
      if (m(a) == none) continue;
      moved.before[static_cast<std::size_t>(m(a))] = op.before[from];
      moved.after[static_cast<std::size_t>(m(a))] = op.after[from];
    }
    op = moved;
    return true;
  } else if constexpr (std::is_same_v<Op, op::slice>) {
    const op::slice::walks old = op.over(m.before);
    op::slice::walks now = op::slice{}.over(m.after);
    for (int a = 0; a < rank; ++a) {
      const op::slice::walk& w = old[static_cast<std::size_t>(a)];
      if (m(a) == none && !w.takes_all(m.before[a])) return false;
      if (m(a) != none) now[static_cast<std::size_t>(m(a))] = w;
    }
    op = op::slice::of(m.after, now);
    return true;
  } else {
    const int axis = normal_axis(op.axis, rank);
    if (axis < 0 || axis >= rank) return true;  // of one scale for all
    op.axis = m(axis);
    return op.axis != none;
  }
}

}  // namespace detail

/// Are some of its fields axes?
constexpr bool has_axes(const operator_type* type) {
  if (type->channel_axis) return true;
  return []<class... Ops>(const operator_type* t, operator_list<Ops...>) { return ((t == &type_of<Ops>) || ...); }(
             type, detail::operators_of_axes{});
}

/// The fields of an operator for its first input with moved axes; of one whose fields are none, as they are. False:
/// no fields are the same operator's.
constexpr bool move_axes(const operator_type* type, span<const double> fields, const axis_map& m, field_values& moved) {
  if (type->channel_axis) return detail::move_channels(type, fields, m, moved);
  bool fits = true, found = false;
  const auto move = [&]<class Op>(std::type_identity<Op>) {
    if (type != &type_of<Op>) return;
    Op op = decode<Op>(fields);
    fits = detail::move_axes(op, m);
    moved = encode(op);
    found = true;
  };
  [&]<class... Ops>(operator_list<Ops...>) { (move(std::type_identity<Ops>{}), ...); }(detail::operators_of_axes{});
  if (found) return fits;
  moved.clear();
  for (double f : fields) moved.push_back(f);
  return true;
}

}  // namespace ctnn::ir
