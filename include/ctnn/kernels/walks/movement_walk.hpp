// SPDX-License-Identifier: BSL-1.0
// The loops of operators that move elements without arithmetic, over tensors of any layouts.
#pragma once

#include "../../graph/operators/pad.hpp"
#include "../../graph/operators/shape.hpp"
#include "../tensor.hpp"
#include "loop_nest.hpp"

namespace ctnn::ir {

/// The loops that copy `part` out of or into tensors of larger shape: operands are the target and the source.
/// Outermost first in the target's memory; any layouts.
constexpr loop_nest<2> copy_loops(const extents& part, const tensor& to, const const_tensor& from) {
  loop_nest<2> nest;
  for (int i = 0; i < part.rank; ++i) {
    const int axis = memory_axis(to, i);
    nest.push_back({part[axis], {stride_of(to, axis), stride_of(from, axis)}});
  }
  return nest;
}

/// Those of a slice, and where it begins in the source.
constexpr loop_nest<2> slice_loops(const op::slice& p, const tensor& to, const const_tensor& from,
                                   std::ptrdiff_t& begin) {
  loop_nest<2> nest;
  const op::slice::walks taken = p.over(from.shape);
  begin = 0;
  for (int i = 0; i < to.shape.rank; ++i) {
    const int axis = memory_axis(to, i);
    const op::slice::walk& w = taken[static_cast<std::size_t>(axis)];
    const std::ptrdiff_t stride = stride_of(from, axis);
    nest.push_back({w.count, {stride_of(to, axis), w.step * stride}});
    begin += w.first * stride;
  }
  return nest;
}

/// Those of a permutation.
constexpr loop_nest<2> permute_loops(const op::permute& p, const tensor& to, const const_tensor& from) {
  loop_nest<2> nest;
  for (int i = 0; i < to.shape.rank; ++i) {
    const int axis = memory_axis(to, i);
    nest.push_back({to.shape[axis], {stride_of(to, axis), stride_of(from, p.order[static_cast<std::size_t>(axis)])}});
  }
  return nest;
}

/// Those of a shuffle: the channel axis of the target as (columns, groups).
constexpr loop_nest<2> shuffle_loops(const op::channel_shuffle& p, const tensor& to, const const_tensor& from) {
  loop_nest<2> nest;
  const int c = to.shape.rank - 3;
  const std::ptrdiff_t columns = to.shape[c] / p.groups, y = stride_of(to, c), x = stride_of(from, c);
  for (int i = 0; i < to.shape.rank; ++i) {
    const int axis = memory_axis(to, i);
    if (axis != c) {
      nest.push_back({to.shape[axis], {stride_of(to, axis), stride_of(from, axis)}});
      continue;
    }
    nest.push_back({columns, {p.groups * y, x}});
    nest.push_back({p.groups, {y, columns * x}});
  }
  return nest;
}

/// Those of a pixel shuffle: rows and columns of the target as (block, pixel of the block).
constexpr loop_nest<2> pixel_loops(const op::pixel_shuffle& p, const tensor& to, const const_tensor& from) {
  loop_nest<2> nest;
  const int c = to.shape.rank - 3;
  const std::ptrdiff_t fy = p.factor[0], fx = p.factor[1], channel = stride_of(from, c);
  for (int i = 0; i < to.shape.rank; ++i) {
    const int axis = memory_axis(to, i);
    const std::ptrdiff_t y = stride_of(to, axis), x = stride_of(from, axis);
    if (axis <= c) {
      nest.push_back({to.shape[axis], {y, axis == c ? x * fy * fx : x}});
      continue;
    }
    const std::ptrdiff_t f = axis == c + 1 ? fy : fx;
    nest.push_back({from.shape[axis], {y * f, x}});
    nest.push_back({f, {y, axis == c + 1 ? channel * fx : channel}});
  }
  return nest;
}

/// Element by element, for every mode; any layouts.
constexpr void pad_each(const op::pad& p, const tensor& y, const const_tensor& x, float filling) {
  int at[max_rank]{};
  const int rank = y.shape.rank;
  for (std::int64_t left = y.shape.count(); left > 0; --left) {
    std::ptrdiff_t to = 0, from = 0;
    bool inside = true;
    for (int i = 0; i < rank; ++i) {
      const std::int64_t k = p.source(std::int64_t{at[i]} - p.before[static_cast<std::size_t>(i)], x.shape[i]);
      inside = inside && k >= 0;
      to += at[i] * stride_of(y, i);
      from += static_cast<std::ptrdiff_t>(k) * stride_of(x, i);
    }
    y.data[to] = inside ? x.data[from] : filling;
    for (int i = rank - 1; i >= 0 && ++at[i] == y.shape[i]; --i) at[i] = 0;
  }
}

/// What of x a padding keeps, cut off by negative widths or not: where it begins in x and in y, and its extents.
struct kept_part {
  extents shape{};
  std::ptrdiff_t to = 0, from = 0;
};
constexpr kept_part kept_by(const op::pad& p, const tensor& y, const const_tensor& x) {
  kept_part part;
  for (int i = 0; i < x.shape.rank; ++i) {
    const int before = p.before[static_cast<std::size_t>(i)];
    const int begin = before < 0 ? -before : 0, room = y.shape[i] - before;
    const int end = room < x.shape[i] ? room : x.shape[i];
    part.shape.push_back(end > begin ? end - begin : 0);
    part.from += begin * stride_of(x, i);
    part.to += (before > 0 ? before : 0) * stride_of(y, i);
  }
  return part;
}

}  // namespace ctnn::ir
