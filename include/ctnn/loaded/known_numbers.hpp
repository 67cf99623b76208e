// SPDX-License-Identifier: BSL-1.0
// What a loaded model's weights tell the rules, which see no numbers: of which constants the inverse exists, and which
// are the same.
#pragma once

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "folded_weights.hpp"

namespace ctnn::ir {

/// Rules divide only by constants that say that they can be divided by, and leave out zeros and ones: of as many
/// numbers as a layer has channels.
inline void note_known_numbers(const loaded_model& source, graph& g) {
  constexpr std::int64_t most_channels = 1 << 16;
  if (source.without_numbers) return;
  const auto note = [&](expression& e) {
    const auto at = source.weights.find({e.layer, e.name});
    if (at == source.weights.end() || e.shape.count() > most_channels) return;
    const dtype stored = at->second->type();
    std::deque<std::vector<float>> memory;
    if ((e.element == dtype::f32 || is_narrow(e.element)) && (stored == dtype::f32 || is_narrow(stored)))
      e.numbers = known_of(numbers_of(source, e, memory));
  };
  for (const node& n : g.nodes)
    for (const expression_id w : g.view().weights(n))
      if (expression& e = g.expressions[static_cast<std::size_t>(w)];
          !e.type && (n.type == &type_of<op::constant> || e.shape.rank == 1))
        note(e);
}

/// Constants of equal type, shape and bytes are made of one weight: common subexpressions, and so is what differs by
/// nothing else. Layers' own weights are left: zeros stand for those that a file without weights does not have.
inline void share_equal_constants(const loaded_model& source, graph& g) {
  struct known {
    expression_id e;
    const array* numbers;
  };
  using look = std::tuple<dtype, dtype, std::int64_t, std::string_view>;  // what is cheap to compare
  std::map<look, std::vector<known>> seen;
  for (const node& n : g.nodes) {
    if (n.type != &type_of<op::constant>) continue;
    expression_id& own = g.operands[static_cast<std::size_t>(n.weights.first)];
    const expression& e = g.view().at_expression(own);
    const auto at = source.weights.find({e.layer, e.name});
    if (e.type || at == source.weights.end()) continue;
    const array& a = *at->second;
    const std::string_view start(static_cast<const char*>(static_cast<const void*>(a.bytes().data())),
                                 std::min<std::size_t>(a.bytes().size(), 4096));
    std::vector<known>& alike = seen[{e.element, a.type(), e.shape.count(), start}];
    const auto twin = std::find_if(alike.begin(), alike.end(), [&](const known& k) {
      return g.view().at_expression(k.e).shape == e.shape && same_bytes(*k.numbers, a);
    });
    if (twin == alike.end()) alike.push_back({own, &a});
    else own = twin->e;
  }
}

}  // namespace ctnn::ir
