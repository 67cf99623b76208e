// SPDX-License-Identifier: BSL-1.0
// Where the axes of a value go: what a batch that comes or goes, or a permute that is taken through, tells operators.
#pragma once

#include "../base/shape.hpp"

namespace ctnn::ir {

/// An operator's first input is `before`, and `after` once its axes have moved. An operator whose fields are axes, or
/// have an entry for each, changes them by a member
///
///   constexpr bool move_axes(const axis_map& m);  // false: no fields make the same operator of m.after
///
/// which is called for operators of others just as for ctnn's own; `return move_axis(axis, m);` is all that one axis
/// takes. Operators without such a member say nothing of axes, and those that are by_channel (channel_axis.hpp) need
/// none.
struct axis_map {
  static constexpr int gone = -1;

  extents before{}, after{};
  int to[max_rank]{};  ///< by axis; gone: as one of 1 may

  /// x with one axis more before its own.
  static constexpr axis_map added(const extents& x, int size) {
    axis_map m{x, x.with_axis(0, size)};
    for (int a = 0; a < x.rank; ++a) m.to[a] = a + 1;
    return m;
  }
  /// x without its first axis.
  static constexpr axis_map removed(const extents& x) {
    axis_map m{x, x.from(1)};
    for (int a = 0; a < x.rank; ++a) m.to[a] = a == 0 ? gone : a - 1;
    return m;
  }
  /// x, of what a permute with this order makes of it.
  static constexpr axis_map unpermuted(const auto& order, const extents& x) {
    axis_map m{x, x};
    for (int i = 0; i < x.rank; ++i) {
      m.to[i] = order[static_cast<std::size_t>(i)];
      m.before[i] = x[m.to[i]];
    }
    return m;
  }

  constexpr int operator()(int axis) const { return to[axis]; }
  /// Do the axes from `first` on stay the last ones, in their order?
  constexpr bool keeps_last(int first) const {
    for (int a = first; a < before.rank; ++a)
      if (to[a] == gone || to[a] != after.rank - before.rank + a) return false;
    return true;
  }
};

/// A field that is an axis, counted from the front or from the end. One that is none of the value's means nothing.
constexpr bool move_axis(int& axis, const axis_map& m) {
  const int a = normal_axis(axis, m.before.rank);
  if (a < 0 || a >= m.before.rank) return true;
  axis = m(a);
  return axis != axis_map::gone;
}

}  // namespace ctnn::ir
