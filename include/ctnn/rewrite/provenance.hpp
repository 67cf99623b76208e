// SPDX-License-Identifier: BSL-1.0
// Where a layer went: the one reading of a rewriting's history, in the compiler (network/questions.hpp), for messages
// (sentences.hpp, model/where_it_went.hpp) and for pictures (formats/graphviz.hpp).
#pragma once

#include "../graph/graph.hpp"
#include "rule_record.hpp"

namespace ctnn::ir {

/// What became of a layer.
struct provenance {
  std::string_view
      into;  ///< the layer of the result that does its work: itself if it is still there; empty if none does
  std::string_view rule;  ///< that removed it; empty if it is still there or nothing needed it
  constexpr bool stays() const { return rule.empty() && !into.empty(); }
};

/// What became of the layer called `name` in `after`, which the steps of `history` made.
constexpr provenance provenance_of(std::string_view name, const graph_view& after,
                                   span<const rewrite_step> history) {
  const auto alive = [&](std::string_view layer) {
    for (const node& n : after.nodes)
      if (n.name == layer) return true;
    return false;
  };
  if (alive(name)) return {name, {}};
  provenance p{name, {}};
  for (const rewrite_step& s : history) {
    if (s.consumed != p.into || s.into == s.consumed) continue;
    if (p.rule.empty()) p.rule = s.rule;
    p.into = s.into;
    if (alive(p.into)) return p;
  }
  return {{}, p.rule};
}

/// The first step that made a layer which read value v part of the one called `name`, whose result v was and which
/// gives that one's result ever since; or null.
constexpr const rewrite_step* taken_by(std::string_view name, value_id v, const graph_view& before,
                                       span<const rewrite_step> history) {
  for (const rewrite_step& s : history) {
    if (s.into != name || s.consumed == name) continue;
    for (const node& n : before.nodes)
      if (n.name == s.consumed)
        for (const value_id read : before.inputs(n))
          if (read == v) return &s;
  }
  return nullptr;
}

}  // namespace ctnn::ir
