// SPDX-License-Identifier: BSL-1.0
// What convolutions and products of bytes have in common: from bytes to what is multiplied, and from sums to results.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>

#include "../../base/int8.hpp"
#include "../../graph/operators/weight_element.hpp"
#include "quantized.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// What sums of an output are multiplied by, and the bias if it is real.
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

/// A layer that multiplies bytes by bytes: its numbers.
class byte_layer {
 public:
  /// With a weight of its own; `slots` are the operator's.
  byte_layer(const op::weight_element& weight, const activation_function& f, const weight_slots& slots,
             const arguments& a)
      : byte_layer(weight, f, a) {
    for (std::size_t k = 1; k < slots.size(); ++k) {
      const std::string_view name = slots[k].name;
      (name == "bias"           ? bias_
       : name == "weight_scale" ? weight_scale_
       : name == "input_scale"  ? input_scale_
       : name == "weight_zero"  ? weight_zero_
                                : input_zero_) = a.weights[k];
    }
    // With a bias a sum may leave 32 bits.
    const std::int64_t outputs = bias_ ? slots[1].shape.count() : 0;
    const std::int64_t largest = slots[0].shape.count() / std::max<std::int64_t>(outputs, 1) * 255 * 255;
    for (std::int64_t o = 0; o < outputs && integer_bias(); ++o)
      if (std::abs(std::int64_t{integer_bias()[o]}) + largest >= std::int64_t{1} << 31) sums_fit_ = false;
  }
  /// By another value.
  explicit byte_layer(const arguments& a)
      : byte_layer({a.in[1].type, false, a.of(1).real.zero != 0, false}, activation_function{}, a) {
    with_ = a.of(1).real;
    of_weight_ = static_cast<float>(with_.scale);
    weight_scale_ = &of_weight_;
  }
  byte_layer(const byte_layer&) = delete;
  byte_layer& operator=(const byte_layer&) = delete;

  const std::uint8_t* bytes(std::int64_t first) const { return elements<std::uint8_t>(input_) + first; }
  bool is_signed() const { return input_.type != dtype::u8; }
  /// Are n of them from element `first` on and the zero point within 0 to 127?
  bool is_below_128(std::int64_t first, std::int64_t n) const {
    return input_zero() >= 0 && input_zero() <= 127 && all_below_128(bytes(first), n);
  }
  int input_zero() const { return input_zero_ ? byte_at(input_zero_, input_.type, 0) : of_.real.zero; }
  /// Of the weight as it is multiplied in rows: less 128 if it is unsigned.
  int weight_zero(std::int64_t o) const {
    const int unsigned_zero = weight_.type == dtype::u8 ? 128 : 0;
    return (weight_zero_ ? byte_at(weight_zero_, weight_.type, weight_.by_output ? o : 0) : with_.zero) - unsigned_zero;
  }
  bool has_many_weight_zeros() const { return weight_zero_ && weight_.by_output; }
  /// Is one of n outputs' not 0?
  bool has_weight_zeros(std::int64_t n) const {
    for (std::int64_t o = 0; o < (has_many_weight_zeros() ? n : 1); ++o)
      if (weight_zero(o) != 0) return true;
    return false;
  }
  const float* real_bias() const { return weight_.real_bias ? bias_ : nullptr; }
  const std::int32_t* integer_bias() const {
    return weight_.real_bias ? nullptr : static_cast<const std::int32_t*>(static_cast<const void*>(bias_));
  }

  /// What becomes of sums, as the targets' kernels take it; false where result() alone knows.
  bool describe(sum_results& r) const {
    r.type = made_ == dtype::i32   ? sum_results::i32
             : made_ == dtype::f32 ? sum_results::f32
             : made_ == dtype::u8  ? sum_results::u8
                                   : sum_results::i8;
    if (made_ == dtype::i32) return true;
    if (!op::is_bounds(activation_)) return false;
    constexpr float all = std::numeric_limits<float>::infinity();
    r.low = -all;
    r.high = all;
    r.least = bounds_.low;
    r.most = bounds_.high;
    r.zero = made_.real.zero;
    if (bounds_bytes()) {
      if (made_.rounded == rounding::twice) return false;
      r.how = made_.rounded == rounding::once ? sum_results::fixed : sum_results::real;
      return made_.rounded == rounding::once || sums_fit_;
    }
    if (const activation_function& f = bounded_; f) {
      r.low = f.kind == function::clip ? f.a : 0;
      if (f.kind == function::clip) r.high = f.b;
    }
    if (!(r.low <= r.high)) return false;
    if (!weight_.real_bias) {  // f32
      r.how = sum_results::real;
      return sums_fit_;
    }
    r.how = sum_results::fused;
    if (made_ == dtype::f32) return true;
    r.scale = is_away() ? factor_away(made_.real) : output_scale();
    r.multiplies = r.away = is_away();
    if (is_away()) r.least = -127;
    return true;
  }

  /// f(tag<T>) for the result's elements.
  template <class F>
  void visit_result(F f) const {
    if (made_ == dtype::i32) f(tag<std::int32_t>{});
    else if (made_ == dtype::f32) f(tag<float>{});
    else if (made_ == dtype::u8) f(tag<std::uint8_t>{});
    else f(tag<std::int8_t>{});
  }
  /// What sums of this output are multiplied by: to real numbers, or, where nothing comes between, to steps of the
  /// result.
  sum_unit unit(std::int64_t o) const {
    if (made_ == dtype::i32) return {};
    const float of_weight = weight_scale_[weight_.by_output ? o : 0];
    const float bias = weight_.real_bias && bias_ ? bias_[o] : 0;
    if (is_away()) {
      const float both = factor_away(of_.real) * of_weight;
      return {of_weight == 0 ? 0 : 1 / both, bias};
    }
    // In floats, in ONNX Runtime's order.
    const float both = (input_scale_ ? *input_scale_ : static_cast<float>(of_.real.scale)) * of_weight;
    if (weight_.real_bias) return {in_steps(both), in_steps(bias)};
    if (!bounds_bytes()) return {both};
    const double factor = of_.real.scale * static_cast<double>(of_weight) / made_.real.scale;
    return {both / output_scale(), 0, fixed_factor(factor), twice_rounded_factor(factor)};
  }
  template <class T>
  T result(std::int32_t sum, const sum_unit& unit, std::int64_t o) const {
    if (weight_.real_bias) {
      // Rounded once, as in ncnn's kernels.
      const float y = activated(std::fma(static_cast<float>(sum), unit.real, unit.bias));
      if constexpr (std::is_same_v<T, float>) return y;
      if (is_away()) return static_cast<T>(quantize_int8(y * factor_away(made_.real)));
      return rounded_to<T>(are_steps() ? y : y / output_scale(), made_.real.zero);
    }
    const std::int32_t* const bias = integer_bias();
    const std::int64_t all = std::int64_t{sum} + (bias ? bias[o] : 0);
    const auto whole = wrapped<std::int32_t>(static_cast<std::uint64_t>(all));
    const float y = static_cast<float>(all) * unit.real;
    if constexpr (std::is_same_v<T, std::int32_t>) {
      return whole;
    } else if constexpr (std::is_same_v<T, float>) {
      return activated(y);
    } else {
      if (!bounds_bytes()) return rounded_to<T>(activated(y) / output_scale(), made_.real.zero);
      const std::int32_t steps = made_.rounded == rounding::once    ? unit.fixed.of(whole)
                                 : made_.rounded == rounding::twice ? unit.twice.of(whole)
                                                                    : nearest_even(std::clamp(y, -1e6f, 1e6f));
      return static_cast<T>(bounds_.of(steps + made_.real.zero));
    }
  }

 private:
  byte_layer(const op::weight_element& weight, const activation_function& f, const arguments& a)
      : weight_(weight),
        of_(a.of(0)),
        made_(a.made()),
        activation_(f),
        bounded_(bounds_in_steps()),
        bounds_(bounds_bytes() ? f : activation_function{}, bounds_bytes() ? made_ : element(made_.type, {1, 0})),
        input_(a.in[0]) {}

  bool is_away() const { return of_.rounded == rounding::away; }
  float output_scale() const { return static_cast<float>(made_.real.scale); }
  float activated(float y) const { return activation_ ? applied(bounded_, y) : y; }
  /// Do sums become bytes that the activation bounds?
  bool bounds_bytes() const { return is_byte(made_) && !weight_.real_bias && op::is_bounds(activation_); }
  /// Do real numbers become steps of the result before what bounds them, and not behind a function?
  bool are_steps() const { return is_byte(made_) && weight_.real_bias && !is_away() && op::is_bounds(activation_); }
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

  op::weight_element weight_;
  element of_, made_;
  activation_function activation_;
  activation_function bounded_;
  op::byte_bounds bounds_;
  const_tensor input_;
  const float *bias_ = nullptr, *weight_scale_ = nullptr, *input_scale_ = nullptr;
  const float *weight_zero_ = nullptr, *input_zero_ = nullptr;
  quantization with_{};  ///< of another value
  float of_weight_ = 0;
  bool sums_fit_ = true;
};

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
