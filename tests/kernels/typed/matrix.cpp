// SPDX-License-Identifier: BSL-1.0
// Products of matrices.
#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("matmul of any type, batched and broadcast") {
  const array a = make<std::int32_t>({2, 2}, {1, 2, 3, 4}), b = make<std::int32_t>({2, 2}, {5, 6, 7, 8});
  require_equal<std::int32_t>(run_typed(op::matmul{}, {a, b})[0], {2, 2}, {19, 22, 43, 50});
  require_near(run_typed(op::matmul{}, {make<double>({2}, {1, 2}), make<double>({2}, {3, 4})})[0], {}, {11});
  require_near(run_typed(op::matmul{}, {make_half({2, 1, 2}, {1, 2, 3, 4}), make_half({2, 1}, {1, 10})})[0], {2, 1, 1},
               {21, 43});
  description d;
  CHECK(problem_of(op::matmul{}, {a, make<std::int32_t>({3, 1}, {1, 2, 3})}, d).kind == mistake::operand_mismatch);
}

TEST_CASE("products of turned and scaled matrices") {
  const array a = make<float>({2, 3}, {1, 2, 3, 4, 5, 6}), b = make<float>({2, 2}, {1, 0, 0, 1});
  require_near(run_typed(op::matmul{true, false, 2}, {a, b})[0], {3, 2}, {2, 8, 4, 10, 6, 12});
  require_near(run_typed(op::matmul{false, true}, {b, make<float>({3, 2}, {1, 2, 3, 4, 5, 6})})[0], {2, 3},
               {1, 3, 5, 2, 4, 6});
}

TEST_CASE("einsum in its common forms") {
  const array a = make<float>({2, 2}, {1, 2, 3, 4}), b = make<float>({2, 2}, {5, 6, 7, 8});
  require_near(run_typed(op::einsum::of("ij,jk->ik"), {a, b})[0], {2, 2}, {19, 22, 43, 50});
  require_near(run_typed(op::einsum::of("ij,jk"), {a, b})[0], {2, 2}, {19, 22, 43, 50});
  require_near(run_typed(op::einsum::of("ij -> ji"), {a})[0], {2, 2}, {1, 3, 2, 4});
  require_near(run_typed(op::einsum::of("ii->i"), {a})[0], {2}, {1, 4});
  require_near(run_typed(op::einsum::of("ii"), {a})[0], {}, {5});
  require_near(run_typed(op::einsum::of("ij->i"), {a})[0], {2}, {3, 7});
  require_near(run_typed(op::einsum::of("i,j->ij"), {make<float>({2}, {1, 2}), make<float>({3}, {1, 2, 3})})[0], {2, 3},
               {1, 2, 3, 2, 4, 6});
  require_near(run_typed(op::einsum::of("...ij,...jk->...ik"),
                         {make<float>({2, 1, 2}, {1, 2, 3, 4}), make<float>({1, 2, 1}, {1, 10})})[0],
               {2, 1, 1}, {21, 43});
  require_near(run_typed(op::einsum::of("bij,bij->b"),
                         {make<float>({2, 1, 2}, {1, 2, 3, 4}), make<float>({2, 1, 2}, {1, 2, 3, 4})})[0],
               {2}, {5, 25});
  description d;
  for (const char* wrong : {"ij,jk->il", "ij", "ij,jk->ii", "i,jk->ik", "ij,jk->ik,"})
    CHECK(problem_of(op::einsum::of(wrong), {a, b}, d));
}

TEST_CASE("determinants") {
  require_near(run_typed(op::det{}, {make<float>({2, 2, 2}, {1, 2, 3, 4, 0, 1, 1, 0})})[0], {2}, {-2, -1});
  require_near(run_typed(op::det{}, {make<float>({3, 3}, {1, 2, 3, 2, 4, 6, 1, 0, 1})})[0], {}, {0});
}
