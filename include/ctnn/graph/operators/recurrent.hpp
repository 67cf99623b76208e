// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm: torch.nn.RNN, GRU and LSTM of one layer, with PyTorch's weights under PyTorch's names.
#pragma once

#include "../operator.hpp"

namespace ctnn::op {

enum class direction { forward, reverse, bidirectional };

/// What the three share. Inputs: x (length, batch, in), (batch, length, in) with `batch_first`, or (length, in), a batch of
/// one; then, if there are more, the states before the first step. Outputs: y (length, batch, directions * hidden), in x's
/// order of axes; then the states after the last step. States are (directions, batch, hidden), without the batch if x has
/// none; h, and for lstm c. The second direction goes from the end to the beginning; `direction::reverse` is that one alone.
/// Weights of each direction: weight_ih_l0 (gates * hidden, in), weight_hh_l0 (gates * hidden, hidden), and with `bias`
/// bias_ih_l0 and bias_hh_l0 (gates * hidden); the second direction's end in "_reverse".
struct recurrence {
  int hidden = 0;
  op::direction direction = op::direction::forward;
  bool batch_first = false;
  bool bias = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("hidden", self.hidden);
    field("direction", self.direction);
    field("batch_first", self.batch_first);
    field("bias", self.bias);
  }

  struct sizes {
    int length, batch, in;
  };
  constexpr sizes sizes_of(const extents& x) const {
    if (x.rank == 2) return {x[0], 1, x[1]};
    return batch_first ? sizes{x[1], x[0], x[2]} : sizes{x[0], x[1], x[2]};
  }
  constexpr int directions() const { return direction == op::direction::bidirectional ? 2 : 1; }
  /// Whether direction d begins at the end.
  constexpr bool backwards(int d) const { return d == 1 || direction == op::direction::reverse; }
  constexpr int slots_of_direction() const { return bias ? 4 : 2; }

  constexpr problem infer_recurrence(std::string_view name, int states, inputs in, outputs result) const {
    if (hidden == 0) return {mistake::missing_option, "hidden"};
    if (hidden < 1 || hidden > (1 << 24)) return {mistake::option_out_of_range, "hidden", {hidden}, {1}};
    const int n = static_cast<int>(in.size());
    if (n != 1 && n != 1 + states) return {mistake::wrong_number_of_inputs, name, {n}, {1, 1 + states}};
    const extents& x = in[0];
    if (x.rank != 2 && x.rank != 3) return {mistake::rank_mismatch, name, x, {2, 3}};
    const int d = directions();
    const extents state = x.rank == 2 ? extents{d, hidden} : extents{d, sizes_of(x).batch, hidden};
    for (int i = 1; i < n; ++i)
      if (!(in[static_cast<std::size_t>(i)] == state)) return {mistake::shape_mismatch, "state", in[static_cast<std::size_t>(i)], state};
    result[0] = x;
    result[0].back(0) = d * hidden;
    for (int i = 1; i <= states; ++i) result[static_cast<std::size_t>(i)] = state;
    return {};
  }
  constexpr weight_slots slots(int gates, inputs in) const {
    constexpr std::string_view names[] = {"weight_ih_l0"sv,         "weight_hh_l0"sv,         "bias_ih_l0"sv,         "bias_hh_l0"sv,
                                          "weight_ih_l0_reverse"sv, "weight_hh_l0_reverse"sv, "bias_ih_l0_reverse"sv, "bias_hh_l0_reverse"sv};
    weight_slots out;
    for (std::size_t d = 0; d < static_cast<std::size_t>(directions()); ++d) {
      out.push_back({names[4 * d], {gates * hidden, sizes_of(in[0]).in}});
      out.push_back({names[4 * d + 1], {gates * hidden, hidden}});
      for (std::size_t i = 2; bias && i < 4; ++i) out.push_back({names[4 * d + i], {gates * hidden}});
    }
    return out;
  }
  constexpr std::int64_t macs_of(int gates, inputs in) const {
    const sizes s = sizes_of(in[0]);
    return std::int64_t{s.length} * s.batch * directions() * gates * hidden * (s.in + hidden);
  }
};

/// h = f(W x + b + R h + c), f being tanh or another activation function. One state.
struct rnn : recurrence {
  static constexpr std::string_view name = "rnn";
  static constexpr int min_inputs = 1, max_inputs = 2, gates = 1;

  activation_function activation{function::tanh};

  static constexpr void fields(auto& self, auto&& field) {
    recurrence::fields(self, field);
    field("activation", self.activation);
  }
  constexpr int output_count() const { return 2; }
  constexpr problem infer(inputs in, outputs result) const { return infer_recurrence(name, 1, in, result); }
  constexpr weight_slots weights(inputs in) const { return slots(gates, in); }
  constexpr std::int64_t macs(inputs in, std::span<const extents>) const { return macs_of(gates, in); }
};

/// Gates r, z, n: r and z are sigmoid(W x + b + R h + c), n = tanh(W x + b + r (R h + c)), h = (1 - z) n + z h. One state.
struct gru : recurrence {
  static constexpr std::string_view name = "gru";
  static constexpr int min_inputs = 1, max_inputs = 2, gates = 3;

  static constexpr void fields(auto& self, auto&& field) { recurrence::fields(self, field); }
  constexpr int output_count() const { return 2; }
  constexpr problem infer(inputs in, outputs result) const { return infer_recurrence(name, 1, in, result); }
  constexpr weight_slots weights(inputs in) const { return slots(gates, in); }
  constexpr std::int64_t macs(inputs in, std::span<const extents>) const { return macs_of(gates, in); }
};

/// Gates i, f, g, o of W x + b + R h + c: c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c). States h and c.
struct lstm : recurrence {
  static constexpr std::string_view name = "lstm";
  static constexpr int min_inputs = 1, max_inputs = 3, gates = 4;

  static constexpr void fields(auto& self, auto&& field) { recurrence::fields(self, field); }
  constexpr int output_count() const { return 3; }
  constexpr problem infer(inputs in, outputs result) const { return infer_recurrence(name, 2, in, result); }
  constexpr weight_slots weights(inputs in) const { return slots(gates, in); }
  constexpr std::int64_t macs(inputs in, std::span<const extents>) const { return macs_of(gates, in); }
};

}  // namespace ctnn::op
