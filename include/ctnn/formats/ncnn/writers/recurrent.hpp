// SPDX-License-Identifier: BSL-1.0
// lstm, gru and rnn as ncnn layers: a batch of one, weights in ncnn's order of gates.
#pragma once

#include "../node_writer.hpp"
#include "../readers/recurrent.hpp"

namespace ctnn::ncnn::writers {

/// What the three have in common.
class recurrent_writer {
 public:
  recurrent_writer(node_writer& w, const op::recurrent& op, int gates)
      : w_(w), d_(op.directions()), hidden_(op.hidden), gates_(gates), in_(w.input_shape()[2]) {
    steps_ = w.input_shape()[op.batch_first ? 1 : 0];
    if (w.input_shape()[op.batch_first ? 0 : 1] != 1) throw inexpressible{"a batch of sequences"};
    if (op.lengths) throw inexpressible{"lengths of sequences"};
    if (op.clip > 0 || !op.gates.empty()) throw inexpressible{"gates that are not the usual ones"};
    params_.integer(0, op.hidden, 0).integer(1, std::int64_t{d_} * gates * hidden_ * in_, 0).integer(2, static_cast<int>(op.direction), 0);
    biases_.resize(static_cast<std::size_t>(d_ * 2 * gates * hidden_));
    if (op.bias) biases_ = w.b.constant(w.input(3));
    next_ = op.bias ? 4 : 3;
  }

  /// The layer with its states and the arrays; `order` are ncnn's gates among ONNX's, `bias_rows` ncnn's biases among
  /// ONNX's, of which there are twice as many.
  void write(const char* type, bool initial, std::size_t states, std::initializer_list<int> order, std::initializer_list<int> bias_rows) {
    std::vector<std::string> from{w_.in_form(0, {steps_, in_})}, to{w_.out_in_form({steps_, d_ * hidden_})};
    if (initial)
      for (std::size_t i = 0; i < states; ++i) from.push_back(w_.in_form(next_ + i, {d_, hidden_}));
    bool reads_states = false;
    for (std::size_t i = 1; i <= states; ++i) reads_states = reads_states || w_.b.g.at_value(w_.output(static_cast<int>(i))).readers > 0;
    if (reads_states)
      for (std::size_t i = 1; i <= states; ++i) to.push_back(w_.out_in_form({d_, hidden_}, static_cast<int>(i)));
    w_.layer(type, from, to, params_);
    const auto n = static_cast<std::size_t>(hidden_), gates = static_cast<std::size_t>(gates_);
    w_.b.bin.tagged(readers::reordered(w_.b.constant(w_.input(1)), d_, gates, n * static_cast<std::size_t>(in_), order));
    w_.b.bin.tagged(readers::reordered(biases_, d_, 2 * gates, n, bias_rows));
    w_.b.bin.tagged(readers::reordered(w_.b.constant(w_.input(2)), d_, gates, n * n, order));
    w_.finish();
  }
  /// Adds the state's biases to the input's, gates [0, count).
  void sum_biases(int count) {
    const auto n = static_cast<std::size_t>(hidden_), rows = static_cast<std::size_t>(gates_) * n;
    for (std::size_t d = 0; d < static_cast<std::size_t>(d_); ++d)
      for (std::size_t k = 0; k < static_cast<std::size_t>(count) * n; ++k) biases_[2 * d * rows + k] += biases_[(2 * d + 1) * rows + k];
  }

 private:
  node_writer& w_;
  int d_, hidden_, gates_, in_, steps_ = 0;
  std::size_t next_ = 0;
  std::vector<float> biases_;
  parameter_list params_;
};

inline void lstm(node_writer& w) {
  const op::lstm op = w.get<op::lstm>();
  if (op.peepholes || op.input_forget || op.initial_h != op.initial_c) throw inexpressible{"gates that are not the usual ones"};
  recurrent_writer r(w, op, 4);
  r.sum_biases(4);
  r.write("LSTM", op.initial_h, 2, {0, 2, 1, 3}, {0, 2, 1, 3});
}
inline void gru(node_writer& w) {
  const op::gru op = w.get<op::gru>();
  if (!op.linear_before_reset) throw inexpressible{"a reset before the product"};
  recurrent_writer r(w, op, 3);
  r.sum_biases(2);
  r.write("GRU", op.initial_h, 1, {1, 0, 2}, {1, 0, 2, 5});
}
inline void rnn(node_writer& w) {
  const op::rnn op = w.get<op::rnn>();
  recurrent_writer r(w, op, 1);
  r.sum_biases(1);
  r.write("RNN", op.initial_h, 1, {0}, {0});
}

}  // namespace ctnn::ncnn::writers
