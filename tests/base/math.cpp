// SPDX-License-Identifier: BSL-1.0
// The constexpr float functions against libm, and in constants.
#include <ctnn/base/math.hpp>

#include <cmath>
#include <doctest/doctest.h>
#include <initializer_list>
#include <limits>

namespace math = ctnn::math;

namespace {

// Distance in units of the last place of the expected value.
double ulps(float got, double expected) {
  const float near = static_cast<float>(expected);
  if (got == near) return 0;
  const double unit = static_cast<double>(std::nextafter(std::fabs(near), std::numeric_limits<float>::infinity())) -
                      std::fabs(static_cast<double>(near));
  return std::fabs(static_cast<double>(got) - expected) / unit;
}

template <class Got, class Expected>
double worst(float from, float to, Got got, Expected expected) {
  double most = 0;
  const int steps = 100000;
  for (int i = 0; i <= steps; ++i) {
    const float x = from + (to - from) * static_cast<float>(i) / static_cast<float>(steps);
    const double far = ulps(got(x), expected(static_cast<double>(x)));
    if (far > most) most = far;
  }
  return most;
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

static_assert(math::exp(0.0f) == 1.0f);
static_assert(math::exp(-200.0f) == 0.0f);
static_assert(math::exp(200.0f) == infinity);
static_assert(math::log(1.0f) == 0.0f);
static_assert(math::sqrt(49.0f) == 7.0f);
static_assert(math::sigmoid(0.0f) == 0.5f);
static_assert(math::tanh(100.0f) == 1.0f && math::tanh(-100.0f) == -1.0f);

}  // namespace

TEST_CASE("exp, log and sqrt are within two units of the last place") {
  CHECK(worst(-87.0f, 88.7f, math::exp, [](double x) { return std::exp(x); }) <= 2);
  CHECK(worst(1e-30f, 1e-3f, math::log, [](double x) { return std::log(x); }) <= 2);
  CHECK(worst(0.5f, 2.0f, math::log, [](double x) { return std::log(x); }) <= 2);
  CHECK(worst(2.0f, 1e30f, math::log, [](double x) { return std::log(x); }) <= 2);
  CHECK(worst(1e-20f, 4.0f, math::sqrt, [](double x) { return std::sqrt(x); }) <= 2);
  CHECK(worst(4.0f, 1e30f, math::sqrt, [](double x) { return std::sqrt(x); }) <= 2);
}

TEST_CASE("the functions made of exp and log keep their accuracy near zero") {
  CHECK(worst(-1.0f, 1.0f, math::expm1, [](double x) { return std::expm1(x); }) <= 4);
  CHECK(worst(-10.0f, 10.0f, math::tanh, [](double x) { return std::tanh(x); }) <= 6);
  CHECK(worst(-80.0f, 80.0f, math::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }) <= 6);
  CHECK(worst(-80.0f, 80.0f, math::softplus, [](double x) { return std::log1p(std::exp(x)); }) <= 8);
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
    CHECK(math::is_nan(f(not_a_number)));
  CHECK(math::is_nan(math::log(-1.0f)));
  CHECK(math::is_nan(math::sqrt(-1.0f)));
}

TEST_CASE("subnormal numbers are handled") {
  const float tiny = std::numeric_limits<float>::denorm_min() * 1000;
  CHECK(ulps(math::log(tiny), std::log(static_cast<double>(tiny))) <= 2);
  CHECK(ulps(math::sqrt(tiny), std::sqrt(static_cast<double>(tiny))) <= 2);
  CHECK(math::exp(-95.0f) > 0.0f);
}
