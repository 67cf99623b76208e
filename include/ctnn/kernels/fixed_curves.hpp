// SPDX-License-Identifier: BSL-1.0
// sigmoid and tanh of 16-bit numbers with a point, in integers alone, to the last bit of gemmlowp's, which TensorFlow
// Lite's quantised recurrent layers take. Results have 15 bits behind the point.
#pragma once

#include <cstdint>

namespace ctnn::ir {

namespace fixed_detail {

constexpr std::int32_t saturated_16(std::int32_t x) { return x < -32768 ? -32768 : x > 32767 ? 32767 : x; }
constexpr std::int32_t wrapped_16(std::int32_t x) { return static_cast<std::int16_t>(x); }
/// a b / 2^15 to the nearest.
constexpr std::int32_t product(std::int32_t a, std::int32_t b) { return saturated_16((a * b + (1 << 14)) >> 15); }
/// x / 2^by, halves away from 0.
constexpr std::int32_t shifted_right(std::int32_t x, int by) {
  const std::int32_t half = by == 0 ? 0 : 1 << (by - 1);
  return by == 0 ? x : x < 0 ? -((-x + half) >> by) : (x + half) >> by;
}
constexpr std::int32_t shifted_left(std::int32_t x, int by) { return saturated_16(x * (1 << by)); }
/// A constant of 31 bits behind the point, or of 29 where results have two before it, in 16 bits.
constexpr std::int32_t of_32_bits(std::int32_t x) {
  return static_cast<std::int32_t>(x < 0 ? -((-std::int64_t{x} + (1 << 15)) >> 16)
                                         : (std::int64_t{x} + (1 << 15)) >> 16);
}
constexpr std::int32_t one = 32767;

/// exp(x) for x in [-1/4, 0): a polynomial about -1/8.
constexpr std::int32_t exp_of_part(std::int32_t x) {
  constexpr std::int32_t middle = of_32_bits(1895147668), third = of_32_bits(715827883);
  const std::int32_t d = wrapped_16(x + (1 << 12)), d2 = product(d, d), d3 = product(d2, d), d4 = product(d2, d2);
  const std::int32_t cubes = product(wrapped_16(shifted_right(d4, 2) + d3), third);
  const std::int32_t rest = wrapped_16(d + shifted_right(wrapped_16(cubes + d2), 1));
  return saturated_16(middle + product(middle, rest));
}
/// exp(x) for x not above 0, of `bits` before the point.
constexpr std::int32_t exp_below_0(std::int32_t x, int bits) {
  if (x == 0) return one;
  const int fraction = 15 - bits;
  if (bits > 5 && x < -(1 << (20 - bits))) return 0;  // -32
  const std::int32_t quarter = 1 << (fraction - 2);
  const std::int32_t part = (x & (quarter - 1)) - quarter, quarters = wrapped_16(part - x);
  std::int32_t y = exp_of_part(shifted_left(part, bits));
  // exp of -1/4, -1/2 ... -16
  constexpr std::int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  for (int i = 0; i < 7 && i - 2 < bits; ++i)
    if ((quarters >> (fraction + i - 2) & 1) != 0) y = product(y, of_32_bits(powers[i]));
  return y;
}
/// 2 / (1 + x) for x in [0, 1], with 13 bits behind the point, by three steps of Newton's.
constexpr std::int32_t twice_inverse_above_1(std::int32_t x) {
  const std::int32_t half = (x + one + 1) / 2;  // of 1 + x
  std::int32_t y = wrapped_16(of_32_bits(1515870810) + product(half, of_32_bits(-1010580540)));
  for (int i = 0; i < 3; ++i) {
    const std::int32_t error = wrapped_16((1 << 13) - product(half, y));
    y = wrapped_16(y + shifted_left(product(y, error), 2));
  }
  return y;
}

}  // namespace fixed_detail

/// Of x with `bits` before the point.
constexpr std::int32_t fixed_sigmoid(std::int32_t x, int bits) {
  using namespace fixed_detail;
  if (x == 0) return 1 << 14;
  const std::int32_t power = exp_below_0(x > 0 ? wrapped_16(-x) : x, bits);
  const std::int32_t above = shifted_left(twice_inverse_above_1(power), 1);
  return x > 0 ? above : wrapped_16(one - above);
}
constexpr std::int32_t fixed_tanh(std::int32_t x, int bits) {
  using namespace fixed_detail;
  if (x == 0) return 0;
  const std::int32_t power = exp_below_0(x > 0 ? wrapped_16(-x) : x, bits + 1);  // of twice as much
  const std::int32_t y = shifted_left(wrapped_16(twice_inverse_above_1(power) - (1 << 13)), 2);
  return x > 0 ? y : wrapped_16(-y);
}

}  // namespace ctnn::ir
