// SPDX-License-Identifier: BSL-1.0
// RNN, GRU and LSTM; attention and rotary positions.
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
inline void read_recurrent(node_reader& n, op::recurrent& op, std::size_t functions, std::vector<term>& in) {
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
inline void recurrent_results(node_reader& n, const std::vector<term>& out) {
  for (std::size_t i = 0; i < out.size(); ++i) n.result(i, out[i]);
}

inline void rnn(node_reader& n) {
  n.expect(3, 6);
  op::rnn op;
  std::vector<term> in;
  read_recurrent(n, op, 1, in);
  recurrent_results(n, n.nodes(op, in));
}
inline void gru(node_reader& n) {
  n.expect(3, 6);
  op::gru op;
  std::vector<term> in;
  read_recurrent(n, op, 2, in);
  op.linear_before_reset = n.flag("linear_before_reset", false);
  recurrent_results(n, n.nodes(op, in));
}
inline void lstm(node_reader& n) {
  n.expect(3, 8);
  op::lstm op;
  std::vector<term> in;
  read_recurrent(n, op, 3, in);
  op.input_forget = n.flag("input_forget", false);
  op.initial_c = n.has(6);
  op.peepholes = n.has(7);
  for (std::size_t i = 6; i < 8; ++i)
    if (n.has(i)) in.push_back(n.input(i));
  recurrent_results(n, n.nodes(op, in));
}

inline void attention(node_reader& n) {
  n.expect(3, 7);
  n.ignore("softmax_precision");
  op::attention op;
  op.heads = n.small("q_num_heads", 0);
  op.kv_heads = n.small("kv_num_heads", 0);
  op.causal = n.flag("is_causal", false);
  op.scale = n.real("scale", 0);
  op.softcap = n.real("softcap", 0);
  const std::int64_t which = n.integer("qk_matmul_output_mode", 0);
  if (which < 0 || which > 3) n.fail("qk_matmul_output_mode is " + std::to_string(which) + ", expected 0 to 3");
  using enum op::attention_scores;
  constexpr op::attention_scores scores[] = {product, with_softcap, with_mask, probabilities};
  op.which = scores[which];
  std::vector<term> in{n.input(0), n.input(1), n.input(2)};
  op.mask = n.has(3);
  op.past = n.has(4) && n.has(5);
  if (n.has(4) != n.has(5)) n.fail("has one of past_key and past_value");
  op.lengths = n.has(6);
  for (std::size_t i = 3; i < 7; ++i)
    if (n.has(i)) in.push_back(n.input(i));
  op.present = n.wants(1) || n.wants(2);
  op.scores = n.wants(3);
  const std::vector<term> out = n.nodes(op, in);
  n.result(0, out[0]);
  if (op.present) {
    n.result(1, out[1]);
    n.result(2, out[2]);
  }
  if (op.scores) n.result(3, out.back());
}

inline void rotary_embedding(node_reader& n) {
  n.expect(3, 4);
  const op::rotary_embedding op{n.flag("interleaved", false), n.small("num_heads", 0), n.small("rotary_embedding_dim", 0)};
  std::vector<term> in{n.input(0), n.input(1), n.input(2)};
  if (n.has(3)) in.push_back(n.input(3));
  n.result(n.add(op, in));
}

}  // namespace ctnn::onnx::readers
