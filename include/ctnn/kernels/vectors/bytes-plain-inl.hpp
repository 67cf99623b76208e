// SPDX-License-Identifier: BSL-1.0
// Firmware's kernels of bytes: integers throughout, what depends on scales is among the packed weights
// (byte_packing.hpp) or, like shapes, in a constant of the step: byte_task_of(operator, arguments without addresses)
// makes it, and run(task, operands) is the kernel. Images are nhwc without gaps.
#pragma once

#include "../../base/math.hpp"
#include "../byte_table.hpp"
#include "../frame.hpp"
#include "../walks/pooling_walk.hpp"
#if defined(__ARM_FEATURE_MVE)
#include "byte_channels-helium-inl.hpp"
#include "byte_fours-helium-inl.hpp"
#else
#include "byte_loops-plain-inl.hpp"
#endif

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {

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

// ---- layers: sums of products

namespace detail {

/// All rows at every window. What a pair of windows reads it has read before its results are written.
inline void convolve_rows(const byte_layer& k, const byte_layer::part& p) {
  const window_pair pair(k, p);
  window_position at(k);
  std::int8_t* y = p.y + (k.backwards ? std::ptrdiff_t{k.windows() - 1} * k.out_pitch : 0);
  const std::ptrdiff_t step = k.backwards ? -k.out_pitch : k.out_pitch;
  for (int left = k.windows(); left > 0; left -= 2, y += 2 * step) {
    pair.take(0, at);
    if (left > 1) {
      at.next(k);
      pair.take(1, at);
      at.next(k);
    }
    pair.results(y, left > 1 ? step : 0);
  }
}

/// The kernel of a layer of rows.
constexpr auto rows_kernel([[maybe_unused]] const byte_layer& k) {
#if defined(__ARM_FEATURE_MVE)
  if (has_fours(k)) return fours_kernel(k);
#endif
  return &convolve_rows;
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

}  // namespace detail

constexpr byte_layer byte_task_of(const op::conv2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const auto pad = p.padding(in);
  byte_layer k{};
  k.results = results_of(p.activation, a.made());
  k.outside = static_cast<std::int8_t>(a.of(0).real.zero);
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
    k.kernel = detail::rows_kernel(k);
  }
  return k;
}
constexpr byte_layer byte_task_of(const op::conv1d& p, const arguments& a) {
  const image_arguments image(a);
  return byte_task_of(as_image(p), image.all);
}
constexpr byte_layer byte_task_of(const op::linear& p, const arguments& a) {
  const extents& in = a.in[0].shape;
  byte_layer k{};
  k.results = results_of(p.activation, a.made());
  k.backwards = a.backwards;
  k.images = k.groups = k.height = k.out_height = 1;
  k.channels = k.pitch = static_cast<int>(p.depth(in));
  k.outs = k.out_pitch = p.out;
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
  detail::byte_sum sum;
  bool multiplies;
  int x_zero, z_zero;
  std::ptrdiff_t count;
  std::uint32_t factor;  ///< of products (x - zero) (z - zero)
};
constexpr byte_binary byte_task_of(const op::binary& p, const arguments& in) {
  const quantization of = in.of(0).real, with = in.of(1).real, as = in.made().real;
  const factors_of_sum factors(of.scale, with.scale, as.scale);
  byte_binary k{{results_of(p.activation, in.made()), factors.first,
                 p.function == op::binary_function::sub ? -factors.second : factors.second, std::int64_t{1} << 31},
                p.function == op::binary_function::mul,
                of.zero,
                with.zero,
                static_cast<std::ptrdiff_t>(in.out[0].shape.count()),
                fixed_factor(of.scale * with.scale / as.scale).word()};
  k.sum.start -= k.sum.a * of.zero + k.sum.b * with.zero;
  return k;
}
inline void run(const byte_binary& k, const byte_operands& o) {
  const std::int8_t *x = o.bytes(o.in), *z = o.bytes(o.second);
  std::int8_t* const y = o.to<std::int8_t>(o.out);
  if (!k.multiplies) return detail::add_bytes(k.sum, x, z, y, k.count);
  for (std::ptrdiff_t i = 0; i < k.count; ++i)
    y[i] = detail::byte_of((x[i] - k.x_zero) * (z[i] - k.z_zero), k.factor, k.sum.results);
}

/// A function of one byte.
struct byte_table {
  std::ptrdiff_t count;
  std::int8_t at[256]{};
};
constexpr byte_table byte_table_of(const activation_function& f, const arguments& a) {
  const byte_function function(f, a.of(0), a.made());
  byte_table table{static_cast<std::ptrdiff_t>(a.out[0].shape.count())};
  for (int x = -128; x < 128; ++x) table.at[x & 255] = static_cast<std::int8_t>(function.of(x));
  return table;
}
constexpr byte_table byte_task_of(const op::activation& p, const arguments& a) {
  return byte_table_of(p.activation, a);
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
constexpr byte_softmax byte_task_of(const op::softmax& p, const arguments& a) {
  const extents& s = a.in[0].shape;
  const int axis = normal_axis(p.axis, s.rank), size = s[axis];
  return {results_of({}, a.made()),
          size,
          static_cast<int>(s.count(axis + 1, s.rank)),
          static_cast<int>(s.count() / size),
          static_cast<float>(a.of(0).real.scale),
          static_cast<float>(a.made().real.scale)};
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
/// Of real numbers; bytes become others by a table.
constexpr byte_scale byte_task_of(const op::quantize&, const arguments& a) {
  const quantization as = a.made().real;
  return {static_cast<float>(as.scale), as.zero, static_cast<std::ptrdiff_t>(a.out[0].shape.count()), true};
}
constexpr byte_scale byte_task_of(const op::dequantize&, const arguments& a) {
  const quantization of = a.of(0).real;
  return {static_cast<float>(of.scale), of.zero, static_cast<std::ptrdiff_t>(a.out[0].shape.count()), false};
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
    pool_window<Function>({rows.cells, columns.cells, std::ptrdiff_t{rows.step} * width * channels,
                           std::ptrdiff_t{columns.step} * channels},
                          first, channels, y);
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

constexpr byte_pool image_task(const op::pool& p, const arguments& a) {
  byte_pool k = pool_task(p.function, a, false);
  k.rows = p.along(0, a.in[0].shape.back(1));
  k.columns = p.along(1, a.in[0].shape.back(0));
  return k;
}
constexpr byte_pool image_task(const op::adaptive_pool& p, const arguments& a) {
  byte_pool k = pool_task(p.function, a, p.flatten);
  k.adaptive = true;
  k.rows.size = a.in[0].shape.back(1);
  k.rows.taps = k.out_height;
  k.columns.size = a.in[0].shape.back(0);
  k.columns.taps = k.out_width;
  return k;
}

}  // namespace detail

/// Of signals, as of images of one row.
template <op::pooling_of_windows Op>
constexpr byte_pool byte_task_of(const Op& p, const arguments& a) {
  if (p.axes != 1) return detail::image_task(p, a);
  const image_arguments image(a);
  return detail::image_task(as_image(p), image.all);
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
