// SPDX-License-Identifier: BSL-1.0
// Why a rule did not fire: near misses at a layer of a rewritten graph.
#pragma once

#include "driver.hpp"

namespace ctnn {

/// A rule whose operators are there but whose condition failed: "relu3: rule 'fuse_activation' does not apply: its input
/// is also read by another layer (conv3)".
struct near_miss {
  std::string_view rule;
  std::string_view arrow;
  reason why;
};

/// The near misses at the layer called `name`, in the order of the rules. `optimized` is a graph that optimize() made
/// with the same rules, so none of them fires.
constexpr pool<near_miss> near_misses(const graph_view& optimized, std::span<const rule_record> rules, std::string_view name) {
  pool<near_miss> out;
  rewriter r(thaw(optimized));
  for (std::size_t i = 0; i < optimized.nodes.size(); ++i) {
    if (optimized.nodes[i].name != name) continue;
    for (const rule_record& rule : rules) {
      if (rule.root != optimized.nodes[i].type) continue;
      reason why;
      if (rule.apply(r, static_cast<int>(i), &why)) return out;
      if (why) out.push_back({rule.info.name, rule.info.arrow, why});
    }
  }
  return out;
}

}  // namespace ctnn
