// SPDX-License-Identifier: BSL-1.0
// Why a value cannot be extracted: the rewrite that took its layer, or that gave its result to another.
#pragma once

#include "program.hpp"

#if CTNN_DEFINES(CTNN_PART_EXTRACTION)
#include "../rewrite/provenance.hpp"
#endif

namespace ctnn {

std::string where_it_went(const ir::program& p, std::string_view name);

#if CTNN_DEFINES(CTNN_PART_EXTRACTION)

CTNN_ONCE std::string where_it_went(const ir::program& p, std::string_view name) {
  const ir::graph_view before = p.source().network.view();
  for (std::size_t i = 0; i < before.values.size(); ++i) {
    const ir::value& v = before.values[i];
    if (v.name != name) continue;
    std::string_view layer = before.at(v.producer).name;
    const auto rule_made = [](std::string_view rule, std::string_view consumed) {
      return "rule '" + std::string(rule) + "' made layer '" + std::string(consumed) + "' part of ";
    };
    const ir::provenance went = provenance_of(layer, p.g(), p.history());
    std::string why = "no output needs it";
    if (!went.rule.empty())
      why = went.into.empty() ? "rule '" + std::string(went.rule) + "' removed layer '" + std::string(layer) +
                                    "', and no output needs what took its place"
                              : rule_made(went.rule, layer) + "'" + std::string(went.into) + "'";
    else if (const ir::rewrite_step* s = taken_by(layer, static_cast<ir::value_id>(i), before, p.history()))
      why = rule_made(s->rule, s->consumed) + "'" + std::string(layer) + "', which gives its result instead";
    return "value '" + std::string(name) + "' is gone: " + why + "; load without optimization to extract it";
  }
  return "the model has no value called '" + std::string(name) + "'";
}

#endif

}  // namespace ctnn
