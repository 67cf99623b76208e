// SPDX-License-Identifier: BSL-1.0
// The one intermediate representation: an ordinary value that constexpr functions read and rewrite.
//
// Nodes stand in topological order. A value has one producer and any number of readers; a network output counts as a
// reader. Everything of variable length lives in flat pools, so a graph is cheap to copy into a constant. Names are
// views: of template parameters in the compiler, of the model's text at run time.
//
// A weight is an expression: a leaf (the numbers called `name` of layer `layer`) or an operator over expressions, to be
// evaluated when someone needs the bytes.
#pragma once


#include "../base/pool.hpp"
#include "operator.hpp"
#include "operators.hpp"

namespace ctnn {

using node_id = int;
using value_id = int;
using expression_id = int;
inline constexpr int none = -1;

/// A run of items in a pool.
struct range {
  int first = 0;
  int count = 0;
};

struct node {
  const operator_type* type = nullptr;
  std::string_view name{};
  range inputs{};   ///< in graph::operands: value_id
  range outputs{};  ///< in graph::values
  range weights{};  ///< in graph::operands: expression_id, in the order of the operator's slots
  range fields{};   ///< in graph::fields
  bool dead = false;
};

struct value {
  std::string_view name{};
  extents shape{};
  node_id producer = none;
  dtype type = dtype::f32;
  int readers = 0;  ///< inputs of live nodes that are this value, plus network outputs
};

struct expression {
  const operator_type* type = nullptr;  ///< nullptr for a leaf
  std::string_view layer{};             ///< of a leaf
  std::string_view name{};
  extents shape{};
  range arguments{};  ///< in graph::operands: expression_id
  range fields{};
  dtype element = dtype::f32;
};

struct network_output {
  std::string_view name{};
  value_id value = none;
};

/// Any graph, to be read: a `graph`, or a constant made of one.
struct graph_view {
  std::span<const node> nodes;
  std::span<const value> values;
  std::span<const int> operands;
  std::span<const double> fields;
  std::span<const expression> expressions;
  std::span<const network_output> outputs;

  constexpr std::span<const int> inputs(const node& n) const {
    return operands.subspan(static_cast<std::size_t>(n.inputs.first), static_cast<std::size_t>(n.inputs.count));
  }
  constexpr std::span<const int> weights(const node& n) const {
    return operands.subspan(static_cast<std::size_t>(n.weights.first), static_cast<std::size_t>(n.weights.count));
  }
  constexpr std::span<const int> arguments(const expression& e) const {
    return operands.subspan(static_cast<std::size_t>(e.arguments.first), static_cast<std::size_t>(e.arguments.count));
  }
  constexpr std::span<const double> fields_of(range r) const {
    return fields.subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.count));
  }
  constexpr const node& at(node_id n) const { return nodes[static_cast<std::size_t>(n)]; }
  constexpr const value& at_value(value_id v) const { return values[static_cast<std::size_t>(v)]; }
  constexpr const expression& at_expression(expression_id e) const { return expressions[static_cast<std::size_t>(e)]; }

  template <class Op>
  constexpr bool is(node_id n) const {
    return at(n).type == &type_of<Op>;
  }
  /// The operator of node n, which is an Op.
  template <class Op>
  constexpr Op get(node_id n) const {
    return decode<Op>(fields_of(at(n).fields));
  }
  constexpr const extents& shape(value_id v) const { return at_value(v).shape; }
  constexpr value_id output_of(node_id n, int i = 0) const { return at(n).outputs.first + i; }
};

struct graph {
  pool<node> nodes;
  pool<value> values;
  pool<int> operands;
  pool<double> fields;
  pool<expression> expressions;
  pool<network_output> outputs;

  constexpr graph_view view() const { return {nodes, values, operands, fields, expressions, outputs}; }

  constexpr node& at(node_id n) { return nodes[static_cast<std::size_t>(n)]; }
  constexpr value& at_value(value_id v) { return values[static_cast<std::size_t>(v)]; }

  constexpr range store_operands(std::span<const int> ids) {
    const range r{static_cast<int>(operands.size()), static_cast<int>(ids.size())};
    for (int id : ids) operands.push_back(id);
    return r;
  }
  constexpr range store_fields(std::span<const double> numbers) {
    const range r{static_cast<int>(fields.size()), static_cast<int>(numbers.size())};
    for (double d : numbers) fields.push_back(d);
    return r;
  }
  constexpr expression_id add_leaf(std::string_view layer, std::string_view name, const extents& shape, dtype element = dtype::f32) {
    expressions.push_back({nullptr, layer, name, shape, {}, {}, element});
    return static_cast<int>(expressions.size()) - 1;
  }
};

/// Back to a graph that can be rewritten.
constexpr graph thaw(const graph_view& v) {
  return {pool<node>(v.nodes),   pool<value>(v.values),           pool<int>(v.operands),
          pool<double>(v.fields), pool<expression>(v.expressions), pool<network_output>(v.outputs)};
}

/// A node for an operator in its erased form: infers its outputs' shapes, makes a leaf for each of its weights and counts
/// itself as a reader. `names` are the outputs' names (the node's own name where there is none). On a problem the graph
/// is as before.
constexpr problem add_node(graph& g, const operator_type& type, std::string_view name, std::span<const value_id> in,
                           std::span<const double> fields, std::span<const std::string_view> names = {}) {
  pool<extents> shapes;
  shapes.reserve(in.size());
  pool<dtype> element_types;
  element_types.reserve(in.size());
  for (value_id v : in) {
    shapes.push_back(g.values[static_cast<std::size_t>(v)].shape);
    element_types.push_back(g.values[static_cast<std::size_t>(v)].type);
  }
  description d;
  if (const problem p = type.describe(fields, inputs(shapes.data(), shapes.size()), types(element_types.data(), element_types.size()), d)) return p;

  node n{&type, name};
  n.inputs = g.store_operands(in);
  n.fields = g.store_fields(fields);
  n.outputs = {static_cast<int>(g.values.size()), static_cast<int>(d.outputs.size())};
  const node_id id = static_cast<int>(g.nodes.size());
  for (std::size_t i = 0; i < d.outputs.size(); ++i)
    g.values.push_back({i < names.size() ? names[i] : name, d.outputs[i], id, i < d.types.size() ? d.types[i] : dtype::f32, 0});
  for (value_id v : in) ++g.at_value(v).readers;
  n.weights = {static_cast<int>(g.operands.size()), static_cast<int>(d.weights.count)};
  for (const weight_slot& s : d.weights) g.operands.push_back(g.add_leaf(name, s.name, s.shape, s.type));
  g.nodes.push_back(n);
  return {};
}

template <class Op>
constexpr problem add_node(graph& g, const Op& op, std::string_view name, std::span<const value_id> in,
                           std::span<const std::string_view> names = {}) {
  const field_values f = encode(op);
  return add_node(g, type_of<Op>, name, in, std::span<const double>(f.data(), f.size()), names);
}

/// Declares value v a network output called `name`.
constexpr void add_output(graph& g, std::string_view name, value_id v) {
  g.outputs.push_back({name, v});
  ++g.at_value(v).readers;
}

/// Shapes of a node's inputs or outputs, in order.
constexpr pool<extents> input_shapes(const graph_view& g, const node& n) {
  pool<extents> out;
  for (value_id v : g.inputs(n)) out.push_back(g.shape(v));
  return out;
}
constexpr pool<extents> output_shapes(const graph_view& g, const node& n) {
  pool<extents> out;
  for (int i = 0; i < n.outputs.count; ++i) out.push_back(g.shape(n.outputs.first + i));
  return out;
}

/// Multiply-adds of a node.
constexpr std::int64_t macs_of(const graph_view& g, node_id n) {
  const node& at = g.at(n);
  const pool<extents> in = input_shapes(g, at), out = output_shapes(g, at);
  return at.type->macs(g.fields_of(at.fields), in, out);
}

/// About what a node takes on one thread, to tell what is worth several: 40 multiply-adds or 2 elements in a nanosecond.
constexpr double nanoseconds_of(const graph_view& g, node_id n) {
  const node& at = g.at(n);
  std::int64_t elements = 0;
  for (value_id v : g.inputs(at)) elements += g.shape(v).count();
  for (int k = 0; k < at.outputs.count; ++k) elements += g.shape(at.outputs.first + k).count();
  return static_cast<double>(macs_of(g, n)) / 40 + static_cast<double>(elements) / 2;
}

}  // namespace ctnn
