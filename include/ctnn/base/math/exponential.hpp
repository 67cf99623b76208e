// SPDX-License-Identifier: BSL-1.0
// exp, log, sqrt and what follows from them. exp and log are the Cephes single-precision polynomials (S. Moshier); sqrt
// is correctly rounded.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "rounding.hpp"

namespace ctnn::ir::math {

/// NaN stays.
constexpr float clamp(float x, float low, float high) { return x < low ? low : (x > high ? high : x); }

/// 2^k * x for k in [-252, 254]; two steps keep the factors normal numbers.
constexpr float scale_by_power_of_two(float x, int k) {
  const int half = k / 2;
  const auto power = [](int e) { return std::bit_cast<float>(static_cast<std::uint32_t>(e + 127) << 23); };
  return x * power(half) * power(k - half);
}

/// e^r - 1 - r for |r| <= ln(2)/2.
constexpr float exp_tail(float r) {
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return p * r * r;
}

constexpr float exp(float x) {
  if (is_nan(x)) return x;
  if (x > 88.7228391f) return std::numeric_limits<float>::infinity();
  if (x < -103.972084f) return 0.0f;
  const float scaled = x * 1.44269504088896341f;
  const int k = static_cast<int>(scaled < 0 ? scaled - 0.5f : scaled + 0.5f);
  const float n = static_cast<float>(k);
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  return scale_by_power_of_two(exp_tail(r) + r + 1.0f, k);
}

/// e^x - 1 without cancellation near 0.
constexpr float expm1(float x) {
  if (x == 0) return x;  // keeps its sign
  if (abs(x) < 0.34657359f) return exp_tail(x) + x;
  return exp(x) - 1.0f;
}

constexpr float log(float x) {
  if (is_nan(x) || x == std::numeric_limits<float>::infinity()) return x;
  if (x < 0) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<float>::infinity();
  int e = 0;
  if (x < 1.17549435e-38f) {
    x *= 16777216.0f;
    e -= 24;
  }
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  e += static_cast<int>(bits >> 23) - 126;
  float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);  // [0.5, 1)
  if (m < 0.707106781186547524f) {
    --e;
    m = m + m - 1.0f;
  } else {
    m -= 1.0f;
  }
  const float z = m * m;
  float y = 7.0376836292e-2f;
  y = y * m - 1.1514610310e-1f;
  y = y * m + 1.1676998740e-1f;
  y = y * m - 1.2420140846e-1f;
  y = y * m + 1.4249322787e-1f;
  y = y * m - 1.6668057665e-1f;
  y = y * m + 2.0000714765e-1f;
  y = y * m - 2.4999993993e-1f;
  y = y * m + 3.3333331174e-1f;
  y = y * m * z;
  const float n = static_cast<float>(e);
  y += n * -2.12194440e-4f;
  y -= 0.5f * z;
  return m + y + n * 0.693359375f;
}

/// Correctly rounded: Newton in float, then the neighbours are compared exactly as integers.
constexpr float sqrt(float x) {
  if (is_nan(x) || x < 0) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0 || x == std::numeric_limits<float>::infinity()) return x;
  int e = 0;
  if (x < 1.17549435e-38f) {
    x *= 16777216.0f;
    e = -12;
  }
  // x = m 4^k with m in [1, 4)
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const int exponent = static_cast<int>(bits >> 23) - 127;
  const int odd = exponent & 1;
  e += (exponent - odd) / 2;
  const float m = std::bit_cast<float>((bits & 0x007fffffu) | static_cast<std::uint32_t>(127 + odd) << 23);
  float r = 0.59f + 0.41f * m;
  if (odd != 0) r = 0.83f + 0.30f * m;
  r = 0.5f * (r + m / r);
  r = 0.5f * (r + m / r);
  r = 0.5f * (r + m / r);
  const std::uint64_t significand = (bits & 0x007fffffu) | 0x00800000u;
  const std::uint64_t square = significand << (25 + odd);                                            // 4 m 2^46
  std::uint64_t twice = static_cast<std::uint64_t>(static_cast<std::uint32_t>(r * 8388608.0f)) * 2;  // 2 r 2^23
  while ((twice + 1) * (twice + 1) < square) twice += 2;
  while ((twice - 1) * (twice - 1) > square) twice -= 2;
  return scale_by_power_of_two(static_cast<float>(static_cast<std::uint32_t>(twice / 2)), e - 23);
}

constexpr float sigmoid(float x) {
  return x >= 0 ? 1.0f / (1.0f + exp(-x)) : exp(x) / (1.0f + exp(x));
}

constexpr float tanh(float x) {
  const float a = abs(x);
  if (is_nan(x)) return x;
  if (a > 9.01f) return x < 0 ? -1.0f : 1.0f;
  const float e = expm1(2.0f * a);
  return with_sign_of(e / (e + 2.0f), x);
}

/// log(1 + e^x)
constexpr float softplus(float x) {
  if (x > 20.0f) return x;
  const float e = exp(x);
  const float u = 1.0f + e;  // what rounding takes from e here, the quotient gives back
  return u == 1.0f ? e : log(u) * (e / (u - 1.0f));
}

/// The part of a normal distribution below x, (1 + erf(x / sqrt 2)) / 2, within 2e-7; e^(-x^2 / 2) times a polynomial
/// in u = 1 / (1 + |x| / 4), fitted over |x| < 14. 0 where it is no normal float: processors take ten times as long
/// there.
constexpr float normal_below(float x) {
  if (x < -12.9f) return 0;
  const float bounded = clamp(x, -15.0f, 15.0f), u = 1.0f / (1.0f + 0.25f * abs(bounded));
  float p = 0.0287847351f;
  p = p * u - 0.167508096f;
  p = p * u + 0.326081634f;
  p = p * u - 0.239553377f;
  p = p * u + 0.22472243f;
  p = p * u + 0.0233047754f;
  p = p * u + 0.1061683f;
  p = p * u + 0.0981827751f;
  p = p * u + 0.0998168141f;
  // What rounding takes from x^2 is up to 4e-6 of the result.
  const float head = upper_bits(bounded), square = bounded * bounded;
  const float lost = (head * head - square) + (bounded - head) * (bounded + head);
  const float power = exp(-0.5f * square);
  const float tail = p * u * (power - 0.5f * lost * power);
  return x < 0 ? tail : 1.0f - tail;
}

}  // namespace ctnn::ir::math
