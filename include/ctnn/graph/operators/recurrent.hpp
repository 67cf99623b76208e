// SPDX-License-Identifier: BSL-1.0
// rnn, gru and lstm: torch.nn.RNN, GRU and LSTM of one layer, with PyTorch's weights under PyTorch's names, and what
// ONNX has besides; lstm of bytes as TensorFlow Lite has it.
#pragma once

#include "weight_element.hpp"

namespace ctnn::op {

enum class direction { forward, reverse, bidirectional };

/// What the three share. Inputs: x (length, batch, in), (batch, length, in) with `batch_first`, or (length, in), a
/// batch of one; with `lengths` the steps of each sequence (batch), integers; then, if there are more, the states
/// before the first step. Outputs: y (length, batch, directions * hidden), in x's order of axes, 0 behind a sequence's
/// steps; then the states after its last step. States are (directions, batch, hidden), without the batch if x has
/// none; h, and for lstm c. The second direction goes from the end to the beginning; `direction::reverse` is that one
/// alone.
/// Weights of each direction: weight_ih_l0 (gates * hidden, in), weight_hh_l0 (gates * hidden, hidden), and with `bias`
/// bias_ih_l0 and bias_hh_l0 (gates * hidden); the second direction's end in "_reverse".
/// `functions` are, for each direction in turn, that of the gates, that of what they let in, and that of lstm's c; rnn
/// has one. None given: sigmoid for gates, else tanh. `alpha` and `beta` are their parameters. A `clip` above 0 bounds
/// what the functions are given, but for that of c.
template <int Gates>
struct recurrence {
  static constexpr std::string_view name = Gates == 1 ? "rnn"sv : Gates == 3 ? "gru"sv : "lstm"sv;
  static constexpr int gates = Gates, states = Gates == 4 ? 2 : 1, min_inputs = 1, max_inputs = 2 + states;
  static constexpr int functions_each = Gates == 1 ? 1 : Gates - 1;
  static constexpr int most_hidden = 1 << 24;  ///< so that rows of all gates can be counted
  static constexpr traits is{.takes_indices = true};
  static constexpr bool packs(int) { return true; }

  int hidden = 0;
  op::direction direction = op::direction::forward;
  bool batch_first = false;
  bool bias = true;
  bool lengths = false;
  float clip = 0;
  static_vector<function, 6> functions{};
  static_vector<float, 6> alpha{};
  static_vector<float, 6> beta{};
  slot_set given = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("hidden", self.hidden);
    field("direction", self.direction);
    field("batch_first", self.batch_first);
    field("bias", self.bias);
    field("lengths", self.lengths);
    field("clip", self.clip);
    field("functions", self.functions);
    field("alpha", self.alpha);
    field("beta", self.beta);
    if constexpr (Gates == 3) field("linear_before_reset", self.linear_before_reset);
    if constexpr (Gates == 4) field("peepholes", self.peepholes);
    if constexpr (Gates == 4) field("input_forget", self.input_forget);
    if constexpr (Gates == 4) field("cell_clip", self.cell_clip);
    if constexpr (Gates == 4) field("weight_type", self.weight.type);
    field("given", self.given);
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
  /// Function i of direction d.
  constexpr activation_function function_at(int d, int i) const {
    if (functions.empty()) return {i == 0 && Gates > 1 ? function::sigmoid : function::tanh};
    const auto k = static_cast<std::size_t>(d * functions_each + i);
    return {functions[k], k < alpha.size() ? alpha[k] : 0, k < beta.size() ? beta[k] : 0};
  }
  /// Whether its gates are those of PyTorch's. (At once, so that firmware compiles no others.)
  CTNN_INLINE constexpr bool usual_gates() const { return functions.empty() && !(clip > 0); }
  /// Whether it is PyTorch's layer, but for the lengths.
  constexpr bool usual() const { return usual_gates(); }

  /// The state before may become the state after.
  constexpr bool overwrites(int inputs, int i, int k) const {
    return k > 0 && i > (lengths ? 1 : 0) && i == inputs - states + k - 1;
  }

  constexpr int output_count() const { return 1 + states; }
  constexpr problem infer(inputs in, outputs result) const {
    if (hidden == 0) return {mistake::missing_option, "hidden"};
    if (hidden < 1 || hidden > most_hidden) return {mistake::option_out_of_range, "hidden", {hidden}, {1, most_hidden}};
    const int n = static_cast<int>(in.size()), first = lengths ? 2 : 1, d = directions();
    if (n != first && n != first + states) return {mistake::wrong_number_of_inputs, name, {n}, {first, first + states}};
    const extents& x = in[0];
    if (x.rank != 2 && x.rank != 3) return {mistake::rank_mismatch, name, x, {2, 3}};
    if (!functions.empty() && static_cast<int>(functions.size()) != functions_each * d)
      return {mistake::option_out_of_range, "functions", {static_cast<int>(functions.size())}, {functions_each * d}};
    const int batch = sizes_of(x).batch;
    if (lengths && !(in[1] == extents{batch})) return {mistake::shape_mismatch, "lengths", in[1], {batch}};
    const extents state = x.rank == 2 ? extents{d, hidden} : extents{d, batch, hidden};
    for (const extents& given_state : in.subspan(static_cast<std::size_t>(first)))
      if (!(given_state == state)) return {mistake::shape_mismatch, "state", given_state, state};
    result[0] = x;
    result[0].back(0) = d * hidden;
    for (std::size_t i = 1; i <= states; ++i) result[i] = state;
    return countable(result[0]);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    for (element& t : out) t = type_at(in, 0);
    if (const problem p = require_type(in, 0, is_floating, name)) return p;
    for (std::size_t i = 1; i < in.size(); ++i)
      if (!(lengths && i == 1 ? is_index(in[i]) : in[i] == in[0])) return wrong_type(name, in[i]);
    return {};
  }
  constexpr weight_slots weights(inputs in, bool peepholes = false) const {
    constexpr std::string_view names[] = {"weight_ih_l0"sv,         "weight_hh_l0"sv,         "bias_ih_l0"sv,
                                          "bias_hh_l0"sv,           "peephole_l0"sv,          "weight_ih_l0_reverse"sv,
                                          "weight_hh_l0_reverse"sv, "bias_ih_l0_reverse"sv,   "bias_hh_l0_reverse"sv,
                                          "peephole_l0_reverse"sv};
    weight_slots out;
    for (std::size_t first = 0; first < 5 * static_cast<std::size_t>(directions()); first += 5) {
      out.push_back({names[first], {Gates * hidden, sizes_of(in[0]).in}});
      out.push_back({names[first + 1], {Gates * hidden, hidden}});
      for (std::size_t i = 2; bias && i < 4; ++i) out.push_back({names[first + i], {Gates * hidden}});
      if (peepholes) out.push_back({names[first + 4], {3 * hidden}});
    }
    return out;
  }
  constexpr std::int64_t macs(inputs in, span<const extents>) const {
    const sizes s = sizes_of(in[0]);
    return std::int64_t{s.length} * s.batch * directions() * Gates * hidden * (s.in + hidden);
  }
};

template <class Op>
concept recurrent = std::derived_from<Op, recurrence<Op::gates>>;

/// h = f(W x + b + R h + c), f being tanh or another function. One state.
struct rnn : recurrence<1> {};

/// Gates r, z, n: r and z are sigmoid(W x + b + R h + c), n = tanh(W x + b + r (R h + c)), or without
/// `linear_before_reset` tanh(W x + b + R (r h) + c), h = (1 - z) n + z h. One state.
struct gru : recurrence<3> {
  bool linear_before_reset = true;

  /// r h lies where the new state will be.
  constexpr bool overwrites(int inputs, int i, int k) const {
    return linear_before_reset && recurrence::overwrites(inputs, i, k);
  }
};

/// Gates i, f, g, o of W x + b + R h + c: c = sigmoid(f) c + sigmoid(i) tanh(g), h = sigmoid(o) tanh(c). States h, c.
/// With `peepholes` i and f see the c before, o the c after: one more weight of each direction, peephole_l0
/// (3 * hidden), holds its factors for i, f and o. With `input_forget` the forget gate is 1 less the input gate.
/// A `cell_clip` above 0 bounds c, of each step before it is let out and seen by the next (TensorFlow Lite).
/// Of bytes (`weight_type` i8) it has TensorFlow Lite's arithmetic, 8x8_16, bit for bit: x, y and h are i8, c and the
/// gates i16. It has a bias, one direction and the functions above, and of the options cell_clip. Its weights are
/// weight_ih_l0 and weight_hh_l0, bytes of one scale a gate (scale_ih_l0 and scale_hh_l0, 4 numbers each), and
/// bias_ih_l0, i32. Elements say the rest. y has the bytes of h, which are made as y's element says, rounded twice; the
/// next step reads them as h's element says. c's scale is 2^(n - 15), n from 0 to 6 digits being before the point, its
/// zero point 0. Where nobody says what h and c stand for it is what the states before the first step stand for;
/// without these h is what y is, and n is 4.
struct lstm : recurrence<4> {
  bool peepholes = false;
  bool input_forget = false;
  float cell_clip = 0;
  weight_element weight{};  ///< of it the type alone is a field

  CTNN_INLINE constexpr bool usual_gates() const { return recurrence::usual_gates() && !peepholes && !input_forget; }
  constexpr bool usual() const { return usual_gates() && !(cell_clip > 0); }
  constexpr weight_slots weights(inputs in) const {
    if (!weight) return recurrence::weights(in, peepholes);
    return {{"weight_ih_l0"sv, {gates * hidden, sizes_of(in[0]).in}, dtype::i8},
            {"weight_hh_l0"sv, {gates * hidden, hidden}, dtype::i8},
            {"bias_ih_l0"sv, {gates * hidden}, dtype::i32},
            {"scale_ih_l0"sv, {gates}},
            {"scale_hh_l0"sv, {gates}}};
  }
  static constexpr bool packs(int, dtype of) { return !is_byte(of); }
  static constexpr bool f32_takes_scratch = false;
  constexpr std::int64_t scratch(inputs, span<const extents>) const {
    return weight ? scratch_for(std::int64_t{gates} * hidden, sizeof(std::int16_t)) : 0;
  }

  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    if (weight) return infer_bytes(in, wanted, out);
    const problem p = recurrence::infer_types(in, out);
    return p && type_at(in, 0) == dtype::i8 ? wrong_type("weight", weight.type) : p;
  }
  /// Digits before the point of a c that stands for real numbers so; -1: no lstm has it.
  static constexpr int cell_bits(const quantization& c) {
    for (int n = 0; n <= 6; ++n)
      if (c.scale * (32768 >> n) == 1 && c.zero == 0) return n;
    return -1;
  }

 private:
  constexpr problem infer_bytes(types in, types wanted, span<element> out) const {
    const struct {
      bool chosen;
      std::string_view what;
    } no_bytes[] = {{direction != op::direction::forward, "direction"},
                    {!bias, "bias"},
                    {lengths, "lengths"},
                    {clip > 0, "clip"},
                    {!functions.empty(), "functions"},
                    {peepholes, "peepholes"},
                    {input_forget, "input_forget"}};
    for (const auto& [chosen, what] : no_bytes)
      if (chosen) return {mistake::option_out_of_range, what};
    if (weight.type != dtype::i8) return wrong_type("weight", weight.type);
    const element x = element_at(in, 0);
    if (x != dtype::i8) return wrong_type("input", x);
    if (x.rounded == ir::rounding::away) return {mistake::option_out_of_range, "rounded"};
    if (const problem p = check_quantization("of", x.real, x)) return p;
    if (wanted.empty() || !wanted[0].real) return {mistake::missing_option, "as"};
    const bool goes_on = in.size() > 1;
    out[0] = wanted[0];
    out[1] = {dtype::i8, goes_on ? in[1].real : wanted[0].real, ir::rounding::twice};
    out[2] = {dtype::i16, goes_on ? in[2].real : quantization{1.0 / 2048, 0}, ir::rounding::twice};
    constexpr std::string_view names[] = {"result", "h", "c"};
    for (std::size_t k = 0; k < 3; ++k) {
      if (k < wanted.size() && wanted[k].real) out[k] = wanted[k];
      if (out[k] != (k == 2 ? dtype::i16 : dtype::i8)) return wrong_type(names[k], out[k]);
      if (out[k].rounded != ir::rounding::twice) return {mistake::option_out_of_range, "rounded"};
      if (goes_on && k > 0 && in[k] != out[k].type) return wrong_type(names[k], in[k]);
      if (goes_on && k > 0 && !same_numbers(in[k], out[k])) return {mistake::option_out_of_range, "a state's scale"};
      if (const problem p = check_quantization(k == 0 ? "as" : names[k], out[k].real, out[k])) return p;
    }
    return cell_bits(out[2].real) < 0 ? problem{mistake::option_out_of_range, "c's scale"} : problem{};
  }
};

}  // namespace ctnn::op
