// SPDX-License-Identifier: BSL-1.0
// lstm, gru and rnn as ncnn layers: a batch of one, weights in ncnn's order of gates.
#pragma once

#include "../node_writer.hpp"

namespace ctnn::ncnn::writers {

/// Row `row` of ncnn's biases is the sum of these rows of PyTorch's two; -1 is none.
struct bias_row {
  int w, r;
};

/// `order`: PyTorch's gates in ncnn's order.
template <class Op>
void write_recurrent(node_writer& w, const char* type, std::vector<std::size_t> order,
                     std::vector<bias_row> bias_rows) {
  const Op op = w.get<Op>();
  if (!op.usual()) throw inexpressible{"functions or gates that are not PyTorch's"};
  if (op.lengths) throw inexpressible{"sequences of several lengths"};
  const auto size = op.sizes_of(w.input_shape());
  if (size.batch != 1) throw inexpressible{"a batch of sequences"};
  const int d = op.directions();
  constexpr std::size_t states = Op::states;
  std::vector<std::string> from{w.in_form(0, {size.length, size.in})}, to{w.out_in_form({size.length, d * op.hidden})};
  for (std::size_t i = 1; i < w.input_count(); ++i) from.push_back(w.in_form(i, {d, op.hidden}));
  bool states_read = false;
  for (std::size_t i = 1; i <= states; ++i)
    states_read = states_read || w.b.g.at_value(w.output(static_cast<int>(i))).readers > 0;
  for (std::size_t i = 1; states_read && i <= states; ++i)
    to.push_back(w.out_in_form({d, op.hidden}, static_cast<int>(i)));
  parameter_list params;
  params.integer(0, op.hidden, 0)
      .integer(1, std::int64_t{d} * Op::gates * op.hidden * size.in, 0)
      .integer(2, static_cast<int>(op.direction), 0);
  w.layer(type, from, to, params);

  const auto n = static_cast<std::size_t>(op.hidden);
  const std::size_t slots = op.bias ? 4 : 2;
  const auto matrices = [&](std::size_t slot, std::size_t width) {
    std::vector<float> out;
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
      const auto rows = w.weight(k * slots + slot);
      for (const std::size_t gate : order) {
        const auto block = rows.subspan(gate * n * width, n * width);
        out.insert(out.end(), block.begin(), block.end());
      }
    }
    return out;
  };
  const auto biases = [&] {
    std::vector<float> out(static_cast<std::size_t>(d) * bias_rows.size() * n);
    const auto add = [&](std::size_t slot, int bias_row::*row) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
        const auto numbers = w.weight(k * slots + slot);
        for (std::size_t i = 0; i < bias_rows.size(); ++i)
          for (std::size_t j = 0; bias_rows[i].*row >= 0 && j < n; ++j)
            out[(k * bias_rows.size() + i) * n + j] += numbers[static_cast<std::size_t>(bias_rows[i].*row) * n + j];
      }
    };
    if (op.bias) {
      add(2, &bias_row::w);
      add(3, &bias_row::r);
    }
    return out;
  };
  w.b.bin.tagged(matrices(0, static_cast<std::size_t>(size.in)));
  w.b.bin.tagged(biases());
  w.b.bin.tagged(matrices(1, n));
  w.finish();
}

/// PyTorch's gates are i, f, g, o; ncnn's I, F, O, G.
inline void lstm(node_writer& w) {
  write_recurrent<op::lstm>(w, "LSTM", {0, 1, 3, 2}, {{0, 0}, {1, 1}, {3, 3}, {2, 2}});
}
inline void gru(node_writer& w) {
  if (!w.get<op::gru>().linear_before_reset) throw inexpressible{"a reset before the product"};
  write_recurrent<op::gru>(w, "GRU", {0, 1, 2}, {{0, 0}, {1, 1}, {2, -1}, {-1, 2}});
}
inline void rnn(node_writer& w) { write_recurrent<op::rnn>(w, "RNN", {0}, {{0, 0}}); }

}  // namespace ctnn::ncnn::writers
