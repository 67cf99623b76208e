// SPDX-License-Identifier: BSL-1.0
// Comparisons, logic, remainders and choices with broadcasting.
#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("comparisons of any type") {
  using enum op::comparison;
  const array a = make<std::int32_t>({2, 1}, {1, 2}), b = make<std::int32_t>({3}, {1, 2, 3});
  require_equal<bool>(run_typed(op::compare{equal}, {a, b})[0], {2, 3}, {1, 0, 0, 0, 1, 0});
  require_equal<bool>(run_typed(op::compare{less}, {a, b})[0], {2, 3}, {0, 1, 1, 0, 0, 1});
  require_equal<bool>(run_typed(op::compare{greater_equal}, {a, b})[0], {2, 3}, {1, 0, 0, 1, 1, 0});
  require_equal<bool>(run_typed(op::compare{less_equal}, {make_half({2}, {1, 2}), make_half({1}, {1})})[0], {2},
                      {1, 0});
  require_equal<bool>(run_typed(op::compare{equal}, {make<bool>({2}, {1, 0}), make<bool>({1}, {1})})[0], {2}, {1, 0});
}

TEST_CASE("long rows, and one element for many") {
  constexpr int n = 600;  // more than two pieces of a row
  const auto number = [](std::size_t i) { return static_cast<float>(static_cast<int>(i * 7 % 11) - 5); };
  array x({2, n}), row({n}), column({2, 1}), one(extents{});
  for (array* a : {&x, &row, &column, &one})
    for (std::size_t i = 0; i < a->elements<float>().size(); ++i)
      a->elements<float>()[i] = a == &x ? number(i) : number(i * 3 + 8);
  array marks({2, n}, dtype::boolean);
  for (std::size_t i = 0; i < 2 * n; ++i) marks.elements<bool>()[i] = i % 3 == 0;
  for (const array& z : {x, row, column, one}) {
    const auto less = run_typed(op::compare{op::comparison::less}, {x, z}), same = run_typed(op::compare{}, {z, x});
    const auto either = run_typed(op::where{}, {marks, x, z});
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const std::size_t k = z.elements<float>().size() == 2 ? i / n : i % z.elements<float>().size();
      const float u = x.elements<float>()[i], v = z.elements<float>()[k];
      REQUIRE(less[0].elements<bool>()[i] == (u < v));
      REQUIRE(same[0].elements<bool>()[i] == (u == v));
      REQUIRE(either[0].elements<float>()[i] == (i % 3 == 0 ? u : v));
    }
  }
}

TEST_CASE("logic and bits") {
  using enum op::logic_function;
  const array p = make<bool>({4}, {0, 0, 1, 1}), q = make<bool>({4}, {0, 1, 0, 1});
  require_equal<bool>(run_typed(op::logic{logical_and}, {p, q})[0], {4}, {0, 0, 0, 1});
  require_equal<bool>(run_typed(op::logic{logical_or}, {p, q})[0], {4}, {0, 1, 1, 1});
  require_equal<bool>(run_typed(op::logic{logical_xor}, {p, q})[0], {4}, {0, 1, 1, 0});
  const array a = make<std::uint8_t>({3}, {16, 4, 0xff}), b = make<std::uint8_t>({3}, {1, 2, 9});
  require_equal<std::uint8_t>(run_typed(op::logic{shift_right}, {a, b})[0], {3}, {8, 1, 0});
  require_equal<std::uint8_t>(run_typed(op::logic{shift_left}, {a, b})[0], {3}, {32, 16, 0});
  require_equal<std::uint8_t>(run_typed(op::logic{bit_xor}, {a, b})[0], {3}, {17, 6, 0xf6});
}

TEST_CASE("remainders have the sign of the divisor, truncated ones of the dividend") {
  const array a = make<std::int32_t>({4}, {7, -7, 7, -7}), b = make<std::int32_t>({4}, {3, 3, -3, -3});
  require_equal<std::int32_t>(run_typed(op::remainder{}, {a, b})[0], {4}, {1, 2, -2, -1});
  require_equal<std::int32_t>(run_typed(op::remainder{true}, {a, b})[0], {4}, {1, -1, 1, -1});
  require_near(run_typed(op::remainder{true}, {make<float>({2}, {-4.3f, 8}), make<float>({1}, {2.1f})})[0], {2},
               {-0.1f, 1.7f}, 1e-5f);
  require_equal<std::int32_t>(run_typed(op::remainder{}, {a, make<std::int32_t>({1}, {0})})[0], {4}, {0, 0, 0, 0});
}

TEST_CASE("choices and slopes") {
  const array c = make<bool>({2, 1}, {1, 0});
  require_equal<std::int64_t>(
      run_typed(op::where{}, {c, make<std::int64_t>({3}, {1, 2, 3}), make<std::int64_t>({}, {9})})[0], {2, 3},
      {1, 2, 3, 9, 9, 9});
  require_near(run_typed(op::binary{op::binary_function::prelu},
                         {make<float>({2, 2}, {-1, 1, -2, 2}), make<float>({2, 1}, {0.5f, 2})})[0],
               {2, 2}, {-0.5f, 1, -4, 2});
}
