// SPDX-License-Identifier: BSL-1.0
// RNN, GRU and LSTM. With constant f32 weights and the usual gates they are the layers of static networks; whatever else
// ONNX allows goes to the general ones.
#pragma once

#include "shape.hpp"

namespace ctnn::onnx::readers {

struct gate_default {
  const char* name;
  op::gate_function function;
  float alpha, beta;
};
inline constexpr gate_default gate_defaults[] = {
    {"Sigmoid", op::gate_function::sigmoid, 0, 0},       {"Tanh", op::gate_function::tanh, 0, 0},
    {"Relu", op::gate_function::relu, 0, 0},             {"Affine", op::gate_function::affine, 1, 0},
    {"LeakyRelu", op::gate_function::leaky_relu, 0.01f, 0}, {"ThresholdedRelu", op::gate_function::thresholded_relu, 1, 0},
    {"ScaledTanh", op::gate_function::scaled_tanh, 1, 1}, {"HardSigmoid", op::gate_function::hard_sigmoid, 0.2f, 0.5f},
    {"Elu", op::gate_function::elu, 1, 0},               {"Softsign", op::gate_function::softsign, 0, 0},
    {"Softplus", op::gate_function::softplus, 0, 0}};

/// What the three have in common; the inputs so far are added to `in`.
inline void read_recurrent(node_reader& n, op::general_recurrence& op, std::size_t functions, std::vector<term>& in) {
  const std::string direction = n.text("direction", "forward");
  if (direction == "reverse") op.direction = op::direction::reverse;
  else if (direction == "bidirectional") op.direction = op::direction::bidirectional;
  else if (direction != "forward") n.fail("direction is '" + direction + "', expected forward, reverse or bidirectional");
  n.ignore("output_sequence");
  op.batch_first = n.flag("layout", false);
  op.clip = n.real("clip", 0);
  op.hidden = n.has_attribute("hidden_size") ? n.small("hidden_size", 0) : n.shape(n.input(2)).rank == 3 ? n.shape(n.input(2))[2] : 0;
  const std::vector<std::string> names = n.texts("activations");
  const std::vector<float> alpha = n.reals("activation_alpha"), beta = n.reals("activation_beta");
  if (!names.empty() && names.size() != functions * static_cast<std::size_t>(op.directions()))
    n.fail("has " + std::to_string(names.size()) + " activations, expected " + std::to_string(functions * static_cast<std::size_t>(op.directions())));
  std::size_t a = 0, b = 0;
  for (const std::string& name : names) {
    const gate_default* found = nullptr;
    for (const gate_default& g : gate_defaults)
      if (std::equal(name.begin(), name.end(), g.name, g.name + std::strlen(g.name),
                     [](char x, char y) { return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y)); }))
        found = &g;
    if (!found) node_reader::refuse("activation '" + name + "'");
    op.gates.push_back(found->function);
    const bool has_alpha = found->alpha != 0, has_beta = found->beta != 0 || found->function == op::gate_function::affine;
    op.alpha.push_back(has_alpha && a < alpha.size() ? alpha[a++] : found->alpha);
    op.beta.push_back(has_beta && b < beta.size() ? beta[b++] : found->beta);
  }
  for (std::size_t i = 0; i < 3; ++i) in.push_back(n.input(i));
  op.bias = n.has(3);
  op.lengths = n.has(4);
  op.initial_h = n.has(5);
  for (std::size_t i = 3; i < 6; ++i)
    if (n.has(i)) in.push_back(n.input(i));
}
inline bool all_zeros(const array& a) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (number_at(a, i) != 0) return false;
  return true;
}

/// The layer of static networks that a general one is. `order`: ONNX's gates in PyTorch's order.
class plain_recurrence {
 public:
  plain_recurrence(node_reader& n, const op::general_recurrence& from, std::vector<term> in, std::vector<int> order)
      : n_(n), from_(from), in_(std::move(in)), order_(std::move(order)), gates_(static_cast<int>(order_.size())) {}

  /// Whether weights are known, states are none or all there, and nothing is asked that the layer has not. `usual`: the
  /// functions of one direction.
  bool fits(std::initializer_list<op::gate_function> usual, int states) {
    if (from_.batch_first || from_.lengths || from_.clip > 0 || n_.rank(in_[0]) != 3 || n_.type(in_[0]) != dtype::f32) return false;
    const int d = from_.directions(), rows = gates_ * from_.hidden;
    const extents& x = n_.shape(in_[0]);
    const extents expected[] = {x, {d, rows, x[2]}, {d, rows, from_.hidden}, {d, 2 * rows}};
    for (std::size_t i = 0; i < from_.gates.size(); ++i)
      if (from_.gates[i] != usual.begin()[i % usual.size()]) return false;
    const std::size_t weights = from_.bias ? 4 : 3;
    for (std::size_t i = 1; i < weights; ++i)
      if (!n_.known(in_[i]) || n_.type(in_[i]) != dtype::f32 || !(n_.shape(in_[i]) == expected[i])) return false;
    given_.assign(in_.begin() + static_cast<std::ptrdiff_t>(weights), in_.end());
    bool zeros = true;
    for (term t : given_) zeros = zeros && n_.known(t) && all_zeros(*n_.known(t));
    if (zeros) given_.clear();
    return given_.empty() || static_cast<int>(given_.size()) == states;
  }

  /// Adds the layer and gives the node's outputs ONNX's shapes.
  template <class Op>
  void add(Op op) {
    static_cast<op::recurrence&>(op) = {from_.hidden, from_.direction, false, from_.bias};
    const int d = op.directions(), rows = gates_ * op.hidden;
    const extents x = n_.shape(in_[0]);
    std::vector<shared_array> weights;
    for (int k = 0; k < d; ++k) {
      weights.push_back(reordered(in_[1], {rows, x[2]}, k * gates_));
      weights.push_back(reordered(in_[2], {rows, op.hidden}, k * gates_));
      for (int i = 0; op.bias && i < 2; ++i) weights.push_back(reordered(in_[3], {rows}, (2 * k + i) * gates_));
    }
    std::vector<term> inputs{in_[0]};
    inputs.insert(inputs.end(), given_.begin(), given_.end());
    const std::vector<term> out = n_.weighted_nodes(op, inputs, weights);
    if (n_.wants(0)) {
      const int length = x[0], batch = x[1];
      const bool in_order = d == 1 || batch == 1;  // (length, batch, directions, hidden) lies as (length, directions, batch, hidden)
      const term y = n_.reshaped(out[0], in_order ? extents{length, d, batch, op.hidden} : extents{length, batch, d, op.hidden});
      n_.result(0, in_order ? y : n_.permuted(y, {0, 2, 1, 3}));
    }
    for (std::size_t i = 1; i < out.size(); ++i) n_.result(i, out[i]);
  }

 private:
  /// Blocks of numbers, one a gate, from block `first` on, in PyTorch's order.
  shared_array reordered(term t, const extents& shape, int first) const {
    const auto to = n_.allocate(shape, dtype::f32);
    const std::size_t block = to->size() / order_.size();
    float* at = to->data();
    for (const int gate : order_) at = std::copy_n(n_.known(t)->data() + static_cast<std::size_t>(first + gate) * block, block, at);
    return to;
  }

  node_reader& n_;
  const op::general_recurrence& from_;
  std::vector<term> in_, given_;
  std::vector<int> order_;
  int gates_;
};

template <class Op>
void add_general(node_reader& n, const Op& op, const std::vector<term>& in) {
  const std::vector<term> out = n.nodes(op, in);
  for (std::size_t i = 0; i < out.size(); ++i) n.result(i, out[i]);
}

inline void rnn(node_reader& n) {
  n.expect(3, 6);
  op::general_rnn op;
  std::vector<term> in;
  read_recurrent(n, op, 1, in);
  using enum op::gate_function;
  plain_recurrence layer(n, op, in, {0});
  if (layer.fits({tanh}, 1)) return layer.add(op::rnn{});
  if (layer.fits({relu}, 1)) return layer.add(op::rnn{{}, {function::relu}});
  add_general(n, op, in);
}
/// ONNX's gates are z, r, h.
inline void gru(node_reader& n) {
  n.expect(3, 6);
  op::general_gru op;
  std::vector<term> in;
  read_recurrent(n, op, 2, in);
  op.linear_before_reset = n.flag("linear_before_reset", false);
  using enum op::gate_function;
  plain_recurrence layer(n, op, in, {1, 0, 2});
  if (op.linear_before_reset && layer.fits({sigmoid, tanh}, 1)) return layer.add(op::gru{});
  add_general(n, op, in);
}
/// ONNX's gates are i, o, f, c.
inline void lstm(node_reader& n) {
  n.expect(3, 8);
  op::general_lstm op;
  std::vector<term> in;
  read_recurrent(n, op, 3, in);
  op.input_forget = n.flag("input_forget", false);
  op.initial_c = n.has(6);
  op.peepholes = n.has(7);
  for (std::size_t i = 6; i < 8; ++i)
    if (n.has(i)) in.push_back(n.input(i));
  using enum op::gate_function;
  plain_recurrence layer(n, op, in, {0, 2, 3, 1});
  if (!op.input_forget && !op.peepholes && layer.fits({sigmoid, tanh, tanh}, 2)) return layer.add(op::lstm{});
  add_general(n, op, in);
}

}  // namespace ctnn::onnx::readers
