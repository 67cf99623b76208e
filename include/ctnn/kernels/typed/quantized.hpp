// SPDX-License-Identifier: BSL-1.0
// Quantised operators: bytes less their zero points are 16-bit numbers, sums are exact.
#pragma once

#include <bit>
#include <cmath>

#include "../../base/int8.hpp"
#include "../../graph/operators/quantized.hpp"
#include "byte_functions.hpp"
#include "matrix.hpp"

CTNN_BEGIN_LOOPS
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

/// Byte i of a slot.
inline int byte_at(const float* slot, dtype type, std::int64_t i) {
  const const_tensor t{slot, {}, layout::nchw, 0, type};
  return type == dtype::u8 ? int{elements<std::uint8_t>(t)[i]} : int{elements<std::int8_t>(t)[i]};
}

/// Floats as bytes of one scale and zero point.
inline void quantize_bytes(const arguments& a, dtype to, float scale, int zero) {
  const bool is_signed = to == dtype::i8;
  integers_of(a).quantize({a.in[0].data, a.in[0].shape.count(), elements<std::uint8_t>(a.out[0]), 0, true, false, scale,
                           zero, is_signed ? -128 : 0, is_signed ? 127 : 255});
}

inline void run(const op::quantize& p, const arguments& a, scratch_memory memory) {
  const element to = a.made();
  if (a.of(0).real) return requantize(p.name, a);
  if (is_byte(to) && a.in[0].type == dtype::f32) {
    if (a.in.size() == 1) return quantize_bytes(a, to, static_cast<float>(to.real.scale), to.real.zero);
    if (a.in[1].type == dtype::f32 && scale_index(p, a.in[0].shape, a.in[1].shape).one())
      return quantize_bytes(a, to, *a.in[1].data, a.in.size() == 3 ? byte_at(a.in[2].data, to, 0) : 0);
  }
  if (a.in.size() == 1)
    return visit_number(p.name, a.in[0].type, [&]<class X>(tag<X>) {
      visit_integer(p.name, to, [&]<class T>(tag<T>) {
        const auto scale = static_cast<float>(to.real.scale);
        const X* x = elements<X>(a.in[0]);
        T* y = elements<T>(a.out[0]);
        for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i)
          y[i] = rounded_to<T>(static_cast<float>(x[i]) / scale, to.real.zero);
      });
    });
  for_scaled<float, float, int>(
      p, a, memory, [&](std::int64_t first, std::int64_t n, const auto* x, const auto* scale, const auto* zero) {
        visit_integer(p.name, to, [&]<class T>(tag<T>) {
          T* y = elements<T>(a.out[0]) + first;
          for (std::int64_t i = 0; i < n; ++i) y[i] = rounded_to<T>(x[i] / scale[i], zero[i]);
        });
      });
}

/// Bytes of one scale and zero point as floats.
inline void dequantize_bytes(const arguments& a, float scale, int zero) {
  const dtype of = a.in[0].type;
  integers_of(a).dequantize({elements<std::uint8_t>(a.in[0]), a.in[0].shape.count(), a.out[0].data,
                             static_cast<std::uint8_t>(of == dtype::i8 ? 128 : 0), zero, scale});
}

inline void run(const op::dequantize& p, const arguments& a, scratch_memory memory) {
  if (is_byte(a.in[0].type)) {
    if (a.in.size() == 1) return dequantize_bytes(a, static_cast<float>(a.of(0).real.scale), a.of(0).real.zero);
    if (a.in[1].type == dtype::f32 && scale_index(p, a.in[0].shape, a.in[1].shape).one())
      return dequantize_bytes(a, *a.in[1].data, a.in.size() == 3 ? byte_at(a.in[2].data, a.in[0].type, 0) : 0);
  }
  if (a.in.size() == 1)
    return visit_integer(p.name, a.in[0].type, [&]<class X>(tag<X>) {
      const auto scale = static_cast<float>(a.of(0).real.scale);
      const X* x = elements<X>(a.in[0]);
      for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i)
        a.out[0].data[i] = static_cast<float>(static_cast<std::int64_t>(x[i]) - a.of(0).real.zero) * scale;
    });
  for_floating(p.name, {a.in.subspan(1, 1), a.out, {}}, [&]<class T>(const arguments&, tag<T>) {
    for_scaled<std::int64_t, T, std::int64_t>(
        p, a, memory, [&](std::int64_t first, std::int64_t n, const auto* x, const auto* scale, const auto* zero) {
          T* y = elements<T>(a.out[0]) + first;
          for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(x[i] - zero[i]) * scale[i];
        });
  });
}

inline void run(const op::storage_cast&, const arguments& a) { copy_bytes(a); }

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
  quantize_bytes(a, dtype::u8, scale, zero);
  *a.out[1].data = scale;
  *elements<std::uint8_t>(a.out[2]) = zero;
}

/// What sums are multiplied by, and the bias if it is real: in ONNX's and ncnn's arithmetic, and in TFLite's.
struct sum_unit {
  float real = 1;
  float bias = 0;
  fixed_factor fixed{};
  twice_rounded_factor twice{};
};

/// Is no bit 7 set?
inline bool all_below_128(const std::uint8_t* x, std::int64_t n) {
  std::uint64_t any = 0;
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, x + i, 8);
    any |= word;
  }
  for (; i < n; ++i) any |= x[i];
  return (any & 0x8080808080808080u) == 0;
}
/// Are they numbers and none below 0?
inline bool none_below_0(const float* x, std::int64_t n) {
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(x[i]);
    any |= bits | (0x7F800000u - bits);
  }
  return (any >> 31) == 0;
}

/// The slots of a layer of bytes: from numbers to what is multiplied, and from sums to results.
class byte_layer {
 public:
  template <class Op>
  byte_layer(const Op& p, const arguments& a)
      : op_(p),
        of_(a.of(0).real),
        made_(a.made()),
        activation_(p.activation),
        bounded_(bounds_in_steps()),
        bounds_(bounds()),
        input_(a.in[0]) {
    const weight_slots slots = p.weights({&input_.shape, 1}, {}, {&made_, 1});
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
    // With a bias a sum may leave 32 bits.
    const std::int64_t outputs = slots.size() > 1 && slots[1].name == "bias" ? slots[1].shape.count() : 0;
    std::int64_t largest = slots[0].shape.count() / std::max<std::int64_t>(outputs, 1) * 255 * 255;
    for (std::int64_t o = 0; o < outputs && integer_bias(); ++o)
      if (std::abs(std::int64_t{integer_bias()[o]}) + largest >= std::int64_t{1} << 31) sums_fit_ = false;
  }

  /// Is the input of bytes, or are there floats to quantize?
  bool has_bytes() const { return input_.type != dtype::f32; }
  const std::uint8_t* bytes(std::int64_t first) const { return elements<std::uint8_t>(input_) + first; }
  /// Bytes of the input as they are multiplied: signed ones, if floats.
  bool is_signed() const { return input_.type != dtype::u8; }
  /// n of them from element `first` on, of row `row`.
  void read(const integer_kernels& with, std::int64_t row, std::int64_t first, std::int64_t n, std::uint8_t* to) const {
    if (has_bytes()) return void(std::copy_n(bytes(first), n, to));
    const float scale = input_scale_[by_row_ ? row : 0];
    with.quantize({input_.data + first, n, to, 0, false, true, scale, 0, -127, 127});
  }
  /// Are all of them and the zero point within 0 to 127?
  bool is_below_128(std::int64_t first, std::int64_t n) const {
    const int zero = input_zero(0);
    if (zero < 0 || zero > 127) return false;
    if (has_bytes()) return all_below_128(bytes(first), n);
    return input_scale_ && *input_scale_ >= 0 && none_below_0(input_.data + first, n);
  }
  int input_zero(std::int64_t row) const {
    return input_zero_ ? byte_at(input_zero_, input_.type, by_row_ ? row : 0) : of_.zero;
  }
  /// Of the weight as it is multiplied in rows: less 128 if it is unsigned.
  int weight_zero(std::int64_t o) const {
    const int unsigned_zero = weight_.type == dtype::u8 ? 128 : 0;
    return (weight_zero_ ? byte_at(weight_zero_, weight_.type, op_.by_output ? o : 0) : 0) - unsigned_zero;
  }
  bool has_many_weight_zeros() const { return weight_zero_ && op_.by_output; }
  /// Is one of n outputs' not 0?
  bool has_weight_zeros(std::int64_t n) const {
    for (std::int64_t o = 0; o < (has_many_weight_zeros() ? n : 1); ++o)
      if (weight_zero(o) != 0) return true;
    return false;
  }
  bool has_row_scales() const { return by_row_; }
  const float* real_bias() const { return op_.has_real_bias() ? bias_ : nullptr; }
  const std::int32_t* integer_bias() const {
    return op_.has_real_bias() ? nullptr : static_cast<const std::int32_t*>(static_cast<const void*>(bias_));
  }

  /// What becomes of sums, as the targets' kernels take it; false where result() alone knows.
  bool describe(sum_results& r) const {
    r.type = made_ == dtype::i32   ? sum_results::i32
             : made_ == dtype::f32 ? sum_results::f32
             : made_ == dtype::u8  ? sum_results::u8
                                   : sum_results::i8;
    if (made_ == dtype::i32) return true;
    r.least = bounds_.low;
    r.most = bounds_.high;
    if (op_.is_tflite()) {
      if (made_.rounded == rounding::twice) return false;
      r.how = made_.rounded == rounding::once ? sum_results::fixed : sum_results::real;
      r.low = -std::numeric_limits<float>::infinity();
      r.high = std::numeric_limits<float>::infinity();
      r.zero = made_.real.zero;
      return made_.rounded == rounding::once || sums_fit_;
    }
    constexpr float all = std::numeric_limits<float>::infinity();
    if (!op::is_bounds(activation_)) return false;
    const bool clips = bounded_.kind == function::clip;
    r.low = clips ? bounded_.a : bounded_ ? 0 : -all;
    r.high = clips ? bounded_.b : all;
    if (!(r.low <= r.high)) return false;
    if (made_ != dtype::f32) r.scale = output_scale();
    if (op_.is_real()) {
      r.how = sum_results::fused;
      r.zero = made_.real.zero;
      return true;
    }
    if (op_.arithmetic == op::byte_arithmetic::ncnn) {
      r.how = sum_results::fused;
      r.multiplies = r.away = true;
      r.least = -127;
      return true;
    }
    r.how = sum_results::real;
    r.divides = static_cast<bool>(activation_);
    if (made_ != dtype::f32) r.zero = byte_at(output_zero_, made_, 0);
    return sums_fit_;
  }

  /// f(tag<T>) for the result's elements.
  template <class F>
  void visit_result(F f) const {
    if (made_ == dtype::i32) f(tag<std::int32_t>{});
    else if (made_ == dtype::f32) f(tag<float>{});
    else if (made_ == dtype::u8) f(tag<std::uint8_t>{});
    else f(tag<std::int8_t>{});
  }
  /// What sums of this row and output are multiplied by: to real numbers, or, where nothing comes between, to steps of
  /// the result.
  sum_unit unit(std::int64_t row, std::int64_t o) const {
    if (made_ == dtype::i32) return {};
    const float of_weight = weight_scale_[op_.by_output ? o : 0];
    if (op_.is_tflite()) {
      const double factor = of_.scale * static_cast<double>(of_weight) / made_.real.scale;
      const float in_floats = static_cast<float>(of_.scale) * of_weight / static_cast<float>(made_.real.scale);
      return {in_floats, 0, fixed_factor(factor), twice_rounded_factor(factor)};
    }
    const float bias = real_bias() ? bias_[o] : 0;
    // In floats, in ONNX Runtime's order.
    if (op_.is_real()) return {in_steps(static_cast<float>(of_.scale) * of_weight), in_steps(bias)};
    const float of_input = input_scale_[by_row_ ? row : 0];
    if (op_.arithmetic == op::byte_arithmetic::ncnn) return {of_weight == 0 ? 0 : 1 / (of_input * of_weight), bias};
    return {is_byte(made_) && !activation_ ? of_input * of_weight / *output_scale_ : of_input * of_weight};
  }
  template <class T>
  T result(std::int32_t sum, const sum_unit& unit, std::int64_t o) const {
    if (op_.arithmetic == op::byte_arithmetic::ncnn) {
      // Rounded once, as in ncnn's kernels.
      const float y = activated(std::fma(static_cast<float>(sum), unit.real, unit.bias));
      if constexpr (std::is_same_v<T, float>) return y;
      else return static_cast<T>(quantize_int8(y * *output_scale_));
    }
    if (op_.is_real()) {
      const float y = activated(std::fma(static_cast<float>(sum), unit.real, unit.bias));
      if constexpr (std::is_same_v<T, float>) return y;
      else return rounded_to<T>(are_steps() ? y : y / output_scale(), made_.real.zero);
    }
    const auto* bias = static_cast<const std::int32_t*>(static_cast<const void*>(bias_));
    const std::int64_t all = std::int64_t{sum} + (bias ? bias[o] : 0);
    if constexpr (std::is_same_v<T, std::int32_t>) return wrapped<T>(static_cast<std::uint64_t>(all));
    if (op_.is_tflite()) {
      const auto whole = wrapped<std::int32_t>(static_cast<std::uint64_t>(all));
      const auto as_real = [&] { return nearest_even(std::clamp(static_cast<float>(whole) * unit.real, -1e6f, 1e6f)); };
      const std::int32_t y = made_.rounded == rounding::once    ? unit.fixed.of(whole)
                             : made_.rounded == rounding::twice ? unit.twice.of(whole)
                                                                : as_real();
      return static_cast<T>(bounds_.of(y + made_.real.zero));
    }
    const float y = activated(static_cast<float>(all) * unit.real);
    if constexpr (std::is_same_v<T, float>) return y;
    else return rounded_to<T>(activation_ ? y / *output_scale_ : y, byte_at(output_zero_, made_, 0));
  }

 private:
  float output_scale() const { return op_.is_real() ? static_cast<float>(made_.real.scale) : *output_scale_; }
  float activated(float y) const { return activation_ ? applied(bounded_, y) : y; }
  /// Do real numbers become steps of the result before what bounds them, and not behind a function?
  bool are_steps() const { return op_.is_real() && is_byte(made_) && op::is_bounds(activation_); }
  /// A real number so; a finite one, as a sum of 0 times what is not would be no number.
  float in_steps(float x) const {
    constexpr float most = std::numeric_limits<float>::max();
    return are_steps() ? std::clamp(x / output_scale(), -most, most) : x;
  }
  activation_function bounds_in_steps() const {
    activation_function f = activation_;
    if (!are_steps() || f.kind != function::clip) return f;
    f.a = in_steps(f.a);
    f.b = in_steps(f.b);
    return f;
  }

  op::byte_bounds bounds() const {
    return op_.is_tflite() ? op::byte_bounds(activation_, made_) : op::byte_bounds({}, {made_.type, {1, 0}});
  }

  op::products_of_bytes op_;
  quantization of_;
  element made_;
  activation_function activation_;
  activation_function bounded_;
  op::byte_bounds bounds_;
  const_tensor input_, weight_;
  const float *bias_ = nullptr, *weight_scale_ = nullptr, *input_scale_ = nullptr, *output_scale_ = nullptr;
  const float *weight_zero_ = nullptr, *input_zero_ = nullptr, *output_zero_ = nullptr;
  bool by_row_ = false, sums_fit_ = true;
};

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
