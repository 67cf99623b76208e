// SPDX-License-Identifier: BSL-1.0
// softmax and its logarithm over one axis.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_SOFTMAX_INL_HPP)
#define CTNN_KERNELS_SOFTMAX_INL_HPP
#define CTNN_KERNELS_SOFTMAX_ENABLED
#endif
#elif defined(CTNN_KERNELS_SOFTMAX_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_SOFTMAX_INL_HPP
#undef CTNN_KERNELS_SOFTMAX_INL_HPP
#else
#define CTNN_KERNELS_SOFTMAX_INL_HPP
#endif
#define CTNN_KERNELS_SOFTMAX_ENABLED
#endif

#if defined(CTNN_KERNELS_SOFTMAX_ENABLED)
#undef CTNN_KERNELS_SOFTMAX_ENABLED

#include "../../graph/operators/elementwise.hpp"
#include "../../graph/operators/reduction.hpp"
#include "../walks/loop_nest.hpp"
#include "../simd/rows-inl.hpp"
#include "../share.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct multiply_all {
  vec factor;
  CTNN_INLINE vec operator()(vec x) const { return mul(x, factor); }
};

// Of numbers that are NaN any may be taken for the largest: their powers are NaN, and so is the sum of them.

/// Over n contiguous numbers of V vectors, the last of which may be part of one: all stays in registers.
template <int V>
CTNN_NOINLINE inline void softmax_short_row(int n, const float* x, float* y) {
  constexpr int last = V - 1;
  const vec least = set(-std::numeric_limits<float>::infinity());
  vec e[V];
  CTNN_UNROLL for (int v = 0; v < last; ++v) e[v] = loadu(x + v * lanes);
  e[last] = load_bounded_or(x + last * lanes, n - last * lanes, least);
  vec most = e[0];
  CTNN_UNROLL for (int v = 1; v < V; ++v) most = larger(most, e[v]);
  const vec top = largest_lane(most);
  CTNN_UNROLL for (int v = 0; v < V; ++v) e[v] = exp_up_to_zero(sub(e[v], top));
  vec total = e[0];
  CTNN_UNROLL for (int v = 1; v < V; ++v) total = add(total, e[v]);
  const vec factor = div(set(1.0f), sum_of_lanes(total));
  CTNN_UNROLL for (int v = 0; v < last; ++v) storeu(mul(e[v], factor), y + v * lanes);
  store_bounded(mul(e[last], factor), y + last * lanes, n - last * lanes);
}

/// The largest of n contiguous numbers, in every lane.
template <int = 0>
CTNN_INLINE vec largest_of(int n, const float* x) {
  constexpr int side_by_side = lanes > 1 ? 4 : 1;  // which do not wait for each other
  const vec least = set(-std::numeric_limits<float>::infinity());
  vec most[side_by_side];
  CTNN_UNROLL for (int k = 0; k < side_by_side; ++k) most[k] = least;
  int i = 0;
  for (; i + side_by_side * lanes <= n; i += side_by_side * lanes)
    CTNN_UNROLL for (int k = 0; k < side_by_side; ++k) most[k] = larger(most[k], loadu(x + i + k * lanes));
  for (; i < n; i += lanes) most[0] = larger(most[0], load_bounded_or(x + i, n - i, least));
  CTNN_UNROLL for (int k = 1; k < side_by_side; ++k) most[0] = larger(most[0], most[k]);
  return largest_lane(most[0]);
}

/// e^(x - the largest) of n contiguous numbers; returns what makes a softmax of them.
template <int = 0>
CTNN_NOINLINE inline vec softmax_powers(int n, const float* x, float* y) {
  const vec least = set(-std::numeric_limits<float>::infinity());
  const vec top = largest_of(n, x);
  vec total[2]{zero(), zero()};
  int i = 0;
  for (; lanes > 1 && i + 2 * lanes <= n; i += 2 * lanes) {
    const vec a = exp_up_to_zero(sub(loadu(x + i), top)), b = exp_up_to_zero(sub(loadu(x + i + lanes), top));
    total[0] = add(total[0], a);
    total[1] = add(total[1], b);
    storeu(a, y + i);
    storeu(b, y + i + lanes);
  }
  for (; i < n; i += lanes) {
    const vec e = exp_up_to_zero(sub(load_bounded_or(x + i, n - i, least), top));
    total[0] = add(total[0], e);
    store_bounded(e, y + i, n - i);
  }
  return div(set(1.0f), sum_of_lanes(add(total[0], total[1])));
}

/// Over n contiguous numbers.
template <int = 0>
CTNN_NOINLINE inline void softmax_row(int n, const float* x, float* y) {
  if constexpr (lanes > 1) {
    switch ((n + lanes - 1) / lanes) {
      case 1: return softmax_short_row<1>(n, x, y);
      case 2: return softmax_short_row<2>(n, x, y);
      case 3: return softmax_short_row<3>(n, x, y);
      case 4: return softmax_short_row<4>(n, x, y);
    }
  }
  if constexpr (lanes > 1 && lanes < 16) {
    switch ((n + lanes - 1) / lanes) {
      case 5: return softmax_short_row<5>(n, x, y);
      case 6: return softmax_short_row<6>(n, x, y);
      case 7: return softmax_short_row<7>(n, x, y);
      case 8: return softmax_short_row<8>(n, x, y);
    }
  }
  map_row(multiply_all{softmax_powers(n, x, y)}, n, y, y);
}

struct subtract_both {
  vec top, log_sum;
  CTNN_INLINE subtract_both(vec a, vec b) : top(a), log_sum(b) {}
  CTNN_INLINE vec operator()(vec x) const { return sub(sub(x, top), log_sum); }
};

/// The largest of n contiguous numbers, and what the powers of the others above it sum up to.
template <int = 0>
CTNN_INLINE void power_sum(int n, const float* x, float& most_of_row, float& sum_of_row) {
  const vec least = set(-std::numeric_limits<float>::infinity());
  const vec top = largest_of(n, x);
  vec total = zero();
  int i = 0;
  for (; i + lanes <= n; i += lanes) total = add(total, exp_up_to_zero(sub(loadu(x + i), top)));
  if (i < n) total = add(total, exp_up_to_zero(sub(load_bounded_or(x + i, n - i, least), top)));
  most_of_row = first_lane(top);
  sum_of_row = sum(total);
}

/// Rows of n contiguous numbers, dx (dy) apart: one logarithm for as many as a vector has lanes.
template <int = 0>
CTNN_NOINLINE inline void log_softmax_rows(std::ptrdiff_t rows, int n, const float* x, std::ptrdiff_t dx, float* y,
                                           std::ptrdiff_t dy) {
  alignas(64) float most[lanes], sums[lanes];
  for (std::ptrdiff_t r = 0; r < rows; r += lanes) {
    const std::ptrdiff_t some = rows - r < lanes ? rows - r : lanes;
    for (std::ptrdiff_t k = 0; k < some; ++k) power_sum(n, x + (r + k) * dx, most[k], sums[k]);
    for (std::ptrdiff_t k = some; k < lanes; ++k) sums[k] = 1;
    store(log(load(sums)), sums);
    for (std::ptrdiff_t k = 0; k < some; ++k)
      map_row(subtract_both(set(most[k]), set(sums[k])), n, x + (r + k) * dx, y + (r + k) * dy);
  }
}

/// `width` of these side by side, each over n numbers dx (dy) apart.
template <int = 0>
CTNN_NOINLINE inline void log_softmax_columns(int n, std::ptrdiff_t width, const float* x, std::ptrdiff_t dx, float* y,
                                              std::ptrdiff_t dy) {
  for (std::ptrdiff_t i = 0; i < width; i += lanes) {
    const int part = width - i < lanes ? static_cast<int>(width - i) : lanes;
    vec most = load_bounded(x + i, part), total = zero();
    for (int k = 1; k < n; ++k) most = larger(most, load_bounded(x + i + k * dx, part));
    for (int k = 0; k < n; ++k) total = add(total, exp_up_to_zero(sub(load_bounded(x + i + k * dx, part), most)));
    const subtract_both less(most, log(total));
    for (int k = 0; k < n; ++k) store_bounded(less(load_bounded(x + i + k * dx, part)), y + i + k * dy, part);
  }
}

/// `width` softmaxes side by side, each over n numbers dx (dy) apart.
template <int = 0>
CTNN_NOINLINE inline void softmax_columns(int n, std::ptrdiff_t width, const float* x, std::ptrdiff_t dx, float* y,
                                          std::ptrdiff_t dy) {
  for (std::ptrdiff_t i = 0; i < width; i += lanes) {
    const int part = width - i < lanes ? static_cast<int>(width - i) : lanes;
    vec most = load_bounded(x + i, part), total = zero();
    for (int k = 1; k < n; ++k) most = larger(most, load_bounded(x + i + k * dx, part));
    for (int k = 0; k < n; ++k) {
      const vec e = exp_up_to_zero(sub(load_bounded(x + i + k * dx, part), most));
      total = add(total, e);
      store_bounded(e, y + i + k * dy, part);
    }
    const vec factor = div(set(1.0f), total);
    for (int k = 0; k < n; ++k) store_bounded(mul(load_bounded(y + i + k * dy, part), factor), y + i + k * dy, part);
  }
}

template <class Op>
CTNN_INLINE void normalise_rows(std::ptrdiff_t rows, int n, const float* x, std::ptrdiff_t dx, float* y,
                                std::ptrdiff_t dy) {
  if constexpr (std::is_same_v<Op, op::log_softmax>) log_softmax_rows(rows, n, x, dx, y, dy);
  else
    for (std::ptrdiff_t r = 0; r < rows; ++r) softmax_row(n, x + r * dx, y + r * dy);
}
template <class Op>
CTNN_INLINE void normalise_columns(int n, std::ptrdiff_t width, const float* x, std::ptrdiff_t dx, float* y,
                                   std::ptrdiff_t dy) {
  if constexpr (std::is_same_v<Op, op::softmax>) softmax_columns(n, width, x, dx, y, dy);
  else log_softmax_columns(n, width, x, dx, y, dy);
}

/// The loops over everything but `skip`; operands are the output and the input.
constexpr loop_nest<2> other_axes(const tensor& y, const const_tensor& x, int skip) {
  loop_nest<2> nest;
  for (int i = 0; i < y.shape.rank; ++i) {
    const int axis = memory_axis(y, i);
    if (axis != skip) nest.push_back({y.shape[axis], {stride_of(y, axis), stride_of(x, axis)}});
  }
  nest.require(1);
  return nest;
}

}  // namespace detail

/// Any layouts, in place if wanted; fast if the axis, or else the innermost of the others, is contiguous on both sides.
template <op::normalises_powers Op>
CTNN_INLINE void run(const Op& p, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const int axis = normal_axis(p.axis, x.shape.rank), n = x.shape[axis];
  const std::ptrdiff_t dx = stride_of(x, axis), dy = stride_of(y, axis);
  // One row, as most networks end: no loops to set up.
  if (dx == 1 && dy == 1 && x.shape.count() == n) {
    if (a.share.index == 0) detail::normalise_rows<Op>(1, n, x.data, n, y.data, n);
    return;
  }
  loop_nest<2> nest = detail::other_axes(y, x, axis);
  std::ptrdiff_t begin[2]{};
  if (a.share.count > 1 && !take_share(nest, a.share, begin)) return;
  const float* const from = x.data + begin[1];
  float* const to = y.data + begin[0];
  const auto& inner = nest.levels[nest.depth - 1];
  if (dx == 1 && dy == 1) {
    loop_cursor<2> at(nest, 1);
    do
      detail::normalise_rows<Op>(inner.extent, n, from + at.offset[1], inner.stride[1], to + at.offset[0],
                                 inner.stride[0]);
    while (at.next());
  } else {
    const bool contiguous = inner.stride[0] == 1 && inner.stride[1] == 1;
    loop_cursor<2> at(nest, contiguous ? 1 : 0);
    do detail::normalise_columns<Op>(n, contiguous ? inner.extent : 1, from + at.offset[1], dx, to + at.offset[0], dy);
    while (at.next());
  }
}

CTNN_END_TARGET

#endif
