// SPDX-License-Identifier: BSL-1.0
// RNN, GRU and LSTM: their weights cut into PyTorch's, which are those of one direction with the gates in another
// order.
#pragma once

#include <algorithm>

#include "shape.hpp"

namespace ctnn::onnx::readers {

/// The functions of gates, with ONNX's defaults.
inline constexpr activation_function gate_functions[] = {
    {function::sigmoid}, {function::tanh}, {function::relu}, {function::affine, 1}, {function::leaky_relu, 0.01f},
    {function::thresholded_relu, 1}, {function::scaled_tanh, 1, 1}, {function::hardsigmoid, 0.2f, 0.5f},
    {function::elu, 1}, {function::softsign}, {function::softplus}};

/// LeakyRelu is leaky_relu.
inline bool same_letters(std::string_view a, std::string_view b) {
  const auto letters = [](std::string_view s) {
    std::string out;
    for (const char c : s)
      if (c != '_') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  };
  return letters(a) == letters(b);
}

/// Attributes that the three have in common.
template <int Gates>
void read_recurrent(node_reader& n, op::recurrence<Gates>& op) {
  const std::string direction = n.text("direction", "forward");
  if (direction == "reverse") op.direction = op::direction::reverse;
  else if (direction == "bidirectional") op.direction = op::direction::bidirectional;
  else if (direction != "forward")
    n.fail("direction is '" + direction + "', expected forward, reverse or bidirectional");
  n.ignore("output_sequence");
  op.batch_first = n.flag("layout", false);
  op.clip = n.real("clip", 0);
  if (n.has_attribute("hidden_size")) op.hidden = n.small("hidden_size", 0);
  else if (n.rank(n.input(2)) == 3) op.hidden = n.shape(n.input(2))[2];
  if (!(op.hidden >= 1 && op.hidden <= op.most_hidden))  // Clang 14 takes "op.hidden <" for the layers' option
    n.fail("hidden_size is " + std::to_string(op.hidden) + ", expected 1 to " + std::to_string(op.most_hidden));
  op.bias = n.has(3);
  op.lengths = n.has(4);
  const std::vector<std::string> names = n.texts("activations");
  const std::vector<float> alpha = n.reals("activation_alpha"), beta = n.reals("activation_beta");
  const auto expected = static_cast<std::size_t>(op.functions_each * op.directions());
  if (!names.empty() && names.size() != expected)
    n.fail("has " + std::to_string(names.size()) + " activations, expected " + std::to_string(expected));
  const op::recurrence<Gates> usual;
  bool all_usual = true;
  std::size_t a = 0, b = 0;
  for (const std::string& name : names) {
    const auto called = [&](const activation_function& g) { return same_letters(name_of(g.kind), name); };
    const auto* f = std::ranges::find_if(gate_functions, called);
    if (f == std::end(gate_functions)) node_reader::refuse("activation '" + name + "'");
    const int i = static_cast<int>(op.functions.size()) % op.functions_each;
    all_usual = all_usual && f->kind == usual.function_at(0, i).kind;
    op.functions.push_back(f->kind);
    op.alpha.push_back(f->a != 0 && a < alpha.size() ? alpha[a++] : f->a);
    op.beta.push_back((f->b != 0 || f->kind == function::affine) && b < beta.size() ? beta[b++] : f->b);
  }
  if (!all_usual) return;
  op.functions.clear();
  op.alpha.clear();
  op.beta.clear();
}

inline term of_shape(node_reader& n, std::size_t i, const extents& wanted) {
  const term t = n.input(i);
  if (!(n.shape(t) == wanted))
    n.fail("input " + std::to_string(i) + " is " + describe(n.shape(t)) + ", expected " + describe(wanted));
  return t;
}

/// Direction d of weights (directions, rows, ...): the given blocks of `hidden` rows, in this order.
inline term blocks_of(node_reader& n, term t, int d, int hidden, const std::vector<int>& blocks) {
  std::vector<term> parts;
  for (const int b : blocks) {
    op::slice part;
    part.axis = {0, 1};
    part.start = {d, b * hidden};
    part.end = {d + 1, (b + 1) * hidden};
    parts.push_back(n.add(part, {t}));
  }
  const term all = n.add(op::concat{1}, parts);
  return n.reshaped(all, n.shape(all).from(1));
}

/// A state of ONNX as (directions, batch, hidden), or back.
inline term turned(node_reader& n, term state, bool batch_first) {
  return batch_first ? n.permuted(state, {1, 0, 2}) : state;
}

inline bool all_zeros(node_reader& n, term t) {
  const shared_array a = n.known(t);
  for (std::size_t i = 0; a && i < a->size(); ++i)
    if (number_at(*a, i) != 0) return false;
  return a != nullptr;
}

/// Adds the layer. `order`: ONNX's gates in PyTorch's order.
template <class Op>
void add_recurrent(node_reader& n, Op op, const std::vector<int>& order, bool peepholes = false) {
  const term x = n.input(0);
  if (n.rank(x) != 3) n.fail("input is " + describe(n.shape(x)) + ", expected 3 dimensions");
  const auto [length, batch, depth] = op.sizes_of(n.shape(x));
  const int d = op.directions(), hidden = op.hidden, rows = Op::gates * hidden;
  const term w = of_shape(n, 1, {d, rows, depth}), r = of_shape(n, 2, {d, rows, hidden});
  std::vector<term> in{x};
  if (op.lengths) in.push_back(n.input(4));
  const extents state_shape = op.batch_first ? extents{batch, d, hidden} : extents{d, batch, hidden};
  bool zeros = true;
  for (std::size_t i = 5; i < 5 + Op::states; ++i)
    if (n.has(i)) zeros = all_zeros(n, of_shape(n, i, state_shape)) && zeros;
  for (std::size_t i = 5; i < 5 + Op::states && !zeros; ++i)
    in.push_back(turned(n, n.has(i) ? n.input(i) : n.constant(n.allocate(state_shape, n.type(x))), op.batch_first));
  std::vector<int> r_order;  // behind those of W where both are biases
  for (const int gate : order) r_order.push_back(Op::gates + gate);
  const std::size_t first = in.size();
  for (int k = 0; k < d; ++k) {
    in.push_back(blocks_of(n, w, k, hidden, order));
    in.push_back(blocks_of(n, r, k, hidden, order));
    if (op.bias) in.push_back(blocks_of(n, of_shape(n, 3, {d, 2 * rows}), k, hidden, order));
    if (op.bias) in.push_back(blocks_of(n, n.input(3), k, hidden, r_order));
    if (peepholes) in.push_back(blocks_of(n, of_shape(n, 7, {d, 3 * hidden}), k, hidden, {0, 2, 1}));  // i, o, f
  }
  op.given = (slot_set{1} << (in.size() - first)) - 1;
  const std::vector<term> out = n.nodes(op, in);
  if (n.wants(0)) {
    const term y = n.reshaped(out[0], {n.shape(x)[0], n.shape(x)[1], d, hidden});
    n.result(0, op.batch_first ? y : n.permuted(y, {0, 2, 1, 3}));
  }
  for (std::size_t i = 1; i < out.size(); ++i)
    if (n.wants(i)) n.result(i, turned(n, out[i], op.batch_first));
}

inline void rnn(node_reader& n) {
  n.expect(3, 6);
  op::rnn op;
  read_recurrent(n, op);
  add_recurrent(n, op, {0});
}
/// ONNX's gates are z, r, h.
inline void gru(node_reader& n) {
  n.expect(3, 6);
  op::gru op;
  read_recurrent(n, op);
  op.linear_before_reset = n.flag("linear_before_reset", false);
  add_recurrent(n, op, {1, 0, 2});
}
/// ONNX's gates are i, o, f, c.
inline void lstm(node_reader& n) {
  n.expect(3, 8);
  op::lstm op;
  read_recurrent(n, op);
  op.input_forget = n.flag("input_forget", false);
  op.peepholes = n.has(7);
  add_recurrent(n, op, {0, 2, 3, 1}, op.peepholes);
}

}  // namespace ctnn::onnx::readers
