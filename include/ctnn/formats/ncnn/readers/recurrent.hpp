// SPDX-License-Identifier: BSL-1.0
// LSTM, GRU and RNN of (steps, features): ONNX's operators with a batch of one.
#pragma once

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// Blocks of rows in ONNX's order from blocks in ncnn's: block i of each direction is block order[i] of the file. With
/// `missing` in the order it is zeros.
inline constexpr int missing = -1;
inline std::vector<float> reordered(const std::vector<float>& from, int directions, std::size_t blocks, std::size_t block,
                                    std::initializer_list<int> order) {
  std::vector<float> to;
  to.reserve(static_cast<std::size_t>(directions) * order.size() * block);
  for (std::size_t d = 0; d < static_cast<std::size_t>(directions); ++d)
    for (const int i : order) {
      if (i == missing) {
        to.resize(to.size() + block);
        continue;
      }
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>((d * blocks + static_cast<std::size_t>(i)) * block);
      to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(block));
    }
  return to;
}

/// What the file says about a recurrent layer of `gates` gates, and the inputs it makes.
struct recurrent_parameters {
  op::recurrent op;
  int in = 0;

  recurrent_parameters(layer_reader& l, int gates) {
    if (l.int_or(8, 0) != 0) layer_reader::refuse(8, "int8 weights");
    const int direction = l.int_or(2, 0);
    if (direction < 0 || direction > 2) l.fail(2, "direction " + std::to_string(direction));
    op.hidden = l.extent_or(0, 0, 1);
    op.direction = static_cast<op::direction>(direction);
    op.batch_first = op.bias = true;
    const extents shape = l.shape(l.input());
    if (shape.rank != 2) l.fail("input is " + describe(shape) + ", expected 2 dimensions");
    in = shape[1];
    const auto weights = checked_multiply(std::int64_t{gates} * op.directions() * op.hidden, in);
    if (!weights || *weights != l.int_or(1, 0))
      l.fail(1, "weight size " + std::to_string(l.int_or(1, 0)) + ", expected " + std::to_string(weights.value_or(-1)));
  }
  std::size_t hidden() const { return static_cast<std::size_t>(op.hidden); }
  /// (1, steps, in)
  value_id sequence(layer_reader& l) const {
    const value_id x = l.input();
    return l.reshaped(x, {1, l.shape(x)[0], in}, "batch");
  }
  /// The initial state that is input i.
  value_id state(layer_reader& l, std::size_t i) const {
    const value_id v = l.input(i);
    if (l.shape(v).count() != std::int64_t{op.directions()} * op.hidden) l.fail("initial state is " + describe(l.shape(v)));
    return l.reshaped(v, {1, op.directions(), op.hidden}, "state");
  }
  /// Weights of the inputs, the biases and the recurrent weights, `order` being the gates in ONNX's order and `biases`
  /// the two rows of biases among the file's.
  std::vector<value_id> weights(layer_reader& l, std::initializer_list<int> order, std::size_t bias_rows, std::initializer_list<int> biases) const {
    const int d = op.directions(), rows = static_cast<int>(order.size()) * op.hidden;
    const std::size_t n = hidden();
    const auto w = l.tagged(std::int64_t{d} * rows * in);
    const value_id of_input = l.constant({d, rows, in}, reordered(w, d, order.size(), n * static_cast<std::size_t>(in), order), "input_weights");
    const auto b = l.tagged(static_cast<std::int64_t>(bias_rows) * d * op.hidden);
    const auto r = l.tagged(std::int64_t{d} * rows * op.hidden);
    const value_id of_state = l.constant({d, rows, op.hidden}, reordered(r, d, order.size(), n * n, order), "state_weights");
    return {of_input, of_state, l.constant({d, 2 * rows}, reordered(b, d, bias_rows, n, biases), "biases")};
  }
  /// y, and the last states if the layer has outputs for them.
  void result(layer_reader& l, value_id first, std::size_t states) const {
    const int steps = l.shape(l.input())[0], d = op.directions();
    if (l.output_count() != 1 && l.output_count() != 1 + states)
      l.fail("has " + std::to_string(l.output_count()) + " outputs, expected 1 or " + std::to_string(1 + states));
    std::vector<value_id> out{l.reshaped(first, {steps, d * op.hidden}, "steps")};
    for (std::size_t i = 1; i < l.output_count(); ++i)
      out.push_back(l.reshaped(first + static_cast<int>(i), {d, op.hidden}, "last"));
    l.result(out);
  }
};

inline void expect_states(const layer_reader& l, std::size_t states) {
  if (l.input_count() != 1 && l.input_count() != 1 + states)
    l.fail("has " + std::to_string(l.input_count()) + " inputs, expected 1 or " + std::to_string(1 + states));
}

/// Gates I, F, O, G; ONNX's are i, o, f, c.
inline void lstm(layer_reader& l) {
  expect_states(l, 2);
  const recurrent_parameters p(l, 4);
  if (l.int_or(3, p.op.hidden) != p.op.hidden) layer_reader::refuse(3, "projection of the state");
  op::lstm op{{p.op}};
  std::vector<value_id> in{p.sequence(l)};
  const auto weights = p.weights(l, {0, 2, 1, 3}, 4, {0, 2, 1, 3, missing, missing, missing, missing});
  in.insert(in.end(), weights.begin(), weights.end());
  op.initial_h = op.initial_c = l.input_count() == 3;
  for (std::size_t i = 1; i < l.input_count(); ++i) in.push_back(p.state(l, i));
  p.result(l, l.node(op, in), 2);
}

/// Gates R, U, N; ONNX's are z, r, h, where z is U. Biases R, U, N of the input, N of the state.
inline void gru(layer_reader& l) {
  expect_states(l, 1);
  const recurrent_parameters p(l, 3);
  op::gru op{{p.op}};
  op.linear_before_reset = true;
  std::vector<value_id> in{p.sequence(l)};
  const auto weights = p.weights(l, {1, 0, 2}, 4, {1, 0, 2, missing, missing, 3});
  in.insert(in.end(), weights.begin(), weights.end());
  op.initial_h = l.input_count() == 2;
  if (op.initial_h) in.push_back(p.state(l, 1));
  p.result(l, l.node(op, in), 1);
}

inline void rnn(layer_reader& l) {
  expect_states(l, 1);
  const recurrent_parameters p(l, 1);
  op::rnn op{{p.op}};
  std::vector<value_id> in{p.sequence(l)};
  const auto weights = p.weights(l, {0}, 1, {0, missing});
  in.insert(in.end(), weights.begin(), weights.end());
  op.initial_h = l.input_count() == 2;
  if (op.initial_h) in.push_back(p.state(l, 1));
  p.result(l, l.node(op, in), 1);
}

}  // namespace ctnn::ncnn::readers
