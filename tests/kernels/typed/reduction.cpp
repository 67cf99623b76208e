// SPDX-License-Identifier: BSL-1.0
// Reductions, positions of extremes, running sums, normalised exponentials.
#include "run_typed.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("reductions over any axes and types") {
  using enum op::reduction;
  const array x = counting<float>({2, 3, 2});
  require_near(run_typed(op::reduce{sum, {1}, true}, {x})[0], {2, 1, 2}, {6, 9, 24, 27});
  require_near(run_typed(op::reduce{mean, {0, -1}, false}, {x})[0], {3}, {3.5f, 5.5f, 7.5f});
  require_near(run_typed(op::reduce{max, {}, false}, {x})[0], {}, {11});
  const array i = make<std::int32_t>({2, 2}, {-3, 4, 2, -1});
  require_equal<std::int32_t>(run_typed(op::reduce{l1, {1}, false}, {i})[0], {2}, {7, 3});
  require_equal<std::int32_t>(run_typed(op::reduce{l2, {1}, false}, {i})[0], {2}, {5, 2});
  require_equal<std::int32_t>(run_typed(op::reduce{prod, {1}, false}, {i})[0], {2}, {-12, -2});
  require_equal<std::int32_t>(run_typed(op::reduce{min, {0}, false}, {i})[0], {2}, {-3, -1});
  require_equal<std::int32_t>(run_typed(op::reduce{mean, {1}, false}, {i})[0], {2}, {0, 0});
  require_near(run_typed(op::reduce{log_sum_exp, {0}, false}, {make<float>({2}, {1000, 1000})})[0], {}, {1000.6931f});
  require_near(run_typed(op::reduce{sum_square, {0}, true}, {make_half({2}, {3, 4})})[0], {1}, {25});
  require_equal<bool>(run_typed(op::reduce{max, {1}, false}, {make<bool>({2, 2}, {0, 1, 0, 0})})[0], {2}, {1, 0});
}

TEST_CASE("reductions of integers whose result is none saturate") {
  using enum op::reduction;
  const array x = make<std::int8_t>({2, 4}, {-128, -128, -128, -128, 0, 0, 0, 0});
  require_equal<std::int8_t>(run_typed(op::reduce{l2, {1}, false}, {x})[0], {2}, {127, 0});
  require_equal<std::int8_t>(run_typed(op::reduce{log_sum, {1}, false}, {x})[0], {2}, {0, -128});
}

TEST_CASE("reductions of nothing") {
  using enum op::reduction;
  const array none = make<float>({2, 0}, {});
  require_near(run_typed(op::reduce{sum, {1}, false}, {none})[0], {2}, {0, 0});
  require_near(run_typed(op::reduce{prod, {1}, false}, {none})[0], {2}, {1, 1});
  require_near(run_typed(op::reduce{max, {1}, false}, {none})[0], {2},
               {-std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()});
}

TEST_CASE("positions of extremes, the first or the last") {
  const array x = make<std::int32_t>({2, 3}, {1, 5, 5, 2, 2, 1});
  require_equal<std::int64_t>(run_typed(op::arg_reduce{true, 1, false, false}, {x})[0], {2}, {1, 0});
  require_equal<std::int64_t>(run_typed(op::arg_reduce{true, 1, true, true}, {x})[0], {2, 1}, {2, 1});
  require_equal<std::int64_t>(run_typed(op::arg_reduce{false, 0, false, false}, {x})[0], {3}, {0, 1, 1});
}

TEST_CASE("positions of extremes in rows and columns of any length, with equal ones and NaN") {
  for (int size : {1, 5, 16, 17, 40, 64, 67, 80, 150, 500})
    for (int inner : {1, 3, 300})
      for (unsigned flags = 0; flags < 4; ++flags)
        for (bool nans : {false, true}) {
          const bool largest = flags & 1u, last = flags & 2u;
          array x({2, size, inner});
          unsigned state = 7;
          for (float& v : x.elements<float>()) {
            state = state * 1664525u + 1013904223u;
            v = nans && state >> 28 == 0 ? std::nanf("") : static_cast<float>(state >> 29);
          }
          const array got = run_typed(op::arg_reduce{largest, 1, false, last}, {x})[0];
          for (int o = 0; o < 2; ++o)
            for (int r = 0; r < inner; ++r) {
              const auto at = [&](int i) {
                return x.elements<float>()[static_cast<std::size_t>((o * size + i) * inner + r)];
              };
              // NaN is more than anything, either way.
              const auto worth = [&](int i) { return std::isnan(at(i)) ? 100.0f : largest ? at(i) : -at(i); };
              int best = 0;
              for (int i = 1; i < size; ++i)
                if (worth(i) > worth(best) || (last && worth(i) == worth(best))) best = i;
              CAPTURE(size);
              CAPTURE(inner);
              REQUIRE(got.elements<std::int64_t>()[static_cast<std::size_t>(o * inner + r)] == best);
            }
        }
}

TEST_CASE("running sums and products") {
  const array x = make<std::int64_t>({4}, {1, 2, 3, 4});
  require_equal<std::int64_t>(run_typed(op::cumsum{}, {x})[0], {4}, {1, 3, 6, 10});
  require_equal<std::int64_t>(run_typed(op::cumsum{0, true}, {x})[0], {4}, {0, 1, 3, 6});
  require_equal<std::int64_t>(run_typed(op::cumsum{0, true, true}, {x})[0], {4}, {9, 7, 4, 0});
  require_equal<std::int64_t>(run_typed(op::cumsum{0, false, false, true}, {x})[0], {4}, {1, 2, 6, 24});
}

TEST_CASE("the largest and the smallest, in order") {
  const array x = make<float>({2, 4}, {1, 3, 3, 0, 4, -1, 2, 9});
  const auto top = run_typed(op::topk{2, 1, true}, {x});
  require_near(top[0], {2, 2}, {3, 3, 9, 4});
  require_equal<std::int64_t>(top[1], {2, 2}, {1, 2, 3, 0});
  const auto low = run_typed(op::topk{1, 0, false}, {x});
  require_near(low[0], {1, 4}, {1, -1, 2, 0});
  require_equal<std::int64_t>(low[1], {1, 4}, {0, 1, 1, 0});
}

TEST_CASE("top numbers of long rows, with equal ones and NaN, as a stable sort gives them") {
  std::mt19937 random(3);
  const int size = 75;
  for (const int inner : {1, 3})
    for (const int k : {0, 1, 5, 33, 74, 75})
      for (const bool largest : {true, false}) {
        array x({2, size, inner}, dtype::f32);
        for (float& v : x.values())
          v = random() % 20 == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(random() % 40);
        const auto top = run_typed(op::topk{k, 1, largest}, {x});
        for (int row = 0; row < 2 * inner; ++row) {
          const auto at = [&](const auto& values, int length, int i) {
            return values[static_cast<std::size_t>((row / inner * length + i) * inner + row % inner)];
          };
          const auto rank = [&](int i) {  // what counts as larger is larger
            const float v = at(x.elements<float>(), size, i);
            return v == v ? v : 100;
          };
          std::vector<int> order(size);
          std::iota(order.begin(), order.end(), 0);
          std::stable_sort(order.begin(), order.end(),
                           [&](int i, int j) { return largest ? rank(i) > rank(j) : rank(i) < rank(j); });
          for (int i = 0; i < k; ++i) {
            const int best = order[static_cast<std::size_t>(i)];
            REQUIRE(at(top[1].elements<std::int64_t>(), k, i) == best);
            const float v = at(top[0].elements<float>(), k, i);
            REQUIRE((v == v ? v : 100) == rank(best));
          }
        }
      }
}

TEST_CASE("softmax, its logarithm and its hard form in f64 and f16") {
  const array x = make<double>({2, 2}, {1000, 1000, 0, 1});
  require_near(run_typed(op::softmax{1}, {x})[0], {2, 2}, {0.5f, 0.5f, 0.26894142f, 0.73105858f});
  require_near(run_typed(op::log_softmax{1}, {x})[0], {2, 2}, {-0.69314718f, -0.69314718f, -1.3132617f, -0.31326169f});
  require_near(run_typed(op::softmax{0}, {make_half({2}, {0, 0})})[0], {2}, {0.5f, 0.5f});
  require_near(run_typed(op::hardmax{1}, {make<float>({2, 3}, {1, 3, 3, 2, 1, 0})})[0], {2, 3}, {0, 1, 0, 1, 0, 0});
}
