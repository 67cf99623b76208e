// SPDX-License-Identifier: BSL-1.0
// What rewriting did not do and why, in words; needs a heap.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "explain.hpp"
#include "provenance.hpp"

namespace ctnn::ir {

/// "relu3: not fused into conv3, whose output is also read by add4 (fuse_activation)", or "add4: weighted_sum does not
/// apply: it is not the sum of two values".
inline std::string sentence(const near_miss& miss) {
  const auto list = [](const pool<std::string_view>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
      out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
    return out;
  };
  const std::string at(miss.layer), about(miss.why.layer), rule(miss.rule.name);
  if (miss.why.shared) {
    const bool output = miss.other_readers.empty();
    return at + ": not fused into " + about + ", whose output is " +
           (output ? "a network output too" : "also read by " + list(miss.other_readers)) + " (" + rule + ")";
  }
  return at + ": " + rule + " does not apply: " + std::string(miss.why.text) +
         (about.empty() || about == at ? "" : " (" + about + ")");
}

/// Lines about a layer: where it went, or why it is still there. `before` is what optimize(before, rules) made `o` of.
/// Empty: no such layer.
inline std::vector<std::string> why(const graph_view& before, const optimization& o, std::span<const rule_record> rules,
                                    std::string_view layer) {
  const auto named = [&](const graph_view& g) {
    for (const node& n : g.nodes)
      if (n.name == layer) return true;
    return false;
  };
  const graph_view after = o.g.view();
  std::vector<std::string> out;
  if (!named(after)) {
    if (!named(before)) return out;
    const provenance gone = provenance_of(layer, after, o.history);
    const std::string by = gone.rule.empty() ? "" : " (" + std::string(gone.rule) + ")";
    out.push_back(std::string(layer) +
                  (gone.into.empty() ? ": gone, nothing does its work" : ": part of " + std::string(gone.into)) + by);
    return out;
  }
  // Rules about two layers say more than those about one.
  const pool<near_miss> misses = near_misses(after, rules, layer);
  for (const bool pairs : {true, false})
    for (const near_miss& m : misses)
      if (!m.why.layer.empty() == pairs) {
        std::string line = sentence(m);
        if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(std::move(line));
      }
  if (out.empty()) out.push_back(std::string(layer) + ": no rule's pattern ends here or at its readers");
  return out;
}

}  // namespace ctnn::ir
