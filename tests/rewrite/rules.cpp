// SPDX-License-Identifier: BSL-1.0
// Every rule has cases in this room, whose run-time halves are here.
#include "support/rule_cases.hpp"
#include "support/typed_numbers.hpp"

namespace ctnn::ir::test {
namespace {

/// The numbers of a graph, of the same rewritten by one rule, and by all, agree.
template <class Numbers, class Agree>
void check_rewritten(rule_number rule, recipe before, const Numbers& numbers, const Agree& agree) {
  builder b, c;
  before(b);
  before(c);
  const std::string was = describe_graph(b.g.view());
  CAPTURE(was);
  const auto want = numbers(b.g.view());
  const rule_record& record = default_rules::records[rule];
  const optimization one = optimize(static_cast<graph&&>(b.g), {&record, 1});
  CHECK(agree(one, want, record.info.effect == numerics::exact));
  const optimization all = optimize(static_cast<graph&&>(c.g), default_rules::records);
  CHECK(all.broken_rule == "");
  CHECK(agree(all, want, false));
}
void check_numbers(rule_number rule, recipe before, bool loaded) {
  if (loaded)
    return check_rewritten(rule, before, typed_outputs, [](const optimization& o, const auto& want, bool exact) {
      return agree(o.g.view(), typed_outputs(o.g.view()), want, exact, o.history);
    });
  random_weights weights;
  const auto numbers = [&](const graph_view& g) { return reference_outputs(g, weights); };
  check_rewritten(rule, before, numbers, [&](const optimization& o, const auto& want, bool) {
    const std::string off = difference(numbers(o.g.view()), want);
    CHECK(off == "");
    return off.empty();
  });
}

}  // namespace

void check_that_it_fires(rule_number rule, recipe before, recipe after, bool loaded) {
  CHECK(gives(default_rules::records[rule], before, after));
  check_numbers(rule, before, loaded);
}
void check_that_it_declines(rule_number rule, recipe before, std::string_view why, bool loaded) {
  CHECK(declines(default_rules::records[rule], before, why));
  check_numbers(rule, before, loaded);
}

}  // namespace ctnn::ir::test

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

TEST_CASE("every rule fires in a test and declines in a test") {
  for (rule_number n = 0; n < default_rules::records.size(); ++n) {
    const rule_record& r = default_rules::records[n];
    int fires = 0, declines = 0;
    for (const covered_rule& c : covered_rules())
      if (c.rule == n) ++(c.fires ? fires : declines);
    CAPTURE(r.info.name);
    CAPTURE(r.info.arrow);
    CHECK(fires > 0);
    CHECK(declines > 0);
  }
}

TEST_CASE("rules say what they are") {
  for (const rule_record& r : default_rules::records) {
    CHECK(!r.info.name.empty());
    CHECK(r.info.arrow.find("->") != std::string_view::npos);
  }
}

TEST_CASE("exact rules are the default ones that change no number, in their order") {
  std::size_t exact = 0;
  for (const rule_record& r : default_rules::records) {
    if (r.info.effect != numerics::exact) continue;
    REQUIRE(exact < exact_rules::records.size());
    const bool same = exact_rules::records[exact++].apply == r.apply;
    CHECK(same);
  }
  CHECK(exact == exact_rules::records.size());
  CHECK(exact < default_rules::records.size());
}
