// SPDX-License-Identifier: BSL-1.0
// Functions of one and two elements in every element type.
#include "run_typed.hpp"

#include <limits>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

op::binary of(op::binary_function f) {
  op::binary p;
  p.function = f;
  return p;
}
op::activation of(function f, float a = 0, float b = 0) { return {{f, a, b}}; }

}  // namespace

TEST_CASE("integer arithmetic wraps around, truncates and survives zero") {
  using enum op::binary_function;
  const array a = make<std::int8_t>({4}, {100, -128, 7, -7}), b = make<std::int8_t>({4}, {100, -1, 0, 2});
  require_equal<std::int8_t>(run_typed(of(add), {a, b})[0], {4}, {-56, 127, 7, -5});
  require_equal<std::int8_t>(run_typed(of(div), {a, b})[0], {4}, {1, -128, 0, -3});
  require_equal<std::int8_t>(run_typed(of(maximum), {a, b})[0], {4}, {100, -1, 7, 2});
  const array i = make<std::int64_t>({2, 1}, {3, -2}), j = make<std::int64_t>({3}, {1, 2, 40});
  require_equal<std::int64_t>(run_typed(of(mul), {i, j})[0], {2, 3}, {3, 6, 120, -2, -4, -80});
  require_equal<std::int64_t>(run_typed(of(pow), {i, j})[0], {2, 3},
                              {3, 9, -6289078614652622815LL, -2, 4, 1099511627776LL});
  require_equal<std::int32_t>(run_typed(of(pow), {make<std::int32_t>({2}, {4, 9}), make<float>({1}, {0.5f})})[0], {2},
                              {2, 3});
}

TEST_CASE("f16, bf16 and f64 compute") {
  using enum op::binary_function;
  require_near(run_typed(of(add), {make_half({2}, {1.5f, 2}), make_half({1}, {0.25f})})[0], {2}, {1.75f, 2.25f});
  require_near(run_typed(of(mul), {make_half({2}, {1.5f, 2}, dtype::bf16), make_half({1}, {2}, dtype::bf16)})[0], {2},
               {3, 4});
  require_near(run_typed(op::activation{{function::sqrt}}, {make<double>({2}, {2, 9})})[0], {2}, {1.41421356f, 3});
  op::activation relu;
  relu.activation.kind = function::relu;
  require_equal<std::int32_t>(run_typed(relu, {make<std::int32_t>({3}, {-4, 0, 4})})[0], {3}, {0, 0, 4});
  require_near(run_typed(relu, {make_half({3}, {-4, 0, 4})})[0], {3}, {0, 0, 4});
}

TEST_CASE("functions of one number") {
  using enum function;
  const array x = make<float>({3}, {-2, 0, 2});
  require_near(run_typed(of(erf), {x})[0], {3}, {-0.99532227f, 0, 0.99532227f});
  require_near(run_typed(op::activation{{function::gelu}}, {x})[0], {3}, {-0.04550026f, 0, 1.9544997f});
  require_near(run_typed(op::activation{{function::gelu_tanh}}, {x})[0], {3}, {-0.04540229f, 0, 1.9545977f});
  require_near(run_typed(of(softplus), {make<float>({3}, {-200, 0, 200})})[0], {3}, {0, 0.69314718f, 200});
  require_near(run_typed(of(softsign), {x})[0], {3}, {-2.0f / 3, 0, 2.0f / 3});
  require_near(run_typed(of(selu, 2, 3), {x})[0], {3}, {6 * std::expm1(-2.0f), 0, 6});
  require_near(run_typed(of(celu, 2), {x})[0], {3}, {2 * std::expm1(-1.0f), 0, 2});
  require_near(run_typed(of(thresholded_relu, 1), {make<float>({3}, {0.5f, 1, 1.5f})})[0], {3}, {0, 0, 1.5f});
  require_near(run_typed(of(shrink, 1.5, 1.5), {make<float>({3}, {-2, 1, 2})})[0], {3}, {-0.5f, 0, 0.5f});
  require_near(run_typed(of(swish, 1), {make<float>({2}, {3, 4})})[0], {2}, {2.8577223f, 3.928055f});
  require_equal<std::int64_t>(run_typed(of(sign), {make<std::int64_t>({3}, {-9, 0, 9})})[0], {3}, {-1, 0, 1});
  require_equal<bool>(run_typed(op::bitwise_not{}, {make<bool>({2}, {0, 1})})[0], {2}, {1, 0});
  require_equal<std::uint8_t>(run_typed(op::bitwise_not{}, {make<std::uint8_t>({2}, {0, 0xf0})})[0], {2}, {255, 15});
  description d;
  CHECK(problem_of(of(erf), {make<std::int32_t>({1}, {1})}, d).kind == mistake::element_type);
}

TEST_CASE("every type has the functions that f32 has, of every kind of number") {
  const float nan = std::nanf("");
  std::vector<float> x{nan, -nan, infinity, -infinity, 0.0f, -0.0f, 6.1e-5f, -6.1e-5f, 3e4f, -3e4f};
  for (int i = -40; i <= 40; ++i) x.push_back(static_cast<float>(i) / 8);
  const int n = static_cast<int>(x.size());
  for (int k = 1; k < static_cast<int>(std::size(function_names)); ++k) {
    const auto kind = static_cast<function>(k);
    const op::activation op = kind == function::clip ? of(kind, -1, 2) : of(kind, 0.75f, 0.5f);
    CAPTURE(std::string(name_of(kind)));
    const array single = run_typed(op, {make<float>({n}, x)})[0];
    const array twice = run_typed(op, {make<double>({n}, {x.begin(), x.end()})})[0];
    const array half = run_typed(op, {make_half({n}, x)})[0],
                brain = run_typed(op, {make_half({n}, x, dtype::bf16)})[0];
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float want = apply(op.activation, x[i]);
      const double limit = 1 + std::fabs(static_cast<double>(want));
      INFO(x[i] << " gives " << want);
      const auto close = [&](double got, double to) {
        if (std::isnan(want)) return std::isnan(got);
        if (std::isinf(want) || std::isinf(got)) return got == static_cast<double>(want) || to > 1e-4;
        return std::fabs(got - static_cast<double>(want)) <= to * limit &&
               (got != 0 || want != 0 || std::signbit(got) == std::signbit(want));
      };
      CHECK(close(static_cast<double>(single.values()[i]), 0));
      CHECK(close(twice.elements<double>()[i], 2e-6));
      if (std::fabs(x[i]) == 6.1e-5f || std::fabs(x[i]) == 3e4f) continue;  // rounded on their way in
      CHECK(close(static_cast<double>(half_to_float(half.elements<std::uint16_t>()[i])), 1e-3));
      CHECK(close(static_cast<double>(bfloat_to_float(brain.elements<std::uint16_t>()[i])), 8e-3));
    }
  }
}

TEST_CASE("integers have the functions that make sense") {
  const array x = make<std::int8_t>({5}, {-128, -3, 0, 3, 127});
  require_equal<std::int8_t>(run_typed(of(function::abs), {x})[0], {5}, {-128, 3, 0, 3, 127});
  require_equal<std::int8_t>(run_typed(of(function::neg), {x})[0], {5}, {-128, 3, 0, -3, -127});
  require_equal<std::int8_t>(run_typed(of(function::sign), {x})[0], {5}, {-1, -1, 0, 1, 1});
  require_equal<std::int8_t>(run_typed(of(function::relu), {x})[0], {5}, {0, 0, 0, 3, 127});
  require_equal<std::int8_t>(run_typed(of(function::clip, -2, 1e6f), {x})[0], {5}, {-2, -2, 0, 3, 127});
  require_equal<std::int8_t>(run_typed(of(function::floor), {x})[0], {5}, {-128, -3, 0, 3, 127});
  require_equal<std::int8_t>(run_typed(of(function::square), {x})[0], {5}, {0, 9, 0, 9, 1});
  require_equal<std::int8_t>(run_typed(of(function::shrink, 1, 2), {x})[0], {5}, {-126, -1, 0, 1, 125});
  description d;
  CHECK(problem_of(of(function::sigmoid), {x}, d).kind == mistake::element_type);
  CHECK(problem_of(op::bitwise_not{}, {make<float>({1}, {1})}, d).kind == mistake::element_type);
}

TEST_CASE("NaN goes through maxima, bounds and positions") {
  const float nan = std::nanf("");
  for (const op::binary_function f : {op::binary_function::maximum, op::binary_function::minimum}) {
    const array y = run_typed(of(f), {make<float>({2}, {nan, 1}), make<float>({2}, {1, nan})})[0];
    for (const float v : y.values()) CHECK(std::isnan(v));
  }
  const array x = make<float>({4}, {1, nan, infinity, nan});
  CHECK(std::isnan(run_typed(op::clamp{true, true}, {x, make<float>({}, {0}), make<float>({}, {2})})[0].values()[1]));
  CHECK(std::isnan(run_typed(op::reduce{op::reduction::log_sum_exp, {0}, false}, {x})[0].values()[0]));
  op::arg_reduce at;
  require_equal<std::int64_t>(run_typed(at, {x})[0], {1}, {1});
  at.last = true;
  require_equal<std::int64_t>(run_typed(at, {x})[0], {1}, {3});
  at.last = at.largest = false;
  require_equal<std::int64_t>(run_typed(at, {x})[0], {1}, {1});
}

TEST_CASE("questions about numbers") {
  const array x = make<float>({4}, {1, infinity, -infinity, std::nanf("")});
  require_equal<bool>(run_typed(op::is_nan{}, {x})[0], {4}, {0, 0, 0, 1});
  require_equal<bool>(run_typed(op::is_inf{}, {x})[0], {4}, {0, 1, 1, 0});
  require_equal<bool>(run_typed(op::is_inf{false, true}, {x})[0], {4}, {0, 1, 0, 0});
  require_equal<bool>(run_typed(op::is_inf{true, false}, {x})[0], {4}, {0, 0, 1, 0});
  require_equal<bool>(run_typed(op::is_inf{false, false}, {x})[0], {4}, {0, 0, 0, 0});
}

TEST_CASE("conversions") {
  const array x = make<float>({6}, {-1.7f, 0, 1.7f, 300, infinity, std::nanf("")});
  require_equal<std::int8_t>(run_typed(op::cast{dtype::i8}, {x})[0], {6}, {-1, 0, 1, 44, -1, 0});
  require_equal<std::uint8_t>(run_typed(op::cast{dtype::u8}, {x})[0], {6}, {255, 0, 1, 44, 255, 0});
  require_equal<std::int32_t>(run_typed(op::cast{dtype::i32}, {make<float>({3}, {3e9f, -3e9f, -1})})[0], {3},
                              {2147483647, -2147483647 - 1, -1});
  require_equal<bool>(run_typed(op::cast{dtype::boolean}, {x})[0], {6}, {1, 0, 1, 1, 1, 1});
  require_equal<std::int8_t>(run_typed(op::cast{dtype::i8}, {make<std::int64_t>({2}, {257, -1})})[0], {2}, {1, -1});
  require_near(run_typed(op::cast{dtype::f16}, {make<float>({2}, {1.0f / 3, 70000})})[0], {2}, {0.33325195f, infinity});
  require_equal<std::int64_t>(run_typed(op::cast{dtype::i64}, {make_half({2}, {2.5f, -2.5f})})[0], {2}, {2, -2});
  require_near(run_typed(op::cast{dtype::f64}, {make<bool>({2}, {1, 0})})[0], {2}, {1, 0});
}

TEST_CASE("bits as those of another type") {
  const array x = make<float>({3}, {1, -0.0f, -infinity});
  require_equal<std::int32_t>(run_typed(op::bit_cast{dtype::i32}, {x})[0], {3},
                              {0x3f800000, -2147483647 - 1, -0x800000});
  require_near(run_typed(op::bit_cast{dtype::f32}, {make<std::int32_t>({2}, {0x40490fdb, 1})})[0], {2},
               {3.14159274f, 1.40129846e-45f});
  require_equal<std::int16_t>(run_typed(op::bit_cast{dtype::i16}, {make_half({2}, {1.0f, -2.0f})})[0], {2},
                              {0x3c00, -0x4000});
  require_equal<std::uint8_t>(run_typed(op::bit_cast{dtype::u8}, {make<std::int8_t>({2}, {-1, 7})})[0], {2}, {255, 7});
}

TEST_CASE("clamp with bounds that are values") {
  const array x = make<std::int32_t>({3}, {-5, 0, 5});
  require_equal<std::int32_t>(run_typed(op::clamp{}, {x, make<std::int32_t>({}, {-1}), make<std::int32_t>({}, {2})})[0],
                              {3}, {-1, 0, 2});
  require_equal<std::int32_t>(run_typed(op::clamp{false, true}, {x, make<std::int32_t>({}, {2})})[0], {3}, {-5, 0, 2});
}
