// SPDX-License-Identifier: BSL-1.0
// Sums by factors: rounded once, and twice as gemmlowp does, whose numbers these are.
#include <doctest/doctest.h>

#include <ctnn/base/requantize.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

constexpr std::int32_t sums[]{0, 1, -1, 25, -25, 75, -75, 12345, -12345, 2000000, -2000001, 100000000, -300000000};
struct row {
  double factor;
  std::int32_t results[13];
};
/// MultiplyByQuantizedMultiplier and QuantizeMultiplier of TensorFlow Lite Micro, August 2026.
constexpr row of_gemmlowp[]{
    {0.02, {0, 0, 0, 1, -1, 2, -2, 247, -247, 40000, -40000, 2000000, -6000000}},
    {0.5, {0, 1, 0, 13, -12, 38, -37, 6173, -6172, 1000000, -1000000, 50000000, -150000000}},
    {1.0 / 3, {0, 1, -1, 9, -9, 25, -25, 4115, -4115, 666667, -666667, 33333334, -100000000}},
    {0.999999999999, {0, 1, -1, 25, -25, 75, -75, 12345, -12345, 2000000, -2000001, 100000000, -300000000}},
    {1, {0, 1, -1, 25, -25, 75, -75, 12345, -12345, 2000000, -2000001, 100000000, -300000000}},
    {3.75, {0, 4, -4, 94, -94, 281, -281, 46294, -46294, 7500000, -7500004, 375000000, -1125000000}},
    {0.001, {0, 0, 0, 0, 0, 0, 0, 12, -12, 2000, -2000, 100000, -300000}},
    {7e-7, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 70, -210}},
    {3e-10, {}},
    {1e-12, {}},
};
constexpr bool gives_gemmlowps() {
  for (const row& r : of_gemmlowp)
    for (int i = 0; i < 13; ++i)
      if (twice_rounded_factor(r.factor).of(sums[i]) != r.results[i]) return false;
  return true;
}
static_assert(gives_gemmlowps());
// Halves: up, or away from 0 where the power of two divides.
static_assert(fixed_factor(0.25).of(-2) == 0 && twice_rounded_factor(0.25).of(-2) == -1);
static_assert(twice_rounded_factor(0).of(5) == 0 && twice_rounded_factor(1e300).of(5) == 0);

}  // namespace

TEST_CASE("sums by factors are rounded as gemmlowp does") { CHECK(gives_gemmlowps()); }
