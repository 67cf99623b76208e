// SPDX-License-Identifier: BSL-1.0
// Whether what the rules make of a loaded network is the same in real arithmetic, whatever its weights are (prove.hpp).
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../../base/compiled.hpp"
#include "../rewriting.hpp"
#include "result.hpp"

namespace ctnn::ir {

/// Rewrites the network by `rules` without those that are checked by running alone, and proves that. A rule after which
/// a number differs is left out, too: it rounds a constant, or it is wrong, which running both sides tells
/// (model/verify.hpp).
network_proof prove(loaded_model& m, std::span<const rule_record> rules);

}  // namespace ctnn::ir

#if CTNN_DEFINES(CTNN_PART_TOOLS)

#include "prove.hpp"

namespace ctnn::ir {

namespace detail {

/// The rules by which a network is rewritten.
inline std::vector<std::string_view> rules_of(const optimization& o) {
  std::vector<std::string_view> names;
  for (const rewrite_step& s : o.history)
    if (std::find(names.begin(), names.end(), s.rule) == names.end()) names.push_back(s.rule);
  return names;
}

/// Why the layer of this name is an unknown function, or nothing.
inline std::string why_unknown(const graph_view& g, std::string_view layer) {
  for (const node& n : g.nodes)
    if (n.name == layer && n.type != &type_of<op::input>) return field::unknown_function(g, n);
  return {};
}

}  // namespace detail

CTNN_ONCE network_proof prove(loaded_model& m, std::span<const rule_record> rules) {
  const auto rewritten = [&](std::span<const rule_record> by, std::size_t most) {
    return optimize_loaded(m, thaw(m.network.view()), by, most);
  };
  network_proof all;
  const std::vector<std::string_view> used = detail::rules_of(rewritten(rules, every_rewrite));
  std::vector<rule_record> left(rules.begin(), rules.end());
  const auto leave_out = [&](std::string_view rule, std::string why) {
    if (std::erase_if(left, [&](const rule_record& r) { return r.info.name == rule; }) == 0) return;
    if (std::find(used.begin(), used.end(), rule) != used.end())
      all.others.push_back({std::string(rule), std::move(why)});
  };
  for (const rule_record& r : rules)
    if (r.info.proof == proved_by::running) leave_out(r.info.name, std::string(r.info.unproved));

  const optimization before = rewritten({}, 0);
  for (;;) {
    const optimization after = rewritten(left, every_rewrite);
    ctnn::proof p = prove(before.g.view(), after.g.view());
    static_cast<ctnn::proof&>(all) = p;
    all.rewrites = p ? after.applied : 0;
    if (p) return all;
    const std::size_t rules_left = left.size();
    if (p.result == proof_result::not_algebra)
      for (const rewrite_step& s : after.history)
        if (std::string why = detail::why_unknown(before.g.view(), s.consumed); !why.empty())
          leave_out(s.rule, std::move(why));
    if (left.size() < rules_left) continue;
    std::size_t right = 0, wrong = after.applied;
    while (wrong - right > 1) {
      const std::size_t middle = right + (wrong - right) / 2;
      const ctnn::proof half = prove(before.g.view(), rewritten(left, middle).g.view());
      (half ? right : wrong) = middle;
      if (!half) p = half;
    }
    const rewrite_step last = rewritten(left, wrong).history.back();
    leave_out(last.rule, p.result == proof_result::not_algebra
                             ? p.what
                             : "from layer '" + std::string(last.consumed) + "' on " + p.what +
                                   " differs: a constant is rounded, or it is wrong");
    if (left.size() == rules_left) return all;
  }
}

}  // namespace ctnn::ir

#endif
