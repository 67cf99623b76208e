// SPDX-License-Identifier: BSL-1.0
// Tests of rules: each case is checked in the compiler and again at run time, and its numbers before and after agree.
// What runs is compiled once (tests/rewrite/rules.cpp).
#pragma once

#include <doctest/doctest.h>

#include <vector>

#include <ctnn/loaded/rewriting.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "builder.hpp"

namespace ctnn::ir::test {

/// A graph as a function that writes it.
using recipe = void (*)(builder&);

/// A rule by its place in default_rules.
using rule_number = std::size_t;
template <class Rule>
consteval rule_number number_of() {
  const auto& all = default_rules::records;
  rule_number n = 0;
  while (all[n].apply != rule_entry<Rule>::record.apply) ++n;
  return n;
}

struct covered_rule {
  rule_number rule;
  bool fires;
  recipe before;
  bool loaded;
};
/// Filled before main by every file of cases.
inline std::vector<covered_rule>& covered_rules() {
  static std::vector<covered_rule> all;
  return all;
}

/// One rule alone makes `after` of `before`.
constexpr bool gives(const rule_record& rule, recipe before, recipe after) {
  builder b, a;
  before(b);
  after(a);
  if (same_structure(b.g.view(), a.g.view())) return false;
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), {&rule, 1});
  return o.broken_rule.empty() && same_structure(o.g.view(), a.g.view());
}

/// One rule alone leaves `before` as it is. With `why` the rule must say so.
constexpr bool declines(const rule_record& rule, recipe before, std::string_view why = {}) {
  builder b, same;
  before(b);
  before(same);
  reason said;
  rewriter r(static_cast<ir::graph&&>(same.g));
  for (std::size_t n = 0; n < r.view().nodes.size(); ++n) {
    if (!r.live(static_cast<int>(n)) || !rule.roots.has(r.at(static_cast<int>(n)).type)) continue;
    if (rule.apply(r, static_cast<int>(n), &said)) return false;
  }
  return same_structure(r.finish().view(), b.g.view()) && said.text == why;
}

/// The run-time halves of a case, and what the compiler has found; `loaded` ones have elements of any type.
void check_that_it_fires(rule_number rule, bool in_the_compiler, recipe before, recipe after, bool loaded);
void check_that_it_declines(rule_number rule, bool in_the_compiler, recipe before, std::string_view why, bool loaded);

inline bool cover(rule_number rule, bool fires, recipe before, bool loaded) {
  covered_rules().push_back({rule, fires, before, loaded});
  return true;
}

#define CTNN_RULE(...) __VA_ARGS__
#define CTNN_JOIN_(a, b) a##b
#define CTNN_JOIN(a, b) CTNN_JOIN_(a, b)

// What the compiler finds is checked when the test runs, which can print the graphs.
#define CTNN_FIRES(title, rule, before, after, loaded)                                         \
  [[maybe_unused]] static const bool CTNN_JOIN(covered_, __COUNTER__) =                        \
      cover(number_of<CTNN_RULE rule>(), true, before, loaded);                                \
  TEST_CASE(title) {                                                                           \
    constexpr rule_number number = number_of<CTNN_RULE rule>();                                \
    constexpr bool in_the_compiler = gives(rule_entry<CTNN_RULE rule>::record, before, after); \
    check_that_it_fires(number, in_the_compiler, before, after, loaded);                       \
  }
#define CTNN_DECLINES(title, rule, before, why, loaded)                                         \
  [[maybe_unused]] static const bool CTNN_JOIN(covered_, __COUNTER__) =                         \
      cover(number_of<CTNN_RULE rule>(), false, before, loaded);                                \
  TEST_CASE(title) {                                                                            \
    constexpr rule_number number = number_of<CTNN_RULE rule>();                                 \
    constexpr bool in_the_compiler = declines(rule_entry<CTNN_RULE rule>::record, before, why); \
    check_that_it_declines(number, in_the_compiler, before, why, loaded);                       \
  }

/// FIRES("what", (rules::x), before, after): both are lambdas on a builder.
#define FIRES(title, rule, before, after) CTNN_FIRES(title, rule, before, after, false)
/// DECLINES("what", (rules::x), before, "the reason the rule gives")
#define DECLINES(title, rule, before, why) CTNN_DECLINES(title, rule, before, why, false)
// Rules about operators and element types that only loaded models have.
#define FIRES_LOADED(title, rule, before, after) CTNN_FIRES(title, rule, before, after, true)
#define DECLINES_LOADED(title, rule, before, why) CTNN_DECLINES(title, rule, before, why, true)

}  // namespace ctnn::ir::test
