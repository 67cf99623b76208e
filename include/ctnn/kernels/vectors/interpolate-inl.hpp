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

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::interpolate& p, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  if (x.order == layout::nchw) return interpolate_planes<float, float>(p, a, [](float v) { return v; });
  const int images = x.shape.rank == 4 ? x.shape[0] : 1, channels = x.shape.back(2);
  const int height = x.shape.back(1), width = x.shape.back(0), rows = y.shape.back(1), columns = y.shape.back(0);
  const std::ptrdiff_t pixel = x.pitch, row = pixel * width;
  const index_range part = share_of(a.share, std::ptrdiff_t{images} * rows);  // rows of all images
  float* to = y.data + part.begin * columns * y.pitch;
  for (int n = 0; n < images; ++n) {
    const float* image = x.data + n * row * height;
    const rows_of_image own(part, n, rows);
    for (int i = own.begin; i < own.end; ++i) {
      const interpolation_tap r = tap_of(p, 0, height, rows, i);
      const float *upper = image + r.first * row, *lower = image + r.second * row;
      for (int j = 0; j < columns; ++j, to += y.pitch) {
        const interpolation_tap q = tap_of(p, 1, width, columns, j);
        const std::ptrdiff_t left = q.first * pixel, right = q.second * pixel;
        if (p.mode == op::interpolation::nearest) detail::copy_pixel(channels, upper + left, to);
        else
          detail::blend_pixel(channels, upper + left, upper + right, lower + left, lower + right, q.weight, r.weight,
                              to);
      }
    }
  }
}

CTNN_END_TARGET

#endif
