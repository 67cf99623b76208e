// SPDX-License-Identifier: BSL-1.0
// Applies rules until none fires. Sweeps go in topological order; rules are looked up by the node's operator. Every
// application must lower the component of the measure that the rule declares, or one before it: checked here, in the compiler and at run time alike.
#pragma once

#include <bit>

#include "rule.hpp"

namespace ctnn {

struct optimization {
  graph g;
  pool<rewrite_step> history;
  std::string_view broken_rule{};  ///< a rule that did not lower what it declares: a defect of the rule; empty if all is well
};

namespace detail {

/// Rules by root operator: a small hash table, since every node looks here.
class rule_index {
 public:
  constexpr explicit rule_index(std::span<const rule_record> rules) : buckets_(slots, entry{}) {
    for (const rule_record& r : rules) {
      entry& e = bucket(r.root);
      e.root = r.root;
      e.rules.push_back(&r);
    }
  }
  constexpr const pool<const rule_record*>& at(const operator_type* root) { return bucket(root).rules; }

 private:
  struct entry {
    const operator_type* root = nullptr;
    pool<const rule_record*> rules{};
  };
  static constexpr std::size_t slots = 256;  // far more than there are root operators

  constexpr entry& bucket(const operator_type* root) {
    std::size_t h = root->name.size() * 37 + static_cast<unsigned char>(root->name[0]) * 5u;
    while (true) {
      entry& e = buckets_[h++ % slots];
      if (e.root == root || e.root == nullptr) return e;
    }
  }
  pool<entry> buckets_;
};

/// Does the rule's first operator produce one of n's inputs? Most rules end here.
constexpr bool has_producer(const rewriter& r, node_id n, const operator_type* first) {
  if (first == nullptr) return true;
  const int inputs = r.at(n).inputs.count;
  for (int i = 0; i < inputs; ++i)
    if (r.at(r.producer(r.input(n, i))).type == first) return true;
  return false;
}

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

/// Rewrites to a fixpoint.
constexpr optimization optimize(graph source, std::span<const rule_record> rules) {
  rewriter r(static_cast<graph&&>(source));
  detail::rule_index index(rules);
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
          if (!detail::has_producer(r, n, rule->first)) continue;
          const measure before = r.size();
          const std::size_t steps = r.history().size();
          if (!rule->apply(r, n, nullptr)) continue;
          if (r.history().size() == steps) r.note(r.name(n), r.name(n));  // one operator instead of another
          r.name_last_steps(steps, rule->info.name);
          if (!fell(before, r.size(), rule->info.component)) {
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
