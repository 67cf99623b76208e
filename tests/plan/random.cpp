// SPDX-License-Identifier: BSL-1.0
// Plans of random graphs before an independent judge.
#include <doctest/doctest.h>

#include <ctnn/loaded/rewriting.hpp>

#include "support/check_plan.hpp"
#include "support/random_graph.hpp"
#include "support/seeds.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

void check(const graph_view& g) {
  const std::string graph_text = describe_graph(g);
  CAPTURE(graph_text);
  for (bool in_place : {true, false}) {
    CAPTURE(in_place);
    const memory_plan made = make_plan(g, {in_place});
    const plan_view p = made.view();
    const std::string plan_text = describe_plan(p);
    CAPTURE(plan_text);
    REQUIRE(plan_judge(g, p).judge() == "");
    std::int64_t naive = 0;
    for (const placement& x : p.placements) naive += (x.size + arena_alignment - 1) / arena_alignment * arena_alignment;
    REQUIRE(p.arena_size <= naive);
    for (const placement& x : p.placements)
      if (x.parent == none && !x.external && x.last_step >= 0) REQUIRE(x.offset % arena_alignment == 0);
  }
}

/// The same graph, whose inputs are carried where a value has their shape: what one of those is, the next run finds.
ir::graph with_carried_inputs(const graph_view& plain, dice throws) {
  ir::graph g = thaw(plain);
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    if (g.nodes[n].type != &type_of<op::input>) continue;
    op::input in = decode<op::input>(g.view().fields_of(g.nodes[n].fields));
    in.carried = true;
    std::vector<value_id> alike;
    for (std::size_t v = 0; v < g.values.size(); ++v)
      if (g.values[v].shape == g.values[static_cast<std::size_t>(g.nodes[n].outputs.first)].shape)
        alike.push_back(static_cast<int>(v));
    g.nodes[n].fields = g.store_fields_of(in);
    add_output(g, g.nodes[n].name, alike[static_cast<std::size_t>(throws.below(static_cast<int>(alike.size())))]);
  }
  return g;
}

}  // namespace

TEST_CASE("plans of random graphs that carry values hold") {
  int by_steps = 0, in_place = 0;
  for (const std::uint64_t seed : seeds(0, 4000)) {
    CAPTURE(seed);
    const random_graph made(seed, 2 + static_cast<int>(seed % 12));
    const ir::graph carrying = with_carried_inputs(made.g.view(), dice(seed));
    check(carrying.view());
    const int with = carrying_steps(make_plan(carrying.view(), {true}).view());
    const int without = carrying_steps(make_plan(carrying.view(), {false}).view());
    by_steps += with;
    in_place += without - with;
  }
  CHECK(by_steps > 1000);
  CHECK(in_place > 1000);
}

TEST_CASE("plans of random graphs hold") {
  for (const std::uint64_t seed : seeds(0, 4000)) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 24));
    check(made.g.view());
    const optimization o = optimize(thaw(made.g.view()), default_rule_records());
    check(o.g.view());
  }
}
