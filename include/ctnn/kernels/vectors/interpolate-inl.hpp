// SPDX-License-Identifier: BSL-1.0
// interpolate, nhwc on both sides, any pitch; vectors run over channels. What op::interpolate::layouts() leaves
// row-major is interpolation_walk.hpp's.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_INTERPOLATE_INL_HPP)
#define CTNN_KERNELS_INTERPOLATE_INL_HPP
#define CTNN_KERNELS_INTERPOLATE_ENABLED
#endif
#elif defined(CTNN_KERNELS_INTERPOLATE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_INTERPOLATE_INL_HPP
#undef CTNN_KERNELS_INTERPOLATE_INL_HPP
#else
#define CTNN_KERNELS_INTERPOLATE_INL_HPP
#endif
#define CTNN_KERNELS_INTERPOLATE_ENABLED
#endif

#if defined(CTNN_KERNELS_INTERPOLATE_ENABLED)
#undef CTNN_KERNELS_INTERPOLATE_ENABLED

#include <cstring>
#include <span>

#include "../walks/interpolation_walk.hpp"
#include "../simd/rows-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// One output pixel from four; p and q are the weights of the right and the lower ones.
template <int = 0>
CTNN_NOINLINE inline void blend_pixel(int channels, const float* a, const float* b, const float* c, const float* d,
                                      float p, float q, float* y) {
  const vec across = set(p), down = set(q);
  for (int i = 0; i < channels; i += lanes) {
    const int n = channels - i < lanes ? channels - i : lanes;
    const vec left = load_bounded(a + i, n), below_left = load_bounded(c + i, n);
    const vec above = mul_add(across, sub(load_bounded(b + i, n), left), left);
    const vec below = mul_add(across, sub(load_bounded(d + i, n), below_left), below_left);
    store_bounded(mul_add(down, sub(below, above), above), y + i, n);
  }
}

template <int = 0>
CTNN_NOINLINE inline void copy_pixel(int channels, const float* x, float* y) {
  for (int i = 0; i < channels; i += lanes) {
    const int n = channels - i < lanes ? channels - i : lanes;
    store_bounded(load_bounded(x + i, n), y + i, n);
  }
}

/// Some pixels of an output row.
template <int = 0>
CTNN_INLINE void interpolate_pixels(const op::interpolate& p, int channels, std::ptrdiff_t pixel,
                                    std::span<const interpolation_tap> along, const interpolation_tap& down,
                                    const float* image, std::ptrdiff_t row, float* y, std::ptrdiff_t dy) {
  const float *upper = image + down.first * row, *lower = image + down.second * row;
  for (const interpolation_tap& q : along) {
    const std::ptrdiff_t left = q.first * pixel, right = q.second * pixel;
    if (p.mode == op::interpolation::nearest) copy_pixel(channels, upper + left, y);
    else blend_pixel(channels, upper + left, upper + right, lower + left, lower + right, q.weight, down.weight, y);
    y += dy;
  }
}

#if !CTNN_SCALAR_VEC
/// y[i * pitch + j] = x[j / 2] for i < count and j < n.
template <int = 0>
CTNN_INLINE void double_columns(int n, const float* x, int count, std::ptrdiff_t pitch, float* y) {
  int j = 0;
  for (; j + 2 * lanes <= n; j += 2 * lanes, x += lanes) {
    const vec v = loadu(x);
    for (int i = 0; i < count; ++i) hn::StoreInterleaved2(v, v, tag(), y + i * pitch + j);
  }
  if (j == n) return;
  alignas(64) float twice[2 * lanes];
  const vec v = load_bounded(x, (n - j + 1) / 2);
  hn::StoreInterleaved2(v, v, tag(), twice);
  const vec first = load(twice), second = load(twice + lanes);
  for (int i = 0; i < count; ++i) {
    float* const to = y + i * pitch + j;
    store_bounded(first, to, n - j);
    if (n - j > lanes) store_bounded(second, to + lanes, n - j - lanes);
  }
}
#endif

/// y[i * pitch + j] = x[from[j]] for i < count. Columns that `double` are from[0] twice, the next one twice and so on.
template <int = 0>
CTNN_INLINE void copy_columns(std::span<const int> from, [[maybe_unused]] bool doubles, const float* x, int count,
                              std::ptrdiff_t pitch, float* y) {
#if !CTNN_SCALAR_VEC
  if (doubles) return double_columns(static_cast<int>(from.size()), x + from[0], count, pitch, y);
#endif
  for (std::size_t j = 0; j < from.size(); ++j) y[j] = x[from[j]];
  for (int i = 1; i < count; ++i) std::memcpy(y + i * pitch, y, from.size() * sizeof(float));
}

/// The nearest elements along the rows and columns of planes.
template <int = 0>
CTNN_NOINLINE inline void repeat_planes(const op::interpolate& p, const arguments& a) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  const int height = x.back(1), width = x.back(0), rows = y.back(1), columns = y.back(0);
  const index_range part = share_of(a.share, static_cast<std::ptrdiff_t>(x.count(0, x.rank - 2)));
  constexpr int some = lanes > 1 ? 512 : 8;  // found once for all planes: each takes divisions
  int down[some], along[some];
  const auto nearest = [&](int axis, int in, int out, int i) {
    return resampling<precise>(p, axis, in, out, i).index(0);
  };
  for (int top = 0; top < rows; top += some) {
    const int tall = rows - top < some ? rows - top : some;
    for (int i = 0; i < tall; ++i) down[i] = nearest(0, height, rows, top + i);
    for (int left = 0; left < columns; left += some) {
      const int wide = columns - left < some ? columns - left : some;
      bool doubles = true;
      for (int j = 0; j < wide; ++j) {
        along[j] = nearest(1, width, columns, left + j);
        doubles = doubles && along[j] == along[0] + j / 2;
      }
      const std::size_t n = static_cast<std::size_t>(wide);
      for (std::ptrdiff_t k = part.begin; k < part.end; ++k) {
        const float* const plane = a.in[0].data + k * height * width;
        float* to = a.out[0].data + (k * rows + top) * columns + left;
        for (int i = 0; i < tall;) {
          int alike = 1;
          while (i + alike < tall && down[i + alike] == down[i]) ++alike;
          copy_columns({along, n}, doubles, plane + std::ptrdiff_t{down[i]} * width, alike, columns, to);
          i += alike;
          to += std::ptrdiff_t{alike} * columns;
        }
      }
    }
  }
}

/// Pixels of nhwc.
template <int = 0>
CTNN_INLINE void interpolate_image_rows(const op::interpolate& p, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const int images = x.shape.rank == 4 ? x.shape[0] : 1, channels = x.shape.back(2);
  const int height = x.shape.back(1), width = x.shape.back(0), rows = y.shape.back(1), columns = y.shape.back(0);
  const std::ptrdiff_t pixel = x.pitch, row = pixel * width;
  const index_range part = share_of(a.share, std::ptrdiff_t{images} * rows);  // rows of all images
  constexpr int some = lanes > 1 ? 64 : 8;  // taps of a row at a time, found once for all rows: each takes divisions
  interpolation_tap along[some];
  for (int left = 0; left < columns; left += some) {
    const int n = columns - left < some ? columns - left : some;
    for (int j = 0; j < n; ++j) along[j] = tap_of(p, 1, width, columns, left + j);
    float* row_to = y.data + (part.begin * columns + left) * y.pitch;
    for (int k = 0; k < images; ++k) {
      const float* image = x.data + k * row * height;
      const rows_of_image own(part, k, rows);
      for (int i = own.begin; i < own.end; ++i, row_to += columns * y.pitch)
        interpolate_pixels(p, channels, pixel, {along, static_cast<std::size_t>(n)}, tap_of(p, 0, height, rows, i),
                           image, row, row_to, y.pitch);
    }
  }
}

}  // namespace detail

/// In a network of known layouts, which has but one of two ways.
template <layout Order>
CTNN_INLINE void run_in_order(const op::interpolate& p, const arguments& a) {
  if constexpr (Order == layout::nhwc) detail::interpolate_image_rows(p, a);
  else if (p.copies_in_rows()) detail::repeat_planes(p, a);
  else interpolate_planes<float, float>(p, a, [](float v) { return v; });
}
template <int = 0>
CTNN_INLINE void run(const op::interpolate& p, const arguments& a) {
  if (a.in[0].order == layout::nchw) run_in_order<layout::nchw>(p, a);
  else run_in_order<layout::nhwc>(p, a);
}

CTNN_END_TARGET

#endif
