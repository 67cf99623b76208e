// SPDX-License-Identifier: BSL-1.0
// What becomes part of another node's layer: constants that ncnn keeps as weights, reshapes that only add a batch.
#pragma once

#include "attention.hpp"
#include "movement.hpp"

namespace ctnn::ncnn {

/// A constant that only layers with weights of their own read.
inline void absorb_constant(file_builder& b, node_id at) {
  const value_id v = b.g.output_of(at);
  if (b.outputs.contains(v) || b.readers[static_cast<std::size_t>(v)].empty()) return;
  for (const node_id reader : b.readers[static_cast<std::size_t>(v)]) {
    const auto in = b.g.inputs(b.g.at(reader));
    const int first = b.products.contains(reader) ? 0 : habits_of(b.g, reader).first_parameter;
    for (int i = 0; i < static_cast<int>(in.size()); ++i)
      if (in[static_cast<std::size_t>(i)] == v && i < first) return;
  }
  b.absorbed.insert(at);
}

/// A reshape that only nodes read which take any shape.
inline void absorb_reshape(file_builder& b, node_id at) {
  const value_id v = b.g.output_of(at);
  if (b.outputs.contains(v) || b.readers[static_cast<std::size_t>(v)].empty()) return;
  for (const node_id reader : b.readers[static_cast<std::size_t>(v)])
    if (b.is_reshape(reader) || b.absorbed.contains(reader) || !node_writer::takes_any_form(b, reader, v)) return;
  b.absorbed.insert(at);
}

inline void absorb(file_builder& b) {
  const auto each = [&](auto is, auto f) {
    for (std::size_t i = 0; i < b.g.nodes.size(); ++i)
      if (const auto id = static_cast<node_id>(i); !b.g.nodes[i].dead && !b.absorbed.contains(id) && is(id)) f(b, id);
  };
  each([&](node_id n) { return b.g.is<op::binary>(n); }, writers::absorb_product);
  each([&](node_id n) { return b.g.is<op::permute>(n); }, writers::absorb_shuffle);
  each([&](node_id n) { return b.g.is<op::binary>(n); }, writers::absorb_broadcast);
  each([&](node_id n) { return b.g.is<op::linear>(n); }, writers::absorb_ones);
  each([&](node_id n) { return b.g.is<op::matmul>(n); }, writers::absorb_turn);
  each([&](node_id n) { return b.g.is<op::attention>(n); }, writers::absorb_projections);
  each([&](node_id n) { return b.g.is<op::constant>(n) || b.g.is<op::full>(n); }, absorb_constant);
  each([&](node_id n) { return b.is_reshape(n); }, absorb_reshape);
}

}  // namespace ctnn::ncnn
