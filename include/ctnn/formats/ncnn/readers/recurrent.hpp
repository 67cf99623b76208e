// SPDX-License-Identifier: BSL-1.0
// LSTM, GRU and RNN of (steps, features).
#pragma once

#include "../layer_reader.hpp"

namespace ctnn::ncnn::readers {

/// What the file says about a recurrent layer, and its weights.
template <class Op>
struct recurrent_parameters {
  Op op;
  int in = 0;

  explicit recurrent_parameters(layer_reader& l) {
    if (l.int_or(8, 0) != 0) layer_reader::refuse(8, "int8 weights");
    const int direction = l.int_or(2, 0);
    if (direction < 0 || direction > 2) l.fail(2, "direction " + std::to_string(direction));
    op.hidden = l.extent_or(0, 0, 1);
    op.direction = static_cast<op::direction>(direction);
    const extents shape = l.shape(l.input());
    if (shape.rank != 2) l.fail("input is " + describe(shape) + ", expected 2 dimensions");
    in = shape[1];
    const auto weights = checked_multiply(std::int64_t{Op::gates} * op.directions() * op.hidden, in);
    if (!weights || *weights != l.int_or(1, 0))
      l.fail(1, "weight size " + std::to_string(l.int_or(1, 0)) + ", expected " + std::to_string(weights.value_or(-1)));
  }
  /// The layer and its outputs. The file's arrays hold one direction after the other: the inputs' weights, `bias_rows`
  /// rows of biases, the states' weights. `order`: ncnn's gates in PyTorch's order; likewise the rows of the two
  /// biases, zeros where they are fewer.
  void add(layer_reader& l, std::vector<int> order, std::size_t bias_rows, std::vector<int> w_bias,
           std::vector<int> r_bias) const {
    constexpr std::size_t states = Op::states;
    if (l.input_count() != 1 && l.input_count() != 1 + states)
      l.fail("has " + std::to_string(l.input_count()) + " inputs, expected 1 or " + std::to_string(1 + states));
    if (l.output_count() != 1 && l.output_count() != 1 + states)
      l.fail("has " + std::to_string(l.output_count()) + " outputs, expected 1 or " + std::to_string(1 + states));
    const int d = op.directions(), rows = Op::gates * op.hidden;
    std::vector<value_id> inputs{l.input()};
    for (std::size_t i = 1; i < l.input_count(); ++i) {
      if (l.shape(l.input(i)).count() != std::int64_t{d} * op.hidden)
        l.fail("initial state is " + describe(l.shape(l.input(i))));
      inputs.push_back(l.reshaped(l.input(i), {d, op.hidden}, "state"));
    }
    const value_id y = l.node(op, inputs);
    const auto w = l.tagged(std::int64_t{d} * rows * in);
    const auto b = l.tagged(static_cast<std::int64_t>(bias_rows) * d * op.hidden);
    const auto r = l.tagged(std::int64_t{d} * rows * op.hidden);
    std::size_t slot = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
      l.set_weight(y, slot++, blocks_of(w, k * order.size(), static_cast<std::size_t>(in), order));
      l.set_weight(y, slot++, blocks_of(r, k * order.size(), static_cast<std::size_t>(op.hidden), order));
      l.set_weight(y, slot++, blocks_of(b, k * bias_rows, 1, w_bias));
      l.set_weight(y, slot++, blocks_of(b, k * bias_rows, 1, r_bias));
    }
    std::vector<value_id> out;
    for (std::size_t i = 0; i < l.output_count(); ++i) out.push_back(y + static_cast<int>(i));
    l.result(out);
  }

 private:
  /// Blocks of `hidden` rows from block `first` on, in the given order; zeros where that is -1.
  std::vector<float> blocks_of(const std::vector<float>& from, std::size_t first, std::size_t width,
                               const std::vector<int>& order_of) const {
    const std::size_t block = static_cast<std::size_t>(op.hidden) * width;
    std::vector<float> to;
    to.reserve(order_of.size() * block);
    for (const int i : order_of) {
      const auto begin =
          from.begin() + static_cast<std::ptrdiff_t>((first + static_cast<std::size_t>(i < 0 ? 0 : i)) * block);
      if (i < 0) to.resize(to.size() + block);
      else to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(block));
    }
    return to;
  }
};

/// Gates I, F, O, G; PyTorch's are i, f, g, o.
inline void lstm(layer_reader& l) {
  const recurrent_parameters<op::lstm> p(l);
  if (l.int_or(3, p.op.hidden) != p.op.hidden) layer_reader::refuse(3, "projection of the state");
  p.add(l, {0, 1, 3, 2}, 4, {0, 1, 3, 2}, {-1, -1, -1, -1});
}
/// Gates R, U, N, which are PyTorch's r, z, n. Biases R, U, N of the input, N of the state.
inline void gru(layer_reader& l) {
  recurrent_parameters<op::gru>(l).add(l, {0, 1, 2}, 4, {0, 1, 2}, {-1, -1, 3});
}
inline void rnn(layer_reader& l) {
  recurrent_parameters<op::rnn>(l).add(l, {0}, 1, {0}, {-1});
}

}  // namespace ctnn::ncnn::readers
