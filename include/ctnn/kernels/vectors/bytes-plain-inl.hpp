// SPDX-License-Identifier: BSL-1.0
// Firmware's kernels of bytes: integers throughout, what depends on scales is a constant of the step (constants_of) or
// among the packed weights (byte_packing.hpp). Images are nhwc without gaps.
#pragma once

#include "../../base/math.hpp"
#include "../../base/saturated.hpp"
#include "../byte_packing.hpp"
#include "../scratch.hpp"
#include "../tensor.hpp"
#include "../walks/pooling_walk.hpp"
#include "byte_tiles-plain-inl.hpp"

namespace ctnn::ir {
namespace plain {

/// What the results of sums are moved by and lie between.
struct byte_results {
  int zero, low, high;

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
  return {p.as.zero, b.low, b.high};
}

// What kernels know of their operators before they run: without doubles, which firmware's cores have none of.

struct layer_constants {
  byte_results results;
  int outside;  ///< the byte that stands for 0 in the input
};
constexpr layer_constants constants_of(const op::quantized_conv2d& p) { return {results_of(p), p.of.zero}; }
constexpr layer_constants constants_of(const op::quantized_matmul& p) { return {results_of(p), p.of.zero}; }

struct binary_constants {
  byte_results results;
  std::int64_t a, b, start;  ///< sums are a x + b z + start, products a (x - zero) (z - zero), both of 2^32
  int x_zero, z_zero;
  bool multiplies;
  fixed_factor factor;
};
constexpr binary_constants constants_of(const op::quantized_binary& p) {
  const bool multiplies = p.function == op::binary_function::mul;
  const fixed_factor a(p.of.scale / p.as.scale), b(p.with.scale / p.as.scale);
  binary_constants c{results_of(p),
                     a.times,
                     p.function == op::binary_function::sub ? -b.times : b.times,
                     std::int64_t{1} << 31,
                     p.of.zero,
                     p.with.zero,
                     multiplies,
                     fixed_factor(p.of.scale * p.with.scale / p.as.scale)};
  c.start -= c.a * p.of.zero + c.b * p.with.zero;
  return c;
}

/// A function of one byte.
struct byte_table {
  std::int8_t at[256]{};
};
constexpr byte_table constants_of(const op::quantized_activation& p) {
  const byte_results to = results_of(p);
  const float scale = static_cast<float>(p.of.scale), steps = 1 / static_cast<float>(p.as.scale);
  byte_table table;
  for (int x = -128; x < 128; ++x) {
    const float y = apply(p.activation, static_cast<float>(x - p.of.zero) * scale) * steps;
    const std::int32_t step = saturated<std::int32_t>(y < 0 ? y - 0.5f : y + 0.5f);
    table.at[x & 255] = to.of(step < -1024 ? -1024 : step > 1024 ? 1024 : step);
  }
  return table;
}
constexpr byte_table constants_of(const op::requantize& p) {
  const byte_results to = results_of(p);
  const fixed_factor factor(p.of.scale / p.as.scale);
  byte_table table;
  for (int x = -128; x < 128; ++x) table.at[x & 255] = to.of(factor.of(x - p.of.zero));
  return table;
}

struct softmax_constants {
  byte_results results;
  float scale, unit;
};
constexpr softmax_constants constants_of(const op::quantized_softmax& p) {
  return {results_of(p), static_cast<float>(p.of.scale), static_cast<float>(p.as.scale)};
}
struct scale_constants {
  float scale;
  int zero;
};
constexpr scale_constants constants_of(const op::quantize& p) { return {static_cast<float>(p.as.scale), p.as.zero}; }
constexpr scale_constants constants_of(const op::dequantize& p) { return {static_cast<float>(p.of.scale), p.of.zero}; }
struct no_constants {};
template <class Op>
constexpr no_constants constants_of(const Op&) {
  return {};
}

namespace detail {

inline const std::int8_t* bytes_of(const const_tensor& t) { return elements<std::int8_t>(t); }
inline std::int8_t* bytes_of(const tensor& t) { return elements<std::int8_t>(t); }

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
/// What is between the bounds; `All` bytes are.
template <bool All>
CTNN_INLINE std::int8_t bounded(std::int32_t x, const byte_results& to) {
#if CTNN_BYTES_BY_DSP
  if constexpr (All) {
    asm("ssat %0, #8, %0" : "+r"(x));
    return static_cast<std::int8_t>(x);
  }
#endif
  const int low = All ? -128 : to.low, high = All ? 127 : to.high;
  return static_cast<std::int8_t>(x < low ? low : x > high ? high : x);
}
CTNN_INLINE std::int8_t byte_of(std::int32_t sum, std::uint32_t factor, const byte_results& to) {
  return to.of(factor >> 31 == 0 ? scaled(sum, factor, 0) : fixed_factor::of_word(factor).of(sum));
}
/// Results of four sums, of which one at least has a factor of 1/2 or more.
CTNN_NOINLINE inline void large_results(const std::int32_t* sums, const std::uint32_t* factors, byte_results to,
                                        std::int8_t* const* y) {
  for (int i = 0; i < 4; ++i) *y[i] = byte_of(sums[i], factors[i], to);
}
template <bool All>
CTNN_INLINE void store_four(const std::int32_t* sums, const row_constants& a, const row_constants& b,
                            const row_constants& c, const row_constants& d, const byte_results& to, std::int8_t* y0,
                            std::int8_t* y1, std::int8_t* y2, std::int8_t* y3) {
  if ((a.factor | b.factor | c.factor | d.factor) >> 31 != 0) {
    // Copies, so that the sums themselves stay in registers.
    const std::int32_t all[4] = {sums[0], sums[1], sums[2], sums[3]};
    const std::uint32_t factors[4] = {a.factor, b.factor, c.factor, d.factor};
    std::int8_t* const places[4] = {y0, y1, y2, y3};
    return large_results(all, factors, to, places);
  }
  *y0 = bounded<All>(scaled(sums[0], a.factor, to.zero), to);
  *y1 = bounded<All>(scaled(sums[1], b.factor, to.zero), to);
  *y2 = bounded<All>(scaled(sums[2], c.factor, to.zero), to);
  *y3 = bounded<All>(scaled(sums[3], d.factor, to.zero), to);
}
CTNN_INLINE bool takes_all(const byte_results& r) { return r.low == -128 && r.high == 127; }

struct byte_rows_task {
  const std::int8_t* weights;
  const row_constants* rows;
  int outs, fours;
  byte_results results;
};
/// Results of all rows for two windows; `second` may be `y` itself, for one.
template <bool All>
CTNN_NOINLINE void two_windows(const byte_rows_task& task, const std::int16_t* x, std::int8_t* y, std::int8_t* second) {
  const byte_rows_task t = task;
  const std::int8_t* w = t.weights;
  for (int o = 0; o < t.outs; o += 2, w += t.fours * 8) {
    // An odd row's pair is zeros, and its result comes first, so the right one stays.
    const int next = o + 1 < t.outs ? o + 1 : o;
    const row_constants a = t.rows[o], b = t.rows[next];
    std::int32_t sums[4] = {a.start, b.start, a.start, b.start};
    multiply_two_by_two(x, w, t.fours, sums);
    const std::int32_t last_first[4] = {sums[3], sums[2], sums[1], sums[0]};
    store_four<All>(last_first, b, a, b, a, t.results, second + next, second + o, y + next, y + o);
  }
}
template <bool All>
CTNN_NOINLINE void one_window(const byte_rows_task& task, const std::int16_t* x, std::int8_t* y) {
  const byte_rows_task t = task;
  const std::ptrdiff_t pair = std::ptrdiff_t{t.fours} * 8;
  int o = 0;
  for (; o + 4 <= t.outs; o += 4) {
    const row_constants* const r = t.rows + o;
    std::int32_t sums[4] = {r[0].start, r[1].start, r[2].start, r[3].start};
    multiply_one_by_four(x, t.weights + o / 2 * pair, pair, t.fours, sums);
    store_four<All>(sums, r[0], r[1], r[2], r[3], t.results, y + o, y + o + 1, y + o + 2, y + o + 3);
  }
  const int left = t.outs - o;
  if (left == 0) return;
  std::int32_t sums[4];
  for (int i = 0; i < 4; ++i) sums[i] = i < left ? t.rows[o + i].start : 0;
  multiply_one_by_four(x, t.weights + o / 2 * pair, left > 2 ? pair : 0, t.fours, sums);
  for (int i = 0; i < left; ++i) y[o + i] = byte_of(sums[i], t.rows[o + i].factor, t.results);
}

/// An image's windows, and where they lie.
struct byte_windows {
  const std::int8_t* x;
  int height, width, channels, pitch;  ///< of one group; numbers of a pixel
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, top, left, out_width;
  int outside;

  /// Calls row(bytes, first column, last) for each row of taps; bytes are null outside of the image.
  template <class F>
  CTNN_INLINE void for_each_tap(int oy, int ox, F tap) const {
    for (int ky = 0; ky < kernel_h; ++ky) {
      const int iy = oy * stride_h - top + ky * dilation_h;
      const bool inside = iy >= 0 && iy < height;
      const std::int8_t* const row = x + (inside ? static_cast<std::ptrdiff_t>(iy) * width * pitch : 0);
      for (int kx = 0; kx < kernel_w; ++kx) {
        const int ix = ox * stride_w - left + kx * dilation_w;
        tap(inside && ix >= 0 && ix < width ? row + static_cast<std::ptrdiff_t>(ix) * pitch : nullptr);
      }
    }
  }
};

/// A window's numbers, widened; fours are `step` numbers apart. `flat` holds those of a window as bytes.
CTNN_NOINLINE inline void widen_window(const byte_windows& g, int oy, int ox, int fours, std::int16_t* to, int step,
                                       std::int8_t* flat) {
  const std::int8_t* from = flat;
  if (g.kernel_h == 1 && g.kernel_w == 1 && g.top == 0 && g.left == 0 && g.channels % 8 == 0) {
    from = g.x + (static_cast<std::ptrdiff_t>(oy) * g.stride_h * g.width + ox * g.stride_w) * g.pitch;
  } else {
    std::int8_t* at = flat;
    const auto n = static_cast<std::size_t>(g.channels);
    const int first = ox * g.stride_w - g.left;
    // Whole rows where they are together.
    const bool together = g.pitch == g.channels && g.dilation_w == 1 && first >= 0 && first + g.kernel_w <= g.width;
    if (together) {
      const std::size_t row = n * static_cast<std::size_t>(g.kernel_w);
      for (int ky = 0; ky < g.kernel_h; ++ky, at += row) {
        const int iy = oy * g.stride_h - g.top + ky * g.dilation_h;
        if (iy < 0 || iy >= g.height) std::memset(at, g.outside, row);
        else std::memcpy(at, g.x + (static_cast<std::ptrdiff_t>(iy) * g.width + first) * g.pitch, row);
      }
    } else {
      g.for_each_tap(oy, ox, [&](const std::int8_t* tap) {
        if (tap) std::memcpy(at, tap, n);
        else std::memset(at, g.outside, n);
        at += n;
      });
    }
  }
  for (int k = 0; k < fours; k += 2, from += 8, to += 2 * step) {
    widen_four(from, to);
    widen_four(from + 4, to + step);
  }
}

/// Each channel under its filter.
template <bool All>
void convolve_channels(const byte_windows& g, const layer_constants& k, int out_height, const std::int8_t* w,
                       const row_constants* rows, std::int8_t* y, scratch_memory memory) {
  const int taps = g.kernel_h * g.kernel_w;
  const byte_results results = k.results;
  const std::span<std::int8_t> outside = memory.take<std::int8_t>(g.channels);
  for (std::int8_t& b : outside) b = static_cast<std::int8_t>(g.outside);
  const std::span<const std::int8_t*> at = memory.take<const std::int8_t*>(taps);
  for (int oy = 0; oy < out_height; ++oy)
    for (int ox = 0; ox < g.out_width; ++ox, y += g.channels) {
      std::size_t n = 0;
      g.for_each_tap(oy, ox, [&](const std::int8_t* tap) { at[n++] = tap ? tap : outside.data(); });
      std::ptrdiff_t c = 0;
      for (; c + 4 <= g.channels; c += 4) {
        std::int32_t sums[4];
        const row_constants* const r = rows + c;
        for (int i = 0; i < 4; ++i) sums[i] = r[i].start;
        multiply_channels(at.data(), c, w + c * taps, taps, sums);
        store_four<All>(sums, r[0], r[1], r[2], r[3], results, y + c, y + c + 1, y + c + 2, y + c + 3);
      }
      for (; c < g.channels; ++c) {
        std::int32_t sum = rows[c].start;
        for (int t = 0; t < taps; ++t) sum += at[static_cast<std::size_t>(t)][c] * w[c / 4 * 4 * taps + t * 4 + c % 4];
        y[c] = byte_of(sum, rows[c].factor, k.results);
      }
    }
}

/// One group's rows at every window; results are `pitch` apart.
inline void convolve_rows(const byte_windows& g, const byte_rows_task& task, int out_height, std::int8_t* y, int pitch,
                          scratch_memory memory) {
  const std::span<std::int16_t> x = memory.take<std::int16_t>(task.fours * 8);
  const std::span<std::int8_t> flat = memory.take<std::int8_t>(task.fours * 4);
  for (std::size_t i = 0; i < flat.size(); ++i) flat[i] = 0;
  const int windows = out_height * g.out_width;
  int oy = 0, ox = 0;
  for (int n = 0; n < windows; n += 2, y += 2 * pitch) {
    const bool two = n + 1 < windows;
    for (int i = 0; i < (two ? 2 : 1); ++i) {
      widen_window(g, oy, ox, task.fours, x.data() + i * 4, 8, flat.data());
      if (++ox == g.out_width) {
        ox = 0;
        ++oy;
      }
    }
    std::int8_t* const second = two ? y + pitch : y;
    takes_all(task.results) ? two_windows<true>(task, x.data(), y, second)
                            : two_windows<false>(task, x.data(), y, second);
  }
}

/// Windows of a pool: f(first cell of a row, cells, cells apart, rows, rows apart) in bytes, for one channel.
template <class Window, class F>
inline void pool_bytes(const extents& in, const extents& out, const std::int8_t* x, std::int8_t* y, Window window,
                       F pooled) {
  const int channels = in.back(2), width = in.back(0), plane = in.back(1) * width;
  for (std::int64_t n = in.count() / (std::int64_t{channels} * plane); n > 0; --n, x += plane * channels)
    for (int oy = 0; oy < out.back(1); ++oy) {
      const pooling_window rows = window(0, oy);
      for (int ox = 0; ox < out.back(0); ++ox, y += channels) {
        const pooling_window columns = window(1, ox);
        const std::int8_t* const first =
            x + (static_cast<std::ptrdiff_t>(rows.first) * width + columns.first) * channels;
        for (int c = 0; c < channels; ++c)
          y[c] = pooled(first + c, columns.cells, columns.step * channels, rows.cells, rows.step * width * channels);
      }
    }
}
template <class Window>
inline void pool_bytes(op::pooling function, const arguments& a, bool flat, Window window) {
  const std::int8_t* const x = bytes_of(a.in[0]);
  const extents& in = a.in[0].shape;
  extents out = a.out[0].shape;
  if (flat) {
    out.push_back(1);
    out.push_back(1);
  }
  const auto each = [](const std::int8_t* first, int cells, int step, int rows, int row_step, auto&& f) {
    for (; rows > 0; --rows, first += row_step) {
      const std::int8_t* cell = first;
      for (int i = 0; i < cells; ++i, cell += step) f(*cell);
    }
  };
  if (function == op::pooling::max)
    return pool_bytes(in, out, x, bytes_of(a.out[0]), window, [&](auto... cells) {
      std::int8_t most = -128;
      each(cells..., [&](std::int8_t b) { most = b > most ? b : most; });
      return most;
    });
  pool_bytes(in, out, x, bytes_of(a.out[0]), window,
             [&](const std::int8_t* first, int cells, int step, int rows, int row_step) {
               const int count = cells * rows;
               std::int32_t sum = 0;
               each(first, cells, step, rows, row_step, [&](std::int8_t b) { sum += b; });
               if (count == 0) return std::int8_t{0};
               return static_cast<std::int8_t>((sum < 0 ? sum - count / 2 : sum + count / 2) / count);
             });
}

}  // namespace detail

inline void run_bytes(const op::quantized_conv2d& p, const layer_constants& k, const arguments& a,
                      scratch_memory memory) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const auto pad = p.padding(in);
  const int channels = in.back(2), group_in = channels / p.groups, group_out = p.out / p.groups;
  detail::byte_windows g{detail::bytes_of(a.in[0]),
                         in.back(1),
                         in.back(0),
                         group_in,
                         channels,
                         p.kernel[0],
                         p.kernel[1],
                         p.stride[0],
                         p.stride[1],
                         p.dilation[0],
                         p.dilation[1],
                         pad[0],
                         pad[1],
                         out.back(0),
                         k.outside};
  const auto* weights = static_cast<const std::int8_t*>(static_cast<const void*>(a.weights[0]));
  const auto* rows =
      static_cast<const detail::row_constants*>(static_cast<const void*>(a.weights[a.weights.size() - 1]));
  std::int8_t* y = detail::bytes_of(a.out[0]);
  const bool by_channel = p.groups > 1 && group_in == 1 && group_out == 1;
  for (std::int64_t n = p.has_batch(in) ? in[0] : 1; n > 0; --n) {
    const std::int8_t* const image = g.x;
    if (by_channel) {
      g.channels = channels;
      detail::takes_all(k.results) ? detail::convolve_channels<true>(g, k, out.back(1), weights, rows, y, memory)
                                   : detail::convolve_channels<false>(g, k, out.back(1), weights, rows, y, memory);
    } else {
      const int fours = (group_in * p.kernel[0] * p.kernel[1] + 7) / 8 * 2;
      for (int i = 0; i < p.groups; ++i, g.x += group_in) {
        const detail::byte_rows_task task{weights + std::ptrdiff_t{i} * group_out * fours * 4, rows + i * group_out,
                                          group_out, fours, k.results};
        detail::convolve_rows(g, task, out.back(1), y + i * group_out, p.out, memory);
      }
    }
    g.x = image + static_cast<std::ptrdiff_t>(in.back(1)) * in.back(0) * channels;
    y += static_cast<std::ptrdiff_t>(out.back(1)) * out.back(0) * p.out;
  }
}

inline void run_bytes(const op::quantized_matmul& p, const layer_constants& k, const arguments& a,
                      scratch_memory memory) {
  const int depth = a.in[0].shape.back(0), fours = (depth + 7) / 8 * 2, outs = p.weight_shape(a.in[0].shape)[0];
  const auto* weights = static_cast<const std::int8_t*>(static_cast<const void*>(a.weights[0]));
  const auto* rows =
      static_cast<const detail::row_constants*>(static_cast<const void*>(a.weights[a.weights.size() - 1]));
  const detail::byte_rows_task task{weights, rows, outs, fours, k.results};
  const std::span<std::int16_t> wide = memory.take<std::int16_t>(fours * 4);
  for (std::int16_t& v : wide.last(8)) v = 0;
  const std::int8_t* x = detail::bytes_of(a.in[0]);
  std::int8_t* y = detail::bytes_of(a.out[0]);
  for (std::int64_t n = a.in[0].shape.count() / depth; n > 0; --n, x += depth, y += outs) {
    int i = 0;
    for (; i + 4 <= depth; i += 4) detail::widen_four(x + i, wide.data() + i);
    if (i < depth) {
      std::int8_t last[4]{};
      for (int r = 0; i + r < depth; ++r) last[r] = x[i + r];
      detail::widen_four(last, wide.data() + i);
    }
    detail::takes_all(task.results) ? detail::one_window<true>(task, wide.data(), y)
                                    : detail::one_window<false>(task, wide.data(), y);
  }
}

inline void run_bytes(const op::quantized_binary&, const binary_constants& k, const arguments& a, scratch_memory) {
  const std::int8_t *x = detail::bytes_of(a.in[0]), *z = detail::bytes_of(a.in[1]);
  std::int8_t* const y = detail::bytes_of(a.out[0]);
  const auto n = static_cast<std::ptrdiff_t>(a.out[0].shape.count());
  if (k.multiplies)
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = k.results.of(k.factor.of((x[i] - k.x_zero) * (z[i] - k.z_zero)));
  else
    for (std::ptrdiff_t i = 0; i < n; ++i)
      y[i] = k.results.of(static_cast<std::int32_t>((x[i] * k.a + z[i] * k.b + k.start) >> 32));
}

template <class Op>
void run_bytes(const Op&, const byte_table& table, const arguments& a, scratch_memory) {
  const std::int8_t* const x = detail::bytes_of(a.in[0]);
  std::int8_t* const y = detail::bytes_of(a.out[0]);
  const auto n = static_cast<std::ptrdiff_t>(a.out[0].shape.count());
  for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = table.at[static_cast<std::uint8_t>(x[i])];
}

inline void run_bytes(const op::quantized_softmax& p, const softmax_constants& k, const arguments& a, scratch_memory) {
  const extents& s = a.in[0].shape;
  const int axis = normal_axis(p.axis, s.rank), size = s[axis];
  const auto inner = static_cast<std::ptrdiff_t>(s.count(axis + 1, s.rank)),
             lines = static_cast<std::ptrdiff_t>(s.count() / size);
  for (std::ptrdiff_t line = 0; line < lines; ++line) {
    const std::ptrdiff_t first = line / inner * size * inner + line % inner;
    const std::int8_t* const x = detail::bytes_of(a.in[0]) + first;
    std::int8_t* const y = detail::bytes_of(a.out[0]) + first;
    int most = x[0];
    for (int i = 1; i < size; ++i) most = x[i * inner] > most ? x[i * inner] : most;
    const auto power = [&](int i) { return math::exp(-k.scale * static_cast<float>(most - x[i * inner])); };
    float sum = 0;
    for (int i = 0; i < size; ++i) sum += power(i);
    const float unit = 1 / (sum * k.unit);
    for (int i = 0; i < size; ++i) y[i * inner] = k.results.of(static_cast<std::int32_t>(power(i) * unit + 0.5f));
  }
}

inline void run_bytes(const op::quantize&, const scale_constants& k, const arguments& a, scratch_memory) {
  std::int8_t* const y = detail::bytes_of(a.out[0]);
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(a.out[0].shape.count()); ++i) {
    const float step = a.in[0].data[i] / k.scale;
    const auto whole = static_cast<std::int32_t>(step > 1024    ? 1024.0f
                                                 : step > -1024 ? math::round(step)
                                                                : -1024.0f) +
                       k.zero;
    y[i] = static_cast<std::int8_t>(whole < -128 ? -128 : whole > 127 ? 127 : whole);
  }
}
inline void run_bytes(const op::dequantize&, const scale_constants& k, const arguments& a, scratch_memory) {
  const std::int8_t* const x = detail::bytes_of(a.in[0]);
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(a.out[0].shape.count()); ++i)
    a.out[0].data[i] = static_cast<float>(x[i] - k.zero) * k.scale;
}

inline void run_bytes(const op::pool& p, no_constants, const arguments& a, scratch_memory) {
  const extents& in = a.in[0].shape;
  detail::pool_bytes(p.function, a, false,
                     [&](int axis, int i) { return pool_window_at(p, p.along(axis, in.back(1 - axis)), i); });
}
inline void run_bytes(const op::adaptive_pool& p, no_constants, const arguments& a, scratch_memory) {
  const extents& in = a.in[0].shape;
  detail::pool_bytes(p.function, a, p.flatten, [&](int axis, int i) {
    return adaptive_window(in.back(1 - axis), p.count(axis, in.back(1 - axis)), i);
  });
}

inline void run_bytes(const op::concat& p, no_constants, const arguments& a, scratch_memory) {
  const extents& s = a.out[0].shape;
  const int axis = normal_axis(p.axis, s.rank);
  std::int8_t* y = detail::bytes_of(a.out[0]);
  const auto outer = static_cast<std::ptrdiff_t>(s.count(0, axis));
  for (std::ptrdiff_t o = 0; o < outer; ++o)
    for (const const_tensor& t : a.in) {
      const auto n = static_cast<std::size_t>(t.shape.count(axis, s.rank));
      std::memcpy(y, detail::bytes_of(t) + static_cast<std::size_t>(o) * n, n);
      y += n;
    }
}
/// flatten, reshape
template <class Op>
requires(traits_of<Op>.view) void run_bytes(const Op&, no_constants, const arguments& a, scratch_memory) {
  if (a.out[0].data != a.in[0].data)
    std::memcpy(a.out[0].data, a.in[0].data, static_cast<std::size_t>(a.out[0].shape.count()));
}

}  // namespace plain
}  // namespace ctnn::ir
