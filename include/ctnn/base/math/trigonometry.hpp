// SPDX-License-Identifier: BSL-1.0
// sin, cos, tan and their inverses: Cephes single-precision polynomials (S. Moshier) after an exact reduction by
// integers (Payne and Hanek), good for every float.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "exponential.hpp"
#include "rounding.hpp"

namespace ctnn::ir::math {

/// x = (quadrant + 4 k) pi/2 + rest, |rest| <= pi/4.
struct reduced_angle {
  int quadrant;
  float rest;
};

constexpr reduced_angle reduce_angle(float x) {
  const float a = abs(x);
  if (a <= 0.785398163f) return {0, x};
  constexpr std::uint32_t two_over_pi[8] = {0u,          0xA2F9836Eu, 0x4E441529u, 0xFC2757D1u,
                                            0xF534DDC0u, 0xDB629599u, 0x3C439041u, 0xFE5163ABu};
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(a);
  const std::uint32_t m = (bits & 0x007fffffu) | 0x00800000u;
  // a = m 2^e; of 2^e 2/pi the 96 bits from weight 2 on matter: higher ones are whole turns.
  const int start = static_cast<int>(bits >> 23) - 150 + 30;
  const int word = start / 32, shift = start % 32;
  const auto window = [&](int i) {
    const std::uint64_t both = static_cast<std::uint64_t>(two_over_pi[word + i]) << 32 | two_over_pi[word + i + 1];
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(both >> (32 - shift)));
  };
  std::uint64_t turns = (m * window(0)) << 32;
  turns += m * window(1);
  turns += (m * window(2)) >> 32;                 // 2 bits of quadrant, 62 of fraction
  const std::uint64_t quadrant = (turns + (std::uint64_t{1} << 61)) >> 62;
  const auto fraction = static_cast<std::int64_t>(turns - (quadrant << 62));
  const float rest = static_cast<float>(fraction) * 3.40612147e-19f;  // pi/2 2^-62
  return x < 0 ? reduced_angle{static_cast<int>(-quadrant & 3), -rest}
               : reduced_angle{static_cast<int>(quadrant & 3), rest};
}

/// sin and cos for |x| <= pi/4.
constexpr float sin_core(float x) {
  const float z = x * x;
  return ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * x + x;
}
constexpr float cos_core(float x) {
  const float z = x * x;
  return ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
}

constexpr bool is_finite(float x) { return abs(x) < std::numeric_limits<float>::infinity(); }

constexpr float sin(float x) {
  if (!is_finite(x)) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0) return x;  // keeps its sign
  const reduced_angle r = reduce_angle(x);
  const float y = (r.quadrant & 1) != 0 ? cos_core(r.rest) : sin_core(r.rest);
  return (r.quadrant & 2) != 0 ? -y : y;
}

constexpr float cos(float x) {
  if (!is_finite(x)) return std::numeric_limits<float>::quiet_NaN();
  const reduced_angle r = reduce_angle(x);
  const float y = (r.quadrant & 1) != 0 ? sin_core(r.rest) : cos_core(r.rest);
  return r.quadrant == 1 || r.quadrant == 2 ? -y : y;
}

constexpr float tan(float x) {
  if (!is_finite(x)) return std::numeric_limits<float>::quiet_NaN();
  const reduced_angle r = reduce_angle(x);
  const float z = r.rest * r.rest;
  float p = 9.38540185543e-3f;
  p = p * z + 3.11992232697e-3f;
  p = p * z + 2.44301354525e-2f;
  p = p * z + 5.34112807005e-2f;
  p = p * z + 1.33387994085e-1f;
  p = p * z + 3.33331568548e-1f;
  const float y = p * z * r.rest + r.rest;
  return (r.quadrant & 1) != 0 ? -1.0f / y : y;
}

/// asin(x) - x for |x| <= 1/2, z = x^2.
constexpr float asin_tail(float x, float z) {
  float p = 4.2163199048e-2f;
  p = p * z + 2.4181311049e-2f;
  p = p * z + 4.5470025998e-2f;
  p = p * z + 7.4953002686e-2f;
  p = p * z + 1.6666752422e-1f;
  return p * z * x;
}

inline constexpr float half_pi = 1.57079637f, half_pi_rest = -4.37113883e-8f;

constexpr float asin(float x) {
  const float a = abs(x);
  if (!(a <= 1.0f)) return std::numeric_limits<float>::quiet_NaN();
  if (a <= 0.5f) return asin_tail(x, x * x) + x;
  const float z = 0.5f * (1.0f - a), root = sqrt(z);
  const float y = half_pi - (2.0f * (asin_tail(root, z) + root) - half_pi_rest);
  return with_sign_of(y, x);
}

constexpr float acos(float x) {
  const float a = abs(x);
  if (!(a <= 1.0f)) return std::numeric_limits<float>::quiet_NaN();
  if (a <= 0.5f) return half_pi - (x - half_pi_rest + asin_tail(x, x * x));
  const float z = 0.5f * (1.0f - a), root = sqrt(z);
  const float y = 2.0f * (asin_tail(root, z) + root);
  return x < 0 ? 2.0f * half_pi - (y - 2.0f * half_pi_rest) : y;
}

constexpr float atan(float x) {
  if (is_nan(x)) return x;
  const float a = abs(x);
  float base = 0, rest = 0, t = a;
  if (a > 2.41421356f) {
    base = half_pi;
    rest = half_pi_rest;
    t = -1.0f / a;
  } else if (a > 0.414213562f) {
    base = 0.5f * half_pi;
    rest = 0.5f * half_pi_rest;
    t = (a - 1.0f) / (a + 1.0f);
  }
  const float z = t * t;
  float p = 8.05374449538e-2f;
  p = p * z - 1.38776856032e-1f;
  p = p * z + 1.99777106478e-1f;
  p = p * z - 3.33329491539e-1f;
  return with_sign_of(base + (t + (p * z * t + rest)), x);
}

}  // namespace ctnn::ir::math
