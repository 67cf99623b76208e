// SPDX-License-Identifier: BSL-1.0
// Depthwise conv2d (one filter a channel) on nhwc: vectors of channels, several pixels of a row at once; taps beside
// the input are left out.

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

#include "../simd/tile-inl.hpp"
#include "../walks/window-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Rows and columns of taps that fall on the input.
struct taps {
  int y, y_end, x, x_end;
};

/// Taps whose position start + k * dilation lies in [0, size): the first, and one beyond the last.
template <int = 0>
CTNN_INLINE int first_tap(int start, int dilation) { return start >= 0 ? 0 : (-start + dilation - 1) / dilation; }
template <int = 0>
CTNN_INLINE int last_tap(int start, int dilation, int kernel, int size) {
  const int room = size - 1 - start;
  const int end = room < 0 ? 0 : room / dilation + 1;
  return end < kernel ? end : kernel;
}

/// A row of some channels: what stays the same from pixel to pixel. Addresses are of the first of the channels.
struct depthwise_line {
  const float* in;       ///< of the first valid row of taps, at x = 0
  const float* weights;  ///< of the first valid row of taps
  const float* bias;     ///< may be null
  const float* residual;  ///< may be null
  float* out;
  std::ptrdiff_t row_step, col, weight_step, out_pitch, residual_pitch;  ///< weight_step: from tap to tap
  int rows, kernel_w;                                                    ///< valid rows of taps
  int channels;
};

/// The epilogue's bounds in registers, without branches where vectors make two more operations cheap.
struct result_bounds {
  vec low, high;
  bool relu_only;

  CTNN_INLINE explicit result_bounds(const epilogue& end)
      : low(set(-std::numeric_limits<float>::infinity())), high(set(std::numeric_limits<float>::infinity())),
        relu_only(end.bounds == epilogue::bound::relu) {
    if (end.bounds == epilogue::bound::relu) low = zero();
    if (end.bounds == epilogue::bound::clip) low = set(end.low), high = set(end.high);
  }
  CTNN_INLINE vec operator()(vec x) const {
    if constexpr (lanes == 1) return relu_only ? relu(x) : x;
    else return clamp(x, low, high);
  }
};

/// Tiles of P pixels, kernels of K columns without dilation at stride S, from input column x on: each input is loaded
/// once for all its taps. Fewer than K columns lie beside the input on either side. At least a vector of channels (the
/// last one may overlap that before it), or Part of one.
template <int P, int K, int S, bool Part>
CTNN_NOINLINE void depthwise_pixels(const depthwise_line& d, const result_bounds& bounds, int x, int width, float* out,
                                    int tiles) {
  constexpr int columns = (P - 1) * S + K;
  const std::ptrdiff_t col = d.col, row_step = d.row_step, weight_step = d.weight_step, out_pitch = d.out_pitch;
  const int channels = d.channels, rows = d.rows;
  const result_bounds bound = bounds;
  const float* base = d.in + x * col;
  for (; tiles > 0; --tiles) {
    const int left = -x, last = width - x;  // of the columns: those from `left` to `last` are on the input
    for (int c = 0;;) {
      vec sum[P];
      sum[0] = d.bias == nullptr ? zero() : Part ? load_part(d.bias, channels) : loadu(d.bias + c);
      CTNN_UNROLL for (int p = 1; p < P; ++p) sum[p] = sum[0];
      const float* in = base + c;
      const float* w = d.weights + c;
      for (int ky = 0; ky < rows; ++ky) {
        vec f[K];
        CTNN_UNROLL for (int k = 0; k < K; ++k) {
          f[k] = loadu(w + k % 3 * weight_step);
          if (k % 3 == 2 || k + 1 == K) keep_in_register(w += (k % 3 + 1) * weight_step);
        }
        const float* here = in;
        CTNN_UNROLL for (int i = 0; i < columns; ++i) {
          const float* now = here + i % 3 * col;
          if (i % 3 == 2) keep_in_register(here += 3 * col);  // addresses have room for two steps
          if ((i < K - 1 && i < left) || (i > columns - K && i >= last)) continue;
          const vec value = Part ? load_part(now, channels) : loadu(now);
          CTNN_UNROLL for (int k = 0; k < K; ++k) {
            const int p = (i - k) / S;
            if (i >= k && (i - k) % S == 0 && p < P) sum[p] = mul_add(value, f[k], sum[p]);
          }
        }
        in += row_step;
      }
      float* to = out + c;
      CTNN_UNROLL for (int p = 0; p < P; ++p) {
        if constexpr (Part) store_part(bound(sum[p]), to, channels);
        else storeu(bound(sum[p]), to);
        to += out_pitch;
      }
      c += lanes;
      if (Part || c >= channels) break;
      if (lanes > 1 && c + lanes > channels) c = channels - lanes;
    }
    base += P * S * col;
    x += P * S;
    out += P * out_pitch;
  }
}

/// depthwise_pixels for each number of pixels of the set; none for 0.
using depthwise_pixels_function = void (*)(const depthwise_line&, const result_bounds&, int, int, float*, int);
template <tile_set Tiles, int P, int K, int S, bool Part>
constexpr depthwise_pixels_function pixels_if_any() {
  // Several rows of a part of a vector go pixel by pixel where kernels are wider.
  if constexpr (!(Part && K > 3) && Tiles.has_depthwise(tile_set::depthwise_kind(K, S), Part, P))
    return &depthwise_pixels<P, K, S, Part>;
  else return nullptr;
}
template <tile_set Tiles, int K, int S, bool Part>
inline constexpr depthwise_pixels_function depthwise_tiles[] = {nullptr,
                                                                pixels_if_any<Tiles, 1, K, S, Part>(),
                                                                pixels_if_any<Tiles, 2, K, S, Part>(),
                                                                pixels_if_any<Tiles, 3, K, S, Part>(),
                                                                pixels_if_any<Tiles, 4, K, S, Part>(),
                                                                pixels_if_any<Tiles, 5, K, S, Part>(),
                                                                pixels_if_any<Tiles, 6, K, S, Part>(),
                                                                pixels_if_any<Tiles, 7, K, S, Part>(),
                                                                pixels_if_any<Tiles, 8, K, S, Part>()};

/// So many tiles cover a row of pixels; `wider` of them have a pixel more than `narrow`.
struct pixel_cut {
  int tiles, narrow, wider;
};
constexpr CTNN_INLINE pixel_cut cut_pixels(int width) {
  constexpr int most = 8;
  const int tiles = (width + most - 1) / most, narrow = width / tiles;
  return {tiles, narrow, width - narrow * tiles};
}
/// Is a row of so many channels one by parts of vectors?
constexpr CTNN_INLINE bool is_part(int channels) { return lanes > 1 && channels < lanes; }

/// V vectors of channels from c on, of one pixel: `taps` columns of taps fall on the input, the first at `in`.
template <int V>
CTNN_INLINE void depthwise_channels(const depthwise_line& d, const result_bounds& bound, const float* in,
                                    const float* weights, int taps, std::ptrdiff_t tap_step, int ox, int c) {
  const int left = lanes == 1 ? lanes : d.channels - c;
  vec sum[V];
  CTNN_UNROLL for (int v = 0; v < V; ++v) {
    sum[v] = d.bias != nullptr ? load_bounded(d.bias + c + v, left) : zero();
    if (d.residual != nullptr) sum[v] = add(sum[v], load_bounded(d.residual + ox * d.residual_pitch + c + v, left));
  }
  for (int ky = 0; ky < d.rows; ++ky) {
    const float* here = in + c;
    const float* w = weights + c;
    int kx = 0;
    for (; kx < taps; ++kx) {
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[v] = mul_add(load_bounded(here + v, left), loadu(w + v), sum[v]);
      here += tap_step;
      w += d.weight_step;
    }
    in += d.row_step;
    weights += d.kernel_w * d.weight_step;
  }
  float* out = d.out + ox * d.out_pitch + c;
  CTNN_UNROLL for (int v = 0; v < V; ++v) store_bounded(bound(sum[v]), out + v, left);
}

/// One pixel, any kernel, its columns of taps clipped, any number of channels.
template <int = 0>
CTNN_INLINE void depthwise_pixel(const window& g, const depthwise_line& d, const result_bounds& bound, int x, int ox) {
  const int first = first_tap(x, g.dilation_w), taps = last_tap(x, g.dilation_w, g.kernel_w, g.width) - first;
  const std::ptrdiff_t tap_step = g.dilation_w * d.col;
  const float* in = d.in + x * d.col + first * tap_step;
  const float* weights = d.weights + first * d.weight_step;
  int c = 0;
  if constexpr (lanes == 1) {
    for (; c + 8 <= d.channels; c += 8) depthwise_channels<8>(d, bound, in, weights, taps, tap_step, ox, c);
  }
  for (; c < d.channels; c += lanes) depthwise_channels<1>(d, bound, in, weights, taps, tap_step, ox, c);
}

/// An output row for the channels [channel, channel_end). K columns of taps at stride S without dilation and residual,
/// or K = 0: any.
template <tile_set Tiles, int K, int S>
CTNN_NOINLINE void depthwise_row(const window& c, const epilogue& end, int oy, int channel, int channel_end) {
  const int y = oy * c.stride_h - c.pad_top, y_first = first_tap(y, c.dilation_h);
  const auto width = static_cast<std::ptrdiff_t>(round_up_to_block(c.out_channels));
  const std::ptrdiff_t first_pixel = static_cast<std::ptrdiff_t>(oy) * c.out_width;
  depthwise_line d;
  d.in = c.in + (y + y_first * c.dilation_h) * c.row + channel;
  d.weights = c.weights + y_first * c.kernel_w * width + channel;
  d.bias = c.bias != nullptr ? c.bias + channel : nullptr;
  const float* const residual = c.residual != nullptr ? c.residual + first_pixel * c.residual_pitch + channel : nullptr;
  d.residual = c.residual_last ? nullptr : residual;
  d.out = c.out + oy * c.out_row + channel;
  d.row_step = c.dilation_h * c.row;
  d.col = c.col;
  d.weight_step = width;
  d.out_pitch = c.out_pitch;
  d.residual_pitch = c.residual_pitch;
  d.rows = last_tap(y, c.dilation_h, c.kernel_h, c.height) - y_first;
  d.kernel_w = c.kernel_w;
  d.channels = channel_end - channel;
  const result_bounds bound(end);
  const bool part = is_part(d.channels);
  if (K == 0 || (part && K > 3)) {
    for (int ox = 0; ox < c.out_width; ++ox) depthwise_pixel(c, d, bound, ox * c.stride_w - c.pad_left, ox);
  } else if constexpr (K > 0) {
    const auto [tiles, narrow, wider] = cut_pixels(c.out_width);
    const auto& table = part ? depthwise_tiles<Tiles, K, S, true> : depthwise_tiles<Tiles, K, S, false>;
    const int x = -c.pad_left, ox = wider * (narrow + 1);
    if (wider > 0) table[narrow + 1](d, bound, x, c.width, d.out, wider);
    table[narrow](d, bound, x + ox * S, c.width, d.out + ox * c.out_pitch, tiles - wider);
  }
  if (end.finish != nullptr)
    end.finish(end, from_column(c.slopes, channel), d.out, c.out_pitch, c.out_width, d.channels);
#if !defined(CTNN_PLAIN)
  if (c.residual_last) add_rows({residual, c.residual_pitch}, d.out, c.out_pitch, c.out_width, d.channels);
#endif
}

using depthwise_function = void (*)(const window&, const epilogue&, int, int, int);

/// The kind of its row (tile_set).
constexpr CTNN_INLINE int depthwise_kind_of(const window& c, bool has_residual) {
  // Plain floats gain little from shared loads and lose flash.
  const int over = (c.out_width - 1) * c.stride_w - c.pad_left + c.kernel_w - c.width;
  const bool has_tiles = (c.kernel_w == 3 || c.kernel_w == 5) && (c.stride_w == 1 || c.stride_w == 2);
  const bool begins_with_zero = !has_residual || c.residual_last;
  if (lanes > 1 && c.dilation_w == 1 && begins_with_zero && c.pad_left < c.kernel_w && over < c.kernel_w && has_tiles)
    return tile_set::depthwise_kind(c.kernel_w, c.stride_w);
  return tile_set::depthwise_kind(0, 0);
}
template <tile_set Tiles, int K, int S>
constexpr depthwise_function row_if_any() {
  if constexpr (Tiles.has_depthwise(tile_set::depthwise_kind(K, S))) return &depthwise_row<Tiles, K, S>;
  else return nullptr;
}
template <tile_set Tiles = all_tiles>
CTNN_INLINE depthwise_function choose_depthwise(const window& c) {
  switch (depthwise_kind_of(c, c.residual != nullptr)) {
    case tile_set::depthwise_kind(3, 1): return row_if_any<Tiles, 3, 1>();
    case tile_set::depthwise_kind(3, 2): return row_if_any<Tiles, 3, 2>();
    case tile_set::depthwise_kind(5, 1): return row_if_any<Tiles, 5, 1>();
    case tile_set::depthwise_kind(5, 2): return row_if_any<Tiles, 5, 2>();
    default: return row_if_any<Tiles, 0, 0>();
  }
}

/// As many channels at a time as keep a window's input rows in the first cache; all where the input comes from beyond
/// the second (is not near), which wants whole pixels.
constexpr CTNN_INLINE int depthwise_step(const window& c, bool near) {
  constexpr int first_cache = 6144;
  const int fit = first_cache / (c.kernel_h * c.width + 1) / 16 * 16, least = 64;
  return lanes == 1 || !near ? c.out_channels : fit < least ? least : fit;
}
constexpr CTNN_INLINE bool is_near(const window& c) {
  constexpr int second_cache = 262144;
  return c.height * c.row <= second_cache;
}

}  // namespace detail

/// What convolve_depthwise() takes for a window of channels side by side; its addresses are not looked at.
constexpr tile_set tiles_of_depthwise(const window& c, bool has_residual, bool near) {
  tile_set all;
  const int kind = detail::depthwise_kind_of(c, has_residual), step = detail::depthwise_step(c, near);
  const detail::pixel_cut cut = detail::cut_pixels(c.out_width);
  for (int channel = 0; channel < c.out_channels; channel += step) {
    const bool part = detail::is_part(c.out_channels - channel);
    if (cut.wider > 0) all.add_depthwise(kind, part, cut.narrow + 1);
    all.add_depthwise(kind, part, cut.narrow);
  }
  return all;
}

template <int = 0>
CTNN_NOINLINE inline void convolve_depthwise(const window& c, const epilogue& end, detail::depthwise_function row) {
  const int step = detail::depthwise_step(c, detail::is_near(c));
  for (int channel = 0; channel < c.out_channels; channel += step) {
    const int left = c.out_channels - channel;
    for (int y = 0; y < c.out_height; ++y)
      row(c, end, c.backwards ? c.out_height - 1 - y : y, channel, channel + (left < step ? left : step));
  }
}

/// The same for nchw input, which only a network that begins with a depthwise convolution has: plain loops.
template <class Numbers>
CTNN_NOINLINE void convolve_depthwise_planar(const Numbers& c, const operand_addresses& at, const epilogue& end) {
  const auto width = static_cast<std::ptrdiff_t>(round_up_to_block(c.out_channels));
#if defined(CTNN_PLAIN)  // whoever runs a plain layer adds what comes behind the activation
  const float* const residual = at.residual;
#else
  const float* const residual = c.residual_last ? nullptr : at.residual;
#endif
  for (int oy = 0; oy < c.out_height; ++oy)
    for (int ox = 0; ox < c.out_width; ++ox) {
      const int y = oy * c.stride_h - c.pad_top, x = ox * c.stride_w - c.pad_left;
      const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(oy) * c.out_width + ox;
      const detail::taps valid{detail::first_tap(y, c.dilation_h),
                               detail::last_tap(y, c.dilation_h, c.kernel_h, c.height),
                               detail::first_tap(x, c.dilation_w),
                               detail::last_tap(x, c.dilation_w, c.kernel_w, c.width)};
      float* out = at.out + pixel * c.out_pitch;
      for (int channel = 0; channel < c.out_channels; ++channel) {
        float sum = at.bias != nullptr ? at.bias[channel] : 0.0f;
        if (residual != nullptr) sum += residual[pixel * c.residual_pitch + channel];
        for (int ky = valid.y; ky < valid.y_end; ++ky)
          for (int kx = valid.x; kx < valid.x_end; ++kx)
            sum +=
                at.in[(y + ky * c.dilation_h) * row_of(c) + (x + kx * c.dilation_w) * c.col + channel * plane_of(c)] *
                at.weights[(ky * c.kernel_w + kx) * width + channel];
        if (end.bounds == epilogue::bound::relu) sum = math::clamp(sum, 0.0f, std::numeric_limits<float>::infinity());
        if (end.bounds == epilogue::bound::clip) sum = math::clamp(sum, end.low, end.high);
        out[channel] = sum;
      }
      if (end.finish != nullptr) end.finish(end, at.slopes, out, c.out_pitch, 1, c.out_channels);
#if !defined(CTNN_PLAIN)
      if (c.residual_last) add_rows({at.residual + pixel * c.residual_pitch}, out, c.out_pitch, 1, c.out_channels);
#endif
    }
}

CTNN_END_TARGET

#endif
