// SPDX-License-Identifier: BSL-1.0
// A number that changes with everything that packed weights follow from but the weights.
#pragma once

#include <bit>

#include "../base/hash.hpp"
#include "executable.hpp"

namespace ctnn::ir {

namespace detail {

constexpr void add_name(hash_of_text& h, std::string_view name) {
  h.add(name);
  h.add(name.size());
}
constexpr void add_shape(hash_of_text& h, const extents& shape, const element& e) {
  for (int i = 0; i < shape.rank; ++i) h.add(shape[i]);
  h.add(shape.rank);
  h.add(static_cast<int>(e.type));
  if (!e.real) return;
  h.add(std::bit_cast<std::uint64_t>(e.real.scale));
  h.add(e.real.zero);
}

constexpr void add_graph(hash_of_text& h, const graph_view& g) {
  for (const node& n : g.nodes) {
    add_name(h, n.type->name);
    add_name(h, n.name);
    for (const range& r : {n.inputs, n.outputs, n.weights, n.fields}) h.add(r.first), h.add(r.count);
  }
  for (const value& v : g.values) add_shape(h, v.shape, v.type);
  for (int id : g.operands) h.add(id);
  for (double field : g.fields) h.add(std::bit_cast<std::uint64_t>(field));
  for (const expression& e : g.expressions) {
    if (e.type) add_name(h, e.type->name);
    add_name(h, e.layer);
    add_name(h, e.name);
    add_shape(h, e.shape, e.element);
  }
  for (const network_output& o : g.outputs) h.add(o.value);
}

}  // namespace detail

/// Of Net, what Rules make of it, and how its weights are packed.
template <class Net, class Rules = default_rules>
inline constexpr std::uint64_t fingerprint = [] {
  hash_of_text h;
  detail::add_graph(h, declared_graph<Net>);
  constexpr const graph_view& fused = declared_graph<optimized<Net, Rules>>;
  detail::add_graph(h, fused);
  for_each_slot(fused, [&](const node&, int, expression_id, std::int64_t offset, std::int64_t size, bool) {
    h.add(offset);
    h.add(size);
  });
  h.add(channel_block);
  return h.value;
}();

}  // namespace ctnn::ir
