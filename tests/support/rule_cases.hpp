// SPDX-License-Identifier: BSL-1.0
// Tests of rules: each case is checked in the compiler and again at run time, and its numbers before and after agree.
#pragma once

#include <doctest/doctest.h>

#include <ctnn/rewrite/rules.hpp>

#include "builder.hpp"
#include "numbers.hpp"

namespace ctnn::test {

/// A graph as a function that writes it.
using recipe = void (*)(builder&);

struct covered_rule {
  bool (*apply)(rewriter&, node_id, reason*);
  bool fires;
};
/// Filled before main by every file of cases.
inline std::vector<covered_rule>& covered_rules() {
  static std::vector<covered_rule> all;
  return all;
}

/// One rule alone makes `after` of `before`.
template <class Rule, class Before, class After>
constexpr bool gives(Before before, After after) {
  builder b, a;
  before(b);
  after(a);
  if (same_structure(b.g.view(), a.g.view())) return false;
  const optimization o = optimize(static_cast<graph&&>(b.g), {&rule_entry<Rule>::record, 1});
  return o.broken_rule.empty() && same_structure(o.g.view(), a.g.view());
}

/// One rule alone leaves `before` as it is. With `why` the rule must say so.
template <class Rule, class Before>
constexpr bool declines(Before before, std::string_view why = {}) {
  builder b, same;
  before(b);
  before(same);
  reason said;
  rewriter r(static_cast<graph&&>(same.g));
  for (std::size_t n = 0; n < r.view().nodes.size(); ++n) {
    if (!r.live(static_cast<int>(n)) || r.at(static_cast<int>(n)).type != rule_entry<Rule>::record.root) continue;
    if (rule_entry<Rule>::apply(r, static_cast<int>(n), &said)) return false;
  }
  return same_structure(r.finish().view(), b.g.view()) && said.text == why;
}

template <class Rule, class Before>
void check_numbers(Before before) {
  builder b, c;
  before(b);
  before(c);
  const std::string was = describe_graph(b.g.view());
  CAPTURE(was);
  random_weights weights;
  const auto want = reference_outputs(b.g.view(), weights);
  const optimization one = optimize(static_cast<graph&&>(b.g), {&rule_entry<Rule>::record, 1});
  CHECK(difference(reference_outputs(one.g.view(), weights), want) == "");
  const optimization all = optimize(static_cast<graph&&>(c.g), default_rules::records);
  CHECK(all.broken_rule == "");
  CHECK(difference(reference_outputs(all.g.view(), weights), want) == "");
}

template <class Rule>
bool cover(bool fires) {
  covered_rules().push_back({&rule_entry<Rule>::apply, fires});
  return true;
}

#define CTNN_RULE(...) __VA_ARGS__
#define CTNN_JOIN_(a, b) a##b
#define CTNN_JOIN(a, b) CTNN_JOIN_(a, b)

/// FIRES("what", (rules::x), before, after): both are lambdas on a builder.
#define FIRES(title, rule, before, after)                                            \
  static_assert(gives<CTNN_RULE rule>(before, after));                               \
  [[maybe_unused]] static const bool CTNN_JOIN(covered_, __LINE__) = cover<CTNN_RULE rule>(true); \
  TEST_CASE(title) {                                                                 \
    CHECK(gives<CTNN_RULE rule>(before, after));                                     \
    check_numbers<CTNN_RULE rule>(before);                                           \
  }

/// DECLINES("what", (rules::x), before, "the reason the rule gives")
#define DECLINES(title, rule, before, why)                                            \
  static_assert(declines<CTNN_RULE rule>(before, why));                               \
  [[maybe_unused]] static const bool CTNN_JOIN(covered_, __LINE__) = cover<CTNN_RULE rule>(false); \
  TEST_CASE(title) {                                                                  \
    CHECK(declines<CTNN_RULE rule>(before, why));                                     \
    check_numbers<CTNN_RULE rule>(before);                                            \
  }

}  // namespace ctnn::test
