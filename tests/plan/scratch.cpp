// SPDX-License-Identifier: BSL-1.0
// Memory of kernels' own: the plan counts it, keeps it from what lives at the same time, and gives it back.
#include <doctest/doctest.h>

#include <ctnn/base/thrown.hpp>
#include <ctnn/kernels/scratch.hpp>
#include <ctnn/graph/operators/indexing.hpp>
#include <ctnn/graph/operators/reduction.hpp>

#include "support/check_plan.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

constexpr memory_plan planned(bool f32) {
  ir::graph g;
  add_node(g, op::input{{4, 100}, f32 ? dtype::f32 : dtype::f64}, "x", {});
  const value_id x[] = {0}, t[] = {1};
  add_node(g, op::topk{50}, "top", x);
  add_node(g, op::topk{3}, "best", t);
  add_output(g, "y", 3);
  return make_plan(g.view());
}

std::int64_t scratch_size(const memory_plan& p, std::size_t step) {
  const int id = p.steps[step].scratch;
  return id == none ? 0 : p.placements[static_cast<std::size_t>(id)].size;
}

}  // namespace

TEST_CASE("a kernel's memory is a placement of its step") {
  const memory_plan p = planned(false);
  CHECK(scratch_size(p, 0) == 50 * 4);  // places of 16 bytes
  CHECK(scratch_size(p, 1) == 3 * 4);
  for (const plan_step& s : p.steps) {
    const placement& own = p.placements[static_cast<std::size_t>(s.scratch)];
    CHECK(own.first_step == own.last_step);
    CHECK(own.offset >= 0);
    CHECK(own.offset + own.size <= p.arena_size);
  }
  constexpr std::int64_t arena = planned(false).arena_size;  // in the compiler, too
  static_assert(arena > 50 * 2);
  CHECK(p.arena_size == arena);
}

TEST_CASE("kernels for vectors take none") {
  ir::graph g;
  add_node(g, op::input{{4, 6}}, "x", {});
  const value_id x[] = {0};
  add_node(g, op::reduce{op::reduction::sum, {1}}, "sum", x);
  add_output(g, "y", 1);
  CHECK(make_plan(g.view()).steps[0].scratch == none);
  ir::graph d;
  add_node(d, op::input{{4, 6}, dtype::f64}, "x", {});
  add_node(d, op::reduce{op::reduction::sum, {1}}, "sum", x);
  add_output(d, "y", 1);
  CHECK(make_plan(d.view()).steps[0].scratch != none);
}

TEST_CASE("plans with memory of kernels' own hold") {
  ir::graph g;
  add_node(g, op::input{{40}}, "x", {});
  add_node(g, op::constant{{7}, dtype::i64}, "at", {});
  const value_id pair[] = {0, 1}, picked[] = {2}, top[] = {3}, sum[] = {2, 2};
  add_node(g, op::gather{}, "rows", pair);
  add_node(g, op::topk{7}, "sorted", picked);
  add_node(g, op::binary{}, "twice", sum);
  add_node(g, op::topk{2}, "best", top);
  add_output(g, "a", 5);
  add_output(g, "b", 6);
  const memory_plan p = make_plan(g.view());
  CHECK(test::plan_judge(g.view(), p.view()).judge() == "");
}

TEST_CASE("a kernel that takes more than its operator says is refused") {
  std::vector<std::byte> room(static_cast<std::size_t>(scratch_for(3) + scratch_for(2, 4)));
  scratch_memory memory(room);
  CHECK(memory.take<double>(3).size() == 3);
  auto list = memory.list<int>(2);
  list.push_back(1);
  list.push_back(2);
  CHECK(list.back() == 2);
  CHECK_THROWS_WITH_AS(list.push_back(3), "operator 'scratch': a list has room for 2 items", error);
  CHECK_THROWS_WITH_AS(memory.take<char>(1),
                       "operator 'scratch': a kernel takes 16 bytes, its operator's scratch() left 0", error);
}
