// SPDX-License-Identifier: BSL-1.0
// A graph as a constant.
#pragma once

#include "../graph/graph.hpp"

namespace ctnn::ir {

/// Sizes that a lowered graph cannot exceed; what a constant of it is made of.
struct graph_capacity {
  std::size_t nodes = 0, values = 0, operands = 0, fields = 0, expressions = 0, outputs = 0;

  constexpr bool fits_in(const graph_capacity& c) const {
    return nodes <= c.nodes && values <= c.values && operands <= c.operands && fields <= c.fields &&
           expressions <= c.expressions && outputs <= c.outputs;
  }
};

/// A loop over pointers: compilers count the steps of a span's iterators.
template <class T, std::size_t N>
constexpr void copy_items(span<const T> from, static_vector<T, N>& to) {
  const T* source = from.data();
  T* items = to.items;
  const std::size_t n = from.size();
  for (std::size_t i = 0; i < n; ++i) items[i] = source[i];
  to.count = n;
}

/// A graph as a constant.
template <graph_capacity C>
struct frozen_graph {
  static_vector<node, C.nodes + 1> nodes;
  static_vector<value, C.values + 1> values;
  static_vector<int, C.operands + 1> operands;
  static_vector<double, C.fields + 1> fields;
  static_vector<expression, C.expressions + 1> expressions;
  static_vector<network_output, C.outputs + 1> outputs;

  constexpr frozen_graph() = default;
  constexpr explicit frozen_graph(const graph_view& g) { hold(g); }
  constexpr void hold(const graph_view& g) {
    copy_items(g.nodes, nodes);
    copy_items(g.values, values);
    copy_items(g.operands, operands);
    copy_items(g.fields, fields);
    copy_items(g.expressions, expressions);
    copy_items(g.outputs, outputs);
  }

  constexpr graph_view view() const { return view_of(*this); }
};

constexpr graph_capacity capacity_of(const graph_view& g) {
  return {g.nodes.size(), g.values.size(), g.operands.size(), g.fields.size(), g.expressions.size(), g.outputs.size()};
}

}  // namespace ctnn::ir
