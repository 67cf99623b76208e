// SPDX-License-Identifier: BSL-1.0
// Functions of one number over bytes: the step of the result that each of 256 bytes becomes, for every kind of kernel.
#pragma once

#include "../graph/operators/elementwise.hpp"

namespace ctnn::ir {

namespace byte_table_detail {

/// a b / 2^15 of 16 bits, halves away from 0.
constexpr std::int32_t high_product(std::int32_t a, std::int32_t b) {
  const std::int32_t twice = a * b;
  const std::int32_t y = (twice + (twice < 0 ? 1 - (1 << 14) : 1 << 14)) / (1 << 15);
  return y > 32767 ? 32767 : y;
}
constexpr std::int32_t shifted_left(std::int32_t x, int by) {
  const std::int64_t y = std::int64_t{x} * (std::int64_t{1} << (by > 30 ? 30 : by));
  return static_cast<std::int32_t>(y < -32768 ? -32768 : y > 32767 ? 32767 : y);
}
/// x / 2^by, halves away from 0.
constexpr std::int32_t shifted_right(std::int32_t x, int by) {
  if (by > 30) return 0;
  const std::int32_t half = by == 0 ? 0 : 1 << (by - 1);
  return x < 0 ? -((-x + half) >> by) : (x + half) >> by;
}

/// A factor above 0 as digits / 2^15 * 2^exponent, digits of 15 bits, the first of which is 1.
struct short_factor {
  std::int32_t digits = 0;
  int exponent = 0;
  constexpr explicit short_factor(double factor) {
    for (; factor >= 1 && exponent < 64; ++exponent) factor /= 2;
    for (; factor < 0.5 && exponent > -64; --exponent) factor *= 2;
    const auto of_31_bits = static_cast<std::int64_t>(factor * 2147483648.0 + 0.5);
    digits = of_31_bits >= 2147450880 ? 32767 : static_cast<std::int32_t>((of_31_bits + (1 << 15)) >> 16);
  }
};

/// x clip(x + 3, 0, 6) / 6 as TensorFlow Lite has it: numbers of 16 bits, the first factor of 2 bits more than the byte
/// has and half of the second saturate on purpose.
constexpr std::int32_t hardswish_step(const quantization& of, const quantization& as, int x) {
  const float fine = static_cast<float>(of.scale) / 128;
  const short_factor of_result(static_cast<double>(fine / static_cast<float>(as.scale))),
      of_three(static_cast<double>(fine / (3.0f / 32768)));
  const std::int32_t wide = (x - of.zero) * 128, times = high_product(wide, of_result.digits);
  std::int32_t share = wide;  // of 3, and then of 6 from -3 on
  if (of_three.exponent > 0) share = shifted_left(share, of_three.exponent - 1);
  share = high_product(share, of_three.digits);
  if (of_three.exponent > 0) share = shifted_left(share, 1);
  if (of_three.exponent < 0) share = shifted_right(share, -of_three.exponent);
  share = (share + 32768) >> 1;
  return shifted_right(share * times / (1 << 15), -of_result.exponent);
}

/// x, or a x below 0, by factors of 8 bits behind the point.
constexpr std::int32_t leaky_relu_step(const quantization& of, const quantization& as, float slope, int x) {
  const float up = static_cast<float>(of.scale) / static_cast<float>(as.scale);
  const std::int32_t from = x - of.zero;
  return (from * nearest_even(256 * (from < 0 ? up * slope : up)) + 128) >> 8;
}

}  // namespace byte_table_detail

/// A function of one number over bytes that stand for real ones: what each becomes.
class byte_function {
 public:
  constexpr byte_function(const activation_function& f, const element& of, const element& as)
      : f_(f),
        of_(of),
        as_(as),
        within_(op::is_bounds(f) && as.rounded != rounding::real ? f : activation_function{}, of, as) {}
  constexpr std::int32_t of(std::int32_t x) const {
    if (as_.rounded != rounding::real && op::is_bounds(f_)) return within_.of(x);
    return within_.bounds().of(step_of(x) + as_.real.zero);
  }

 private:
  /// Less the zero point, within 1024, more than bytes have.
  constexpr std::int32_t step_of(std::int32_t x) const {
    const quantization &of = of_.real, &as = as_.real;
    const float real = static_cast<float>(x - of.zero) * static_cast<float>(of.scale);
    if (as_.rounded == rounding::real) return step_near(apply(f_, real) / static_cast<float>(as.scale), true);
    if (f_.kind == function::hardswish) return byte_table_detail::hardswish_step(of, as, x);
    if (f_.kind == function::leaky_relu) return byte_table_detail::leaky_relu_step(of, as, f_.a, x);
    return step_near(apply(f_, real) * (1 / static_cast<float>(as.scale)), false);
  }
  /// Halves to the even step, or away from 0. What is no number is the lowest step, or 0.
  static constexpr std::int32_t step_near(float y, bool to_even) {
    if (y != y) return to_even ? -1024 : 0;
    if (y < -1024 || y > 1024) return y < 0 ? -1024 : 1024;
    if (to_even) return nearest_even(y);
    const auto whole = static_cast<std::int32_t>(y);
    const float rest = y - static_cast<float>(whole);
    return rest >= 0.5f ? whole + 1 : rest <= -0.5f ? whole - 1 : whole;
  }

  activation_function f_;
  element of_, as_;
  op::requantization within_;
};

}  // namespace ctnn::ir
