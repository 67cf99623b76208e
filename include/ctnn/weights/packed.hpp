// SPDX-License-Identifier: BSL-1.0
// All weights of a network in the order its kernels want them, one after the other.
#pragma once

#include "../base/typed_span.hpp"
#include "../kernels/winograd.hpp"
#include "../plan/plan.hpp"
#include "evaluate.hpp"

namespace ctnn::ir {
inline namespace CTNN_PACKING {

/// Does the node's kernel want its weight packed, if of these elements?
constexpr bool packs_elements(const node& n, int slot, dtype element) {
  return is_byte(element) && n.type->packs(slot);
}

/// Numbers that weight i of a node takes when packed.
constexpr std::int64_t packed_size(const graph_view& g, const node& n, int i, int block = channel_block) {
  const expression& numbers = g.at_expression(g.weights(n)[static_cast<std::size_t>(i)]);
  const extents& shape = numbers.shape;
  if (const byte_rows rows = byte_rows_of(g, n, block))
    return byte_slot_words(rows, byte_slots(g, n)[static_cast<std::size_t>(i)]);
  const int slot = slot_of(g.given(n), i);
  if (numbers.element != dtype::f32 && !packs_elements(n, slot, numbers.element))
    return words(shape.count(), numbers.element);
  if (const int m = slot == 0 ? packed_winograd_size(g, n, block) : 0) return winograd_packed_count(m, shape, block);
  return n.type->packed_count(g.fields_of(n.fields), slot, shape, block);
}

/// Packs weight i of a node; `numbers(k)` are those of weight k in logical order, in which kernels take other types
/// than float but where byte_packing.hpp and quad_packing.hpp say otherwise.
constexpr void pack_slot(const graph_view& g, const node& n, int i, const auto& numbers, float* to,
                         int block = channel_block) {
  if (const byte_rows rows = byte_rows_of(g, n, block)) return pack_byte_slot(g, n, rows, i, numbers, to);
  const typed_span from = numbers(i);
  const extents& shape = g.at_expression(g.weights(n)[static_cast<std::size_t>(i)]).shape;
  const int slot = slot_of(g.given(n), i);
  if (from.type() != dtype::f32) {
    if (!packs_elements(n, slot, from.type())) return from.copy_to(to);
    pool<float> bytes(static_cast<std::size_t>(words(shape.count(), from.type())), 0.0f);
    from.copy_to(bytes.data());
    return n.type->pack(g.fields_of(n.fields), slot, shape, bytes.data(), to, block);
  }
  if (const int m = slot == 0 ? packed_winograd_size(g, n, block) : 0) pack_winograd(m, shape, from.data(), to, block);
  else n.type->pack(g.fields_of(n.fields), slot, shape, from.data(), to, block);
}

/// Where each weight begins among a network's packed ones: calls slot(node, number of the weight, expression, offset,
/// packed size). Returns the total.
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
}  // namespace ctnn::ir
