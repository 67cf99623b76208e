// SPDX-License-Identifier: BSL-1.0
// What became of layers that rewriting removed, for people; needs a heap.
#pragma once

#include <map>
#include <set>

#include "../graph/graph.hpp"
#include "rewriter.hpp"

namespace ctnn {

struct fate {
  std::string_view into;  ///< the layer of the result that does its work; empty if none does
  std::string_view rule;  ///< that removed it
};

/// The fates of the layers that are not in `after`, by name.
inline std::map<std::string_view, fate> fates(const graph_view& after, std::span<const rewrite_step> history) {
  std::set<std::string_view> alive;
  for (const node& n : after.nodes) alive.insert(n.name);
  std::map<std::string_view, fate> out;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const rewrite_step& s = history[i];
    if (alive.contains(s.consumed) || s.consumed == s.into) continue;
    std::string_view into = s.into;
    for (std::size_t k = i + 1; k < history.size() && !alive.contains(into); ++k)
      if (history[k].consumed == into && history[k].into != into) into = history[k].into;
    out.try_emplace(s.consumed, fate{alive.contains(into) ? into : std::string_view(), s.rule});
  }
  return out;
}

}  // namespace ctnn
