// SPDX-License-Identifier: BSL-1.0
// Axes of values where values move, and along which of them the numbers of a constant lie.
#pragma once

#include "moved_axes.hpp"
#include "rewriter.hpp"

namespace ctnn::ir {

/// The axis of x that is axis i of x permuted.
constexpr int source_axis(const op::permute& p, int i) { return p.order[static_cast<std::size_t>(i)]; }
/// The permute that undoes p.
constexpr op::permute inverse(const op::permute& p) {
  op::permute back;
  back.order = p.order;
  for (int i = 0; i < static_cast<int>(p.order.size()); ++i)
    back.order[static_cast<std::size_t>(source_axis(p, i))] = i;
  return back;
}
/// The shape of x, if y is x permuted.
constexpr extents unpermuted(const op::permute& p, const extents& y) {
  extents x = y;
  for (int i = 0; i < y.rank; ++i) x[source_axis(p, i)] = y[i];
  return x;
}
/// Does a permutation leave the axes that are longer than 1 in their order?
constexpr bool moves_only_ones(const op::permute& p, const extents& x) {
  int last = -1;
  for (int axis : p.order) {
    if (x[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

/// Node n, which reads x permuted by p, gets the fields that it has for x.
constexpr void move_back(rewriter& r, node_id n, const op::permute& p, const extents& x) {
  field_values moved;
  if (move_axes(r.at(n).type, r.fields_of(n), axis_map::unpermuted(p.order, x), moved)) r.recode(n, moved);
}

/// Where a constant's numbers lie in a value of any rank: along some of its axes there is one for each index, along all
/// others they are the same.
class constant_axes {
 public:
  constexpr constant_axes() = default;
  /// One number for all of a value.
  constexpr explicit constant_axes(const extents& value) : value_(value), fits_(true) {}
  /// One number for each index of an axis.
  constexpr constant_axes(const extents& value, int axis) : constant_axes(value) { add(axis); }
  /// A constant of this shape, broadcast to a value from the right as PyTorch, ONNX and numpy do. It does not fit where
  /// the value would have to grow.
  static constexpr constant_axes broadcast(const extents& constant, const extents& value) {
    constant_axes a(value);
    const int more = value.rank - constant.rank;
    a.fits_ = more >= 0;
    for (int i = 0; i < constant.rank && a.fits_; ++i) {
      if (constant[i] == 1) continue;
      a.fits_ = constant[i] == value[i + more];
      a.add(i + more);
    }
    return a;
  }

  constexpr bool fits() const { return fits_; }
  constexpr bool is_one_number() const { return axes_ == 0; }
  /// The one axis along which the numbers lie, or none.
  constexpr int axis() const { return axes_ != 0 && (axes_ & (axes_ - 1)) == 0 ? first() : none; }
  /// An axis with as many indices as there are numbers, or none. Of one number it is an axis of 1, if possible the one
  /// that operators on channels need not be told.
  constexpr int some_axis() const {
    if (!is_one_number()) return axis();
    if (value_.rank > 0 && value_[channel_axis(value_)] == 1) return channel_axis(value_);
    for (int a = 0; a < value_.rank; ++a)
      if (value_[a] == 1) return a;
    return none;
  }
  /// Whether there is at most one number for each index of this axis.
  constexpr bool is_along(int axis) const { return (axes_ & ~(1u << axis)) == 0; }
  /// Whether this and `other`, of the same value, lie along no more than one axis together.
  constexpr bool meets(const constant_axes& other) const {
    const unsigned both = axes_ | other.axes_;
    return (both & (both - 1)) == 0;
  }
  /// Whether this lies along all axes of `other`, of the same value.
  constexpr bool covers(const constant_axes& other) const { return (other.axes_ & ~axes_) == 0; }
  /// The axes from the first to the last along which the numbers lie; [0, 0) of one number.
  constexpr int first() const {
    int a = 0;
    while (axes_ >> a > 1 && (axes_ >> a & 1u) == 0) ++a;
    return a;
  }
  constexpr int end() const {
    int a = 0;
    while (axes_ >> a != 0) ++a;
    return a;
  }
  /// How many numbers there are.
  constexpr std::int64_t count() const {
    std::int64_t n = 1;
    for (int a = 0; a < value_.rank; ++a)
      if (axes_ >> a & 1u) n *= value_[a];
    return n;
  }
  /// Whether the axes from first() to end() are no others but ones.
  constexpr bool in_one_piece() const { return value_.count(first(), end()) == count(); }

  /// The same numbers in x, if this is in x permuted; of several axes they may come in another order there.
  constexpr constant_axes before(const op::permute& p) const {
    constant_axes a(unpermuted(p, value_));
    for (int i = 0; i < value_.rank; ++i)
      if (axes_ >> i & 1u) a.add(source_axis(p, i));
    return a;
  }
  /// The same numbers in x permuted, if this is in x.
  constexpr constant_axes behind(const op::permute& p) const { return before(inverse(p)); }
  /// The same numbers, in the same order, in the value reshaped; does not fit where they do not lie along axes of it.
  constexpr constant_axes reshaped(const extents& to) const {
    constant_axes a(to);
    if (is_one_number()) return a;
    a.fits_ = in_one_piece() && value_.count() > 0;
    const std::int64_t outer = value_.count(0, first()), numbers = count();
    int axis = 0;
    while (axis < to.rank && (to.count(0, axis) != outer || to[axis] == 1)) ++axis;
    std::int64_t found = 1;
    for (; axis < to.rank && found < numbers; ++axis) {
      found *= to[axis];
      a.add(axis);
    }
    a.fits_ = a.fits_ && found == numbers;
    return a;
  }

 private:
  constexpr void add(int axis) {
    if (value_[axis] != 1) axes_ |= 1u << axis;
  }

  extents value_;
  unsigned axes_ = 0;  ///< bit by axis, of extents other than 1
  bool fits_ = false;
};

}  // namespace ctnn::ir
