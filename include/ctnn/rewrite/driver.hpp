// SPDX-License-Identifier: BSL-1.0
// Applies rules until none fires. Sweeps go in topological order; rules are looked up by the node's operator. Every
// application must lower the measure: checked here, in the compiler and at run time alike.
#pragma once

#include <bit>

#include "rule.hpp"

namespace ctnn {

struct optimization {
  graph g;
  pool<rewrite_step> history;
  std::string_view broken_rule{};  ///< a rule that did not lower the measure: a defect of the rule; empty if all is well
};

namespace detail {

/// Rules by root operator.
class rule_index {
 public:
  constexpr explicit rule_index(std::span<const rule_record> rules) {
    for (const rule_record& r : rules) bucket(r.root).rules.push_back(&r);
  }
  constexpr std::span<const rule_record* const> at(const operator_type* root) const {
    for (const entry& e : entries_)
      if (e.root == root) return e.rules;
    return {};
  }

 private:
  struct entry {
    const operator_type* root;
    pool<const rule_record*> rules;
  };
  constexpr entry& bucket(const operator_type* root) {
    for (entry& e : entries_)
      if (e.root == root) return e;
    entries_.push_back({root, {}});
    return entries_.back();
  }
  pool<entry> entries_;
};

/// Two nodes that compute the same from the same become one. Open addressing over what identifies a node.
constexpr bool merge_common_subexpressions(rewriter& r) {
  const graph_view g = r.view();
  std::size_t slots = 8;
  while (slots < 2 * g.nodes.size()) slots *= 2;
  pool<node_id> table(slots, none);
  bool changed = false;
  const auto same = [&](node_id a, node_id b) {
    const node &x = g.at(a), &y = g.at(b);
    if (x.type != y.type || x.inputs.count != y.inputs.count || x.fields.count != y.fields.count) return false;
    for (int i = 0; i < x.inputs.count; ++i)
      if (r.input(a, i) != r.input(b, i)) return false;
    for (int i = 0; i < x.fields.count; ++i)  // bit by bit: 1 / 0 is not 1 / -0
      if (std::bit_cast<std::uint64_t>(g.fields_of(x.fields)[static_cast<std::size_t>(i)]) !=
          std::bit_cast<std::uint64_t>(g.fields_of(y.fields)[static_cast<std::size_t>(i)]))
        return false;
    for (int i = 0; i < x.weights.count; ++i)
      if (r.weight(a, i) != r.weight(b, i)) return false;
    return true;
  };
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node_id n = static_cast<int>(i);
    const node& at = g.nodes[i];
    if (at.dead || at.outputs.count != 1 || at.type == &type_of<op::input>) continue;
    std::size_t h = at.name.empty() ? 0 : at.type->name.size();
    for (int k = 0; k < at.inputs.count; ++k) h = h * 31 + static_cast<std::size_t>(r.input(n, k));
    for (int k = 0; k < at.weights.count; ++k) h = h * 31 + static_cast<std::size_t>(r.weight(n, k));
    h *= 2654435761u;
    for (h >>= 7;; ++h) {
      node_id& slot = table[h & (slots - 1)];
      if (slot == none) {
        slot = n;
        break;
      }
      if (!same(slot, n)) continue;
      r.bypass(n, r.output(slot));
      changed = true;
      break;
    }
  }
  return changed;
}

}  // namespace detail

/// Rewrites to a fixpoint. `survivors` are names of layers whose values must stay (more outputs, so to say).
constexpr optimization optimize(graph source, std::span<const rule_record> rules) {
  rewriter r(static_cast<graph&&>(source));
  const detail::rule_index index(rules);
  optimization result;

  bool first = true;
  for (bool changed = true; changed;) {
    changed = false;
    r.begin_sweep();
    for (std::size_t i = 0; i < r.view().nodes.size(); ++i) {
      const node_id n = static_cast<int>(i);
      for (bool again = r.live(n) && r.worth_a_look(n); again;) {
        again = false;
        for (const rule_record* rule : index.at(r.at(n).type)) {
          const measure before = r.size();
          const std::size_t steps = r.history().size();
          if (!rule->apply(r, n, nullptr)) continue;
          r.name_last_steps(steps, rule->info.name);
          if (!(r.size() < before)) {
            result.broken_rule = rule->info.name;
            return result;
          }
          changed = true;
          again = r.live(n);
          break;
        }
      }
    }
    const std::size_t steps = r.history().size();
    if ((changed || first) && detail::merge_common_subexpressions(r)) {
      r.name_last_steps(steps, "common_subexpression");
      changed = true;
    }
    first = false;
  }
  result.g = r.finish();
  result.history = r.history();
  return result;
}

}  // namespace ctnn
