// SPDX-License-Identifier: BSL-1.0
// Applies rules until none fires. Sweeps go in topological order; rules are looked up by the node's operator. Every
// application must lower the component of the measure that the rule declares, or one before it: checked here, in the
// compiler and at run time alike.
#pragma once

#include <bit>

#include "optimization.hpp"
#include "rule.hpp"

namespace ctnn::ir {

namespace detail {

/// Rules by root operator: a small hash table, since every node looks here. A rule about any operator stands in every
/// row.
class rule_index {
 public:
  constexpr explicit rule_index(span<const rule_record> rules) : rows_(slots, row{}) {
    for (const rule_record& r : rules)
      for (std::size_t i = 0; i < r.roots.count; ++i) {
        row& of = row_of(r.roots.types[i]);
        of.root = r.roots.types[i];
        ++of.count;
      }
    pool<row*> used{&elsewhere()};
    for (row& of : rows_)
      if (of.root) used.push_back(&of);
    std::size_t about_any = 0, end = 0;
    for (const rule_record& r : rules) about_any += r.roots.count == 0 ? 1u : 0u;
    for (row* of : used) {
      of->first = end;
      end += of->count + about_any;
      of->count = 0;
    }
    rules_ = pool<const rule_record*>(end, nullptr);
    for (const rule_record& r : rules) {
      for (std::size_t i = 0; i < r.roots.count; ++i) add(row_of(r.roots.types[i]), r);
      if (r.roots.count > 0) continue;
      for (row* of : used) add(*of, r);
    }
  }
  constexpr span<const rule_record* const> at(const operator_type* root) {
    const row& found = row_of(root);
    const row& of = found.root ? found : elsewhere();
    return {rules_.items + of.first, of.count};
  }

 private:
  struct row {
    const operator_type* root = nullptr;
    std::size_t first = 0, count = 0;  ///< in rules_
  };
  static constexpr std::size_t slots = 256;  // far more than there are root operators, and one for all others

  constexpr row& elsewhere() { return rows_.items[slots - 1]; }
  constexpr void add(row& to, const rule_record& r) { rules_.items[to.first + to.count++] = &r; }
  constexpr row& row_of(const operator_type* root) {
    std::size_t h = root->name.size() * 37 + static_cast<unsigned char>(root->name[0]) * 5u;
    while (true) {
      row& of = rows_.items[h++ % (slots - 1)];
      if (of.root == root || of.root == nullptr) return of;
    }
  }
  pool<row> rows_;
  pool<const rule_record*> rules_;
};

/// The operators that produce a node's inputs, found once for all rules.
class producers {
 public:
  constexpr producers(const rewriter& r, node_id n) {
    const int inputs = r.at(n).inputs.count;
    for (int i = 0; i < inputs; ++i) types_.push_back(r.at(r.producer(r.input(n, i))).type);
  }
  /// Is one of them one of the rule's first operators? Most rules end here.
  constexpr bool have(const operator_set& firsts) const {
    if (firsts.count == 0) return true;
    for (std::size_t i = 0; i < types_.count; ++i) {
      const operator_type* const type = types_.items[i];
      for (std::size_t k = 0; k < firsts.count; ++k)
        if (firsts.types[k] == type) return true;
    }
    return false;
  }

 private:
  pool<const operator_type*> types_;
};

/// Two nodes that compute the same from the same become one. Open addressing over what identifies a node.
constexpr bool merge_common_subexpressions(rewriter& r, std::size_t end) {
  const graph_view g = r.view();
  std::size_t slots = 8;
  while (slots < 2 * end) slots *= 2;
  pool<node_id> table(slots, none);
  bool changed = false;
  const auto same = [&](node_id a, node_id b) {
    const node &x = g.at(a), &y = g.at(b);
    if (x.type != y.type || x.inputs.count != y.inputs.count || x.outputs.count != y.outputs.count ||
        x.weights.count != y.weights.count || x.fields.count != y.fields.count)
      return false;
    for (int i = 0; i < x.inputs.count; ++i)
      if (r.input(a, i) != r.input(b, i)) return false;
    for (int i = 0; i < x.fields.count; ++i)  // bit by bit: 1 / 0 is not 1 / -0
      if (std::bit_cast<std::uint64_t>(g.fields_of(x.fields)[static_cast<std::size_t>(i)]) !=
          std::bit_cast<std::uint64_t>(g.fields_of(y.fields)[static_cast<std::size_t>(i)]))
        return false;
    for (int i = 0; i < x.weights.count; ++i)
      if (r.weight(a, i) != r.weight(b, i)) return false;
    for (int i = 0; i < x.outputs.count; ++i)
      if (!(r.type(r.output(a, i)) == r.type(r.output(b, i)))) return false;
    return true;
  };
  for (std::size_t i = 0; i < end; ++i) {
    const node_id n = static_cast<int>(i);
    const node& at = g.nodes[i];
    if (at.dead || at.type == &type_of<op::input>) continue;
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
      r.merge(n, slot);
      changed = true;
      break;
    }
  }
  return changed;
}

/// Weights that constants give become the nodes' own: what rules and kernels look for.
constexpr bool bind_constant_weights(rewriter& r, std::size_t begin, std::size_t end) {
  bool changed = false;
  for (std::size_t i = begin; i < end; ++i) {
    const node_id n = static_cast<int>(i);
    if (!r.live(n)) continue;
    const slot_set given = r.given(n);
    int input = r.at(n).inputs.count - count_slots(given);
    for (int slot = 0; given >> slot != 0; ++slot) {
      if ((given >> slot & 1u) == 0) continue;
      if (r.is<op::constant>(r.producer(r.input(n, input)))) {
        r.bind_weight(n, slot, input);
        changed = true;
      } else {
        ++input;
      }
    }
  }
  return changed;
}

}  // namespace detail

/// The graph with the weights that constants give as its nodes' own; nothing else is rewritten.
constexpr graph bind_weights(graph source) {
  rewriter r(static_cast<graph&&>(source), 0);
  detail::bind_constant_weights(r, 0, r.view().nodes.size());
  return r.finish();
}

/// So many nodes are rewritten to a fixpoint before the next are looked at. A large network's types take a constant for
/// each such part, because a compiler's step limit is for a constant; files do the same, so that both worlds agree.
inline constexpr std::size_t nodes_at_once = 125;

/// One part: nodes behind `settled` and what changes with them. `shares`: the whole network's layers share weights.
constexpr optimization optimize_part(graph source, span<const rule_record> rules, std::size_t settled, bool shares,
                                     std::size_t most = every_rewrite) {
  const std::size_t all = source.nodes.size(), end = all < settled + nodes_at_once ? all : settled + nodes_at_once;
  rewriter r(static_cast<graph&&>(source), settled);
  detail::rule_index index(rules);
  optimization result;

  bool first = true;
  for (bool changed = true; changed && result.applied < most;) {
    changed = false;
    r.begin_sweep();
    const std::size_t begin = first ? settled : 0;
    if (const std::size_t steps = r.history().size(); detail::bind_constant_weights(r, begin, end)) {
      r.note_unread(steps);
      r.name_last_steps(steps, "constant_weight");
      ++result.applied;
      changed = true;
    }
    // Before rules, so that they see one value where a file computes it again for each reader, and one weight where
    // rules have made several alike.
    shares = shares || shares_weights(r.view());
    if (shares) r.share_expressions();
    if (const std::size_t steps = r.history().size();
        result.applied < most && detail::merge_common_subexpressions(r, end)) {
      r.note_unread(steps);
      r.name_last_steps(steps, "common_subexpression");
      ++result.applied;
      changed = true;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const node_id n = static_cast<int>(i);
      for (bool again = r.live(n) && r.worth_a_look(n); again && result.applied < most;) {
        again = false;
        const detail::producers made_by(r, n);
        for (const rule_record* rule : index.at(r.at(n).type)) {
          if (!made_by.have(rule->firsts)) continue;
          const measure before = r.size();
          const std::size_t steps = r.history().size();
          if (!rule->apply(r, n, nullptr)) continue;
          if (r.history().size() == steps) r.note(r.name(n), r.name(n));  // one operator instead of another
          r.note_unread(steps);
          r.name_last_steps(steps, rule->info.name);
          if (!fell(before, r.size(), rule->info.component)) {
            result.broken_rule = rule->info.name;
            return result;
          }
          ++result.applied;
          changed = true;
          again = r.live(n);
          break;
        }
      }
    }
    first = false;
  }
  for (std::size_t i = 0; i < end; ++i) result.settled += r.live(static_cast<int>(i)) ? 1u : 0u;
  result.g = r.finish();
  result.history = r.history();
  return result;
}

/// Rewrites to a fixpoint, or so many times.
constexpr optimization optimize(graph source, span<const rule_record> rules, std::size_t most = every_rewrite) {
  const bool shares = shares_weights(source.view());
  optimization all = optimize_part(static_cast<graph&&>(source), rules, 0, shares, most);
  while (all.broken_rule.empty() && all.settled < all.g.nodes.size() && all.applied < most) {
    optimization next = optimize_part(static_cast<graph&&>(all.g), rules, all.settled, shares, most - all.applied);
    all.g = static_cast<graph&&>(next.g);
    all.settled = next.settled;
    all.applied += next.applied;
    all.broken_rule = next.broken_rule;
    all.history.append(next.history.data(), next.history.size());
  }
  return all;
}

}  // namespace ctnn::ir
