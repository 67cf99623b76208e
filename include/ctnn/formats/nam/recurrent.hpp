// SPDX-License-Identifier: BSL-1.0
// LSTM: layers one on another, and a linear head (NAM/lstm.cpp).
#pragma once

#include <algorithm>

#include "weights.hpp"

namespace ctnn::nam {

/// x (N, in, L) as an LSTM takes it, (N, L, in), and back.
inline value_id turned(part& p, const std::string& name, value_id x) {
  return p.b.permuted(p.config, p.prefix + name, x, {0, 2, 1});
}

/// One layer of x (N, L, in). The file has rows of i, f, g and o, which is PyTorch's order, of x and h side by side,
/// then one bias, then the states before the first sample.
inline value_id lstm_layer(part& p, const std::string& name, value_id x, int hidden) {
  const int in = p.b.shape(x)[2], batch = p.b.shape(x)[0];
  const std::int64_t width = std::int64_t{in} + hidden, rows = 4 * std::int64_t{hidden};
  const std::span<const float> w = p.weights.take(p.config, rows * width), bias = p.weights.take(p.config, rows);
  const std::span<const float> states[] = {p.weights.take(p.config, hidden), p.weights.take(p.config, hidden)};
  std::vector<float> of_input, of_state;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = w.subspan(static_cast<std::size_t>(i * width), static_cast<std::size_t>(width));
    const auto middle = row.begin() + in;
    of_input.insert(of_input.end(), row.begin(), middle);
    of_state.insert(of_state.end(), middle, row.end());
  }
  op::lstm op;
  op.hidden = hidden;
  op.batch_first = true;
  value_id y = none;
  const auto nothing = [](float n) { return n == 0; };
  if (std::ranges::all_of(states[0], nothing) && std::ranges::all_of(states[1], nothing)) {
    y = p.b.node(p.config, name, op, {x});
  } else {
    const auto state = [&](const char* what, std::span<const float> numbers) {
      std::vector<float> each;
      for (int i = 0; i < batch; ++i) each.insert(each.end(), numbers.begin(), numbers.end());
      return p.b.constant(p.config, name + what, {1, batch, hidden}, each);
    };
    const value_id h = state(".h0", states[0]), c = state(".c0", states[1]);
    y = p.b.node(p.config, name, op, {x, h, c});
  }
  p.b.set_weights(p.config, y, {of_input, of_state, bias, std::vector<float>(bias.size())});
  return y;
}

inline made lstm(part& p, value_id x) {
  const element& c = p.config;
  const int layers = count_of(c["num_layers"]), hidden = c["hidden_size"].integer(1, op::lstm::most_hidden);
  expect_channels(p, c["input_size"], count_of(c["input_size"]), x);
  value_id y = turned(p, "x_by_sample", x);
  for (int i = 0; i < layers; ++i) y = lstm_layer(p, p.prefix + "layers." + std::to_string(i), y, hidden);
  op::linear head;
  head.out = count_or(c, "out_channels", 1);
  y = p.b.node(c, p.prefix + "head", head, {y});
  p.weights.take_all(p.b, c, y);
  // Half a second, "which seems to work for most models".
  const double prewarm = 0.5 * p.sample_rate;
  return {turned(p, "y_by_channel", y), prewarm < 1 ? 1 : static_cast<std::int64_t>(prewarm)};
}

}  // namespace ctnn::nam
