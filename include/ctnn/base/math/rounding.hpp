// SPDX-License-Identifier: BSL-1.0
// abs, max, min; floor, ceil, trunc and round (half to even) of a float: exact, zeros keep their sign.
#pragma once

#include <bit>
#include <cstdint>

namespace ctnn::ir::math {

constexpr float abs(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0x7fffffffu); }
constexpr bool is_nan(float x) { return x != x; }

/// NaN wins, as in numpy.
constexpr float max(float a, float b) { return a > b || is_nan(a) ? a : b; }
constexpr float min(float a, float b) { return a < b || is_nan(a) ? a : b; }

/// The magnitude of x with the sign of s.
constexpr float with_sign_of(float x, float s) {
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) & 0x7fffffffu) |
                              (std::bit_cast<std::uint32_t>(s) & 0x80000000u));
}

/// x with the upper half of its 24 digits, so that its square is exact.
constexpr float upper_bits(float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xfffff000u); }

/// From 2^23 on every float is an integer (infinities and NaN come here too).
constexpr bool is_integral(float x) {
  return !(abs(x) < 8388608.0f) || static_cast<float>(static_cast<std::int32_t>(x)) == x;
}

constexpr float trunc(float x) {
  if (!(abs(x) < 8388608.0f)) return x;
  return with_sign_of(static_cast<float>(static_cast<std::int32_t>(x)), x);
}

constexpr float floor(float x) {
  const float t = trunc(x);
  return t > x ? t - 1.0f : t;
}

constexpr float ceil(float x) {
  const float t = trunc(x);
  return t < x ? with_sign_of(t + 1.0f, x) : t;
}

constexpr float round(float x) {
  const float t = trunc(x);
  const float rest = abs(x - t);
  if (rest < 0.5f || is_nan(rest)) return t;
  const bool odd = (static_cast<std::int32_t>(t) & 1) != 0;
  return rest > 0.5f || odd ? with_sign_of(abs(t) + 1.0f, x) : t;
}

}  // namespace ctnn::ir::math
