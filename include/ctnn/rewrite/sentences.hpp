// SPDX-License-Identifier: BSL-1.0
// What rewriting did not do and why, in words, for declared networks and loaded models alike.
#pragma once

#include "../base/text.hpp"
#include "explain.hpp"
#include "provenance.hpp"

namespace ctnn::ir {

/// "relu3: not fused into conv3, whose output is also read by add4 (fuse_activation)", or "add4: weighted_sum does not
/// apply: it is not the sum of two values".
template <class Out>
constexpr void append_sentence(Out& out, const near_miss& miss) {
  const auto say = [&](const auto&... parts) { append(out, parts...); };
  const pool<std::string_view>& others = miss.other_readers;
  if (miss.why.shared) {
    say(miss.layer, ": not fused into ", miss.why.layer, ", whose output is ",
        others.empty() ? "a network output too" : "also read by ");
    for (std::size_t i = 0; i < others.size(); ++i)
      say(i == 0 ? "" : i + 1 == others.size() ? " and " : ", ", others[i]);
    return say(" (", miss.rule.name, ")");
  }
  say(miss.layer, ": ", miss.rule.name, " does not apply: ", miss.why.text);
  if (!miss.why.layer.empty() && miss.why.layer != miss.layer) say(" (", miss.why.layer, ")");
  if (miss.why.then == 0) return;
  say(", about ");
  append_integer(out, static_cast<std::int64_t>(miss.why.then));
  say(" ns for ");
  append_integer(out, static_cast<std::int64_t>(miss.why.now));
  say(" ns now");
}

/// Lines about a layer: where it went, or the three nearest reasons why it is still there. `history` is what the rules
/// did to `before`, `after` what they made of it. None: no such layer.
template <class Text>
constexpr void explain(const graph_view& before, const graph_view& after, span<const rewrite_step> history,
                       span<const rule_record> rules, std::string_view layer, pool<Text>& lines) {
  const auto named = [&](const graph_view& g) {
    for (const node& n : g.nodes)
      if (n.name == layer) return true;
    return false;
  };
  const auto line = [&](const auto&... parts) {
    Text t;
    append(t, parts...);
    lines.push_back(t);
  };
  if (!named(after)) {
    const provenance gone = provenance_of(layer, after, history);
    const bool by = !gone.rule.empty();
    if (!by && !named(before)) return;
    return line(layer, gone.into.empty() ? ": gone, nothing does its work" : ": part of ", gone.into, by ? " (" : "",
                gone.rule, by ? ")" : "");
  }
  // The nearest of them: only another reader is in the way, it would cost more, it is about two layers, about one.
  constexpr std::size_t nearest = 3;
  pool<near_miss> misses;
  find_near_misses(after, rules, layer, misses);
  const auto distance = [&](const near_miss& m) {
    return m.why.shared ? 0 : m.why.then != 0 ? 1 : !m.why.layer.empty() && m.why.layer != m.layer ? 2 : 3;
  };
  for (int far = 0; far < 4; ++far)
    for (const near_miss& m : misses) {
      if (distance(m) != far || lines.size() == nearest) continue;
      Text t;
      append_sentence(t, m);
      bool said = false;
      for (const Text& l : lines) said = said || l.view() == t.view();
      if (!said) lines.push_back(t);
    }
  if (lines.empty()) line(layer, ": no rule's pattern ends here or at its readers");
}

}  // namespace ctnn::ir
