// SPDX-License-Identifier: BSL-1.0
// Is a graph the same as another in real arithmetic? Both are run over a field with random numbers (field.hpp): without
// rounding there is no tolerance for a wrong rule to hide behind. What agrees is proved but for an error below 2^-50.
// What does not may be right still, where a rule knows more of a function than is known here (rule_info::by_running),
// or rounds a constant.
#pragma once

#include <algorithm>
#include <string>

#include "evaluation.hpp"
#include "result.hpp"

namespace ctnn::ir {

namespace detail {

/// The first number that differs between two graphs, or nothing. They are run twice at least, and until `least` numbers
/// have been compared.
inline std::string find_other_number(const graph_view& before, const graph_view& after, bool in_order,
                                     std::size_t least) {
  std::size_t compared = 0, runs = 0;
  while (runs < 2 || (compared < least && runs < least)) {
    field::random_numbers random(before, in_order, field::mix(++runs));
    const auto want = field::evaluate(before, random), got = field::evaluate(after, random);
    for (std::size_t o = 0; o < before.outputs.size(); ++o) {
      const auto a = want.of(before.outputs[o].value), b = got.of(after.outputs[o].value);
      const std::string name(before.outputs[o].name);
      if (a.size() != b.size()) return "the size of output '" + name + "'";
      // By order there may be no such number: the root of what is below 0.
      const auto is_some = [&](const field::residue& x) { return !in_order || x.real() == x.real(); };
      for (std::size_t i = 0; i < a.size(); ++i)
        if (!is_some(a[i]) && !is_some(b[i])) continue;
        else if (++compared; !(a[i] == b[i])) return "number " + std::to_string(i) + " of output '" + name + "'";
    }
  }
  return compared > 0 ? "" : "nothing: there are no numbers";
}

}  // namespace detail

/// Do two nodes read values of the same shapes and elements, and weights of the same names?
inline bool same_operands(const graph_view& g, const node& n, const graph_view& other, const node& m) {
  const auto all = [](const auto& own, const auto& its, auto&& same) {
    return std::equal(own.begin(), own.end(), its.begin(), its.end(), same);
  };
  return all(g.inputs(n), other.inputs(m),
             [&](value_id a, value_id b) {
               return g.shape(a) == other.shape(b) && g.at_value(a).type == other.at_value(b).type;
             }) &&
         all(g.weights(n), other.weights(m), [&](expression_id a, expression_id b) {
           const expression &x = g.at_expression(a), &y = other.at_expression(b);
           return x.type == y.type && x.layer == y.layer && x.name == y.name;
         });
}
/// An unknown function that the other graph has not: then what differs may be what a rule makes of it. Or nothing.
inline std::string changed_unknown(const graph_view& g, const graph_view& other) {
  for (const node& n : g.nodes) {
    if (n.type == &type_of<op::input> || field::definition_of(*n.type) == nullptr) continue;
    std::string why = field::unknown_function(g, n);
    const auto is_same = [&](const node& m) {
      const auto own = g.fields_of(n.fields), its = other.fields_of(m.fields);
      return m.type == n.type && m.name == n.name && std::equal(own.begin(), own.end(), its.begin(), its.end()) &&
             same_operands(g, n, other, m);
    };
    if (!why.empty() && std::none_of(other.nodes.begin(), other.nodes.end(), is_same)) return why;
  }
  return {};
}

/// Is a weight made by such a function? Which, or nothing.
inline std::string unknown_weight(const graph_view& g) {
  pool<bool> needed(g.expressions.size(), false);
  for (const node& n : g.nodes)
    for (const expression_id e : g.weights(n)) needed[static_cast<std::size_t>(e)] = true;
  for (auto e = static_cast<expression_id>(needed.size()) - 1; e >= 0; --e) {
    const expression& x = g.at_expression(e);
    if (!needed[static_cast<std::size_t>(e)] || !x.type) continue;
    if (field::is_unknown(g, x)) return "a weight is made by '" + std::string(x.type->name) + "' of other numbers";
    for (const expression_id a : g.arguments(x)) needed[static_cast<std::size_t>(a)] = true;
  }
  return {};
}

inline ctnn::proof prove(const graph_view& before, const graph_view& after) {
  if (detail::find_other_number(before, after, false, 64).empty()) return {};
  std::string other = detail::find_other_number(before, after, true, 1024);
  if (other.empty()) return {proof_result::order};
  std::string why = changed_unknown(before, after);
  if (why.empty()) why = changed_unknown(after, before);
  if (why.empty()) why = unknown_weight(after);
  if (!why.empty()) return {proof_result::not_algebra, std::move(why)};
  return {proof_result::differs, std::move(other)};
}

}  // namespace ctnn::ir
