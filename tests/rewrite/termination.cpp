// SPDX-License-Identifier: BSL-1.0
// Rewriting ends, whatever the graph and whatever the order of the rules, and ends at the same size.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include <ctnn/loaded/rewriting.hpp>

#include "support/random_graph.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

int size_of(const graph_view& g) {
  int n = 0;
  for (const node& x : g.nodes) n += counts_as_node(x.type);
  return n;
}

/// The default rules in another order.
std::vector<rule_record> shuffled_rules(std::uint64_t seed) {
  const auto all = default_rule_records();
  std::vector<rule_record> rules(all.begin(), all.end());
  dice d(seed);
  for (std::size_t i = rules.size(); i > 1; --i)
    std::swap(rules[i - 1], rules[static_cast<std::size_t>(d.below(static_cast<int>(i)))]);
  return rules;
}

}  // namespace

TEST_CASE("graphs of up to 500 nodes reach a fixpoint, and optimising that changes nothing") {
  std::size_t most_steps = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const random_graph made(seed, 20 + static_cast<int>(seed * 37 % 481));
    const optimization o = optimize(thaw(made.g.view()), default_rule_records());
    REQUIRE(o.broken_rule == "");
    most_steps = std::max(most_steps, o.history.size());
    CHECK(o.history.size() <= 4 * made.g.nodes.size());
    const optimization again = optimize(thaw(o.g.view()), default_rule_records());
    REQUIRE(again.history.size() == 0);
    REQUIRE(same_structure(again.g.view(), o.g.view()));
  }
  MESSAGE("at most " << most_steps << " steps");
}

// Where two rules fit one place, the guard of one leaves it to the other. Seven exceptions are left: of two equal
// rearrangements one may be taken apart by function_first before common_subexpression sees that they are equal; of two
// equal cuts that are spelled differently one may be joined with the cut before it, by one_view, which spells it anew;
// of two permutes round a pad the second may be a mere reshape for one_view, before pad_between sees that it undoes the
// first; of three layers in a row multiply_weights may join the first two or the last two, and the three only after one
// of them; and a sum of a constant and a reshape that puts ones in front may become a bias, by binary_to_scale, before
// leading_ones sees that it broadcasts anyway. So may a constant before merge_constants sees the factors round it, and
// a permute behind a recurrent layer may be a mere reshape before samples_first sees it.
TEST_CASE("the order of the rules does not change the size of the result") {
  int other_size = 0, compared = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    const random_graph made(seed, 4 + static_cast<int>(seed % 24));
    const optimization o = optimize(thaw(made.g.view()), default_rule_records());
    for (std::uint64_t order = 0; order < 3; ++order) {
      const std::vector<rule_record> rules = shuffled_rules(3 * seed + order);
      const optimization p = optimize(thaw(made.g.view()), rules);
      REQUIRE(p.broken_rule == "");
      const int more = size_of(p.g.view()) - size_of(o.g.view());
      ++compared;
      if (more == 0) continue;
      ++other_size;
      const std::string source = describe_graph(made.g.view()), ours = describe_graph(o.g.view()),
                        theirs = describe_graph(p.g.view());
      CAPTURE(source);
      CAPTURE(ours);
      CAPTURE(theirs);
      bool lifted = false, undone = false;
      for (const optimization* run : {&o, &p})
        for (const rewrite_step& s : run->history) {
          lifted = lifted || s.rule == "function_first" || s.rule == "one_view" || s.rule == "multiply_weights" ||
                   s.rule == "leading_ones" || s.rule == "samples_first" || s.rule == "merge_constants";
          undone = undone || s.rule == "pad_between";
        }
      CHECK((lifted || undone));
      CHECK(std::abs(more) <= (undone ? 2 : 1));  // two permutes go
    }
  }
  MESSAGE(other_size << " of " << compared << " results have another size");
  CHECK(other_size <= compared / 500);
}
