// SPDX-License-Identifier: BSL-1.0
// Recurrent layers with all that ONNX allows, for loaded models: weights are inputs. Inputs: x (length, batch, in), W (directions, gates * hidden, in),
// R (directions, gates * hidden, hidden), then, as flagged, bias (directions, 2 * gates * hidden: of W, of R), lengths
// (batch, i32), initial h (directions, batch, hidden), and for lstm initial c (the same) and peepholes (directions,
// 3 * hidden: i, o, f). Outputs: y (length, directions, batch, hidden), the last h, and for lstm the last c. With
// `batch_first` x is (batch, length, in), y (batch, length, directions, hidden), states (batch, directions, hidden).
// Gates: rnn h; gru z, r, h; lstm i, o, f, c.
#pragma once

#include "recurrent.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// Parameters are alpha and beta.
enum class gate_function {
  sigmoid, tanh, relu,
  affine,            ///< alpha x + beta
  leaky_relu,        ///< x < 0 ? alpha x : x
  thresholded_relu,  ///< x > alpha ? x : 0
  scaled_tanh,       ///< alpha tanh(beta x)
  hard_sigmoid,      ///< min(max(alpha x + beta, 0), 1)
  elu,               ///< x < 0 ? alpha (e^x - 1) : x
  softsign, softplus
};

/// What the three share. `gates`: the functions, in ONNX's order for each direction; empty means the usual ones.
struct general_recurrence {
  int hidden = 0;
  op::direction direction = op::direction::forward;
  bool batch_first = false;
  bool bias = false;
  bool lengths = false;
  bool initial_h = false;
  float clip = 0;  ///< 0: none
  list<gate_function> gates{};
  list<float> alpha{};  ///< one for each of `gates`
  list<float> beta{};

  static constexpr void fields(auto& self, auto&& field) {
    field("hidden", self.hidden);
    field("direction", self.direction);
    field("batch_first", self.batch_first);
    field("bias", self.bias);
    field("lengths", self.lengths);
    field("initial_h", self.initial_h);
    field("clip", self.clip);
    field("gates", self.gates);
    field("alpha", self.alpha);
    field("beta", self.beta);
  }
  constexpr int directions() const { return direction == op::direction::bidirectional ? 2 : 1; }

  /// `more` inputs beyond those flagged here, `states` outputs beside y.
  constexpr problem infer_recurrent(std::string_view name, int gate_count, int functions, int more, bool initial_c, bool peepholes,
                                    inputs in, outputs result, std::size_t states) const {
    const int needed = 3 + (bias ? 1 : 0) + (lengths ? 1 : 0) + (initial_h ? 1 : 0) + more;
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    if (hidden < 1 || hidden > (1 << 24)) return {mistake::option_out_of_range, "hidden", {hidden}, {1}};
    const extents& x = in[0];
    if (x.rank != 3) return {mistake::rank_mismatch, name, x, {3}};
    const int length = x[batch_first ? 1 : 0], batch = x[batch_first ? 0 : 1], d = directions(), rows = gate_count * hidden;
    if (!gates.empty() && static_cast<int>(gates.size()) != functions * d)
      return {mistake::option_out_of_range, "gates", {static_cast<int>(gates.size())}, {functions * d}};
    if (alpha.size() != gates.size() || beta.size() != gates.size())
      return {mistake::option_out_of_range, "alpha", {static_cast<int>(alpha.size())}, {static_cast<int>(gates.size())}};
    std::size_t next = 1;
    const auto shape_is = [&](const extents& wanted) -> bool { return in[next++] == wanted; };
    if (!shape_is({d, rows, x[2]})) return {mistake::shape_mismatch, "W", in[1], {d, rows, x[2]}};
    if (!shape_is({d, rows, hidden})) return {mistake::shape_mismatch, "R", in[2], {d, rows, hidden}};
    if (bias && !shape_is({d, 2 * rows})) return {mistake::shape_mismatch, "bias", in[next - 1], {d, 2 * rows}};
    if (lengths && !shape_is({batch})) return {mistake::shape_mismatch, "lengths", in[next - 1], {batch}};
    const extents state = batch_first ? extents{batch, d, hidden} : extents{d, batch, hidden};
    if (initial_h && !shape_is(state)) return {mistake::shape_mismatch, "initial h", in[next - 1], state};
    if (initial_c && !shape_is(state)) return {mistake::shape_mismatch, "initial c", in[next - 1], state};
    if (peepholes && !shape_is({d, 3 * hidden})) return {mistake::shape_mismatch, "peepholes", in[next - 1], {d, 3 * hidden}};
    result[0] = batch_first ? extents{batch, length, d, hidden} : extents{length, d, batch, hidden};
    for (std::size_t i = 1; i <= states; ++i) result[i] = state;
    return countable(result[0]);
  }
  constexpr problem infer_recurrent_types(std::string_view name, types in, std::span<dtype> out) const {
    for (dtype& t : out) t = type_at(in, 0);
    if (const problem p = require_type(in, 0, is_floating, name)) return p;
    const std::size_t lengths_at = lengths ? (bias ? 4 : 3) : in.size();
    for (std::size_t i = 1; i < in.size(); ++i) {
      if (i == lengths_at ? is_index(in[i]) : in[i] == in[0]) continue;
      return wrong_type(name, in[i]);
    }
    return {};
  }
};

struct general_rnn : general_recurrence {
  static constexpr std::string_view name = "general_rnn";
  static constexpr int min_inputs = 3, max_inputs = 6;

  static constexpr void fields(auto& self, auto&& field) { general_recurrence::fields(self, field); }
  constexpr int output_count() const { return 2; }
  constexpr problem infer(inputs in, outputs result) const { return infer_recurrent(name, 1, 1, 0, false, false, in, result, 1); }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return infer_recurrent_types(name, in, out); }
};

struct general_gru : general_recurrence {
  static constexpr std::string_view name = "general_gru";
  static constexpr int min_inputs = 3, max_inputs = 6;

  bool linear_before_reset = false;

  static constexpr void fields(auto& self, auto&& field) {
    general_recurrence::fields(self, field);
    field("linear_before_reset", self.linear_before_reset);
  }
  constexpr int output_count() const { return 2; }
  constexpr problem infer(inputs in, outputs result) const { return infer_recurrent(name, 3, 2, 0, false, false, in, result, 1); }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return infer_recurrent_types(name, in, out); }
};

struct general_lstm : general_recurrence {
  static constexpr std::string_view name = "general_lstm";
  static constexpr int min_inputs = 3, max_inputs = 8;

  bool initial_c = false;
  bool peepholes = false;
  bool input_forget = false;  ///< the forget gate is 1 - the input gate

  static constexpr void fields(auto& self, auto&& field) {
    general_recurrence::fields(self, field);
    field("initial_c", self.initial_c);
    field("peepholes", self.peepholes);
    field("input_forget", self.input_forget);
  }
  constexpr int output_count() const { return 3; }
  constexpr problem infer(inputs in, outputs result) const {
    return infer_recurrent(name, 4, 3, (initial_c ? 1 : 0) + (peepholes ? 1 : 0), initial_c, peepholes, in, result, 2);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return infer_recurrent_types(name, in, out); }
};

}  // namespace ctnn::op
