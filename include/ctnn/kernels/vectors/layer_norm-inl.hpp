// SPDX-License-Identifier: BSL-1.0
// layer_norm, rms_norm and group_norm: rows of contiguous numbers, their statistics in vectors; scale and bias that lie
// along a row, or belong to a channel, in the same pass.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_LAYER_NORM_INL_HPP)
#define CTNN_KERNELS_LAYER_NORM_INL_HPP
#define CTNN_KERNELS_LAYER_NORM_ENABLED
#endif
#elif defined(CTNN_KERNELS_LAYER_NORM_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_LAYER_NORM_INL_HPP
#undef CTNN_KERNELS_LAYER_NORM_INL_HPP
#else
#define CTNN_KERNELS_LAYER_NORM_INL_HPP
#endif
#define CTNN_KERNELS_LAYER_NORM_ENABLED
#endif

#if defined(CTNN_KERNELS_LAYER_NORM_ENABLED)
#undef CTNN_KERNELS_LAYER_NORM_ENABLED

#include "../../graph/operators/statistics.hpp"
#include "binary-inl.hpp"
#include "../share.hpp"
#include "../simd/rows-inl.hpp"
#include "../tensor.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct plain_sum {
  CTNN_INLINE vec operator()(vec x, vec total) const { return add(total, x); }
};
struct square_sum {
  vec middle;
  CTNN_INLINE vec operator()(vec x, vec total) const {
    const vec d = sub(x, middle);
    return mul_add(d, d, total);
  }
};

/// Sum over n numbers, in several sums side by side that do not wait for each other.
template <class Sum>
CTNN_INLINE float sum_over(const Sum& with, const float* x, int n) {
  constexpr int side_by_side = lanes > 1 ? 4 : 1;  // plain floats: small code
  vec total[side_by_side];
  CTNN_UNROLL for (int k = 0; k < side_by_side; ++k) total[k] = zero();
  int i = 0;
  for (; i + side_by_side * lanes <= n; i += side_by_side * lanes)
    CTNN_UNROLL for (int k = 0; k < side_by_side; ++k) total[k] = with(loadu(x + i + k * lanes), total[k]);
  for (; side_by_side > 1 && i + lanes <= n; i += lanes) total[0] = with(loadu(x + i), total[0]);
  CTNN_UNROLL for (int k = 1; k < side_by_side; ++k) total[0] = add(total[0], total[k]);
  float all = sum(total[0]);
  if (lanes > 1 && i < n) {
    float part[lanes];
    storeu(with(load_part(x + i, n - i), zero()), part);
    for (int k = 0; k < n - i; ++k) all += part[k];
  }
  return all;
}

/// Mean, or 0 where none is taken away, and 1 / deviation from it of n > 0 numbers, in two passes: what the mean takes
/// away is not lost among squares.
struct row_statistics {
  float mean, inverse;
};
template <int = 0>
CTNN_NOINLINE inline row_statistics statistics_of(const float* x, int n, float eps, bool centred) {
  const float mean = centred ? sum_over(plain_sum{}, x, n) / static_cast<float>(n) : 0;
  const float squares = sum_over(square_sum{set(mean)}, x, n);
  return {mean, 1 / math::sqrt(squares / static_cast<float>(n) + eps)};
}

/// (x - mean) inverse [scale] [+ bias]
template <int = 0>
CTNN_NOINLINE inline void normalize_row(const row_statistics& s, const float* x, float* y, int n, const float* scale,
                                        const float* bias) {
  const vec mean = set(s.mean), inverse = set(s.inverse);
  for (int i = 0; i < n; i += lanes) {
    const int rest = n - i < lanes ? n - i : lanes;
    vec v = mul(sub(load_bounded(x + i, rest), mean), inverse);
    if (scale) v = mul(v, load_bounded(scale + i, rest));
    if (bias) v = add(v, load_bounded(bias + i, rest));
    store_bounded(v, y + i, rest);
  }
}

/// The same as both of these for a row of V vectors, which stays in registers.
template <int V>
CTNN_INLINE row_statistics normalize_short_row(const float* x, float* y, float eps, bool centred, const float* scale,
                                               const float* bias) {
  const vec n = set(static_cast<float>(V * lanes));
  vec v[V], total = zero(), squares = zero(), mean = zero();
  CTNN_UNROLL for (int k = 0; k < V; ++k) v[k] = loadu(x + k * lanes);
  if (centred) {
    CTNN_UNROLL for (int k = 0; k < V; ++k) total = add(total, v[k]);
    mean = div(sum_of_lanes(total), n);
    CTNN_UNROLL for (int k = 0; k < V; ++k) v[k] = sub(v[k], mean);
  }
  CTNN_UNROLL for (int k = 0; k < V; ++k) squares = mul_add(v[k], v[k], squares);
  const vec inverse = div(set(1.0f), sqrt(add(div(sum_of_lanes(squares), n), set(eps))));
  CTNN_UNROLL for (int k = 0; k < V; ++k) {
    v[k] = mul(v[k], inverse);
    if (scale) v[k] = mul(v[k], loadu(scale + k * lanes));
    if (bias) v[k] = add(v[k], loadu(bias + k * lanes));
    storeu(v[k], y + k * lanes);
  }
  return {first_lane(mean), first_lane(inverse)};
}
template <int = 0>
CTNN_INLINE row_statistics normalize_one_row(const float* x, float* y, int n, float eps, bool centred,
                                             const float* scale, const float* bias) {
  if constexpr (lanes > 1) switch (n) {
      case 2 * lanes: return normalize_short_row<2>(x, y, eps, centred, scale, bias);
      case 4 * lanes: return normalize_short_row<4>(x, y, eps, centred, scale, bias);
      case 8 * lanes: return normalize_short_row<8>(x, y, eps, centred, scale, bias);
    }
  const row_statistics s = statistics_of(x, n, eps, centred);
  normalize_row(s, x, y, n, scale, bias);
  return s;
}

/// (x - mean) factor + bias
struct normalize_channel {
  vec mean, factor, bias;
  CTNN_INLINE vec operator()(vec x) const { return mul_add(sub(x, mean), factor, bias); }
};

/// Whether an operand that is broadcast to `whole` is one and the same row for each of its rows.
constexpr bool is_row(const extents& operand, const extents& whole, int axis) {
  for (int i = 0; i < whole.rank; ++i) {
    const int own = i < operand.rank ? operand.back(i) : 1;
    if (own != (i < whole.rank - axis ? whole.back(i) : 1)) return false;
  }
  return true;
}

}  // namespace detail

template <class Norm>
CTNN_INLINE void normalize_rows(const Norm& p, const arguments& a) {
  constexpr bool centred = std::is_same_v<Norm, op::layer_norm>;
  const extents& shape = a.in[0].shape;
  const int axis = normal_axis(p.axis, shape.rank), n = static_cast<int>(shape.count(axis, shape.rank));
  bool rows_only = true;
  for (std::size_t k = 1; k < a.in.size(); ++k) rows_only = rows_only && detail::is_row(a.in[k].shape, shape, axis);
  const auto rows = static_cast<std::ptrdiff_t>(shape.count(0, axis));
  index_range part = share_of(a.share, rows);
  if (!rows_only) part = {0, a.share.index == 0 ? rows : 0};  // what follows takes the whole
  if (n == 0 || part.size() <= 0) return;
  const float* scale = rows_only && a.in.size() > 1 ? a.in[1].data : nullptr;
  const float* bias = rows_only && a.in.size() > 2 ? a.in[2].data : nullptr;
  for (std::ptrdiff_t r = part.begin; r < part.end; ++r) {
    const detail::row_statistics s =
        detail::normalize_one_row(a.in[0].data + r * n, a.out[0].data + r * n, n, p.eps, centred, scale, bias);
    if constexpr (centred) {
      if (!p.statistics) continue;
      a.out[1].data[r] = s.mean;
      a.out[2].data[r] = s.inverse;
    }
  }
  if (rows_only) return;
  for (std::size_t k = 1; k < a.in.size(); ++k) {
    op::binary with;
    with.function = k == 1 ? op::binary_function::mul : op::binary_function::add;
    const const_tensor operands[] = {a.out[0], a.in[k]};
    run(with, arguments{operands, a.out.first(1), {}});
  }
}

template <int = 0>
CTNN_INLINE void run(const op::layer_norm& p, const arguments& a) { normalize_rows(p, a); }
template <int = 0>
CTNN_INLINE void run(const op::rms_norm& p, const arguments& a) { normalize_rows(p, a); }

/// In place if wanted.
template <int = 0>
CTNN_INLINE void run(const op::group_norm& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const int axis = channel_axis(shape, p.axis);
  const std::ptrdiff_t channels = shape[axis] / p.groups,
                       plane = static_cast<std::ptrdiff_t>(shape.count(axis + 1, shape.rank)), n = channels * plane;
  if (n == 0) return;
  const float *scale = a.in[1].data, *bias = a.in[2].data;
  const bool scale_of_channel = a.in[1].shape[0] == shape[axis], bias_of_channel = a.in[2].shape[0] == shape[axis];
  const index_range part = share_of(a.share, static_cast<std::ptrdiff_t>(shape.count(0, axis)) * p.groups);
  for (std::ptrdiff_t r = part.begin; r < part.end; ++r) {
    const float* x = a.in[0].data + r * n;
    float* y = a.out[0].data + r * n;
    const detail::row_statistics s = detail::statistics_of(x, static_cast<int>(n), p.eps, true);
    const std::ptrdiff_t group = r % p.groups, first = group * channels;
    if (plane == 1 && scale_of_channel && bias_of_channel) {
      detail::normalize_row(s, x, y, static_cast<int>(channels), scale + first, bias + first);
      continue;
    }
    for (std::ptrdiff_t c = first; c < first + channels; ++c, x += plane, y += plane)
      map_row(detail::normalize_channel{set(s.mean), set(s.inverse * scale[scale_of_channel ? c : group]),
                                        set(bias[bias_of_channel ? c : group])},
              plane, x, y);
  }
}

CTNN_END_TARGET

#endif
