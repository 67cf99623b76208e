// SPDX-License-Identifier: BSL-1.0
// Depthwise conv2d (one filter a channel) on nhwc: vectors of channels, several pixels of a row at once; windows that
// hang over the border have their ranges of taps clipped.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_DEPTHWISE_INL_HPP)
#define CTNN_KERNELS_DEPTHWISE_INL_HPP
#define CTNN_KERNELS_DEPTHWISE_ENABLED
#endif
#elif defined(CTNN_KERNELS_DEPTHWISE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_DEPTHWISE_INL_HPP
#undef CTNN_KERNELS_DEPTHWISE_INL_HPP
#else
#define CTNN_KERNELS_DEPTHWISE_INL_HPP
#endif
#define CTNN_KERNELS_DEPTHWISE_ENABLED
#endif

#if defined(CTNN_KERNELS_DEPTHWISE_ENABLED)
#undef CTNN_KERNELS_DEPTHWISE_ENABLED

#include "tile-inl.hpp"
#include "window-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Rows and columns of taps that fall on the input.
struct taps {
  int y, y_end, x, x_end;
};

/// Taps whose position start + k * dilation lies in [0, size): the first, and one beyond the last.
CTNN_INLINE int first_tap(int start, int dilation) { return start >= 0 ? 0 : (-start + dilation - 1) / dilation; }
CTNN_INLINE int last_tap(int start, int dilation, int kernel, int size) {
  const int room = size - 1 - start;
  const int end = room < 0 ? 0 : room / dilation + 1;
  return end < kernel ? end : kernel;
}

/// P neighbouring pixels of a row, V vectors of channels, all pixels with the same valid taps.
template <int P, int V>
CTNN_NOINLINE void depthwise_tile(const window& c, const epilogue& end, const float* in, std::ptrdiff_t pixel,
                                  const taps& valid, int channel, int channels) {
  const std::ptrdiff_t width = round_up_to_block(c.out_channels);
  const int whole = channels;  // channels of this tile, at most V lanes
  vec sum[P][V];
  CTNN_UNROLL for (int v = 0; v < V; ++v) sum[0][v] = zero();
  if (c.bias != nullptr) load_row<V>(sum[0], c.bias + channel, whole);
  CTNN_UNROLL for (int p = 1; p < P; ++p) {
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = sum[0][v];
  }
  if (c.residual != nullptr) {
    CTNN_UNROLL for (int p = 0; p < P; ++p) {
      vec r[V];
      load_row<V>(r, c.residual + (pixel + p) * c.residual_pitch + channel, whole);
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = add(sum[p][v], r[v]);
    }
  }
  const std::ptrdiff_t next = c.stride_w * c.col, tap_step = c.dilation_w * c.col;
  in += channel;
  for (int ky = valid.y; ky < valid.y_end; ++ky) {
    const float* x = in + ky * c.dilation_h * c.row + valid.x * tap_step;
    const float* w = c.weights + (ky * c.kernel_w + valid.x) * width + channel;
    for (int kx = valid.x; kx < valid.x_end; ++kx) {
      vec f[V];
      CTNN_UNROLL for (int v = 0; v < V; ++v) f[v] = loadu(w + v * lanes);
      const float* here = x;
      CTNN_UNROLL for (int p = 0; p < P; ++p) {
        vec row[V];
        load_row<V>(row, here, whole);
        CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = mul_add(row[v], f[v], sum[p][v]);
        here += next;
      }
      x += tap_step;
      w += width;
    }
  }
  float* out = c.out + pixel * c.out_pitch + channel;
  if (end.bounds == epilogue::bound::relu) {
    CTNN_UNROLL for (int p = 0; p < P; ++p) {
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = relu(sum[p][v]);
    }
  } else if (end.bounds == epilogue::bound::clip) {
    const vec low = set(end.low), high = set(end.high);
    CTNN_UNROLL for (int p = 0; p < P; ++p) {
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = clamp(sum[p][v], low, high);
    }
  }
  CTNN_UNROLL for (int p = 0; p < P; ++p) move_row<V, false>(sum[p], out + p * c.out_pitch, whole);
  if (end.finish != nullptr) end.finish(end.low, end.high, out, c.out_pitch, P, whole);
}

/// All channels of P pixels.
template <int P>
CTNN_INLINE void depthwise_pixels(const window& c, const epilogue& end, const float* in, std::ptrdiff_t pixel,
                                  const taps& valid) {
  constexpr int V = lanes == 1 ? 4 : 1;
  for (int channel = 0; channel < c.out_channels; channel += V * lanes) {
    const int left = c.out_channels - channel;
    depthwise_tile<P, V>(c, end, in, pixel, valid, channel, left < V * lanes ? left : V * lanes);
  }
}

}  // namespace detail

CTNN_NOINLINE inline void convolve_depthwise(const window& c, const epilogue& end) {
  constexpr int P = lanes == 1 ? 2 : 8;
  for (int oy = 0; oy < c.out_height; ++oy) {
    const int y = oy * c.stride_h - c.pad_top;
    detail::taps valid{detail::first_tap(y, c.dilation_h), detail::last_tap(y, c.dilation_h, c.kernel_h, c.height), 0, 0};
    for (int ox = 0; ox < c.out_width;) {
      const int x = ox * c.stride_w - c.pad_left;
      const float* in = c.in + (y * c.row + x * c.col);
      const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(oy) * c.out_width + ox;
      valid.x = detail::first_tap(x, c.dilation_w);
      valid.x_end = detail::last_tap(x, c.dilation_w, c.kernel_w, c.width);
      if (x >= 0 && ox + P <= c.out_width && x + (P - 1) * c.stride_w <= c.last_x) {
        detail::depthwise_pixels<P>(c, end, in, pixel, valid);
        ox += P;
      } else {
        detail::depthwise_pixels<1>(c, end, in, pixel, valid);
        ++ox;
      }
    }
  }
}

/// The same for nchw input, which only a network that begins with a depthwise convolution has: plain loops.
CTNN_NOINLINE inline void convolve_depthwise_planar(const window& c, const epilogue& end) {
  const std::ptrdiff_t width = round_up_to_block(c.out_channels);
  for (int oy = 0; oy < c.out_height; ++oy)
    for (int ox = 0; ox < c.out_width; ++ox) {
      const int y = oy * c.stride_h - c.pad_top, x = ox * c.stride_w - c.pad_left;
      const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(oy) * c.out_width + ox;
      const detail::taps valid{detail::first_tap(y, c.dilation_h),
                               detail::last_tap(y, c.dilation_h, c.kernel_h, c.height),
                               detail::first_tap(x, c.dilation_w),
                               detail::last_tap(x, c.dilation_w, c.kernel_w, c.width)};
      float* out = c.out + pixel * c.out_pitch;
      for (int channel = 0; channel < c.out_channels; ++channel) {
        float sum = c.bias != nullptr ? c.bias[channel] : 0.0f;
        if (c.residual != nullptr) sum += c.residual[pixel * c.residual_pitch + channel];
        for (int ky = valid.y; ky < valid.y_end; ++ky)
          for (int kx = valid.x; kx < valid.x_end; ++kx)
            sum += c.in[(y + ky * c.dilation_h) * c.row + (x + kx * c.dilation_w) * c.col + channel * c.chan] *
                   c.weights[(ky * c.kernel_w + kx) * width + channel];
        if (end.bounds == epilogue::bound::relu) sum = math::clamp(sum, 0.0f, std::numeric_limits<float>::max());
        if (end.bounds == epilogue::bound::clip) sum = math::clamp(sum, end.low, end.high);
        out[channel] = sum;
      }
      if (end.finish != nullptr) end.finish(end.low, end.high, out, c.out_pitch, 1, c.out_channels);
    }
}

CTNN_END_TARGET

#endif
