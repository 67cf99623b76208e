// SPDX-License-Identifier: BSL-1.0
// Operators that move elements: any layout and pitch on every side, through strides.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_MOVEMENT_INL_HPP)
#define CTNN_KERNELS_MOVEMENT_INL_HPP
#define CTNN_KERNELS_MOVEMENT_ENABLED
#endif
#elif defined(CTNN_KERNELS_MOVEMENT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_MOVEMENT_INL_HPP
#undef CTNN_KERNELS_MOVEMENT_INL_HPP
#else
#define CTNN_KERNELS_MOVEMENT_INL_HPP
#endif
#define CTNN_KERNELS_MOVEMENT_ENABLED
#endif

#if defined(CTNN_KERNELS_MOVEMENT_ENABLED)
#undef CTNN_KERNELS_MOVEMENT_ENABLED

#include "../../graph/operators/pad.hpp"
#include "../../graph/operators/shape.hpp"
#include "../walks/movement_walk.hpp"
#include "../share.hpp"
#include "../simd/transpose-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Rows of contiguous numbers.
template <int = 0>
CTNN_NOINLINE inline void copy_rows(std::ptrdiff_t rows, std::ptrdiff_t length, float* y, std::ptrdiff_t dy,
                                    const float* x, std::ptrdiff_t dx) {
  for (std::ptrdiff_t r = 0; r < rows; ++r, x += dx, y += dy) {
    std::ptrdiff_t i = 0;
    for (; i + 2 * lanes <= length; i += 2 * lanes) {
      const vec a = loadu(x + i), b = loadu(x + i + lanes);
      storeu(a, y + i);
      storeu(b, y + i + lanes);
    }
    for (; i < length; i += lanes) {
      const int n = length - i < lanes ? static_cast<int>(length - i) : lanes;
      store_bounded(load_bounded(x + i, n), y + i, n);
    }
  }
}

template <int = 0>
CTNN_NOINLINE inline void copy_strided(std::ptrdiff_t rows, std::ptrdiff_t length, float* y, std::ptrdiff_t dy,
                                       std::ptrdiff_t y_step, const float* x, std::ptrdiff_t dx,
                                       std::ptrdiff_t x_step) {
  for (std::ptrdiff_t r = 0; r < rows; ++r)
    for (std::ptrdiff_t i = 0; i < length; ++i) y[r * dy + i * y_step] = x[r * dx + i * x_step];
}

/// Brings the loop along the source's contiguous axis next to the innermost; false if there is none.
constexpr bool arrange_transpose(loop_nest<2>& nest) {
  for (int d = 0; d < nest.depth - 1; ++d) {
    if (nest.levels[d].stride[1] != 1) continue;
    const auto level = nest.levels[d];
    for (int i = d; i < nest.depth - 2; ++i) nest.levels[i] = nest.levels[i + 1];
    nest.levels[nest.depth - 2] = level;
    return true;
  }
  return false;
}

/// Loops come in the order of the target's memory (copy_loops, permute_loops). y and x do not overlap.
template <int = 0>
CTNN_NOINLINE inline void copy_nested(loop_nest<2> nest, float* y, const float* x) {
  nest.require(2);
  const bool contiguous = nest.levels[nest.depth - 1].stride[0] == 1 && nest.levels[nest.depth - 1].stride[1] == 1;
  const bool transposes = !contiguous && nest.levels[nest.depth - 1].stride[0] == 1 && arrange_transpose(nest);
  const auto& outer = nest.levels[nest.depth - 2];
  const auto& inner = nest.levels[nest.depth - 1];
  loop_cursor<2> at(nest, 2);
  do {
    float* to = y + at.offset[0];
    const float* from = x + at.offset[1];
    if (contiguous) copy_rows(outer.extent, inner.extent, to, outer.stride[0], from, outer.stride[1]);
    else if (transposes) transpose(outer.extent, inner.extent, to, outer.stride[0], from, inner.stride[1]);
    else
      copy_strided(outer.extent, inner.extent, to, outer.stride[0], inner.stride[0], from, outer.stride[1],
                   inner.stride[1]);
  } while (at.next());
}

/// The share of such a copy.
template <int = 0>
CTNN_INLINE void copy_share(const work_share& share, const loop_nest<2>& all, float* y, const float* x) {
  if (share.count == 1) return copy_nested(all, y, x);
  std::ptrdiff_t at[2]{};
  loop_nest<2> nest = all;
  nest.require(1);
  if (take_share(nest, share, at)) copy_nested(nest, y + at[0], x + at[1]);
}

}  // namespace detail

/// Copies between any two layouts and pitches of one shape; nothing to do in place.
template <int = 0>
CTNN_INLINE void convert(const tensor& to, const const_tensor& from, const work_share& share = {}) {
  if (to.data != from.data) detail::copy_share(share, copy_loops(from.shape, to, from), to.data, from.data);
}

template <int = 0>
CTNN_INLINE void run(const op::constant&, const arguments& a) {
  const tensor& y = a.out[0];
  convert(y, {a.weights[0], y.shape, layout::nchw, 0});
}

namespace detail {

template <int = 0>
CTNN_NOINLINE inline void fill(const tensor& y, float value) {
  loop_nest<1> nest;
  for (int i = 0; i < y.shape.rank; ++i) {
    const int axis = memory_axis(y, i);
    nest.push_back({y.shape[axis], {stride_of(y, axis)}});
  }
  nest.require(1);
  const auto& row = nest.levels[nest.depth - 1];
  const vec values = set(value);
  loop_cursor<1> at(nest, 1);
  do {
    float* const to = y.data + at.offset[0];
    std::ptrdiff_t i = 0;
    for (; row.stride[0] == 1 && i + lanes <= row.extent; i += lanes) storeu(values, to + i);
    for (; i < row.extent; ++i) to[i * row.stride[0]] = value;
  } while (at.next());
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::full& p, const arguments& a) { detail::fill(a.out[0], p.value); }

/// Constant paddings fill, then copy; the others walk.
namespace detail {

/// The borders of y, whose middle holds all of a tensor of shape `x`: along one axis after the other, from the
/// innermost in memory on, copies of what the axis has in its middle. y has no gaps.
template <int = 0>
CTNN_NOINLINE inline void fill_borders(const op::pad& p, const tensor& y, const extents& x) {
  const int rank = y.shape.rank;
  std::ptrdiff_t block = 1;  // numbers of the axes that are done
  for (int m = rank - 1; m >= 0; --m) {
    const int axis = memory_axis(y, m), before = p.before[static_cast<std::size_t>(axis)];
    const std::ptrdiff_t size = y.shape[axis];
    if (size != x[axis]) {
      loop_nest<1> middle;  // of the axes outside
      std::ptrdiff_t first = 0;
      for (int i = 0; i < m; ++i) {
        const int outer = memory_axis(y, i);
        middle.push_back({x[outer], {stride_of(y, outer)}});
        first += p.before[static_cast<std::size_t>(outer)] * stride_of(y, outer);
      }
      std::ptrdiff_t to[32], from[32];  // some places at a time
      for (std::ptrdiff_t i = 0; i < size;) {
        int places = 0;
        for (; i < size && places < 32; ++i) {
          if (i == before) i += x[axis];
          if (i >= size) break;
          to[places] = i * block;
          from[places++] = (p.source(i - before, x[axis]) + before) * block;
        }
        if (places == 0) break;
        loop_cursor<1> at(middle, 0);
        do {
          float* const row = y.data + first + at.offset[0];
          if (block < lanes)
            for (int k = 0; k < places; ++k)
              for (std::ptrdiff_t b = 0; b < block; ++b) row[to[k] + b] = row[from[k] + b];
          else
            for (int k = 0; k < places; ++k) copy_rows(1, block, row + to[k], 0, row + from[k], 0);
        } while (at.next());
      }
    }
    block *= size;
  }
}

/// A pad that cuts nothing off, to a tensor without gaps.
template <int = 0>
CTNN_INLINE bool only_adds(const op::pad& p, const tensor& y, const extents& x) {
  bool adds = y.order == layout::nchw || y.pitch == y.channels();
  for (int i = 0; i < x.rank; ++i) {
    const int before = p.before[static_cast<std::size_t>(i)];
    adds = adds && x[i] > 0 && before >= 0 && y.shape[i] >= before + x[i];
  }
  return adds;
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::pad& p, const arguments& a) {
  const tensor& y = a.out[0];
  const const_tensor& x = a.in[0];
  if (y.shape.count() == 0) return;
  const float filling = a.in.size() == 2 ? a.in[1].data[0] : static_cast<float>(p.value);
  const bool copies = p.mode != op::pad_mode::constant;
#if defined(CTNN_PLAIN)
  if (copies) return pad_each(p, y, x, filling);
#else
  if (copies && !detail::only_adds(p, y, x.shape)) return pad_each(p, y, x, filling);
#endif
  const kept_part part = kept_by(p, y, x);
#if !defined(CTNN_PLAIN)
  if (copies) {
    detail::copy_nested(copy_loops(part.shape, y, x), y.data + part.to, x.data + part.from);
    return detail::fill_borders(p, y, x.shape);
  }
#endif
  if (part.shape.count() < y.shape.count()) detail::fill(y, filling);
  if (part.shape.count() > 0) detail::copy_nested(copy_loops(part.shape, y, x), y.data + part.to, x.data + part.from);
}

// The numbers of an nchw output are those of the input in its logical order.
template <int = 0>
CTNN_INLINE void run(const op::flatten&, const arguments& a) {
  convert({a.out[0].data, a.in[0].shape, layout::nchw, 0}, a.in[0], a.share);
}
template <int = 0>
CTNN_INLINE void run(const op::reshape&, const arguments& a) {
  convert({a.out[0].data, a.in[0].shape, layout::nchw, 0}, a.in[0], a.share);
}

template <int = 0>
CTNN_INLINE void run(const op::permute& p, const arguments& a) {
  detail::copy_share(a.share, permute_loops(p, a.out[0], a.in[0]), a.out[0].data, a.in[0].data);
}

template <int = 0>
CTNN_INLINE void run(const op::channel_shuffle& p, const arguments& a) {
  detail::copy_share(a.share, shuffle_loops(p, a.out[0], a.in[0]), a.out[0].data, a.in[0].data);
}

template <int = 0>
CTNN_INLINE void run(const op::pixel_shuffle& p, const arguments& a) {
  detail::copy_share(a.share, pixel_loops(p, a.out[0], a.in[0]), a.out[0].data, a.in[0].data);
}

/// Inputs that already lie where they belong in the output are left alone.
template <int = 0>
CTNN_INLINE void run(const op::concat& p, const arguments& a) {
  const tensor& out = a.out[0];
  const int axis = normal_axis(p.axis, out.shape.rank);
  const std::ptrdiff_t step = stride_of(out, axis);
  float* y = out.data;
  for (const const_tensor& x : a.in) {
    if (x.data != y) detail::copy_share(a.share, copy_loops(x.shape, out, x), y, x.data);
    y += x.shape[axis] * step;
  }
}

template <int = 0>
CTNN_INLINE void run(const op::split& p, const arguments& a) {
  const const_tensor& in = a.in[0];
  const int axis = normal_axis(p.axis, in.shape.rank);
  const std::ptrdiff_t step = stride_of(in, axis);
  const float* x = in.data;
  for (const tensor& y : a.out) {
    if (y.data != x) detail::copy_share(a.share, copy_loops(y.shape, y, in), y.data, x);
    x += y.shape[axis] * step;
  }
}

/// A part that the planner left where it is needs no copy.
template <int = 0>
CTNN_INLINE void run(const op::slice& p, const arguments& a) {
  const tensor& y = a.out[0];
  if (y.shape.count() == 0) return;
  std::ptrdiff_t begin = 0;
  const loop_nest<2> nest = slice_loops(p, y, a.in[0], begin);
  const float* x = a.in[0].data + begin;
  if (y.data != x) detail::copy_share(a.share, nest, y.data, x);
}

CTNN_END_TARGET

#endif
