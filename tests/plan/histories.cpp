// SPDX-License-Identifier: BSL-1.0
// What windows reach back to stays where it is: its memory is longer, and everything in it advances from run to run.
#include <doctest/doctest.h>

#include "support/check_plan.hpp"

using namespace ctnn;
using namespace ctnn::ir;

namespace {

struct stream_of_one {
  int channels = 2, past = 8, samples = 1;
  bool is_output = false;  ///< what the window reads

  /// x > relu > a window over what was kept and the new samples; what the window needs of both is kept.
  ir::graph make() const {
    ir::graph g;
    add_node(g, op::input{.shape = {channels, past}, .carried = true}, "past", {});
    add_node(g, op::input{{channels, samples}}, "x", {});
    const value_id x[] = {1}, both[] = {0, 2}, joined[] = {3};
    CHECK(!add_node(g, op::activation{{function::relu}}, "relu", x));
    CHECK(!add_node(g, op::concat{.axis = 1}, "joined", both));
    op::conv1d window;
    window.out = channels;
    window.kernel = {past + 1};
    window.bias = false;
    CHECK(!add_node(g, window, "window", joined));
    op::slice::walks kept = op::slice{}.over({channels, past + samples});
    kept[1] = {samples, past, 1};
    CHECK(!add_node(g, op::slice::of({channels, past + samples}, kept), "next", joined));
    add_output(g, "y", 4);
    add_output(g, "past", 5);
    if (is_output) add_output(g, "read", 3);
    return g;
  }
};

/// The history's root, of a plan that holds; an empty one if nothing advances.
placement history_of(const ir::graph& g, std::size_t* steps = nullptr) {
  const memory_plan p = make_plan(g.view());
  CHECK(test::plan_judge(g.view(), p.view()).judge() == "");
  if (steps) *steps = p.steps.size();
  for (const placement& now : p.placements)
    if (now.advance != 0) return now;
  return {};
}

}  // namespace

TEST_CASE("a history advances by the new samples, through half as much memory again") {
  std::size_t steps = 0;
  const placement one = history_of(stream_of_one{}.make(), &steps);
  CHECK(one.advance == 2);
  CHECK(one.farthest == 8);
  CHECK(one.size == 2 * (8 + 1) + 8);
  CHECK(steps == 2);  // relu, window: nothing joins, slices, converts or carries

  const placement three = history_of(stream_of_one{.past = 20, .samples = 3}.make());
  CHECK(three.advance == 6);
  CHECK(three.farthest == 18);  // in whole runs
}

TEST_CASE("a history of one channel lies as it is declared") {
  const placement p = history_of(stream_of_one{.channels = 1}.make());
  CHECK(p.advance == 1);
  CHECK(p.farthest == 4);
}

TEST_CASE("what is shorter than two parts is moved in each run") {
  CHECK(history_of(stream_of_one{.past = 2, .samples = 4}.make()).advance == 0);
}

TEST_CASE("what an engine shows of a history does not advance") {
  CHECK(history_of(stream_of_one{.channels = 1, .is_output = true}.make()).advance == 0);
}
