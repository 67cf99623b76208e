// SPDX-License-Identifier: BSL-1.0
#include "gives.hpp"

#include <cmath>

#include <doctest/doctest.h>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;
namespace {

constexpr float x[6] = {1, -2, 3, -4, 5, -6};

constexpr bool one_operand() {
  using u = function;
  const float fine[4] = {0.25f, -1.5f, 2.5f, 3.75f};
  return gives(op::activation{{function::relu}}, {{{2, 3}, x}}, {}, {1, 0, 3, 0, 5, 0}) &&
         gives(op::activation{{function::leaky_relu, 0.5f}}, {{{6}, x}}, {}, {1, -1, 3, -2, 5, -3}) &&
         gives(op::activation{{function::clip, -2, 4}}, {{{6}, x}}, {}, {1, -2, 3, -2, 4, -2}) &&
         gives(op::dropout{0.5f}, {{{6}, x}}, {}, {0.5f, -1, 1.5f, -2, 2.5f, -3}) &&
         gives(op::identity{}, {{{6}, x}}, {}, {1, -2, 3, -4, 5, -6}) &&
         gives(op::activation{{u::abs}}, {{{6}, x}}, {}, {1, 2, 3, 4, 5, 6}) &&
         gives(op::activation{{u::neg}}, {{{6}, x}}, {}, {-1, 2, -3, 4, -5, 6}) &&
         gives(op::activation{{u::floor}}, {{{4}, fine}}, {}, {0, -2, 2, 3}) &&
         gives(op::activation{{u::ceil}}, {{{4}, fine}}, {}, {1, -1, 3, 4}) &&
         gives(op::activation{{u::round}}, {{{4}, fine}}, {}, {0, -2, 2, 4}) &&
         gives(op::activation{{u::trunc}}, {{{4}, fine}}, {}, {0, -1, 2, 3}) &&
         gives(op::activation{{u::square}}, {{{4}, fine}}, {}, {0.0625f, 2.25f, 6.25f, 14.0625f}) &&
         gives(op::activation{{u::sqrt}}, {{{1}, {fine, 1}}}, {}, {0.5f}) &&
         gives(op::activation{{u::rsqrt}}, {{{1}, {fine, 1}}}, {}, {2}) &&
         gives(op::activation{{u::reciprocal}}, {{{1}, {fine, 1}}}, {}, {4});
}
static_assert(one_operand());

constexpr op::binary binary(op::binary_function f) {
  op::binary p;
  p.function = f;
  return p;
}

constexpr bool two_operands() {
  using b = op::binary_function;
  const float row[3] = {10, 20, 30}, column[2] = {2, 4}, three[6] = {3, 3, 3, 3, 3, 3};
  op::binary scalar = binary(b::rsub);
  scalar.scalar = 1;
  op::binary fused = binary(b::add);
  fused.activation = {function::relu};
  return gives(binary(b::add), {{{2, 3}, x}, {{3}, row}}, {}, {11, 18, 33, 6, 25, 24}) &&
         gives(binary(b::sub), {{{3}, row}, {{2, 3}, x}}, {}, {9, 22, 27, 14, 15, 36}) &&
         gives(binary(b::mul), {{{2, 3}, x}, {{2, 1}, column}}, {}, {2, -4, 6, -16, 20, -24}) &&
         gives(binary(b::div), {{{3}, row}, {{2, 1}, column}}, {}, {5, 10, 15, 2.5f, 5, 7.5f}) &&
         gives(binary(b::rdiv), {{{2, 1}, column}, {{3}, row}}, {}, {5, 10, 15, 2.5f, 5, 7.5f}) &&
         gives(binary(b::maximum), {{{6}, x}, {{6}, three}}, {}, {3, 3, 3, 3, 5, 3}) &&
         gives(binary(b::minimum), {{{6}, x}, {{6}, three}}, {}, {1, -2, 3, -4, 3, -6}) &&
         gives(binary(b::pow), {{{6}, x}, {{1}, {column, 1}}}, {}, {1, 4, 9, 16, 25, 36}) &&
         gives(binary(b::rpow), {{{6}, x}, {{1}, {column, 1}}}, {}, {2, 0.25f, 8, 0.0625f, 32, 0.015625f}) &&
         gives(scalar, {{{6}, x}}, {}, {0, 3, -2, 5, -4, 7}) &&
         gives(fused, {{{6}, x}, {{6}, three}}, {}, {4, 1, 6, 0, 8, 0}) &&
         gives(binary(b::add), {{{2, 1, 3}, x}, {{2, 1}, column}}, {}, {3, 0, 5, 5, 2, 7, -2, 7, -4, 0, 9, -2});
}
static_assert(two_operands());

constexpr bool several_operands() {
  const operand t{{6}, x};
  op::eltwise p;
  if (!gives(p, {t, t, t}, {}, {3, -6, 9, -12, 15, -18})) return false;
  p.coefficients = {1, -0.5f};
  if (!gives(p, {t, t}, {}, {0.5f, -1, 1.5f, -2, 2.5f, -3})) return false;
  p.coefficients = {};
  p.function = op::eltwise_function::prod;
  if (!gives(p, {t, t}, {}, {1, 4, 9, 16, 25, 36})) return false;
  p.function = op::eltwise_function::max;
  p.activation = {function::relu};
  return gives(p, {t, {{6}, {all_ones, 6}}}, {}, {1, 1, 3, 1, 5, 1});
}
static_assert(several_operands());

}  // namespace

TEST_CASE("element-wise operators by hand") {
  CHECK(one_operand());
  CHECK(two_operands());
  CHECK(several_operands());
}

TEST_CASE("functions of one number are libm's") {
  using u = function;
  for (float v = -0.99f; v < 0.99f; v += 0.013f) {
    const double d = static_cast<double>(v), p = std::fabs(d);
    const auto close = [](float got, double want) {
      return std::abs(static_cast<double>(got) - want) <= 4e-7 * (1e-6 + std::abs(want));
    };
    CHECK(close(apply({u::exp}, v), std::exp(d)));
    CHECK(close(apply({u::log}, std::fabs(v)), std::log(p)));
    CHECK(close(apply({u::sin}, v), std::sin(d)));
    CHECK(close(apply({u::cos}, v), std::cos(d)));
    CHECK(close(apply({u::tan}, v), std::tan(d)));
    CHECK(close(apply({u::asin}, v), std::asin(d)));
    CHECK(close(apply({u::acos}, v), std::acos(d)));
    CHECK(close(apply({u::atan}, v), std::atan(d)));
    CHECK(close(apply({u::tanh}, v), std::tanh(d)));
    CHECK(close(apply({u::log10}, std::fabs(v)), std::log10(p)));
  }
}
