// SPDX-License-Identifier: BSL-1.0
// All weights of a network in the order its kernels want them, one after the other.
#pragma once

#include "../kernels/packing.hpp"
#include "../plan/plan.hpp"
#include "evaluate.hpp"

namespace ctnn {
inline namespace CTNN_PACKING {

namespace packing_detail {

struct packing_entry {
  const operator_type* type;
  std::int64_t (*count)(std::span<const double>, int, const extents&, int block);
  void (*pack)(std::span<const double>, int, const extents&, const float*, float*, int block);
};
template <class Op>
struct packing_of {
  static constexpr std::int64_t count(std::span<const double> f, int slot, const extents& s, int block) {
    return packed_count(decode<Op>(f), slot, s, block);
  }
  static constexpr void pack_slot(std::span<const double> f, int slot, const extents& s, const float* from, float* to, int block) {
    pack(decode<Op>(f), slot, s, from, to, block);
  }
};
template <class... Ops>
constexpr std::array<packing_entry, sizeof...(Ops)> packing_entries(operator_list<Ops...>) {
  return {{{&type_of<Ops>, &packing_of<Ops>::count, &packing_of<Ops>::pack_slot}...}};
}
inline constexpr auto packing_table = packing_entries(all_operators{});

}  // namespace packing_detail

/// Numbers that a node's weight slot takes when packed.
constexpr std::int64_t packed_size(const graph_view& g, const node& n, int slot, int block = channel_block) {
  const expression& numbers = g.at_expression(g.weights(n)[static_cast<std::size_t>(slot)]);
  const extents& shape = numbers.shape;
  if (numbers.element != dtype::f32) return words(shape.count(), numbers.element);
  for (const auto& entry : packing_detail::packing_table)
    if (entry.type == n.type) return entry.count(g.fields_of(n.fields), slot, shape, block);
  return shape.count();
}

/// Packs a node's weight slot from its numbers in logical order.
constexpr void pack_slot(const graph_view& g, const node& n, int slot, const float* from, float* to, int block = channel_block) {
  const extents& shape = g.at_expression(g.weights(n)[static_cast<std::size_t>(slot)]).shape;
  for (const auto& entry : packing_detail::packing_table)
    if (entry.type == n.type) return entry.pack(g.fields_of(n.fields), slot, shape, from, to, block);
  std::copy(from, from + shape.count(), to);
}

/// Where each slot begins among a network's packed weights: calls slot(node, slot number, expression, offset, packed size).
/// Returns the total.
constexpr std::int64_t for_each_slot(const graph_view& g, auto&& slot, int block = channel_block) {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    for (int k = 0; k < n.weights.count; ++k) {
      const std::int64_t size = packed_size(g, n, k, block);
      slot(n, k, g.weights(n)[static_cast<std::size_t>(k)], offset, size);
      offset += (size + arena_alignment - 1) / arena_alignment * arena_alignment;
    }
  }
  return offset;
}

constexpr std::int64_t packed_total(const graph_view& g, int block = channel_block) {
  return for_each_slot(g, [](const node&, int, expression_id, std::int64_t, std::int64_t) {}, block);
}

}  // namespace CTNN_PACKING
}  // namespace ctnn
