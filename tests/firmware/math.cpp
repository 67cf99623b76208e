// SPDX-License-Identifier: BSL-1.0
// base/math.hpp on the core gives what the compiler gave as constants, up to the rounding of fused multiply-adds.
#include <ctnn/base/math.hpp>

#include <bit>

#include "board/board.hpp"

namespace math = ctnn::ir::math;

namespace {

int failures = 0;

std::uint32_t ulps_between(float a, float b) {
  const std::uint32_t x = std::bit_cast<std::uint32_t>(a), y = std::bit_cast<std::uint32_t>(b);
  return x < y ? y - x : x - y;
}

void check(const char* name, float argument, float got, float expected) {
  if (ulps_between(got, expected) <= 4) return;
  ++failures;
  board::print(name);
  board::print("(");
  board::print(argument);
  board::print(") is ");
  board::print(got);
  board::print(", expected ");
  board::print(expected);
  board::print("\n");
}

constexpr float arguments[] = {0.001f, 0.1f, 0.5f, 1.0f, 1.5f, 2.0f, 3.25f, 7.0f, 20.0f, 80.0f};
constexpr int count = sizeof arguments / sizeof arguments[0];

struct row {
  float exp, log, sqrt, sigmoid, tanh;
};
constexpr row values(float x) { return {math::exp(x), math::log(x), math::sqrt(x), math::sigmoid(-x), math::tanh(x)}; }

template <int... I>
struct table {
  static constexpr row rows[] = {values(arguments[I])...};
};
using expected = table<0, 1, 2, 3, 4, 5, 6, 7, 8, 9>;

// What softmax does to a row of ten.
float softmax_first(const volatile float* logits) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += math::exp(logits[i] - 80.0f);
  return math::exp(logits[0] - 80.0f) / sum;
}

}  // namespace

int main() {
  volatile float x[count];
  for (int i = 0; i < count; ++i) x[i] = arguments[i];
  for (int i = 0; i < count; ++i) {
    const row got = values(x[i]), wanted = expected::rows[i];
    check("exp", arguments[i], got.exp, wanted.exp);
    check("log", arguments[i], got.log, wanted.log);
    check("sqrt", arguments[i], got.sqrt, wanted.sqrt);
    check("sigmoid", -arguments[i], got.sigmoid, wanted.sigmoid);
    check("tanh", arguments[i], got.tanh, wanted.tanh);
  }
  volatile float first;
  board::measure("softmax of 10", [&] { first = softmax_first(x); });
  board::print(failures == 0 ? "math: all right\n" : "math: wrong\n");
  return failures == 0 ? 0 : 1;
}
