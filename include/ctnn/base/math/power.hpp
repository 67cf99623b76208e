// SPDX-License-Identifier: BSL-1.0
// pow and log10. The logarithm is carried as an unevaluated sum of two floats (about 45 bits), as a power magnifies its
// error by up to 128.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "../compiler.hpp"
#include "exponential.hpp"
#include "rounding.hpp"

namespace ctnn::ir::math {

/// hi + lo, |lo| at most half an ulp of hi.
struct float_pair {
  float hi;
  float lo;
};

/// a + b exactly (Knuth).
constexpr float_pair exact_sum(float a, float b) {
  const float s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}

/// x as a float of its own: a product that a compiler contracts into sums (GCC does by default) is never rounded.
constexpr float rounded(float x) {
  if (CTNN_IN_CONSTANT()) return x;
  volatile float y = x;
  return y;
}

/// a b exactly (Dekker); the halves have 12 bits each, so their products are exact.
constexpr float_pair exact_product(float a, float b) {
  const float p = rounded(a * b);
  const float ah = upper_bits(a), al = a - ah, bh = upper_bits(b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

constexpr float_pair multiply(float_pair a, float_pair b) {
  const float_pair p = exact_product(a.hi, b.hi);
  return exact_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// log2 of a positive finite number: e + 2 / ln(2) atanh((m - 1) / (m + 1)), x = m 2^e, m in [sqrt(1/2), sqrt(2)).
constexpr float_pair log2_pair(float x) {
  int e = 0;
  if (x < 1.17549435e-38f) {
    x *= 16777216.0f;
    e = -24;
  }
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  e += static_cast<int>(bits >> 23) - 127;
  float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f800000u);
  if (m > 1.41421356f) {
    m *= 0.5f;
    ++e;
  }
  const float f = m - 1.0f;                       // exact
  const float_pair d = exact_sum(2.0f, f);
  const float q = f / d.hi;
  const float_pair back = exact_product(q, d.hi);
  const float_pair t = exact_sum(q, ((f - back.hi) - back.lo - q * d.lo) / d.hi);
  const float_pair z = multiply(t, t);
  // atanh(t) / t = 1 + z (1/3 + z (1/5 + z (1/7 + ...)))
  float p = 1.0f / 11.0f + z.hi * (1.0f / 13.0f);
  p = 1.0f / 9.0f + z.hi * p;
  p = 1.0f / 7.0f + z.hi * p;
  p = z.hi * (1.0f / 5.0f + z.hi * p);
  const float_pair inner = exact_sum(0.333333343f, p - 9.93410776e-9f);
  const float_pair tail = multiply(z, inner);
  const float_pair one = exact_sum(1.0f, tail.hi);
  const float_pair series = multiply(t, {one.hi, one.lo + tail.lo});
  const float_pair log2m = multiply(series, {2.88539004f, 3.85190654e-8f});  // 2 / ln 2
  const float_pair sum = exact_sum(static_cast<float>(e), log2m.hi);
  return exact_sum(sum.hi, sum.lo + log2m.lo);
}

constexpr float log10(float x) {
  if (is_nan(x) || x == std::numeric_limits<float>::infinity()) return x;
  if (x < 0) return std::numeric_limits<float>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<float>::infinity();
  const float_pair y = multiply(log2_pair(x), {0.301030010f, -1.43209888e-8f});  // log10(2)
  return y.hi + y.lo;
}

/// x^y, C's special cases.
constexpr float pow(float x, float y) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (y == 0 || x == 1) return 1.0f;
  if (is_nan(x) || is_nan(y)) return std::numeric_limits<float>::quiet_NaN();
  const float a = abs(x);
  const bool whole = is_integral(y) && abs(y) < infinity;
  const bool odd = whole && abs(y) < 16777216.0f && (static_cast<std::int32_t>(y) & 1) != 0;
  const float sign = odd && std::bit_cast<std::uint32_t>(x) >> 31 != 0 ? -1.0f : 1.0f;
  if (a == 0) return y < 0 ? sign * infinity : sign * 0.0f;
  if (abs(y) == infinity) return a == 1 ? 1.0f : ((a > 1) == (y > 0) ? infinity : 0.0f);
  if (a == infinity) return y < 0 ? sign * 0.0f : sign * infinity;
  if (x < 0 && !whole) return std::numeric_limits<float>::quiet_NaN();
  const float_pair l = log2_pair(a);
  const float rough = y * l.hi;
  if (rough > 129.0f) return sign * infinity;
  if (rough < -151.0f) return sign * 0.0f;
  if (abs(rough) < 1e-10f) return sign;           // and so small that its parts would be subnormal
  const float_pair product = exact_product(y, l.hi);
  const float_pair z = exact_sum(product.hi, product.lo + y * l.lo);
  const float n = round(z.hi);
  const float r = ((z.hi - n) + z.lo) * 0.693147181f;
  const float power = 1.0f + (r + exp_tail(r));
  return sign * scale_by_power_of_two(power, static_cast<int>(n));
}

}  // namespace ctnn::ir::math
