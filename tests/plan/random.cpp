// SPDX-License-Identifier: BSL-1.0
// Plans of random graphs before an independent judge.
#include <doctest/doctest.h>

#include <ctnn/rewrite/rules.hpp>

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

}  // namespace

TEST_CASE("plans of random graphs hold") {
  for (const std::uint64_t seed : seeds(0, 4000)) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 24));
    check(made.g.view());
    const optimization o = optimize(thaw(made.g.view()), default_rules::records);
    check(o.g.view());
  }
}
