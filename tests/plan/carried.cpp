// SPDX-License-Identifier: BSL-1.0
// What is carried from run to run is computed where the next run reads it, or a step brings it there.
#include <doctest/doctest.h>

#include <ctnn/graph/operators/recurrent.hpp>

#include "support/check_plan.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

/// Carried inputs of four numbers, from value 0 on, then the network's own "x".
ir::graph with_states(int states) {
  ir::graph g;
  static constexpr std::string_view names[] = {"h", "c"};
  for (int i = 0; i < states; ++i)
    add_node(g, op::input{.shape = {1, 4}, .carried = true}, names[static_cast<std::size_t>(i)], {});
  add_node(g, op::input{{1, 4}}, "x", {});
  return g;
}

/// Of a plan that holds.
int carrying_steps(const ir::graph& g) {
  const memory_plan p = make_plan(g.view());
  CHECK(test::plan_judge(g.view(), p.view()).judge() == "");
  return test::carrying_steps(p.view());
}

template <class Op>
int carrying_steps_of(const Op& layer) {
  ir::graph g = with_states(Op::states);
  pool<value_id> in{Op::states};
  for (int i = 0; i < Op::states; ++i) in.push_back(i);
  REQUIRE(!add_node(g, layer, "cell", in));
  const value_id y = Op::states + 1;
  add_output(g, "y", y);
  add_output(g, "h", y + 1);
  if (Op::states == 2) add_output(g, "c", y + 2);
  return carrying_steps(g);
}

}  // namespace

TEST_CASE("states of recurrent layers stay in place") {
  CHECK(carrying_steps_of(op::rnn{{.hidden = 4}}) == 0);
  CHECK(carrying_steps_of(op::gru{{.hidden = 4}}) == 0);
  CHECK(carrying_steps_of(op::lstm{{.hidden = 4}}) == 0);
  CHECK(carrying_steps_of(op::gru{{.hidden = 4}, false}) == 1);  // r h would lie where h is
}

TEST_CASE("a state that is read later, or is an output, is brought") {
  ir::graph g = with_states(1);
  const value_id both[] = {0, 1}, late[] = {2, 0};
  add_node(g, op::binary{}, "sum", both);
  ir::graph read = g, old = g;
  add_output(g, "h", 2);
  CHECK(carrying_steps(g) == 0);

  add_node(read, op::binary{}, "after", late);
  add_output(read, "y", 3);
  add_output(read, "h", 2);
  CHECK(carrying_steps(read) == 1);

  add_output(old, "before", 0);
  add_output(old, "h", 2);
  CHECK(carrying_steps(old) == 1);
}

TEST_CASE("two states of one value, a state of another") {
  ir::graph g = with_states(2);
  const value_id both[] = {0, 2};
  add_node(g, op::binary{}, "sum", both);
  ir::graph shifted = g;
  add_output(g, "h", 3);
  add_output(g, "c", 3);
  CHECK(carrying_steps(g) == 1);

  add_output(shifted, "h", 3);
  add_output(shifted, "c", 0);          // what h was
  CHECK(carrying_steps(shifted) == 1);  // after what was there was copied
}
