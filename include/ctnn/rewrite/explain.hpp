// SPDX-License-Identifier: BSL-1.0
// Why a rule did not fire: near misses at a layer of a rewritten graph.
#pragma once

#include "driver.hpp"

namespace ctnn::ir {

/// A rule whose operators are there but whose condition failed: at relu3, 'fuse_activation' because conv3 is read by
/// add4 too.
struct near_miss {
  std::string_view layer;  ///< the last of the rule's pattern
  rule_info rule;
  reason why;
  pool<std::string_view> other_readers;  ///< of why.layer, where that is what is wrong
};

namespace detail {

/// Tries the rules at node n of r; what fails and concerns `layer` goes to `out`.
template <class Miss>
constexpr void find_near_misses(rewriter& r, node_id n, span<const rule_record> rules, std::string_view layer,
                                pool<Miss>& out) {
  const producers made_by(r, n);
  for (const rule_record& rule : rules) {
    if (!rule.roots.has(r.at(n).type) || !made_by.have(rule.firsts)) continue;
    reason why;
    if (rule.apply(r, n, &why)) return;
    if (!why || (r.name(n) != layer && why.layer != layer)) continue;
    Miss miss{r.name(n), rule.info, why, {}};
    const graph_view g = r.view();
    for (std::size_t k = 0; why.shared && k < g.nodes.size(); ++k)
      for (value_id v : g.inputs(g.nodes[k]))
        if (static_cast<int>(k) != n && g.nodes[static_cast<std::size_t>(g.at_value(v).producer)].name == why.layer)
          miss.other_readers.push_back(g.nodes[k].name);
    out.push_back(miss);
  }
}

}  // namespace detail

/// The near misses at the layer called `name` and at those that read it, in the order of the rules, into an argument
/// (network/lower.hpp says why). `optimized` is a graph that optimize() made with the same rules, so none of them
/// fires. A template, so that only those who ask pay for it.
template <class Miss>
constexpr void find_near_misses(const graph_view& optimized, span<const rule_record> rules, std::string_view name,
                                pool<Miss>& out) {
  rewriter r(thaw(optimized));
  for (std::size_t i = 0; i < optimized.nodes.size(); ++i) {
    bool concerned = optimized.nodes[i].name == name;
    for (value_id v : optimized.inputs(optimized.nodes[i]))
      concerned = concerned || optimized.nodes[static_cast<std::size_t>(optimized.at_value(v).producer)].name == name;
    if (concerned) detail::find_near_misses(r, static_cast<int>(i), rules, name, out);
  }
}

}  // namespace ctnn::ir
