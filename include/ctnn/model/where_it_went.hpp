// SPDX-License-Identifier: BSL-1.0
// Why a value cannot be extracted: the first rewrite that took its layer, or that gave its result to another.
#pragma once

#include "program.hpp"

namespace ctnn {

inline std::string where_it_went(const program& p, std::string_view name) {
  const graph_view before = p.source().network.view();
  for (const value& v : before.values) {
    if (v.name != name) continue;
    std::string_view layer = before.at(v.producer).name;
    for (const rewrite_step& s : p.history())
      if (s.consumed == layer && s.into != layer)
        return "value '" + std::string(name) + "' is gone: rule '" + std::string(s.rule) + "' made layer '" + std::string(layer) +
               "' part of '" + std::string(s.into) + "'; load without optimization to extract it";
    for (const rewrite_step& s : p.history())
      if (s.into == layer && s.consumed != layer)
        return "value '" + std::string(name) + "' is gone: rule '" + std::string(s.rule) + "' made layer '" + std::string(s.consumed) +
               "' part of '" + std::string(layer) + "', which gives its result instead; load without optimization to extract it";
    return "value '" + std::string(name) + "' is gone: no output needs it; load without optimization to extract it";
  }
  return "the model has no value called '" + std::string(name) + "'";
}

}  // namespace ctnn
