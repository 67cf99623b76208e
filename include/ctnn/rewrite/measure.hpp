// SPDX-License-Identifier: BSL-1.0
// Why rewriting ends: every rule lowers this measure, compared component by component from the first. Natural numbers
// in lexicographic order have no infinite descent, so any order of rules stops without a limit on rounds.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

#include "../graph/graph.hpp"
#include "../kernels/operator_code.hpp"
#include "rule_record.hpp"

namespace ctnn::ir {

struct measure {
  std::int64_t nodes = 0;    ///< live nodes but inputs and constants
  std::int64_t tier = 0;      ///< sum of the operators' tiers: one-for-one replacements go to lower ones
  std::int64_t position = 0;  ///< sum over liftable nodes of how late they stand: they move above what only rearranges
  std::int64_t movable =
      0;  ///< readers of nodes that only rearrange, each times the node's position: reading from further up lowers it

  std::int64_t weights = 0;  ///< of the nodes, in numbers
  std::int64_t results = 0;  ///< numbers that nodes with weights make: a layer of single pixels sees fewer of them

  friend constexpr auto operator<=>(const measure&, const measure&) = default;
};

/// Did the declared component fall, or one before it?
constexpr bool fell(const measure& was, const measure& now, lowers component) {
  if (now.nodes != was.nodes) return now.nodes < was.nodes;
  if (component >= lowers::tier && now.tier != was.tier) return now.tier < was.tier;
  if (component >= lowers::position && now.position != was.position) return now.position < was.position;
  if (component >= lowers::movable && now.movable != was.movable) return now.movable < was.movable;
  if (component >= lowers::weights && now.weights != was.weights) return now.weights < was.weights;
  return component >= lowers::results && now.results < was.results;
}

constexpr bool counts_as_node(const operator_type* type) {
  return type != &type_of<op::input> && type != &type_of<op::constant>;
}

constexpr bool is_movable(const operator_type* type) {
  return type->is.rearranges;
}

/// What may as well be done before a rearrangement: functions of elements, of one channel, of one axis, and cuts.
constexpr bool is_liftable(const node& n) {
  return n.type->is.lifts;
}

}  // namespace ctnn::ir
