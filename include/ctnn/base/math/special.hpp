// SPDX-License-Identifier: BSL-1.0
// Hyperbolic functions, their inverses, the error function and log1p of a float.
#pragma once

#include <limits>

#include "exponential.hpp"

namespace ctnn::ir::math {

/// log(1 + x): what rounding takes from x in 1 + x, the quotient gives back.
constexpr float log1p(float x) {
  const float u = 1.0f + x;
  if (u == 1.0f || u == std::numeric_limits<float>::infinity()) return x;
  return log(u) * (x / (u - 1.0f));
}

/// e^a / 2 for a >= 0, where e^a may overflow.
constexpr float half_exp(float a) {
  const float root = exp(0.5f * a);
  return 0.5f * root * root;
}

constexpr float sinh(float x) {
  const float a = abs(x);
  if (a > 20.0f) return with_sign_of(half_exp(a), x);
  const float e = expm1(a);
  return with_sign_of(0.5f * (e + e / (e + 1.0f)), x);
}
constexpr float cosh(float x) {
  const float a = abs(x);
  if (a > 20.0f) return half_exp(a);
  const float e = exp(a);
  return 0.5f * (e + 1.0f / e);
}

inline constexpr float log_of_2 = 0.693147181f;

constexpr float asinh(float x) {
  const float a = abs(x);
  if (a > 1e9f) return with_sign_of(log(a) + log_of_2, x);
  return with_sign_of(log1p(a + a * a / (1.0f + sqrt(a * a + 1.0f))), x);
}
constexpr float acosh(float x) {
  if (x > 1e9f) return log(x) + log_of_2;
  if (x < 1.0f) return std::numeric_limits<float>::quiet_NaN();
  const float t = x - 1.0f;
  return log1p(t + sqrt(t * (x + 1.0f)));
}
constexpr float atanh(float x) {
  const float a = abs(x);
  return with_sign_of(0.5f * log1p(2.0f * a / (1.0f - a)), x);
}

/// Below 1 Cephes' polynomial (S. Moshier), from there the tail of a normal distribution.
constexpr float erf(float x) {
  const float a = abs(x), z = x * x;
  if (a >= 1.0f) return with_sign_of(1.0f - 2.0f * normal_below(-1.41421356f * a), x);
  float p = 7.853861353153693e-5f;
  p = p * z - 8.010193625184903e-4f;
  p = p * z + 5.188327685732524e-3f;
  p = p * z - 2.685381193529856e-2f;
  p = p * z + 1.128358514861418e-1f;
  p = p * z - 3.761262582423300e-1f;
  p = p * z + 1.128379165726710f;
  return x * p;
}

}  // namespace ctnn::ir::math
