// SPDX-License-Identifier: BSL-1.0
// Graphs written by hand in a test, in constants and at run time alike; and whether two graphs are the same.
#pragma once

#include <ctnn/graph/elements.hpp>
#include <ctnn/graph/zero_channels.hpp>
#include <ctnn/kernels/operator_code.hpp>

namespace ctnn::ir::test {

/// Says that leaf e holds zeros at these places of its first axis, and of its second.
constexpr void note_zeros(graph& g, expression& e, span<const int> rows, span<const int> columns) {
  pool<float> numbers(static_cast<std::size_t>(e.shape.count()), 1.0f);
  const std::int64_t row = e.shape.count(1, e.shape.rank), each = row / (e.shape.rank > 1 ? e.shape[1] : 1);
  for (const int i : rows)
    for (std::int64_t k = 0; k < row; ++k) numbers.items[i * row + k] = 0;
  for (std::int64_t i = 0; i < e.shape[0]; ++i)
    for (const int c : columns)
      for (std::int64_t k = 0; k < each; ++k) numbers.items[i * row + c * each + k] = 0;
  note_zero_channels(g, e, numbers.data());
}

/// Not constexpr: stops a constant evaluation.
inline void node_is_wrong(std::string_view) {}

struct builder {
  graph g;
  problem error{};

  template <class Op>
  constexpr value_id add(const Op& op, std::string_view name, std::initializer_list<value_id> in, types wanted = {}) {
    if (const problem p = add_node(g, op, name, std::span<const value_id>(in.begin(), in.size()), {}, wanted)) {
      error = p;
      node_is_wrong(name);
      return 0;
    }
    return g.nodes.back().outputs.first;
  }
  /// A node whose result has this element.
  template <class Op>
  constexpr value_id add_as(const element& made, const Op& op, std::string_view name,
                            std::initializer_list<value_id> in) {
    return add(op, name, in, {&made, 1});
  }
  constexpr value_id input(std::string_view name, std::initializer_list<int> shape) {
    return add(op::input{list<int>(shape)}, name, {});
  }
  constexpr value_id constant(std::string_view name, std::initializer_list<int> shape) {
    return add(op::constant{list<int>(shape)}, name, {});
  }
  constexpr value_id constant(std::string_view name, std::initializer_list<int> shape, numbers_are numbers) {
    const value_id v = constant(name, shape);
    g.expressions.back().numbers = numbers;
    return v;
  }
  constexpr value_id full(std::string_view name, std::initializer_list<int> shape, float value) {
    return add(op::full{list<int>(shape), value}, name, {});
  }
  constexpr value_id conv(std::string_view name, value_id x, int out, int kernel = 1, activation_function f = {}) {
    op::conv2d c;
    c.out = out;
    c.kernel = {kernel, kernel};
    c.pad = {kernel / 2, kernel / 2, kernel / 2, kernel / 2};
    c.activation = f;
    return add(c, name, {x});
  }
  /// Twice the rows and columns of x.
  constexpr value_id conv_transpose(std::string_view name, value_id x, int out, int groups = 1,
                                    activation_function f = {}, bool bias = true) {
    op::conv_transpose2d c;
    c.out = out;
    c.kernel = {3, 4};
    c.stride = {2, 2};
    c.pad = {1, 1, 1, 1};
    c.output_padding = {1, 0};
    c.groups = groups;
    c.bias = bias;
    c.activation = f;
    return add(c, name, {x});
  }
  constexpr value_id linear(std::string_view name, value_id x, int out, activation_function f = {}) {
    return add(op::linear{out, true, f}, name, {x});
  }
  constexpr value_id apply(std::string_view name, value_id x, function f, float a = 0, float b = 0) {
    return add(op::activation{{f, a, b}}, name, {x});
  }
  constexpr value_id relu(std::string_view name, value_id x) { return apply(name, x, function::relu); }
  constexpr value_id binary(std::string_view name, op::binary_function f, value_id a, value_id b,
                            activation_function act = {}) {
    return add(op::binary{f, {}, act}, name, {a, b});
  }
  constexpr value_id sum(std::string_view name, value_id a, value_id b) {
    return binary(name, op::binary_function::add, a, b);
  }
  constexpr value_id scalar(std::string_view name, op::binary_function f, value_id a, float by,
                            activation_function act = {}) {
    return add(op::binary{f, by, act}, name, {a});
  }
  constexpr value_id flatten(std::string_view name, value_id x, int start = 0) {
    return add(op::flatten{start, -1}, name, {x});
  }
  constexpr value_id reshape(std::string_view name, value_id x, std::initializer_list<int> shape) {
    return add(op::reshape{list<int>(shape)}, name, {x});
  }
  constexpr value_id permute(std::string_view name, value_id x, std::initializer_list<int> order) {
    return add(op::permute{list<int>(order)}, name, {x});
  }
  constexpr value_id concat(std::string_view name, std::initializer_list<value_id> in, int axis = 0) {
    return add(op::concat{axis}, name, in);
  }
  constexpr value_id gap(std::string_view name, value_id x) { return add(op::adaptive_pool{}, name, {x}); }
  /// The newest layer's weight `slot` holds zeros at these places of its first axis, and of its second.
  constexpr void zeros(int slot, std::initializer_list<int> rows, std::initializer_list<int> columns = {}) {
    const node& n = g.nodes.back();
    expression& e = g.expressions[static_cast<std::size_t>(g.view().weights(n)[static_cast<std::size_t>(slot)])];
    note_zeros(g, e, {rows.begin(), rows.size()}, {columns.begin(), columns.size()});
  }
  /// The newest layer's bias, integers of weight slot 1, is below 0 at these places and above 0 at others.
  constexpr void below_zero(std::initializer_list<int> places) {
    expression& e = g.expressions[static_cast<std::size_t>(g.view().weights(g.nodes.back())[1])];
    pool<std::int32_t> numbers(static_cast<std::size_t>(e.shape.count()), 1);
    for (const int i : places) numbers.items[i] = -1;
    note_zero_channels(g, e, numbers.data());
  }
  constexpr void output(std::string_view name, value_id v) { add_output(g, name, v); }
};

constexpr bool same_numbers(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return false;  // NaN is NaN
  return true;
}
constexpr bool same_ids(std::span<const int> a, std::span<const int> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// Node for node: operators, names, parameters, who reads whom, shapes, outputs. Value names and how weights come about
/// are not compared.
constexpr bool same_structure(const graph_view& a, const graph_view& b) {
  if (a.nodes.size() != b.nodes.size() || a.outputs.size() != b.outputs.size()) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const node &x = a.nodes[i], &y = b.nodes[i];
    if (x.type != y.type || x.name != y.name || !same_numbers(a.fields_of(x.fields), b.fields_of(y.fields)))
      return false;
    if (!same_ids(a.inputs(x), b.inputs(y)) || x.outputs.first != y.outputs.first ||
        x.outputs.count != y.outputs.count || x.weights.count != y.weights.count)
      return false;
    for (int k = 0; k < x.outputs.count; ++k) {
      const ir::value &v = a.at_value(x.outputs.first + k), &w = b.at_value(y.outputs.first + k);
      if (!(v.shape == w.shape) || v.type != w.type || v.readers != w.readers || v.producer != w.producer) return false;
    }
    for (std::size_t k = 0; k < a.weights(x).size(); ++k)
      if (!(a.at_expression(a.weights(x)[k]).shape == b.at_expression(b.weights(y)[k]).shape)) return false;
  }
  for (std::size_t i = 0; i < a.outputs.size(); ++i)
    if (a.outputs[i].name != b.outputs[i].name || a.outputs[i].value != b.outputs[i].value) return false;
  return true;
}

/// And the weights' expressions and all names as well.
constexpr bool identical(const graph_view& a, const graph_view& b) {
  if (!same_structure(a, b) || a.values.size() != b.values.size() || a.expressions.size() != b.expressions.size())
    return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (!same_ids(a.weights(a.nodes[i]), b.weights(b.nodes[i]))) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (a.values[i].name != b.values[i].name) return false;
  for (std::size_t i = 0; i < a.expressions.size(); ++i) {
    const expression &x = a.expressions[i], &y = b.expressions[i];
    if (x.type != y.type || x.layer != y.layer || x.name != y.name || !(x.shape == y.shape)) return false;
    if (!same_ids(a.arguments(x), b.arguments(y)) || !same_numbers(a.fields_of(x.fields), b.fields_of(y.fields)))
      return false;
  }
  return true;
}

}  // namespace ctnn::ir::test
