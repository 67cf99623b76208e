// SPDX-License-Identifier: BSL-1.0
#include "rewriting.hpp"

#include <ctnn/base/error.hpp>
#include <ctnn/network/lower.hpp>

#include <set>
#include <string>

#include "progress.hpp"

namespace tool {

ctnn::optimization rewrite(const ctnn::loaded_model& m, bool optimize) {
  if (!optimize) return {ctnn::thaw(m.network.view()), {}, {}};
  const progress busy("rewriting");
  ctnn::optimization o = ctnn::optimize(ctnn::thaw(m.network.view()), ctnn::default_rules::records);
  if (!o.broken_rule.empty()) throw ctnn::error("rule '" + std::string(o.broken_rule) + "' does not lower the measure");
  return o;
}

std::map<std::string_view, fate> fates(const ctnn::optimization& o) {
  std::set<std::string_view> alive;
  for (const ctnn::node& n : o.g.nodes)
    if (!n.dead) alive.insert(n.name);
  std::map<std::string_view, fate> out;
  for (std::size_t i = 0; i < o.history.size(); ++i) {
    const ctnn::rewrite_step& s = o.history[i];
    if (alive.contains(s.consumed)) continue;
    std::string_view into = s.into;
    for (std::size_t k = i + 1; k < o.history.size() && !alive.contains(into); ++k)
      if (o.history[k].consumed == into) into = o.history[k].into;
    out.try_emplace(s.consumed, fate{alive.contains(into) ? into : std::string_view(), s.rule});
  }
  return out;
}

}  // namespace tool
