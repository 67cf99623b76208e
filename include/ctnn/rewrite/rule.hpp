// SPDX-License-Identifier: BSL-1.0
// What a rule is. A rule is one struct: a pattern (pattern.hpp), a guard and a rewrite.
//
//   struct conv2d_activation {                                     // conv2d > activation  ->  conv2d
//     static constexpr rule_info info{"conv2d_activation", "conv2d > activation -> conv2d", lowers::nodes,
//                                     numerics::exact};
//     using pattern = chain<op::conv2d, op::activation>;
//     // Why not, or nothing; without a guard nothing speaks against it.
//     static constexpr reason guard(const rewriter& r, const match& m);
//     static constexpr void rewrite(rewriter& r, const match& m);
//   };
//
// and a line in rules.hpp; `static constexpr bool any_type = true;` if it holds for every element type, not for f32
// only, or `takes_bytes = true` if layers that make f32 of bytes may be among those that the pattern finds, or
// `takes_packed = true` if linear layers by a packed weight may (of any_type they may). The pattern makes sure that a
// value that disappears has one reader and is not a network output. A rule with a `match` of its own names what its
// pattern finds; guard may write there what rewrite needs.
#pragma once

#include <concepts>

#include "../base/fixed_string.hpp"
#include "../base/nearest.hpp"
#include "pattern.hpp"

namespace ctnn::ir {

namespace detail {

template <class Rule>
struct match_of {
  using type = match;
};
template <class Rule>
  requires requires { typename Rule::match; }
struct match_of<Rule> {
  using type = typename Rule::match;
};

template <class Rule>
concept has_info = requires {
  { Rule::info } -> std::convertible_to<rule_info>;
};
template <class Rule>
concept has_rewrite = requires(rewriter& r, typename match_of<Rule>::type& m) { Rule::rewrite(r, m); };
/// One of several functions called so will do.
template <class Rule>
concept has_guard = requires(const rewriter& r, typename match_of<Rule>::type& m) { Rule::guard(r, m); };
template <class Rule>
concept has_sound_guard = (!has_guard<Rule> && !requires { &Rule::guard; }) ||
                          requires(const rewriter& r, typename match_of<Rule>::type& m) {
                            { Rule::guard(r, m) } -> std::same_as<reason>;
                          };

}  // namespace detail

/// A tree that starts at a node: single, chain, edge, find::node, find::either_order, find::reader.
template <class P>
concept pattern = requires(const rewriter& r, node_id n) {
  { P::roots } -> std::convertible_to<operator_set>;
  { P::firsts } -> std::convertible_to<operator_set>;
  { P::ways(r, n) } -> std::same_as<int>;
};

namespace detail {

template <class Rule>
concept has_pattern = requires { typename Rule::pattern; } && ir::pattern<typename Rule::pattern>;

}  // namespace detail

template <class Rule>
concept rule =
    detail::has_info<Rule> && detail::has_pattern<Rule> && detail::has_rewrite<Rule> && detail::has_sound_guard<Rule>;

/// A struct that is no rule: says what is missing, once.
template <class Rule>
struct rule_entry {
  static constexpr rule_record record{
      {"no rule", "", lowers::nodes, numerics::exact}, {}, {}, [](rewriter&, node_id, reason*) { return false; }};
  static_assert(detail::has_info<Rule>,
                "ctnn: a rule needs `static constexpr rule_info info{name, arrow, lowers, numerics}`");
  static_assert(
      !detail::has_info<Rule> || detail::has_pattern<Rule>,
      "ctnn: a rule needs `using pattern`: single, chain, edge or a tree that starts with find::node, "
      "find::either_order or find::reader");
  static_assert(!detail::has_pattern<Rule> || detail::has_rewrite<Rule>,
                "ctnn: a rule needs `static constexpr void rewrite(rewriter&, const match&)`");
  static_assert(!detail::has_rewrite<Rule> || detail::has_sound_guard<Rule>,
                "ctnn: a rule's guard is `static constexpr reason guard(const rewriter&, const match&)`");
};
template <rule Rule>
struct rule_entry<Rule> {
  static constexpr bool apply(rewriter& r, node_id n, reason* why) {
    using pattern = typename Rule::pattern;
    if (!for_any_type() && r.type(r.output(n)) != dtype::f32) return false;
    r.be_for_floats(!for_any_type() && !requires { Rule::takes_bytes; });
    r.be_for_own_weights(!for_any_type() && !requires { Rule::takes_packed; });
    const int ways = pattern::ways(r, n);
    for (int way = 0; way < ways; ++way) {
      typename detail::match_of<Rule>::type m{};
      reason no = pattern::at(r, n, way, m);
      if (!no && r.reads_given(n)) no = {"its weights are not known before it runs"};
      if constexpr (detail::has_guard<Rule>)
        if (!no) no = Rule::guard(r, m);
      if (!no) {
        Rule::rewrite(r, m);
        return true;
      }
      // Who else reads a value is worth saying if nothing else is in the way.
      if constexpr (detail::has_guard<Rule> && requires { pattern::names_all_if_shared; })
        if (why && no.shared && no.layer == r.name(r.producer(r.input(n, way))))
          if (const reason other = Rule::guard(r, m)) no = other;  // or nothing to say
      if (why && !no.silent) *why = no;
    }
    return false;
  }
  /// Rules about numbers are about f32 unless they say otherwise.
  static constexpr bool for_any_type() {
    if constexpr (requires { Rule::any_type; }) return Rule::any_type;
    else return false;
  }
  static constexpr rule_record record{Rule::info, Rule::pattern::roots, Rule::pattern::firsts, &apply};
};

/// Rules of ctnn's own, which nobody needs to look at before they are used.
template <class... Rules>
struct known_rules {
  static constexpr std::array<rule_record, sizeof...(Rules)> records{rule_entry<Rules>::record...};
};
/// A list of rules; order is priority among rules of one root.
template <class... Rules>
struct rule_list : known_rules<Rules...> {
  static_assert(((sizeof(rule_entry<Rules>) > 0) && ...));
};

namespace detail {

template <fixed_string... Names>
constexpr bool has_other_name(const rule_record& r) {
  return ((r.info.name != Names.view()) && ...);
}
template <fixed_string... Names>
constexpr bool has_name_of(const rule_record& r) {
  return ((r.info.name == Names.view()) || ...);
}
constexpr bool is_exact(const rule_record& r) { return r.info.effect == numerics::exact; }

}  // namespace detail

/// Whether a rule of the list has this name; if not, `nearest` is the one nearest to it.
constexpr bool has_rule(span<const rule_record> rules, std::string_view name, std::string_view& nearest) {
  nearest_name near(name);
  for (const rule_record& r : rules)
    if (r.info.name == name) return true;
    else near.consider(r.info.name);
  nearest = near.name();
  return false;
}

namespace detail {

template <class List, fixed_string Name>
struct asked_rule {
  static constexpr auto asked = [] {
    std::pair<bool, std::string_view> answer;
    answer.first = has_rule(List::records, Name, answer.second);
    return answer;
  }();
  static auto error() {
    if constexpr (asked.first) return std::type_identity<asked_rule>{};
    else
      return std::type_identity<
          unknown_name<unknown_rule, rule_called, Name, fixed_string<asked.second.size()>(asked.second)>>{};
  }
};
/// Compiles only if the list has a rule of this name.
template <class List, fixed_string Name>
using named_rule = typename decltype(asked_rule<List, Name>::error())::type;

template <class List, auto Stays>
constexpr std::size_t count_where() {
  std::size_t n = 0;
  for (const rule_record& r : List::records) n += Stays(r) ? 1u : 0u;
  return n;
}

}  // namespace detail

/// The records of a list for which `stays(record)` holds.
template <class List, auto Stays, std::size_t...>
struct rules_where {
  static constexpr auto records = [] {
    std::array<rule_record, detail::count_where<List, Stays>()> left{};
    std::size_t n = 0;
    for (const rule_record& r : List::records)
      if (Stays(r)) left[n++] = r;
    return left;
  }();
};

/// Several lists as one, in order: joined_rules<default_rules, my_rules>.
template <class... Lists>
struct joined_rules {
  static_assert(((sizeof(Lists) > 0) && ...));
  static constexpr auto records = [] {
    std::array<rule_record, (std::tuple_size_v<decltype(Lists::records)> + ... + 0)> all{};
    std::size_t n = 0;
    for (span<const rule_record> list : {span<const rule_record>(Lists::records)...})
      for (const rule_record& r : list) all[n++] = r;
    return all;
  }();
};

/// A list less the rules of these names (rule_info::name): rules_without<default_rules, "fuse_residual">. A name that
/// no rule of the list has is a compile error with the nearest.
template <class List, fixed_string... Names>
using rules_without =
    rules_where<List, &detail::has_other_name<Names...>, sizeof(detail::named_rule<List, Names>)...>;

/// The rules of a list that have these names, and no others.
template <class List, fixed_string... Names>
using only_rules = rules_where<List, &detail::has_name_of<Names...>, sizeof(detail::named_rule<List, Names>)...>;

/// The rules of a list that change no number: what they make has the bits that were there before.
template <class List>
struct only_exact : rules_where<List, &detail::is_exact> {};

}  // namespace ctnn::ir

namespace ctnn {
using ir::joined_rules;
using ir::only_exact;
using ir::only_rules;
using ir::rule_list;
using ir::rules_where;
using ir::rules_without;
}  // namespace ctnn
