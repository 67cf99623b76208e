// SPDX-License-Identifier: BSL-1.0
// Layers that only move, take or repeat elements, and what each does to a map of indices (graph/index_map.hpp).
#pragma once

#include "../graph/index_map.hpp"
#include "pattern.hpp"

namespace ctnn::ir {

/// One layer that moves, takes or repeats elements.
struct view_step {
  enum class kind { reshape, slice, permute, expand, channel_shuffle, pixel_shuffle };
  kind is = kind::reshape;
  extents made{};   ///< the shape of its result
  extents order{};  ///< of a permute
  op::slice::walks taken{};
  pair factor{1, 1};  ///< of a pixel_shuffle; groups of a channel_shuffle first

  /// Calls f with the operator that does it to a value of shape x.
  constexpr void visit(const extents& x, auto&& f) const {
    switch (is) {
      case kind::reshape:
        if (made.rank == 1) return f(op::flatten{});
        return f(op::reshape{as_list(made)});
      case kind::slice: return f(op::slice::of(x, taken));
      case kind::permute: return f(op::permute{as_list(order)});
      case kind::expand: return f(op::expand{as_list(made)});
      case kind::channel_shuffle: return f(op::channel_shuffle{factor[0]});
      case kind::pixel_shuffle: return f(op::pixel_shuffle{factor});
    }
  }
  /// The map of a value, m, becomes that of what this step makes of it. False: the map cannot say it.
  constexpr bool apply(index_map& m) const {
    const extents x = m.shape();
    switch (is) {
      case kind::reshape: return m.reshape(made);
      case kind::slice: return m.slice(taken);
      case kind::permute: return m.permute(order);
      case kind::expand: return m.repeat(made);
      case kind::channel_shuffle:
        m.reshape({static_cast<int>(x.count(0, x.rank - 3)), factor[0], x.back(2) / factor[0], x.back(1) * x.back(0)});
        return m.permute({0, 2, 1, 3}) && m.reshape(made);
      case kind::pixel_shuffle:
        m.reshape({static_cast<int>(made.count(0, made.rank - 2)), factor[0], factor[1], x.back(1), x.back(0)});
        return m.permute({0, 3, 1, 4, 2}) && m.reshape(made);
    }
    return false;
  }
  /// How many elements of a value of shape x it copies. A reshape copies none, nor does a slice of what lies in one
  /// piece.
  constexpr std::int64_t copied(const extents& x) const {
    if (is == kind::reshape) return 0;
    if (is == kind::slice) {
      bool one = true, piece = true;  // one index of each axis so far; it lies in one piece
      for (int i = 0; i < x.rank; ++i) {
        const op::slice::walk& w = taken[static_cast<std::size_t>(i)];
        if (!w.takes_all(x[i])) piece = piece && one && w.step == 1;
        one = one && w.count == 1;
      }
      return piece ? 0 : made.count();
    }
    if (is == kind::permute) {
      int last = -1;
      bool moves = false;
      for (int i = 0; i < order.rank; ++i) {
        if (x[order[i]] == 1) continue;
        moves = moves || order[i] < last;
        last = order[i];
      }
      if (!moves) return 0;
    }
    return made.count();
  }
};

/// The layers that a view_step may be.
using view_layers = find::any_of<op::flatten, op::reshape, op::permute, op::slice, op::expand, op::tile,
                                 op::channel_shuffle, op::pixel_shuffle>;

namespace detail {

/// What the operator does to a value of shape x, of which it makes one of shape y.
constexpr view_step step_of(const auto&, const extents&, const extents& y) { return {view_step::kind::reshape, y}; }
constexpr view_step step_of(const op::expand&, const extents&, const extents& y) {
  return {view_step::kind::expand, y};
}
constexpr view_step step_of(const op::tile&, const extents&, const extents& y) { return {view_step::kind::expand, y}; }
constexpr view_step step_of(const op::slice& s, const extents& x, const extents& y) {
  return {view_step::kind::slice, y, {}, s.over(x)};
}
constexpr view_step step_of(const op::permute& p, const extents&, const extents& y) {
  view_step s{view_step::kind::permute, y};
  for (const int axis : p.order) s.order.push_back(axis);
  return s;
}
constexpr view_step step_of(const op::channel_shuffle& c, const extents&, const extents& y) {
  return {view_step::kind::channel_shuffle, y, {}, {}, {c.groups, 1}};
}
constexpr view_step step_of(const op::pixel_shuffle& p, const extents&, const extents& y) {
  return {view_step::kind::pixel_shuffle, y, {}, {}, p.factor};
}

}  // namespace detail

/// Is v made of one other value by moving, taking or repeating elements, as one part of a split is?
constexpr bool is_view(const rewriter& r, value_id v) {
  const node_id n = r.producer(v);
  return view_layers::visits(r, n) || r.is<op::split>(n);
}
/// How v, a view, is made.
constexpr view_step step_to(const rewriter& r, value_id v) {
  const node_id n = r.producer(v);
  const extents &x = r.shape(r.input(n)), &y = r.shape(v);
  view_step s;
  if (!r.is<op::split>(n)) {
    view_layers::visit(r, n, [&](const auto& op) { s = detail::step_of(op, x, y); });
    return s;
  }
  s = {view_step::kind::slice, y, {}, op::slice{}.over(x)};
  const auto cut = r.get<op::split>(n);
  op::slice::walk& w = s.taken[static_cast<std::size_t>(normal_axis(cut.axis, x.rank))];
  const list<int> sizes = cut.sizes_in(x);
  for (value_id part = r.output(n); part < v; ++part) w.first += sizes[static_cast<std::size_t>(part - r.output(n))];
  w.count = sizes[static_cast<std::size_t>(v - r.output(n))];
  return s;
}

}  // namespace ctnn::ir
