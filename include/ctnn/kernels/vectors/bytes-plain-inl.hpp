// SPDX-License-Identifier: BSL-1.0
// Firmware's kernels of bytes: integers throughout, what depends on scales is among the packed weights
// (byte_packing.hpp) or, like shapes, in a constant of the step: byte_task_of(operator, arguments without addresses)
// makes it, and run(task, operands) is the kernel. Images are nhwc without gaps.
#pragma once

#include "../../base/math.hpp"
#include "../../base/saturated.hpp"
#include "../byte_packing.hpp"
#include "../frame.hpp"
#include "../tensor.hpp"
#include "../walks/pooling_walk.hpp"
#include "byte_tiles-plain-inl.hpp"

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {

/// What the results of sums are moved by and lie between.
struct byte_results {
  std::int8_t zero, low, high;

  constexpr std::int8_t of(std::int32_t x) const {
    x += zero;
    return static_cast<std::int8_t>(x < low ? low : x > high ? high : x);
  }
};
constexpr byte_results results_of(const auto& p) {
  activation_function f{};
  if constexpr (requires {
                  requires !std::is_same_v<std::decay_t<decltype(p)>, op::quantized_activation>;
                  p.activation;
                })
    f = p.activation;
  const op::byte_bounds b(f, p.as, p.to);
  return {static_cast<std::int8_t>(p.as.zero), static_cast<std::int8_t>(b.low), static_cast<std::int8_t>(b.high)};
}

/// Where a kernel's numbers are.
struct byte_operands {
  enum operand { in, second, weights, rows, out, scratch, count };
  const float* at[count];

  const std::int8_t* bytes(operand i) const { return static_cast<const std::int8_t*>(static_cast<const void*>(at[i])); }
  template <class T>
  T* to(operand i) const {
    return static_cast<T*>(static_cast<void*>(const_cast<float*>(at[i])));
  }
};

namespace detail {

/// For each output what its sum begins with, and its factor.
struct row_constants {
  std::int32_t start;
  std::uint32_t factor;
};
/// floor(sum * factor / 2^32 + 1/2) + zero, of a factor below 1/2.
CTNN_INLINE std::int32_t scaled(std::int32_t sum, std::uint32_t factor, int zero) {
#if CTNN_BYTES_BY_DSP
  std::int32_t y;
  asm("smmlar %0, %1, %2, %3" : "=r"(y) : "r"(sum), "r"(factor), "r"(zero));
  return y;
#else
  const auto product = static_cast<std::uint64_t>(std::int64_t{sum} * static_cast<std::int32_t>(factor));
  return static_cast<std::int32_t>(product >> 32) +
         static_cast<std::int32_t>(static_cast<std::uint32_t>(product) >> 31) + zero;
#endif
}
/// What is nearest among all bytes.
CTNN_INLINE std::int32_t nearest_byte(std::int32_t x) {
#if CTNN_BYTES_BY_DSP
  asm("ssat %0, #8, %0" : "+r"(x));
  return x;
#else
  return x < -128 ? -128 : x > 127 ? 127 : x;
#endif
}
/// The byte of a sum, by any factor and between any bounds.
CTNN_NOINLINE inline std::int8_t byte_of(std::int32_t sum, std::uint32_t factor, const byte_results& to) {
  return to.of(fixed_factor::product(factor, sum));
}
/// The byte of a sum by a factor below 1/2, where no bounds are but those of bytes.
CTNN_INLINE void store_simple(std::int8_t* y, std::int32_t sum, std::uint32_t factor, int zero) {
  *y = static_cast<std::int8_t>(nearest_byte(scaled(sum, factor, zero)));
}

}  // namespace detail

// ---- layers: sums of products

/// Rows of weights at every window of images, or (one pixel) of vectors.
struct byte_layer {
  struct part {  ///< one image, one group
    const std::int8_t *x, *weights;
    const detail::row_constants* rows;
    std::int8_t *y, *memory;
  };
  void (*kernel)(const byte_layer&, const part&);
  byte_results results;
  std::int8_t outside;  ///< the byte that stands for 0 in the input
  bool backwards;
  int images, groups, height, width, channels, pitch;  ///< channels of one group; numbers of a pixel
  int out_height, out_width, outs, out_pitch;          ///< outs of one group
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, top, left;
  int fours;

  constexpr int windows() const { return out_height * out_width; }
};

namespace detail {

/// May all results be stored by store_simple()?
inline bool is_simple(const byte_layer& k, const row_constants* rows) {
  bool simple = k.results.low == -128 && k.results.high == 127;
  for (int o = 0; o < k.outs; ++o) simple = simple && rows[o].factor >> 31 == 0;
  return simple;
}
/// Results of all rows for two windows, which lie `second` bytes apart; for the first of them if that is 0.
CTNN_NOINLINE inline void two_windows(const byte_layer& k, const byte_layer::part& p, const std::int16_t* x,
                                      std::int8_t* y, std::ptrdiff_t second) {
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  for (int left = k.outs; left > 0; left -= 2, r += 2, y += 2) {
    const int next = left > 1 ? 1 : 0;  // an odd row's pair is zeros
    std::int32_t sums[4] = {r[0].start, r[next].start, r[0].start, r[next].start};
    w = multiply_two_by_two(x, w, k.fours, sums);
    for (int i = 1; i >= 0; --i)  // the first last: it may be the only one
      for (int o = 0; o <= next; ++o) y[i * second + o] = byte_of(sums[2 * i + o], r[o].factor, k.results);
  }
}
CTNN_NOINLINE inline void two_windows_simply(const byte_layer& k, const byte_layer::part& p, const std::int16_t* x,
                                             std::int8_t* y, std::ptrdiff_t second) {
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  const int zero = k.results.zero, fours = k.fours;
  for (int pairs = k.outs / 2; pairs > 0; --pairs, r += 2, y += 2) {
    std::int32_t sums[4] = {r[0].start, r[1].start, r[0].start, r[1].start};
    w = multiply_two_by_two(x, w, fours, sums);
    store_simple(y + second, sums[2], r[0].factor, zero);
    store_simple(y + second + 1, sums[3], r[1].factor, zero);
    store_simple(y, sums[0], r[0].factor, zero);
    store_simple(y + 1, sums[1], r[1].factor, zero);
  }
  if (k.outs % 2 == 0) return;
  std::int32_t sums[4] = {r[0].start, 0, r[0].start, 0};
  multiply_two_by_two(x, w, fours, sums);
  store_simple(y + second, sums[2], r[0].factor, zero);
  store_simple(y, sums[0], r[0].factor, zero);
}
/// Results of all rows for one window, of bytes.
CTNN_NOINLINE inline void one_window(const byte_layer& k, const byte_layer::part& p, const std::int8_t* x,
                                     std::int8_t* y) {
  const std::ptrdiff_t pair = std::ptrdiff_t{k.fours} * 8;
  const std::int8_t* w = p.weights;
  const row_constants* r = p.rows;
  int left = k.outs;
  if (is_simple(k, r)) {
    const int fours = k.fours, zero = k.results.zero;
    for (; left >= 4; left -= 4, r += 4, y += 4) {
      std::int32_t sums[4] = {r[0].start, r[1].start, r[2].start, r[3].start};
      w = multiply_one_by_four(x, w, pair, fours, sums) + pair;
      store_simple(y, sums[0], r[0].factor, zero);
      store_simple(y + 1, sums[1], r[1].factor, zero);
      store_simple(y + 2, sums[2], r[2].factor, zero);
      store_simple(y + 3, sums[3], r[3].factor, zero);
    }
  }
  for (; left > 0; left -= 4, r += 4, y += 4) {
    std::int32_t sums[4];
    for (int i = 0; i < 4; ++i) sums[i] = r[i < left ? i : 0].start;
    w = multiply_one_by_four(x, w, left > 2 ? pair : 0, k.fours, sums) + pair;
    for (int i = 0; i < 4 && i < left; ++i) y[i] = byte_of(sums[i], r[i].factor, k.results);
  }
}

/// The windows of an image one after the other, forwards or backwards.
struct window_position {
  int oy, ox;

  explicit window_position(const byte_layer& k)
      : oy(k.backwards ? k.out_height - 1 : 0), ox(k.backwards ? k.out_width - 1 : 0) {}
  CTNN_INLINE void next(const byte_layer& k) {
    if (k.backwards) {
      if (--ox < 0) {
        ox = k.out_width - 1;
        --oy;
      }
    } else if (++ox == k.out_width) {
      ox = 0;
      ++oy;
    }
  }
};

/// Numbers of a window, widened four by four: `to` goes on by 8.
CTNN_INLINE std::int16_t* widen(const std::int8_t* from, int bytes, std::int16_t* to) {
  for (; bytes >= 8; bytes -= 8, from += 8, to += 16) {
    widen_four(from, to);
    widen_four(from + 4, to + 8);
  }
  if (bytes > 0) {
    widen_four(from, to);
    to += 8;
  }
  return to;
}
/// A window's numbers, widened; fours are 8 numbers apart. If bytes of a row are no fours they come together in `flat`.
CTNN_NOINLINE inline void widen_window(const byte_layer& k, const std::int8_t* x, const window_position& at,
                                       std::int16_t* to, std::int8_t* flat) {
  const int first = at.ox * k.stride_w - k.left, channels = k.channels;
  int iy = at.oy * k.stride_h - k.top;
  if (k.kernel_h == 1 && k.kernel_w == 1 && channels % 4 == 0 && first >= 0 && first < k.width && iy >= 0 &&
      iy < k.height) {
    widen(x + (static_cast<std::ptrdiff_t>(iy) * k.width + first) * k.pitch, channels, to);
    return;
  }
  // Taps of a row that are together are one piece, of which some are inside; else each is one.
  const bool together = k.dilation_w == 1 && k.pitch == channels;
  const int taps = together ? k.kernel_w : 1, past = k.width - taps;
  const bool by_fours =
      channels % 4 == 0 || (together && first >= 0 && first <= past && k.kernel_w * channels % 4 == 0);
  std::int8_t* gathered = flat;
  const auto leave = [&](int bytes) {
    if (by_fours)
      for (; bytes > 0; bytes -= 4, to += 8)
        for (int i = 0; i < 4; ++i) to[i] = k.outside;
    else
      for (; bytes > 0; --bytes) *gathered++ = k.outside;
  };
  for (int ky = 0; ky < k.kernel_h; ++ky, iy += k.dilation_h) {
    const bool row_inside = iy >= 0 && iy < k.height;
    for (int kx = 0, ix = first; kx < k.kernel_w; kx += taps, ix += k.dilation_w) {
      int begin = ix < 0 ? -ix : 0, end = ix > past ? taps - (ix - past) : taps;
      if (!row_inside || begin >= end) begin = end = taps;
      leave(begin * channels);
      if (begin < end) {
        const std::int8_t* from = x + (static_cast<std::ptrdiff_t>(iy) * k.width + ix + begin) * k.pitch;
        int bytes = (end - begin) * channels;
        if (by_fours) to = widen(from, bytes, to);
        else
          for (; bytes > 0; --bytes) *gathered++ = *from++;
      }
      leave((taps - end) * channels);
    }
  }
  if (!by_fours) widen(flat, k.fours * 4, to);
}

/// All rows at every window. What a pair of windows reads it has read before its results are written.
inline void convolve_rows(const byte_layer& k, const byte_layer::part& p) {
  auto* const x = static_cast<std::int16_t*>(static_cast<void*>(p.memory));
  std::int8_t* const flat = p.memory + k.fours * 16;
  for (int i = 0; i < k.fours * 8; ++i) x[i] = 0;
  if (k.channels % 4 != 0)
    for (int i = 0; i < k.fours * 4; ++i) flat[i] = 0;
  const auto results = is_simple(k, p.rows) ? &two_windows_simply : &two_windows;
  window_position at(k);
  std::int8_t* y = p.y + (k.backwards ? std::ptrdiff_t{k.windows() - 1} * k.out_pitch : 0);
  const std::ptrdiff_t step = k.backwards ? -k.out_pitch : k.out_pitch;
  for (int left = k.windows(); left > 0; left -= 2, y += 2 * step) {
    widen_window(k, p.x, at, x, flat);
    if (left > 1) {
      at.next(k);
      widen_window(k, p.x, at, x + 4, flat);
      at.next(k);
    }
    results(k, p, x, y, left > 1 ? step : 0);
  }
}

/// All rows by each vector.
inline void multiply_rows(const byte_layer& k, const byte_layer::part& p) {
  for (int left = k.out_width, i = k.backwards ? left - 1 : 0; left > 0; --left, i += k.backwards ? -1 : 1) {
    const std::int8_t* x = p.x + static_cast<std::ptrdiff_t>(i) * k.pitch;
    if (k.channels % 8 != 0) {
      for (int c = 0; c < k.fours * 4; ++c) p.memory[c] = c < k.channels ? x[c] : std::int8_t{0};
      x = p.memory;
    }
    one_window(k, p, x, p.y + static_cast<std::ptrdiff_t>(i) * k.out_pitch);
  }
}

/// Results of a window's channels, whose taps are at `taps`.
CTNN_NOINLINE inline void channels_simply(const byte_layer& k, const byte_layer::part& p,
                                          const std::int8_t* const* taps, std::int8_t* y) {
  const row_constants* r = p.rows;
  const std::int8_t* w = p.weights;
  const int zero = k.results.zero, count = k.kernel_h * k.kernel_w, end = k.pitch & ~3;
  for (int c = 0; c < end; c += 4, r += 4) {
    std::int32_t sums[4] = {r[0].start, r[1].start, r[2].start, r[3].start};
    w = multiply_channels(taps, c, w, count, sums);
    std::int8_t* const to = y + c;
    store_simple(to, sums[0], r[0].factor, zero);
    store_simple(to + 1, sums[1], r[1].factor, zero);
    store_simple(to + 2, sums[2], r[2].factor, zero);
    store_simple(to + 3, sums[3], r[3].factor, zero);
  }
}
/// The same of channels [first, ...), by any factors; fours are whole.
CTNN_NOINLINE inline void channels_from(int first, const byte_layer& k, const byte_layer::part& p,
                                        const std::int8_t* const* taps, std::int8_t* y) {
  const int count = k.kernel_h * k.kernel_w;
  for (int c = first; c < k.pitch; c += 4) {
    const std::int8_t* w = p.weights + c * count;
    const row_constants* const r = p.rows + c;
    const int n = k.pitch - c < 4 ? k.pitch - c : 4;
    std::int32_t sums[4];
    for (int i = 0; i < n; ++i) sums[i] = r[i].start;
    if (n == 4) multiply_channels(taps, c, w, count, sums);
    else
      for (int t = 0; t < count; ++t, w += 4)
        for (int i = 0; i < n; ++i) sums[i] += taps[t][c + i] * w[i];
    for (int i = 0; i < n; ++i) y[c + i] = byte_of(sums[i], r[i].factor, k.results);
  }
}

/// Each channel under its filter.
inline void convolve_channels(const byte_layer& k, const byte_layer::part& p) {
  const int taps = k.kernel_h * k.kernel_w, channels = k.pitch;
  const bool simple = is_simple(k, p.rows);
  std::int8_t* const outside = p.memory;
  for (int c = 0; c < channels; ++c) outside[c] = k.outside;
  auto* const at = static_cast<const std::int8_t**>(static_cast<void*>(p.memory + scratch_for(channels, 1)));
  window_position now(k);
  bool was_inside = false;
  for (int left = k.windows(); left > 0; --left) {
    const int top = now.oy * k.stride_h - k.top, first = now.ox * k.stride_w - k.left;
    const bool inside = top >= 0 && top + (k.kernel_h - 1) * k.dilation_h < k.height && first >= 0 &&
                        first + (k.kernel_w - 1) * k.dilation_w < k.width;
    const std::int8_t** tap = at;
    if (inside && was_inside && now.ox != (k.backwards ? k.out_width - 1 : 0)) {
      // All move as the window does.
      const std::ptrdiff_t step = std::ptrdiff_t{k.backwards ? -k.stride_w : k.stride_w} * channels;
      for (int t = 0; t < taps; ++t) tap[t] += step;
    } else {
      for (int ky = 0, iy = top; ky < k.kernel_h; ++ky, iy += k.dilation_h)
        for (int kx = 0, ix = first; kx < k.kernel_w; ++kx, ix += k.dilation_w)
          *tap++ = iy >= 0 && iy < k.height && ix >= 0 && ix < k.width
                       ? p.x + (static_cast<std::ptrdiff_t>(iy) * k.width + ix) * channels
                       : outside;
    }
    was_inside = inside;
    std::int8_t* const y = p.y + (static_cast<std::ptrdiff_t>(now.oy) * k.out_width + now.ox) * channels;
    if (simple) channels_simply(k, p, at, y);
    if (!simple || channels % 4 != 0) channels_from(simple ? channels & ~3 : 0, k, p, at, y);
    now.next(k);
  }
}

}  // namespace detail

constexpr byte_layer byte_task_of(const op::quantized_conv2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const auto pad = p.padding(in);
  byte_layer k{};
  k.results = results_of(p);
  k.outside = static_cast<std::int8_t>(p.of.zero);
  k.backwards = a.backwards;
  k.images = p.has_batch(in) ? in[0] : 1;
  k.groups = p.groups;
  k.height = in.back(1);
  k.width = in.back(0);
  k.pitch = in.back(2);
  k.channels = k.pitch / p.groups;
  k.out_height = out.back(1);
  k.out_width = out.back(0);
  k.outs = p.out / p.groups;
  k.out_pitch = p.out;
  k.kernel_h = p.kernel[0];
  k.kernel_w = p.kernel[1];
  k.stride_h = p.stride[0];
  k.stride_w = p.stride[1];
  k.dilation_h = p.dilation[0];
  k.dilation_w = p.dilation[1];
  k.top = pad[0];
  k.left = pad[1];
  k.fours = (k.channels * k.kernel_h * k.kernel_w + 7) / 8 * 2;
  if (p.groups > 1 && k.channels == 1 && k.outs == 1) {
    k.groups = 1;
    k.outs = p.out;
    k.kernel = &detail::convolve_channels;
  } else {
    k.kernel = &detail::convolve_rows;
  }
  return k;
}
constexpr byte_layer byte_task_of(const op::quantized_matmul& p, const arguments& a) {
  const extents& in = a.in[0].shape;
  byte_layer k{};
  k.results = results_of(p);
  k.backwards = a.backwards;
  k.images = k.groups = k.height = k.out_height = 1;
  k.channels = k.pitch = in.back(0);
  k.outs = k.out_pitch = p.weight_shape(in)[0];
  k.width = k.out_width = static_cast<int>(in.count() / k.channels);
  k.fours = (k.channels + 7) / 8 * 2;
  k.kernel = &detail::multiply_rows;
  return k;
}
inline void run(const byte_layer& k, const byte_operands& o) {
  byte_layer::part p{o.bytes(o.in), o.bytes(o.weights), o.to<const detail::row_constants>(o.rows),
                     o.to<std::int8_t>(o.out), o.to<std::int8_t>(o.scratch)};
  const std::ptrdiff_t pair = std::ptrdiff_t{k.outs} * k.fours * 4;
  for (int n = k.images; n > 0; --n) {
    const byte_layer::part image = p;
    for (int g = k.groups; g > 0; --g) {
      k.kernel(k, p);
      p.x += k.channels;
      p.weights += pair;
      p.rows += k.outs;
      p.y += k.outs;
    }
    p = image;
    p.x += static_cast<std::ptrdiff_t>(k.height) * k.width * k.pitch;
    p.y += static_cast<std::ptrdiff_t>(k.windows()) * k.out_pitch;
  }
}

// ---- element by element

struct byte_binary {
  byte_results results;
  bool multiplies;
  int x_zero, z_zero;
  std::ptrdiff_t count;
  std::int64_t a, b, start;  ///< sums are a x + b z + start, products a (x - zero) (z - zero), both of 2^32
  fixed_factor factor;
};
constexpr byte_binary byte_task_of(const op::quantized_binary& p, const arguments& in) {
  const fixed_factor a(p.of.scale / p.as.scale), b(p.with.scale / p.as.scale);
  byte_binary k{results_of(p),
                p.function == op::binary_function::mul,
                p.of.zero,
                p.with.zero,
                static_cast<std::ptrdiff_t>(in.out[0].shape.count()),
                a.times,
                p.function == op::binary_function::sub ? -b.times : b.times,
                std::int64_t{1} << 31,
                fixed_factor(p.of.scale * p.with.scale / p.as.scale)};
  k.start -= k.a * p.of.zero + k.b * p.with.zero;
  return k;
}
inline void run(const byte_binary& k, const byte_operands& o) {
  const std::int8_t *x = o.bytes(o.in), *z = o.bytes(o.second);
  std::int8_t* const y = o.to<std::int8_t>(o.out);
  if (k.multiplies)
    for (std::ptrdiff_t i = 0; i < k.count; ++i)
      y[i] = k.results.of(k.factor.of((x[i] - k.x_zero) * (z[i] - k.z_zero)));
  else
    for (std::ptrdiff_t i = 0; i < k.count; ++i)
      y[i] = k.results.of(static_cast<std::int32_t>((x[i] * k.a + z[i] * k.b + k.start) >> 32));
}

/// A function of one byte.
struct byte_table {
  std::ptrdiff_t count;
  std::int8_t at[256]{};
};
constexpr byte_table byte_task_of(const op::quantized_activation& p, const arguments& a) {
  const byte_results to = results_of(p);
  const float scale = static_cast<float>(p.of.scale), steps = 1 / static_cast<float>(p.as.scale);
  byte_table table{static_cast<std::ptrdiff_t>(a.out[0].shape.count())};
  for (int x = -128; x < 128; ++x) {
    const float y = apply(p.activation, static_cast<float>(x - p.of.zero) * scale) * steps;
    const std::int32_t step = saturated<std::int32_t>(y < 0 ? y - 0.5f : y + 0.5f);
    table.at[x & 255] = to.of(step < -1024 ? -1024 : step > 1024 ? 1024 : step);
  }
  return table;
}
constexpr byte_table byte_task_of(const op::requantize& p, const arguments& a) {
  const byte_results to = results_of(p);
  const fixed_factor factor(p.of.scale / p.as.scale);
  byte_table table{static_cast<std::ptrdiff_t>(a.out[0].shape.count())};
  for (int x = -128; x < 128; ++x) table.at[x & 255] = to.of(factor.of(x - p.of.zero));
  return table;
}
inline void run(const byte_table& table, const byte_operands& o) {
  const std::int8_t* const x = o.bytes(o.in);
  std::int8_t* const y = o.to<std::int8_t>(o.out);
  for (std::ptrdiff_t i = 0; i < table.count; ++i) y[i] = table.at[static_cast<std::uint8_t>(x[i])];
}

struct byte_softmax {
  byte_results results;
  int size, inner, lines;
  float scale, unit;
};
constexpr byte_softmax byte_task_of(const op::quantized_softmax& p, const arguments& a) {
  const extents& s = a.in[0].shape;
  const int axis = normal_axis(p.axis, s.rank), size = s[axis];
  return {results_of(p),
          size,
          static_cast<int>(s.count(axis + 1, s.rank)),
          static_cast<int>(s.count() / size),
          static_cast<float>(p.of.scale),
          static_cast<float>(p.as.scale)};
}
inline void run(const byte_softmax& k, const byte_operands& o) {
  for (int line = 0; line < k.lines; ++line) {
    const std::ptrdiff_t first = std::ptrdiff_t{line / k.inner} * k.size * k.inner + line % k.inner, inner = k.inner;
    const std::int8_t* const x = o.bytes(o.in) + first;
    std::int8_t* const y = o.to<std::int8_t>(o.out) + first;
    int most = x[0];
    for (int i = 1; i < k.size; ++i) most = x[i * inner] > most ? x[i * inner] : most;
    // One place where a power is computed, for all of them and then for each.
    float sum = 0, unit = 0;
    for (int i = 0; i < 2 * k.size; ++i) {
      const std::ptrdiff_t at = (i < k.size ? i : i - k.size) * inner;
      const float power = math::exp(-k.scale * static_cast<float>(most - x[at]));
      if (i < k.size) sum += power;
      if (i < k.size - 1) continue;
      if (i == k.size - 1) unit = 1 / (sum * k.unit);
      else y[at] = k.results.of(static_cast<std::int32_t>(power * unit + 0.5f));
    }
  }
}

struct byte_scale {
  float scale;
  int zero;
  std::ptrdiff_t count;
  bool to_bytes;
};
constexpr byte_scale byte_task_of(const op::quantize& p, const arguments& a) {
  return {static_cast<float>(p.as.scale), p.as.zero, static_cast<std::ptrdiff_t>(a.out[0].shape.count()), true};
}
constexpr byte_scale byte_task_of(const op::dequantize& p, const arguments& a) {
  return {static_cast<float>(p.of.scale), p.of.zero, static_cast<std::ptrdiff_t>(a.out[0].shape.count()), false};
}
inline void run(const byte_scale& k, const byte_operands& o) {
  if (k.to_bytes) {
    std::int8_t* const y = o.to<std::int8_t>(o.out);
    for (std::ptrdiff_t i = 0; i < k.count; ++i) {
      const float step = o.at[o.in][i] / k.scale;
      const auto whole = static_cast<std::int32_t>(step > 1024    ? 1024.0f
                                                   : step > -1024 ? math::round(step)
                                                                  : -1024.0f) +
                         k.zero;
      y[i] = static_cast<std::int8_t>(whole < -128 ? -128 : whole > 127 ? 127 : whole);
    }
  } else {
    for (std::ptrdiff_t i = 0; i < k.count; ++i)
      o.to<float>(o.out)[i] = static_cast<float>(o.bytes(o.in)[i] - k.zero) * k.scale;
  }
}

// ---- pooling

struct byte_pool {
  void (*kernel)(const byte_pool&, const std::int8_t*, std::int8_t*);
  window_axis rows, columns;  ///< of adaptive pooling: sizes, and as many taps as windows
  int images, channels, out_height, out_width;
  bool adaptive, backwards;

  /// As pool_window_at() and adaptive_window() have it, without divisions of 64 bits: these are a function of 700
  /// bytes.
  constexpr pooling_window window(const window_axis& a, int i) const {
    if (adaptive) {
      const int whole = a.size / a.taps, rest = a.size % a.taps;
      const int first = i * whole + i * rest / a.taps;
      return {first, (i + 1) * whole + ((i + 1) * rest + a.taps - 1) / a.taps - first, 1, 0};
    }
    const int start = a.start(i), skipped = start < 0 ? (a.dilation - 1 - start) / a.dilation : 0;
    const int below = start < a.size ? (a.size - start - 1) / a.dilation + 1 : 0;
    const int end = below < a.taps ? below : a.taps;
    return {start + skipped * a.dilation, end > skipped ? end - skipped : 0, a.dilation, 0};
  }
};

namespace detail {

template <op::pooling Function>
void pool_bytes(const byte_pool& k, const std::int8_t* x, std::int8_t* y) {
  const int channels = k.channels, width = k.columns.size, windows = k.out_height * k.out_width;
  int oy = k.backwards ? k.out_height - 1 : 0, ox = k.backwards ? k.out_width - 1 : 0;
  if (k.backwards) y += static_cast<std::ptrdiff_t>(windows - 1) * channels;
  for (int left = windows; left > 0; --left) {
    const pooling_window rows = k.window(k.rows, oy), columns = k.window(k.columns, ox);
    const std::int8_t* const first = x + (static_cast<std::ptrdiff_t>(rows.first) * width + columns.first) * channels;
    const int count = rows.cells * columns.cells;
    for (int c = 0; c < channels; ++c) {
      std::int32_t total = Function == op::pooling::max ? -128 : 0;
      const std::int8_t* row = first + c;
      for (int i = rows.cells; i > 0; --i, row += rows.step * width * channels) {
        const std::int8_t* cell = row;
        for (int j = columns.cells; j > 0; --j, cell += columns.step * channels) {
          if constexpr (Function == op::pooling::max) total = *cell > total ? *cell : total;
          else total += *cell;
        }
      }
      if (Function != op::pooling::max && count != 0)
        total = (total < 0 ? total - count / 2 : total + count / 2) / count;
      y[c] = static_cast<std::int8_t>(total);
    }
    y += k.backwards ? -channels : channels;
    ox += k.backwards ? -1 : 1;
    if (ox < 0 || ox == k.out_width) {
      ox = k.backwards ? k.out_width - 1 : 0;
      oy += k.backwards ? -1 : 1;
    }
  }
}
constexpr byte_pool pool_task(op::pooling function, const arguments& a, bool flat) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  byte_pool k{};
  k.kernel = function == op::pooling::max ? &pool_bytes<op::pooling::max> : &pool_bytes<op::pooling::average>;
  k.images = static_cast<int>(in.count() / (std::int64_t{in.back(2)} * in.back(1) * in.back(0)));
  k.channels = in.back(2);
  k.out_height = flat ? 1 : out.back(1);
  k.out_width = flat ? 1 : out.back(0);
  k.backwards = a.backwards;
  return k;
}

}  // namespace detail

constexpr byte_pool byte_task_of(const op::pool& p, const arguments& a) {
  byte_pool k = detail::pool_task(p.function, a, false);
  k.rows = p.along(0, a.in[0].shape.back(1));
  k.columns = p.along(1, a.in[0].shape.back(0));
  return k;
}
constexpr byte_pool byte_task_of(const op::adaptive_pool& p, const arguments& a) {
  byte_pool k = detail::pool_task(p.function, a, p.flatten);
  k.adaptive = true;
  k.rows.size = a.in[0].shape.back(1);
  k.rows.taps = k.out_height;
  k.columns.size = a.in[0].shape.back(0);
  k.columns.taps = k.out_width;
  return k;
}
inline void run(const byte_pool& k, const byte_operands& o) {
  const std::int8_t* x = o.bytes(o.in);
  std::int8_t* y = o.to<std::int8_t>(o.out);
  for (int n = k.images; n > 0; --n) {
    k.kernel(k, x, y);
    x += static_cast<std::ptrdiff_t>(k.rows.size) * k.columns.size * k.channels;
    y += static_cast<std::ptrdiff_t>(k.out_height) * k.out_width * k.channels;
  }
}

// ---- movement

inline void run_bytes(const op::concat& p, const arguments& a) {
  const extents& s = a.out[0].shape;
  const int axis = normal_axis(p.axis, s.rank);
  std::int8_t* y = elements<std::int8_t>(a.out[0]);
  const auto outer = static_cast<std::ptrdiff_t>(s.count(0, axis));
  for (std::ptrdiff_t o = 0; o < outer; ++o)
    for (const const_tensor& t : a.in) {
      const auto n = static_cast<std::size_t>(t.shape.count(axis, s.rank));
      std::memcpy(y, elements<std::int8_t>(t) + static_cast<std::size_t>(o) * n, n);
      y += n;
    }
}
/// flatten, reshape, and a permutation between layouts: the bytes stay in their order.
template <class Op>
void run_bytes(const Op&, const arguments& a) {
  if (a.out[0].data != a.in[0].data)
    std::memcpy(a.out[0].data, a.in[0].data, static_cast<std::size_t>(a.out[0].shape.count()));
}

/// What a step does as a constant of few bytes, and where its numbers lie.
template <class Task>
struct byte_step {
  Task task;
  std::int16_t bases[byte_operands::count];  ///< of memory_place
  std::int32_t offsets[byte_operands::count];

  constexpr byte_step(const Task& t, const memory_place (&places)[byte_operands::count]) : task(t), bases{}, offsets{} {
    for (std::size_t i = 0; i < byte_operands::count; ++i) {
      bases[i] = places[i].base;
      offsets[i] = static_cast<std::int32_t>(places[i].offset);
    }
  }
};
template <class Task>
CTNN_NOINLINE void run(const byte_step<Task>& s, const frame& f) {
  byte_operands o;
  for (int i = 0; i < byte_operands::count; ++i) o.at[i] = address_in(f, {s.bases[i], s.offsets[i]});
  run(s.task, o);
}

}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE
