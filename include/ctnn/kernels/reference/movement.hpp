// SPDX-License-Identifier: BSL-1.0
// Operators that move elements without arithmetic, plain; constant copies its numbers.
#pragma once

#include "../../graph/operators/pad.hpp"
#include "../../graph/operators/shape.hpp"
#include "../walks/loop_nest.hpp"
#include "../tensor.hpp"

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

namespace ctnn::ir::reference {

namespace detail {

constexpr void copy(std::int64_t n, float* y, const float* x) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i];
}

constexpr void copy(loop_nest<2> nest, float* y, const float* x) {
  nest.require(1);
  const auto& row = nest.levels[nest.depth - 1];
  const std::ptrdiff_t dy = row.stride[0], dx = row.stride[1];
  loop_cursor<2> at(nest, 1);
  do {
    float* to = y + at.offset[0];
    const float* from = x + at.offset[1];
    for (std::ptrdiff_t i = 0; i < row.extent; ++i) to[i * dy] = from[i * dx];
  } while (at.next());
}

}  // namespace detail

constexpr void run(const op::constant&, const arguments& a) {
  detail::copy(a.out[0].shape.count(), a.out[0].data, a.weights[0]);
}
constexpr void run(const op::full& p, const arguments& a) {
  const std::int64_t n = a.out[0].shape.count();
  for (std::int64_t i = 0; i < n; ++i) a.out[0].data[i] = p.value;
}
constexpr void run(const op::flatten&, const arguments& a) {
  detail::copy(a.out[0].shape.count(), a.out[0].data, a.in[0].data);
}
constexpr void run(const op::reshape&, const arguments& a) {
  detail::copy(a.out[0].shape.count(), a.out[0].data, a.in[0].data);
}

constexpr void run(const op::permute& p, const arguments& a) {
  detail::copy(permute_loops(p, a.out[0], a.in[0]), a.out[0].data, a.in[0].data);
}

constexpr void run(const op::channel_shuffle& p, const arguments& a) {
  detail::copy(shuffle_loops(p, a.out[0], a.in[0]), a.out[0].data, a.in[0].data);
}

constexpr void run(const op::pixel_shuffle& p, const arguments& a) {
  detail::copy(pixel_loops(p, a.out[0], a.in[0]), a.out[0].data, a.in[0].data);
}

constexpr void run(const op::concat& p, const arguments& a) {
  const tensor& out = a.out[0];
  const int axis = normal_axis(p.axis, out.shape.rank);
  float* y = out.data;
  for (const const_tensor& x : a.in) {
    detail::copy(copy_loops(x.shape, out, x), y, x.data);
    y += x.shape[axis] * stride_of(out, axis);
  }
}

constexpr void run(const op::split& p, const arguments& a) {
  const const_tensor& in = a.in[0];
  const int axis = normal_axis(p.axis, in.shape.rank);
  const float* x = in.data;
  for (const tensor& y : a.out) {
    detail::copy(copy_loops(y.shape, y, in), y.data, x);
    x += y.shape[axis] * stride_of(in, axis);
  }
}

constexpr void run(const op::pad& p, const arguments& a) {
  pad_each(p, a.out[0], a.in[0], a.in.size() == 2 ? a.in[1].data[0] : static_cast<float>(p.value));
}

constexpr void run(const op::slice& p, const arguments& a) {
  if (a.out[0].shape.count() == 0) return;
  std::ptrdiff_t begin = 0;
  const loop_nest<2> nest = slice_loops(p, a.out[0], a.in[0], begin);
  detail::copy(nest, a.out[0].data, a.in[0].data + begin);
}

}  // namespace ctnn::ir::reference
