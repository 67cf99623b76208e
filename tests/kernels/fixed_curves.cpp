// SPDX-License-Identifier: BSL-1.0
// sigmoid and tanh in integers, for every number: sums over what gemmlowp's functions give (November 2023).
#include <doctest/doctest.h>

#include <cmath>

#include <ctnn/kernels/fixed_curves.hpp>

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// Results of all 65,536 numbers in one.
template <class Curve>
std::uint32_t sum_of(const Curve& curve, int bits) {
  std::uint32_t sum = 0;
  for (int x = -32768; x < 32768; ++x) sum = sum * 31 + static_cast<std::uint16_t>(curve(x, bits));
  return sum;
}

static_assert(fixed_sigmoid(0, 3) == 16384 && fixed_tanh(0, 3) == 0);
static_assert(fixed_tanh(-4096, 3) == -fixed_tanh(4096, 3));

}  // namespace

TEST_CASE("sigmoid and tanh in integers are gemmlowp's for every number") {
  CHECK(sum_of(fixed_sigmoid, 3) == 1344260980u);
  constexpr std::uint32_t of_tanh[]{722422788u, 2257069804u, 2186188520u, 3198075935u,
                                    721545311u, 3557146783u, 1782630047u};
  for (int bits = 0; bits <= 6; ++bits) CHECK(sum_of(fixed_tanh, bits) == of_tanh[bits]);
}

TEST_CASE("and near the functions themselves") {
  for (int x = -32768; x < 32768; x += 7) {
    REQUIRE(fixed_sigmoid(x, 3) == doctest::Approx(32768 / (1 + std::exp(-x / 4096.0))).epsilon(1e-3).scale(32768));
    REQUIRE(fixed_tanh(x, 4) == doctest::Approx(32768 * std::tanh(x / 2048.0)).epsilon(1e-3).scale(32768));
  }
}
