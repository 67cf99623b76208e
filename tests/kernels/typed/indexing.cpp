// SPDX-License-Identifier: BSL-1.0
// Elements picked, written and counted by index.
#include <ctnn/kernels/typed/dispatch.hpp>

#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("what no kernel takes is refused by the name of its type") {
  CHECK_THROWS_WITH_AS(typed::refuse("softmax", dtype::bf16),
                       "operator 'softmax' has no kernel for elements of type bf16", error);
}

TEST_CASE("gathering") {
  const array x = counting<float>({3, 2});
  const array index = make<std::int64_t>({2, 1}, {-1, 0});
  require_near(run_typed(op::gather{0}, {x, index})[0], {2, 1, 2}, {4, 5, 0, 1});
  require_near(run_typed(op::gather{1}, {x, make<std::int32_t>({}, {1})})[0], {3}, {1, 3, 5});
  require_near(run_typed(op::gather_elements{1}, {x, make<std::int64_t>({3, 1}, {1, 0, -1})})[0], {3, 1}, {1, 2, 5});
  require_near(run_typed(op::gather_nd{}, {x, make<std::int64_t>({2, 2}, {2, 1, 0, 0})})[0], {2}, {5, 0});
  require_near(run_typed(op::gather_nd{1}, {x, make<std::int64_t>({3, 1}, {1, 0, 1})})[0], {3}, {1, 2, 5});
  CHECK_THROWS_AS(run_typed(op::gather{0}, {x, make<std::int64_t>({1}, {3})}), error);
  CHECK_THROWS_AS(run_typed(op::gather{0}, {x, make<std::int64_t>({1}, {-4})}), error);
}

TEST_CASE("scattering") {
  using enum op::scatter_reduction;
  const array x = make<std::int32_t>({4}, {1, 2, 3, 4}), index = make<std::int64_t>({3}, {1, 1, -1}),
              u = make<std::int32_t>({3}, {5, 6, 1});
  require_equal<std::int32_t>(run_typed(op::scatter_elements{0, none}, {x, index, u})[0], {4}, {1, 6, 3, 1});
  require_equal<std::int32_t>(run_typed(op::scatter_elements{0, add}, {x, index, u})[0], {4}, {1, 13, 3, 5});
  require_equal<std::int32_t>(run_typed(op::scatter_elements{0, max}, {x, index, u})[0], {4}, {1, 6, 3, 4});
  require_near(run_typed(op::scatter_nd{mul}, {make_half({2, 2}, {1, 2, 3, 4}), make<std::int64_t>({1, 1}, {1}),
                                               make_half({1, 2}, {2, 3})})[0],
               {2, 2}, {1, 2, 6, 12});
}

TEST_CASE("one hot, with indices of any type") {
  require_equal<std::int32_t>(
      run_typed(op::one_hot{3, -1}, {make<std::int64_t>({3}, {0, -1, 7}), make<std::int32_t>({2}, {2, 5})})[0], {3, 3},
      {5, 2, 2, 2, 2, 5, 2, 2, 2});
  require_near(run_typed(op::one_hot{2, 0}, {make<float>({2}, {1, 0}), make<float>({2}, {0, 1})})[0], {2, 2},
               {0, 1, 1, 0});
}

TEST_CASE("results whose number follows from the numbers") {
  const array x = make<std::int32_t>({2, 2}, {1, 0, 1, 1});
  require_equal<std::int64_t>(run_typed(op::nonzero{3}, {x})[0], {2, 3}, {0, 1, 1, 0, 0, 1});
  CHECK_THROWS_AS(run_typed(op::nonzero{2}, {x}), error);
  require_equal<std::int32_t>(run_typed(op::compress{false, 1, 1}, {x, make<bool>({2}, {0, 1})})[0], {2, 1}, {0, 1});
  const auto u = run_typed(op::unique{true, true, 0, 4}, {make<float>({6}, {2, 1, 1, 3, 4, 3})});
  require_near(u[0], {4}, {1, 2, 3, 4});
  require_equal<std::int64_t>(u[1], {4}, {1, 0, 3, 4});
  require_equal<std::int64_t>(u[2], {6}, {1, 0, 0, 2, 3, 2});
  require_equal<std::int64_t>(u[3], {4}, {2, 1, 2, 1});
  const auto v = run_typed(op::unique{false, true, 0, 4}, {make<float>({6}, {2, 1, 1, 3, 4, 3})});
  require_near(v[0], {4}, {2, 1, 3, 4});
  require_equal<std::int64_t>(v[2], {6}, {0, 1, 1, 2, 3, 2});
}

TEST_CASE("boxes that overlap better ones are left out") {
  const array boxes = make<float>({1, 3, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 10, 1, 11}),
              scores = make<float>({1, 1, 3}, {0.9f, 0.75f, 0.6f});
  op::non_max_suppression p;
  p.most = 3;
  p.iou = 0.5f;
  p.count = 3;
  require_equal<std::int64_t>(run_typed(p, {boxes, scores})[0], {3, 3}, {0, 0, 0, 0, 0, 2, -1, -1, -1});
  p.has_score = true;
  p.score = 0.7f;
  p.count = 1;
  require_equal<std::int64_t>(run_typed(p, {boxes, scores})[0], {1, 3}, {0, 0, 0});
}
