// SPDX-License-Identifier: BSL-1.0
// Quantised operators: bytes less their zero points are 16-bit numbers, sums are exact.
#pragma once

#include "../../base/int8.hpp"
#include "../../graph/operators/quantized.hpp"
#include "../reference/convolution.hpp"
#include "matrix.hpp"
#include "products.hpp"

namespace ctnn::ir::typed {

/// Which scale an element has.
class scale_index {
 public:
  scale_index(const op::granularity& p, const extents& x, const extents& scale) : block_(p.block) {
    if (scale.count() == 1) return;
    const around s(x, p.axis);
    size_ = s.size;
    inner_ = s.inner;
    one_ = false;
  }
  bool one() const { return one_; }
  /// The indices of the scales of n elements from `first` on: a line along the inner axes at a time.
  void read(std::int64_t first, std::int64_t n, std::int64_t* to) const {
    const std::int64_t blocks = block_ ? (size_ + block_ - 1) / block_ : 0;
    for (std::int64_t i = 0; i < n;) {
      const std::int64_t line = (first + i) / inner_, along = line % size_, rest = first + i - line * inner_;
      const std::int64_t end = std::min(n, i + inner_ - rest);
      std::int64_t k = block_ ? (line / size_ * blocks + along / block_) * inner_ + rest : along;
      for (; i < end; ++i, k += block_ ? 1 : 0) to[i] = k;
    }
  }

 private:
  int block_;
  std::int64_t size_ = 1, inner_ = 1;
  bool one_ = true;
};

/// n numbers of any type in another arithmetic type; `place` says where in t the i-th of them is.
template <class To, class Place>
void numbers_as(std::string_view op, const const_tensor& t, std::int64_t n, Place place, To* to) {
  visit_number(op, t.type, [&]<class T>(tag<T>) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = saturated<To>(elements<T>(t)[place(i)]);
  });
}

/// f(first, n, x, scale, zero) for n elements at a time, with their inputs in the types of the arithmetic.
template <class Number, class Scale, class Zero, class Op, class F>
void for_scaled(const Op& p, const arguments& a, scratch_memory memory, F f) {
  const std::int64_t count = a.in[0].shape.count(), most = p.at_once(count);
  Number* const x = memory.take<Number>(most).data();
  Scale* const scale = memory.take<Scale>(most).data();
  Zero* const zero = memory.take<Zero>(most).data();
  std::int64_t* const places = memory.take<std::int64_t>(most).data();
  std::fill_n(zero, most, Zero{});
  std::fill_n(places, most, 0);
  const auto read_scales = [&](std::int64_t n) {
    const auto of_scale = [&](std::int64_t i) { return places[i]; };
    numbers_as(p.name, a.in[1], n, of_scale, scale);
    if (a.in.size() == 3) numbers_as(p.name, a.in[2], n, of_scale, zero);
  };
  const scale_index index(p, a.in[0].shape, a.in[1].shape);
  if (index.one()) read_scales(most);
  for (std::int64_t first = 0; first < count; first += most) {
    const std::int64_t n = std::min(most, count - first);
    const auto in_order = [first](std::int64_t i) { return first + i; };
    numbers_as(p.name, a.in[0], n, in_order, x);
    if (!index.one()) {
      index.read(first, n, places);
      read_scales(n);
    }
    f(first, n, x, scale, zero);
  }
}

/// round(x) + zero, saturated; ties to even.
template <class T>
T rounded_to(float x, int zero) {
  const double r = std::nearbyint(static_cast<double>(x)) + zero;
  if (!(r > static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  return r >= static_cast<double>(std::numeric_limits<T>::max()) ? std::numeric_limits<T>::max() : static_cast<T>(r);
}

inline void run(const op::quantize& p, const arguments& a, scratch_memory memory) {
  if (a.in.size() == 1)
    return visit_number(p.name, a.in[0].type, [&]<class X>(tag<X>) {
      visit_integer(p.name, p.to, [&]<class T>(tag<T>) {
        const auto scale = static_cast<float>(p.as.scale);
        const X* x = elements<X>(a.in[0]);
        T* y = elements<T>(a.out[0]);
        for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i)
          y[i] = rounded_to<T>(static_cast<float>(x[i]) / scale, p.as.zero);
      });
    });
  for_scaled<float, float, int>(
      p, a, memory, [&](std::int64_t first, std::int64_t n, const auto* x, const auto* scale, const auto* zero) {
        visit_integer(p.name, p.to, [&]<class T>(tag<T>) {
          T* y = elements<T>(a.out[0]) + first;
          for (std::int64_t i = 0; i < n; ++i) y[i] = rounded_to<T>(x[i] / scale[i], zero[i]);
        });
      });
}

inline void run(const op::dequantize& p, const arguments& a, scratch_memory memory) {
  if (a.in.size() == 1)
    return visit_integer(p.name, a.in[0].type, [&]<class X>(tag<X>) {
      const auto scale = static_cast<float>(p.of.scale);
      const X* x = elements<X>(a.in[0]);
      for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i)
        a.out[0].data[i] = static_cast<float>(static_cast<std::int64_t>(x[i]) - p.of.zero) * scale;
    });
  for_floating(p.name, {a.in.subspan(1, 1), a.out, {}}, [&]<class T>(const arguments&, tag<T>) {
    for_scaled<std::int64_t, T, std::int64_t>(
        p, a, memory, [&](std::int64_t first, std::int64_t n, const auto* x, const auto* scale, const auto* zero) {
          T* y = elements<T>(a.out[0]) + first;
          for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i] - zero[i]) * scale[i];
        });
  });
}

inline void run(const op::dynamic_quantize&, const arguments& a) {
  const float* x = a.in[0].data;
  const std::int64_t n = a.in[0].shape.count();
  float low = 0, high = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    low = std::min(low, x[i]);
    high = std::max(high, x[i]);
  }
  float scale = (high - low) / 255;
  if (!(scale > 0)) scale = 1;
  const auto zero = rounded_to<std::uint8_t>(-low / scale, 0);
  auto* y = elements<std::uint8_t>(a.out[0]);
  for (std::int64_t i = 0; i < n; ++i) y[i] = rounded_to<std::uint8_t>(x[i] / scale, zero);
  *a.out[1].data = scale;
  *elements<std::uint8_t>(a.out[2]) = zero;
}

/// Byte i of a slot.
inline int byte_at(const float* slot, dtype type, std::int64_t i) {
  const const_tensor t{slot, {}, layout::nchw, 0, type};
  return type == dtype::u8 ? int{elements<std::uint8_t>(t)[i]} : int{elements<std::int8_t>(t)[i]};
}

/// What sums are multiplied by: in ONNX's and ncnn's arithmetic, and in TFLite's.
struct sum_unit {
  float real = 1;
  fixed_factor fixed{};
};

/// The slots of a layer of bytes: from numbers to what is multiplied, and from sums to results.
class byte_layer {
 public:
  template <class Op>
  byte_layer(const Op& p, const arguments& a)
      : op_(p), activation_(p.activation), bounds_(bounds_of(p)), input_(a.in[0]) {
    const weight_slots slots = p.weights({&input_.shape, 1});
    weight_ = {a.weights[0], slots[0].shape, layout::nchw, 0, p.weight_type};
    for (std::size_t k = 1; k < slots.size(); ++k) {
      const std::string_view name = slots[k].name;
      (name == "bias"           ? bias_
       : name == "weight_scale" ? weight_scale_
       : name == "input_scale"  ? input_scale_
       : name == "output_scale" ? output_scale_
       : name == "weight_zero"  ? weight_zero_
       : name == "input_zero"   ? input_zero_
                                : output_zero_) = a.weights[k];
      if (name.starts_with("input_")) by_row_ = slots[k].shape.count() > 1;
    }
  }

  /// n of the input's numbers, less the zero point of row `row`.
  void widen_input(std::int64_t row, std::int64_t first, std::int64_t n, std::int16_t* to) const {
    if (input_.type == dtype::f32)
      for (std::int64_t i = 0; i < n; ++i)
        to[i] = quantize_int8(input_.data[first + i] * input_scale_[by_row_ ? row : 0]);
    else
      widen(input_, first, 1, n, input_zero_ ? byte_at(input_zero_, input_.type, by_row_ ? row : 0) : op_.of.zero, to);
  }
  /// n of the weight's, `stride` apart, less the zero point of output o.
  void widen_weight(std::int64_t o, std::int64_t first, std::int64_t stride, std::int64_t n, std::int16_t* to) const {
    widen(weight_, first, stride, n, weight_zero_ ? byte_at(weight_zero_, weight_.type, op_.by_output ? o : 0) : 0, to);
  }

  /// f(tag<T>) for the result's elements.
  template <class F>
  void visit_result(F f) const {
    if (op_.to == dtype::i32) f(tag<std::int32_t>{});
    else if (op_.to == dtype::f32) f(tag<float>{});
    else if (op_.to == dtype::u8) f(tag<std::uint8_t>{});
    else f(tag<std::int8_t>{});
  }
  /// What sums of this row and output are multiplied by: to real numbers, or, where nothing comes between, to steps of
  /// the result.
  sum_unit unit(std::int64_t row, std::int64_t o) const {
    if (op_.to == dtype::i32) return {};
    const float of_weight = weight_scale_[op_.by_output ? o : 0];
    if (op_.is_tflite()) return {1, fixed_factor(op_.of.scale * static_cast<double>(of_weight) / op_.as.scale)};
    const float of_input = input_scale_[by_row_ ? row : 0];
    if (op_.arithmetic == op::byte_arithmetic::ncnn) return {of_weight == 0 ? 0 : 1 / (of_input * of_weight)};
    return {is_byte(op_.to) && !activation_ ? of_input * of_weight / *output_scale_ : of_input * of_weight};
  }
  template <class T>
  T result(std::int32_t sum, const sum_unit& unit, std::int64_t o) const {
    if (op_.arithmetic == op::byte_arithmetic::ncnn) {
      // Rounded once, as the fused multiply-add of ncnn's kernels is.
      const double bias = bias_ ? static_cast<double>(bias_[o]) : 0;
      const double exact = static_cast<double>(static_cast<float>(sum)) * static_cast<double>(unit.real) + bias;
      const float y = activated(static_cast<float>(exact));
      if constexpr (std::is_same_v<T, float>) return y;
      else return static_cast<T>(quantize_int8(y * *output_scale_));
    }
    const auto* bias = static_cast<const std::int32_t*>(static_cast<const void*>(bias_));
    const std::int64_t all = std::int64_t{sum} + (bias ? bias[o] : 0);
    if constexpr (std::is_same_v<T, std::int32_t>) return wrapped<T>(static_cast<std::uint64_t>(all));
    if (op_.is_tflite())
      return static_cast<T>(
          bounds_.of(unit.fixed.of(wrapped<std::int32_t>(static_cast<std::uint64_t>(all))) + op_.as.zero));
    const float y = activated(static_cast<float>(all) * unit.real);
    if constexpr (std::is_same_v<T, float>) return y;
    else return rounded_to<T>(activation_ ? y / *output_scale_ : y, byte_at(output_zero_, op_.to, 0));
  }

 private:
  /// Bytes less their zero point, with `stride` from one to the next.
  static void widen(const const_tensor& x, std::int64_t first, std::int64_t stride, std::int64_t n, int zero,
                    std::int16_t* to) {
    const auto copy = [&](const auto* from) {
      for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<std::int16_t>(from[first + i * stride] - zero);
    };
    if (x.type == dtype::u8) copy(elements<std::uint8_t>(x));
    else copy(elements<std::int8_t>(x));
  }
  float activated(float y) const { return activation_ ? applied(activation_, y) : y; }

  template <class Op>
  static op::byte_bounds bounds_of(const Op& p) {
    return p.is_tflite() ? op::byte_bounds(p.activation, p.as, p.to) : op::byte_bounds({}, {1, 0}, p.to);
  }

  op::products_of_bytes op_;
  activation_function activation_;
  op::byte_bounds bounds_;
  const_tensor input_, weight_;
  const float *bias_ = nullptr, *weight_scale_ = nullptr, *input_scale_ = nullptr, *output_scale_ = nullptr;
  const float *weight_zero_ = nullptr, *input_zero_ = nullptr, *output_zero_ = nullptr;
  bool by_row_ = false;
};

/// What window `at` (counted through the output) reads of an image whose channels lie together; zeros outside.
inline void gather_window(const reference::three_axes& g, std::int64_t at, const std::int16_t* image,
                          std::int64_t channels, std::int16_t* to) {
  const std::int64_t x = at % g.count[2] * g.stride[2], rest = at / g.count[2];
  const std::int64_t y = rest % g.count[1] * g.stride[1], z = rest / g.count[1] * g.stride[0];
  const auto outside = [&](std::int64_t i, int axis) { return i < 0 || i >= g.size[axis]; };
  for (int kz = 0; kz < g.kernel[0]; ++kz)
    for (int ky = 0; ky < g.kernel[1]; ++ky)
      for (int kx = 0; kx < g.kernel[2]; ++kx) {
        const std::int64_t iz = z + g.offset(0, kz), iy = y + g.offset(1, ky), ix = x + g.offset(2, kx);
        if (outside(iz, 0) || outside(iy, 1) || outside(ix, 2)) to = std::fill_n(to, channels, std::int16_t{0});
        else to = std::copy_n(image + ((iz * g.size[1] + iy) * g.size[2] + ix) * channels, channels, to);
      }
}

/// Sums of one plane under one filter, tap by tap.
inline void convolve_plane(const reference::three_axes& g, const std::int16_t* plane, const std::int16_t* filter,
                           std::int32_t* sums) {
  std::fill_n(sums, g.output_plane(), 0);
  const std::ptrdiff_t stride = g.stride[2];
  const auto row = [&](int tap, std::ptrdiff_t from, std::ptrdiff_t to, reference::tap_range q, int offset) {
    const std::int32_t w = filter[tap];
    const std::ptrdiff_t n = q.last - q.first, first = n == 0 ? 0 : from + offset + q.first * stride;
    const std::int16_t* x = plane + first;
    std::int32_t* y = sums + to + q.first;
    for (std::ptrdiff_t j = 0; j < n; ++j)  // wraps around, as products_of does
      y[j] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(y[j]) + static_cast<std::uint32_t>(w * x[j * stride]));
  };
  reference::for_each_row(g, g.size, g.count, row);
}

template <int Axes>
void run(const op::quantized_conv<Axes>& p, const arguments& a, scratch_memory memory) {
  const extents& in = a.in[0].shape;
  const reference::three_axes g(p, p.padding(in), in, a.out[0].shape);
  const byte_layer layer(p, a);
  const std::int64_t batch = p.has_batch(in) ? in[0] : 1, plane = g.input_plane(), windows = g.output_plane();
  const std::int64_t group_in = p.channels_of(in) / p.groups, group_out = p.out / p.groups;
  const std::int64_t taps = p.taps(), depth = group_in * taps;
  // Weights and windows in the order (tap, channel): what a window reads of one place is together.
  const bool one_channel = group_in == 1;  // then without gathering, along the rows
  const std::ptrdiff_t padded = integer_blocks(depth);
  const std::span<std::int16_t> weights = memory.take<std::int16_t>(group_out * padded);
  std::fill(weights.begin(), weights.end(), std::int16_t{0});
  const std::span<std::int16_t> planes = memory.take<std::int16_t>(group_in * plane);
  const std::span<std::int16_t> image = memory.take<std::int16_t>(one_channel ? 0 : group_in * plane);
  const std::span<std::int32_t> sums = memory.take<std::int32_t>(one_channel ? windows : 0);
  for (std::int64_t i = 0; i < batch * p.groups; ++i) {
    const std::int64_t first = i % p.groups * group_out;  // of the outputs
    for (std::int64_t o = 0; o < group_out; ++o)
      for (std::int64_t k = 0; k < taps; ++k)
        layer.widen_weight(first + o, (first + o) * depth + k, taps, group_in,
                           weights.data() + o * padded + k * group_in);
    layer.widen_input(0, i * group_in * plane, group_in * plane, planes.data());
    for (std::int64_t c0 = 0; c0 < group_in && !one_channel; c0 += 16)  // few planes at a time
      for (std::int64_t k = 0; k < plane; ++k)
        for (std::int64_t c = c0; c < std::min(c0 + 16, group_in); ++c)
          image[static_cast<std::size_t>(k * group_in + c)] = planes[static_cast<std::size_t>(c * plane + k)];
    layer.visit_result([&]<class T>(tag<T>) {
      T* y = elements<T>(a.out[0]) + i * group_out * windows;
      const auto store = [&](std::int64_t o, std::int64_t w, std::span<const std::int32_t> sums_of_o) {
        const sum_unit unit = layer.unit(0, first + o);
        for (T* to = y + o * windows + w; const std::int32_t sum : sums_of_o)
          *to++ = layer.result<T>(sum, unit, first + o);
      };
      if (!one_channel)
        return multiply_parts(
            a, memory, weights.data(), group_out, windows, depth,
            [&](std::int64_t w, std::int16_t* to) { gather_window(g, w, image.data(), group_in, to); }, store);
      for (std::int64_t o = 0; o < group_out; ++o) {
        convolve_plane(g, planes.data(), weights.data() + o * padded, sums.data());
        store(o, 0, sums);
      }
    });
  }
}

inline void run(const op::quantized_matmul& p, const arguments& a, scratch_memory memory) {
  const matmul_walk w(p.product(), a.in[0].shape, p.weight_shape(a.in[0].shape));
  const byte_layer layer(p, a);
  const std::ptrdiff_t padded = integer_blocks(w.depth);
  const std::span<std::int16_t> rows = memory.take<std::int16_t>(w.rows * padded);
  std::fill(rows.begin(), rows.end(), std::int16_t{0});
  const std::int64_t step = p.is_transposed() ? w.depth : 1, stride = p.is_transposed() ? 1 : w.columns;
  layer.visit_result([&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    for (std::int64_t m = 0; m < w.matrices; ++m, y += std::int64_t{w.rows} * w.columns) {
      const auto at = w.offsets(m);
      for (std::int64_t r = 0; r < w.rows; ++r)
        layer.widen_input(r, at.a + r * w.depth, w.depth, rows.data() + r * padded);
      multiply_parts(
          a, memory, rows.data(), w.rows, w.columns, w.depth,
          [&](std::int64_t c, std::int16_t* to) { layer.widen_weight(c, at.b + c * step, stride, w.depth, to); },
          [&](std::int64_t r, std::int64_t c, std::span<const std::int32_t> sums) {
            for (const std::int32_t sum : sums) {
              y[r * w.columns + c] = layer.result<T>(sum, layer.unit(r, c), c);
              ++c;
            }
          });
    }
  });
}

/// f(tag<T>) for bytes.
template <class F>
void visit_byte(dtype t, F f) {
  if (t == dtype::u8) f(tag<std::uint8_t>{});
  else f(tag<std::int8_t>{});
}

inline void run(const op::requantize& p, const arguments& a) {
  const fixed_factor factor(p.of.scale / p.as.scale);
  const op::byte_bounds bounds(p.activation, p.as, p.to);
  visit_integer(p.name, a.in[0].type, [&]<class X>(tag<X>) {
    visit_byte(p.to, [&]<class T>(tag<T>) {
      const X* x = elements<X>(a.in[0]);
      T* y = elements<T>(a.out[0]);
      for (std::int64_t i = 0; i < a.out[0].shape.count(); ++i)
        y[i] = static_cast<T>(bounds.of(factor.of(static_cast<std::int32_t>(x[i]) - p.of.zero) + p.as.zero));
    });
  });
}

inline void run(const op::quantized_activation& p, const arguments& a, scratch_memory memory) {
  const float scale = static_cast<float>(p.of.scale), steps = 1 / static_cast<float>(p.as.scale);
  const op::byte_bounds bounds({}, p.as, p.to);
  visit_byte(a.in[0].type, [&]<class X>(tag<X>) {
    visit_byte(p.to, [&]<class T>(tag<T>) {
      T* const table = memory.take<T>(256).data();
      for (int i = 0; i < 256; ++i) {
        const float real = static_cast<float>(static_cast<X>(i) - p.of.zero) * scale;
        const float y = apply(p.activation, real) * steps;
        table[i] = static_cast<T>(bounds.of(saturated<std::int32_t>(y < 0 ? y - 0.5f : y + 0.5f) + p.as.zero));
      }
      const X* x = elements<X>(a.in[0]);
      T* y = elements<T>(a.out[0]);
      for (std::int64_t i = 0; i < a.out[0].shape.count(); ++i) y[i] = table[static_cast<std::uint8_t>(x[i])];
    });
  });
}

inline void run(const op::quantized_binary& p, const arguments& a) {
  const op::byte_bounds bounds(p.activation, p.as, p.to);
  const bool multiplies = p.function == op::binary_function::mul;
  const fixed_factor first(multiplies ? p.of.scale * p.with.scale / p.as.scale : p.of.scale / p.as.scale),
      second(p.with.scale / p.as.scale);
  const int sign = p.function == op::binary_function::sub ? -1 : 1;
  visit_byte(a.in[0].type, [&]<class X>(tag<X>) {
    visit_byte(a.in[1].type, [&]<class Z>(tag<Z>) {
      visit_byte(p.to, [&]<class T>(tag<T>) {
        map_pairs<T, X, Z>(a, [&](X x, Z z) {
          const std::int32_t left = x - p.of.zero, right = z - p.with.zero;
          const std::int32_t y = multiplies ? first.of(left * right) : weighted_sum(first, left, second, right * sign);
          return static_cast<T>(bounds.of(y + p.as.zero));
        });
      });
    });
  });
}

inline void run(const op::quantized_softmax& p, const arguments& a, scratch_memory memory) {
  const around s(a.in[0].shape, p.axis);
  const std::span<float> table = memory.take<float>(256);
  for (std::size_t i = 0; i < 256; ++i)
    table[i] = math::exp(-static_cast<float>(p.of.scale) * static_cast<float>(255 - static_cast<int>(i)));
  const op::byte_bounds bounds({}, p.as, p.to);
  visit_byte(a.in[0].type, [&]<class X>(tag<X>) {
    visit_byte(p.to, [&]<class T>(tag<T>) {
      for (std::int64_t line = 0; line < s.outer * s.inner; ++line) {
        const std::int64_t first = line / s.inner * s.size * s.inner + line % s.inner;
        const X* x = elements<X>(a.in[0]) + first;
        T* y = elements<T>(a.out[0]) + first;
        int most = x[0];
        for (std::int64_t i = 1; i < s.size; ++i) most = std::max(most, int{x[i * s.inner]});
        const auto power = [&](std::int64_t i) { return table[static_cast<std::size_t>(255 - most + x[i * s.inner])]; };
        float sum = 0;
        for (std::int64_t i = 0; i < s.size; ++i) sum += power(i);
        const float unit = 1 / (sum * static_cast<float>(p.as.scale));
        for (std::int64_t i = 0; i < s.size; ++i)
          y[i * s.inner] = static_cast<T>(bounds.of(saturated<std::int32_t>(power(i) * unit + 0.5f) + p.as.zero));
      }
    });
  });
}

}  // namespace ctnn::ir::typed
