// SPDX-License-Identifier: BSL-1.0
// What a rule is. A rule is one struct: a pattern, a guard and a rewrite.
//
//   struct conv2d_activation {                                     // conv2d > activation  ->  conv2d
//     static constexpr rule_info info{"conv2d_activation", "conv2d > activation -> conv2d", lowers::nodes, numerics::exact};
//     using pattern = chain<op::conv2d, op::activation>;
//     static constexpr reason guard(const rewriter& r, const match& m);   // why not, or nothing
//     static constexpr void rewrite(rewriter& r, const match& m);
//   };
//
// and a line in rules.hpp; `static constexpr bool any_type = true;` if it holds for every element type, not for f32 only. The pattern already makes sure that a value that disappears has one reader and is not a
// network output.
#pragma once

#include <tuple>

#include "../base/fixed_string.hpp"
#include "rewriter.hpp"

namespace ctnn {

struct rule_info {
  std::string_view name;
  std::string_view arrow;
  lowers component;
  numerics effect;
};

/// Why a rule declines: the first condition that fails and, where there is one, the layer it is about.
struct reason {
  std::string_view text{};
  std::string_view layer{};
  bool shared = false;  ///< somebody else reads what `layer` makes
  constexpr explicit operator bool() const { return !text.empty(); }
};

/// Nodes that matched. `first` produces input `input` of `last`, which is looked up by its operator.
struct match {
  node_id first = none;
  node_id last = none;
  int input = 0;
};

/// An operator by itself.
template <class Op>
struct single {
  using root = Op;
  static constexpr const operator_type* first = nullptr;
  static constexpr match at(const rewriter&, node_id n, int) { return {none, n, 0}; }
  static constexpr int tries(const rewriter&, node_id) { return 1; }
  static constexpr reason shared(const rewriter&, const match&) { return {}; }
};

/// `First` whose result `Last` reads, and nobody else.
template <class First, class Last>
struct chain {
  using root = Last;
  static constexpr const operator_type* first = &type_of<First>;
  /// No match is {none, none}.
  static constexpr match at(const rewriter& r, node_id n, int i) {
    const node_id p = r.producer(r.input(n, i));
    return r.is<First>(p) ? match{p, n, i} : match{};
  }
  static constexpr int tries(const rewriter& r, node_id n) { return static_cast<int>(r.inputs_count(n)); }
  static constexpr reason shared(const rewriter& r, const match& m) {
    const value_id v = r.input(m.last, m.input);
    if (r.readers(v) == 1) return {};
    return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer", r.name(m.first), true};
  }
};

/// `First` whose result `Last` reads; others may read it as well, it stays for them.
template <class First, class Last>
struct edge : chain<First, Last> {
  static constexpr reason shared(const rewriter&, const match&) { return {}; }
};

/// A rule without its type: what the driver looks up and the reports list.
struct rule_record {
  rule_info info;
  const operator_type* root;
  const operator_type* first;  ///< what an input's producer must be; null if that does not matter
  /// Tries the rule at a node; true if it was applied. Otherwise `why` may hold a near miss.
  bool (*apply)(rewriter&, node_id, reason* why);
};

template <class Rule>
struct rule_entry {
  static constexpr bool apply(rewriter& r, node_id n, reason* why) {
    using pattern = typename Rule::pattern;
    if (!for_any_type() && r.type(r.output(n)) != dtype::f32) return false;
    const int tries = pattern::tries(r, n);
    for (int i = 0; i < tries; ++i) {
      const match m = pattern::at(r, n, i);
      if (m.last == none) continue;
      reason no = pattern::shared(r, m);
      if (!no) no = Rule::guard(r, m);
      if (!no) {
        Rule::rewrite(r, m);
        return true;
      }
      if (why) *why = no;
    }
    return false;
  }
  /// Rules about numbers are about f32 unless they say otherwise.
  static constexpr bool for_any_type() {
    if constexpr (requires { Rule::any_type; }) return Rule::any_type;
    else return false;
  }
  static constexpr rule_record record{Rule::info, &type_of<typename Rule::pattern::root>, Rule::pattern::first, &apply};
};

/// A list of rules; order is priority among rules of one root.
template <class... Rules>
struct rule_list {
  static constexpr std::array<rule_record, sizeof...(Rules)> records{rule_entry<Rules>::record...};
};

/// Several lists as one, in order: joined_rules<default_rules, my_rules>.
template <class... Lists>
struct joined_rules {
  static constexpr auto records = [] {
    std::array<rule_record, (std::tuple_size_v<decltype(Lists::records)> + ... + 0)> all{};
    std::size_t n = 0;
    for (std::span<const rule_record> list : {std::span<const rule_record>(Lists::records)...})
      for (const rule_record& r : list) all[n++] = r;
    return all;
  }();
};

/// A list less the rules of these names (rule_info::name): rules_without<default_rules, "conv2d_residual">.
template <class List, fixed_string... Names>
struct rules_without {
  static constexpr bool stays(const rule_record& r) { return ((r.info.name != Names.view()) && ...); }
  static constexpr auto records = [] {
    std::array<rule_record, [] {
      std::size_t n = 0;
      for (const rule_record& r : List::records) n += stays(r) ? 1u : 0u;
      return n;
    }()> left{};
    std::size_t n = 0;
    for (const rule_record& r : List::records)
      if (stays(r)) left[n++] = r;
    return left;
  }();
};

}  // namespace ctnn
