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

#include <bit>
#include <cstdint>

#include "../base/pool.hpp"
#include "operator.hpp"
#include "operators.hpp"

namespace ctnn::ir {

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
  range inputs{};   ///< in graph::operands: value_id; those that are weights (graph_view::given) come last
  range outputs{};  ///< in graph::values
  range weights{};  ///< in graph::operands: expression_id, in the order of the operator's slots that are not given
  range fields{};   ///< in graph::fields
  bool dead = false;
};

struct value {
  std::string_view name{};
  extents shape{};
  node_id producer = none;
  element type{};
  int readers = 0;  ///< inputs of live nodes that are this value, plus network outputs
};

/// What is known of the numbers of a weight: nothing, that all are 0, that 1 / x is finite for all of them, that they
/// are above 0 besides, or that all are 1.
enum class numbers_are : char { anything, zeros, invertible, positive, ones };
constexpr bool are_invertible(numbers_are n) { return n >= numbers_are::invertible; }
constexpr bool are_positive(numbers_are n) { return n >= numbers_are::positive; }

inline constexpr float smallest_divisor = 1e-37f;  ///< 1 / x is finite from here on
constexpr bool is_invertible(float x) { return math::abs(x) >= smallest_divisor && math::is_finite(x); }

constexpr numbers_are known_of(span<const float> numbers) {
  // Of their bits, without a branch a number: every constant of a file is looked at.
  constexpr std::uint32_t sign = 0x8000'0000, one = std::bit_cast<std::uint32_t>(1.0f);
  std::uint32_t any = 0, not_one = 0;
  bool all_invertible = true;
  for (const float x : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    any |= bits;
    not_one |= bits ^ one;
    all_invertible &= is_invertible(x);
  }
  if (numbers.empty()) return numbers_are::positive;
  if ((any & ~sign) == 0) return numbers_are::zeros;
  if (not_one == 0) return numbers_are::ones;
  if (!all_invertible) return numbers_are::anything;
  return any & sign ? numbers_are::invertible : numbers_are::positive;
}

struct expression {
  const operator_type* type = nullptr;  ///< nullptr for a leaf
  std::string_view layer{};             ///< of a leaf
  std::string_view name{};
  extents shape{};
  range arguments{};  ///< in graph::operands: expression_id
  range fields{};
  ir::element element{};
  numbers_are numbers =
      numbers_are::anything;  ///< of a leaf; whoever has the numbers says it, declared networks do not
};

struct network_output {
  std::string_view name{};
  value_id value = none;
};

/// Any graph, to be read: a `graph`, or a constant made of one.
struct graph_view {
  span<const node> nodes;
  span<const value> values;
  span<const int> operands;
  span<const double> fields;
  span<const expression> expressions;
  span<const network_output> outputs;

  constexpr span<const int> inputs(const node& n) const {
    return operands.subspan(static_cast<std::size_t>(n.inputs.first), static_cast<std::size_t>(n.inputs.count));
  }
  constexpr span<const int> weights(const node& n) const {
    return operands.subspan(static_cast<std::size_t>(n.weights.first), static_cast<std::size_t>(n.weights.count));
  }
  /// Slots of n that are inputs, the last ones of inputs(n).
  constexpr slot_set given(const node& n) const { return given_of(*n.type, fields_of(n.fields)); }
  constexpr span<const int> arguments(const expression& e) const {
    return operands.subspan(static_cast<std::size_t>(e.arguments.first), static_cast<std::size_t>(e.arguments.count));
  }
  constexpr span<const double> fields_of(range r) const {
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

/// Of what holds a graph in arrays of these names. From pointers: compilers count the dozen steps of each span's way
/// from a range.
template <class Graph>
constexpr graph_view view_of(const Graph& g) {
  return {{g.nodes.items, g.nodes.count},       {g.values.items, g.values.count},
          {g.operands.items, g.operands.count}, {g.fields.items, g.fields.count},
          {g.expressions.items, g.expressions.count}, {g.outputs.items, g.outputs.count}};
}

struct graph {
  pool<node> nodes;
  pool<value> values;
  pool<int> operands;
  pool<double> fields;
  pool<expression> expressions;
  pool<network_output> outputs;

  constexpr graph_view view() const { return view_of(*this); }

  constexpr node& at(node_id n) { return nodes.items[n]; }
  constexpr value& at_value(value_id v) { return values.items[v]; }

  constexpr range store_operands(span<const int> ids) {
    const range r{static_cast<int>(operands.size()), static_cast<int>(ids.size())};
    operands.append(ids.data(), ids.size());
    return r;
  }
  constexpr range store_fields(span<const double> numbers) {
    const range r{static_cast<int>(fields.size()), static_cast<int>(numbers.size())};
    fields.append(numbers.data(), numbers.size());
    return r;
  }
  /// Without a detour through an array of their own: compilers count each number's way.
  template <class Op>
  constexpr range store_fields_of(const Op& op) {
    fields.reserve_more(field_values::capacity());
    field_writer write{fields.items + fields.count};
    Op::fields(op, write);
    const std::size_t first = fields.count;
    fields.count = static_cast<std::size_t>(write.to - fields.items);
    return {static_cast<int>(first), static_cast<int>(fields.count - first)};
  }
  constexpr expression_id add_leaf(std::string_view layer, std::string_view name, const extents& shape,
                                   const element& element = {}) {
    expressions.push_back({nullptr, layer, name, shape, {}, {}, element});
    return static_cast<int>(expressions.size()) - 1;
  }
};

/// The slot that weight i of a node is for.
constexpr int slot_of(slot_set given, int i) {
  int slot = 0;
  for (;; ++slot)
    if ((given >> slot & 1u) == 0 && i-- == 0) return slot;
}

/// The weights of a kernel's arguments, in the order of the slots, from those that are inputs and those that are the
/// node's.
template <class Weights>
constexpr void merge_slots(slot_set given, auto&& inputs, auto&& own, std::size_t own_count, Weights& result) {
  std::size_t next_input = 0, next_own = 0;
  const std::size_t count = own_count + static_cast<std::size_t>(count_slots(given));
  for (std::size_t k = 0; k < count; ++k) result.push_back(given >> k & 1u ? inputs(next_input++) : own(next_own++));
}

/// Back to a graph that can be rewritten.
constexpr graph thaw(const graph_view& v) {
  return {pool<node>(v.nodes),   pool<value>(v.values),           pool<int>(v.operands),
          pool<double>(v.fields), pool<expression>(v.expressions), pool<network_output>(v.outputs)};
}

/// A node for an operator in its erased form: infers its outputs' shapes, makes a leaf for each of its weights and
/// counts itself as a reader. `names` are the outputs' names (the node's own name where there is none), `wanted` their
/// elements where the operator leaves a choice. On a problem the graph is as before.
constexpr problem add_node(graph& g, const operator_type& type, std::string_view name, span<const value_id> in,
                           span<const double> fields, span<const std::string_view> names = {}, types wanted = {}) {
  pool<extents> shapes;
  shapes.reserve(in.size());
  pool<element> element_types;
  element_types.reserve(in.size());
  for (value_id v : in) {
    shapes.push_back(g.values[static_cast<std::size_t>(v)].shape);
    element_types.push_back(g.values[static_cast<std::size_t>(v)].type);
  }
  description d{wanted};
  if (const problem p = type.describe(fields, inputs(shapes.data(), shapes.size()),
                                      types(element_types.data(), element_types.size()), d))
    return p;

  node n{&type, name};
  n.inputs = g.store_operands(in);
  n.fields = g.store_fields(fields);
  n.outputs = {static_cast<int>(g.values.size()), static_cast<int>(d.outputs.size())};
  const node_id id = static_cast<int>(g.nodes.size());
  for (std::size_t i = 0; i < d.outputs.size(); ++i)
    g.values.push_back(
        {i < names.size() ? names[i] : name, d.outputs[i], id, i < d.types.size() ? d.types[i] : element{}, 0});
  for (value_id v : in) ++g.at_value(v).readers;
  n.weights = {static_cast<int>(g.operands.size()), static_cast<int>(d.weights.size())};
  for (const weight_slot& s : d.weights) g.operands.push_back(g.add_leaf(name, s.name, s.shape, s.type));
  g.nodes.push_back(n);
  return {};
}

template <class Op>
constexpr problem add_node(graph& g, const Op& op, std::string_view name, span<const value_id> in,
                           span<const std::string_view> names = {}, types wanted = {}) {
  const field_values f = encode(op);
  return add_node(g, type_of<Op>, name, in, span<const double>(f.data(), f.size()), names, wanted);
}

/// Declares value v a network output called `name`.
constexpr void add_output(graph& g, std::string_view name, value_id v) {
  g.outputs.push_back({name, v});
  ++g.at_value(v).readers;
}

/// Elements of a node's inputs or outputs, in order.
constexpr pool<element> input_elements(const graph_view& g, const node& n) {
  pool<element> out;
  for (value_id v : g.inputs(n)) out.push_back(g.at_value(v).type);
  return out;
}
constexpr pool<element> output_elements(const graph_view& g, const node& n) {
  pool<element> out;
  for (int i = 0; i < n.outputs.count; ++i) out.push_back(g.at_value(n.outputs.first + i).type);
  return out;
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

/// Bytes of memory that a node's kernel takes while it runs, if it is one that takes some; or the least it can do with.
enum class scratch_for_work { whole, least };
constexpr std::int64_t scratch_bytes(const graph_view& g, const node& n,
                                     scratch_for_work of_work = scratch_for_work::whole) {
  const auto bytes = of_work == scratch_for_work::whole ? n.type->scratch : n.type->least_scratch;
  if (bytes == nullptr) return 0;
  pool<extents> in = input_shapes(g, n);
  in.shrink(in.size() - static_cast<std::size_t>(count_slots(g.given(n))));
  const pool<element> of = input_elements(g, n);
  return bytes(g.fields_of(n.fields), in, {of.data(), in.size()}, output_shapes(g, n));
}

/// Whether a node reads and makes floats only, but for indices and booleans that its kernel for vectors takes.
constexpr bool computes_f32(const graph_view& g, const node& n) {
  const auto in = g.inputs(n);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const dtype type = g.at_value(in[i]).type;
    const bool beside = i > 0 && n.type->is.takes_indices && (is_index(type) || type == dtype::boolean);
    if (type != dtype::f32 && !beside) return false;
  }
  for (int k = 0; k < n.outputs.count; ++k)
    if (g.at_value(n.outputs.first + k).type != dtype::f32) return false;
  return true;
}

/// Whether the operator's vector kernel takes the node's element types.
constexpr bool takes_vectors(const graph_view& g, const node& n) {
  if (n.type->is.vectors == vectors_of::none) return false;
  if (computes_f32(g, n)) return true;
  if (n.type->is.vectors != vectors_of::conversions) return false;
  const dtype from = g.at_value(g.inputs(n)[0]).type, to = g.at_value(n.outputs.first).type;
  const bool has_vectors = is_narrow(to) || is_index(to) || to == dtype::i8 || to == dtype::u8 || to == dtype::boolean;
  return (from == dtype::f32 && has_vectors) || (is_narrow(from) && to == dtype::f32);
}

/// Multiply-adds of a node.
constexpr std::int64_t macs_of(const graph_view& g, node_id n) {
  const node& at = g.at(n);
  pool<extents> in = input_shapes(g, at);
  in.shrink(in.size() - static_cast<std::size_t>(count_slots(g.given(at))));
  const pool<extents> out = output_shapes(g, at);
  return at.type->macs(g.fields_of(at.fields), in, out);
}

}  // namespace ctnn::ir
