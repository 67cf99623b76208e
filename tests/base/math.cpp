// SPDX-License-Identifier: BSL-1.0
// base/math.hpp and the functions that cancel against double-precision libm, in units in the last place.
#include <ctnn/base/math.hpp>
#include <ctnn/graph/activation.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include <doctest/doctest.h>

namespace {

using namespace ctnn;
using namespace ctnn::ir;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// Distance of `got` from the exact value, in ulps of the exact value's float.
double ulps(float got, double exact) {
  const float nearest = static_cast<float>(exact);
  if (std::isnan(got) || std::isnan(nearest)) return std::isnan(got) && std::isnan(nearest) ? 0 : 1e9;
  if (got == nearest) return 0;
  if (std::isinf(got) || std::isinf(nearest)) return 1e9;
  const int exponent = nearest == 0 ? -126 : std::max(std::ilogb(nearest), -126);
  return std::abs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 23);
}

/// The worst error over every `step`-th float of [low, high].
template <class Ours, class Libm>
double worst(Ours ours, Libm libm, float low, float high, std::int64_t step = 9973) {
  const auto key = [](float x) {
    const auto b = std::bit_cast<std::int32_t>(x);
    return static_cast<std::int64_t>(b < 0 ? std::int64_t{INT32_MIN} - b : b);
  };
  double most = 0;
  for (std::int64_t k = key(low); k <= key(high); k += step) {
    const float x = std::bit_cast<float>(static_cast<std::int32_t>(k < 0 ? std::int64_t{INT32_MIN} - k : k));
    const double e = ulps(ours(x), libm(static_cast<double>(x)));
    if (e > most) most = e;
  }
  MESSAGE("at most " << most << " ulp");
  return most;
}

static_assert(math::exp(0.0f) == 1 && math::exp(-200.0f) == 0 && math::exp(200.0f) == infinity && math::log(1.0f) == 0);
static_assert(math::sigmoid(0.0f) == 0.5f && math::tanh(100.0f) == 1 && math::tanh(-100.0f) == -1);
static_assert(math::sqrt(2.0f) == 1.41421356f && math::sqrt(0.0f) == 0 && math::sqrt(49.0f) == 7);
static_assert(math::floor(-1.5f) == -2 && math::ceil(-1.5f) == -1 && math::trunc(-1.5f) == -1 &&
              math::floor(3e9f) == 3e9f);
static_assert(math::round(0.5f) == 0 && math::round(1.5f) == 2 && math::round(-2.5f) == -2 && math::round(2.6f) == 3);
static_assert(math::pow(2.0f, 10.0f) == 1024 && math::pow(9.0f, 0.5f) == 3 && math::pow(-2.0f, 3.0f) == -8);
static_assert(math::log10(1000.0f) == 3 && math::sin(0.0f) == 0 && math::cos(0.0f) == 1 &&
              math::atan(1.0f) == 0.785398163f);

}  // namespace

TEST_CASE("rounding is exact and keeps the sign of zero") {
  for (std::uint64_t b = 0; b < 0x100000000u; b += 10007) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    if (std::isnan(x)) continue;
    const auto same = [](float p, float q) {
      return std::bit_cast<std::uint32_t>(p) == std::bit_cast<std::uint32_t>(q);
    };
    REQUIRE_MESSAGE(same(math::floor(x), std::floor(x)), x);
    REQUIRE_MESSAGE(same(math::ceil(x), std::ceil(x)), x);
    REQUIRE_MESSAGE(same(math::trunc(x), std::trunc(x)), x);
    REQUIRE_MESSAGE(same(math::round(x), std::nearbyint(x)), x);
  }
  for (int i = -20; i <= 20; ++i)
    CHECK(math::round(static_cast<float>(i) * 0.5f) == std::nearbyint(static_cast<float>(i) * 0.5f));
}

TEST_CASE("sqrt is correctly rounded") {
  CHECK(worst(math::sqrt, [](double x) { return std::sqrt(x); }, 0.0f, infinity, 997) <= 0.5);
  CHECK(worst(math::sqrt, [](double x) { return std::sqrt(x); }, 1.0f, 4.0f, 7) <= 0.5);
}

TEST_CASE("exp, expm1, log, log10") {
  CHECK(worst(math::exp, [](double x) { return std::exp(x); }, -110.0f, 100.0f) <= 1.5);
  CHECK(worst(math::expm1, [](double x) { return std::expm1(x); }, -110.0f, 100.0f) <= 3.5);
  CHECK(worst(math::log, [](double x) { return std::log(x); }, 0.0f, infinity) <= 1.0);
  CHECK(worst(math::log, [](double x) { return std::log(x); }, 0.5f, 2.0f, 101) <= 1.0);
  CHECK(worst(math::log10, [](double x) { return std::log10(x); }, 0.0f, infinity) <= 0.51);
  CHECK(worst(math::log10, [](double x) { return std::log10(x); }, 0.5f, 2.0f, 101) <= 0.51);
}

TEST_CASE("sigmoid, tanh, softplus") {
  CHECK(worst(math::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -80.0f, 80.0f) <= 4.0);
  CHECK(worst(math::tanh, [](double x) { return std::tanh(x); }, -20.0f, 20.0f) <= 4.0);
  CHECK(worst(math::softplus, [](double x) { return std::log1p(std::exp(x)); }, -80.0f, 80.0f) <= 4.0);
}

TEST_CASE("hyperbolic functions, the error function, log1p") {
  CHECK(worst(math::log1p, [](double x) { return std::log1p(x); }, -1.0f, infinity) <= 3.0);
  CHECK(worst(math::sinh, [](double x) { return std::sinh(x); }, -89.0f, 89.0f) <= 4.0);
  CHECK(worst(math::cosh, [](double x) { return std::cosh(x); }, -89.0f, 89.0f) <= 4.0);
  CHECK(worst(math::asinh, [](double x) { return std::asinh(x); }, -infinity, infinity) <= 5.0);
  CHECK(worst(math::acosh, [](double x) { return std::acosh(x); }, 1.0f, infinity) <= 5.0);
  CHECK(worst(math::atanh, [](double x) { return std::atanh(x); }, -1.0f, 1.0f) <= 5.0);
  CHECK(worst(math::erf, [](double x) { return std::erf(x); }, -20.0f, 20.0f) <= 4.0);
  for (float (*f)(float) : {math::log1p, math::sinh, math::asinh, math::atanh, math::erf})
    CHECK(std::signbit(f(-0.0f)));
  for (float (*f)(float) : {math::log1p, math::sinh, math::cosh, math::asinh, math::acosh, math::atanh, math::erf})
    CHECK(math::is_nan(f(std::numeric_limits<float>::quiet_NaN())));
  CHECK(math::is_nan(math::acosh(0.5f)));
  CHECK(math::is_nan(math::acosh(-infinity)));
  CHECK(math::is_nan(math::acosh(-30000.0f)));
  CHECK(math::is_nan(math::atanh(-2.0f)));
  CHECK(math::is_nan(math::log1p(-2.0f)));
  CHECK(math::atanh(1.0f) == infinity);
}

TEST_CASE("gelu and hardswish where they cancel") {
  const auto gelu = [](float x) { return apply({function::gelu}, x); };
  const auto hardswish = [](float x) { return apply({function::hardswish, 1.0f / 6, 0.5f}, x); };
  CHECK(worst(
            gelu, [](double x) { return 0.5 * x * std::erfc(-x * 0.70710678118654752); }, -12.9f, 13.0f) <= 8.0);
  CHECK(gelu(-13.0f) == 0);
  CHECK(worst(hardswish, [](double x) { return x * std::min(std::max((x + 3) / 6, 0.0), 1.0); }, -4.0f, 4.0f) <= 4.0);
}

TEST_CASE("sin, cos, tan for every magnitude") {
  CHECK(worst(math::sin, [](double x) { return std::sin(x); }, -3.4e38f, 3.4e38f) <= 3.0);
  CHECK(worst(math::cos, [](double x) { return std::cos(x); }, -3.4e38f, 3.4e38f) <= 3.0);
  CHECK(worst(math::tan, [](double x) { return std::tan(x); }, -3.4e38f, 3.4e38f) <= 4.5);
  CHECK(worst(math::sin, [](double x) { return std::sin(x); }, 0.1f, 100.0f, 97) <= 3.0);
  CHECK(std::isnan(math::sin(infinity)));
}

TEST_CASE("asin, acos, atan") {
  CHECK(worst(math::asin, [](double x) { return std::asin(x); }, -1.0f, 1.0f) <= 2.5);
  CHECK(worst(math::acos, [](double x) { return std::acos(x); }, -1.0f, 1.0f) <= 2.0);
  CHECK(worst(math::acos, [](double x) { return std::acos(x); }, 0.4f, 1.0f, 11) <= 2.5);
  CHECK(worst(math::atan, [](double x) { return std::atan(x); }, -infinity, infinity) <= 2.0);
  CHECK(std::isnan(math::asin(1.5f)));
}

TEST_CASE("pow") {
  double most = 0;
  unsigned state = 1;
  const auto uniform = [&](double low, double high) {
    state = state * 1664525u + 1013904223u;
    return low + (high - low) * (state >> 8) / 16777216.0;
  };
  for (int i = 0; i < 200000; ++i) {
    const float x = static_cast<float>(std::exp2(uniform(-126, 127)));
    const float y = static_cast<float>(uniform(-149, 128) / std::log2(static_cast<double>(x)));
    if (!std::isfinite(y)) continue;
    const double e = ulps(math::pow(x, y), std::pow(static_cast<double>(x), static_cast<double>(y)));
    if (e > most) most = e;
    const float near = static_cast<float>(uniform(0.9, 1.1)), z = static_cast<float>(uniform(-400, 400));
    const double f = ulps(math::pow(near, z), std::pow(static_cast<double>(near), static_cast<double>(z)));
    if (f > most) most = f;
  }
  MESSAGE("at most " << most << " ulp");
  CHECK(most <= 1.1);
  const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, 0.5f, -0.5f, 2.0f, -2.0f, 3.0f, -3.0f, 1e-40f,
                       1e30f, -1e30f, std::numeric_limits<float>::quiet_NaN(), 16777215.0f, 0.999999f};
  for (float x : odd)
    for (float y : odd) {
      const float a = math::pow(x, y), b = std::pow(x, y);
      CHECK_MESSAGE(
          (std::isnan(a) ? std::isnan(b) : ulps(a, static_cast<double>(b)) <= 1 && std::signbit(a) == std::signbit(b)),
          x << " ^ " << y);
    }
}

TEST_CASE("infinities and NaN go where they should") {
  CHECK(math::exp(infinity) == infinity);
  CHECK(math::exp(-infinity) == 0.0f);
  CHECK(math::log(0.0f) == -infinity);
  CHECK(math::log(infinity) == infinity);
  CHECK(math::sqrt(infinity) == infinity);
  CHECK(math::sigmoid(infinity) == 1.0f);
  CHECK(math::sigmoid(-infinity) == 0.0f);
  CHECK(math::tanh(infinity) == 1.0f);
  for (float (*f)(float) : {math::exp, math::log, math::sqrt, math::sigmoid, math::tanh})
    CHECK(math::is_nan(f(std::numeric_limits<float>::quiet_NaN())));
  for (float (*f)(float) : {math::tanh, math::expm1, math::sin, math::tan, math::asin, math::atan})
    CHECK(std::signbit(f(-0.0f)));
  for (const function f : {function::gelu, function::gelu_tanh, function::silu, function::mish, function::hardswish}) {
    CHECK(math::is_nan(apply({f, 1.0f / 6, 0.5f}, -infinity)));  // minus infinity times 0
    CHECK(apply({f, 1.0f / 6, 0.5f}, infinity) == infinity);
    CHECK(std::signbit(apply({f, 1.0f / 6, 0.5f}, -0.0f)));
  }
  CHECK(math::is_nan(math::max(1.0f, std::numeric_limits<float>::quiet_NaN())));
  CHECK(math::is_nan(math::min(std::numeric_limits<float>::quiet_NaN(), 1.0f)));
  CHECK(math::is_nan(math::log(-1.0f)));
  CHECK(math::is_nan(math::sqrt(-1.0f)));
}
