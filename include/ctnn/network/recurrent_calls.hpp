// SPDX-License-Identifier: BSL-1.0
// torch.nn's recurrent modules: of several layers, both ways, with projections; single steps.
#pragma once

#include "window_calls.hpp"

namespace ctnn::detail {

/// "weight_ih_l2_reverse"
class numbered_name {
 public:
  constexpr numbered_name(std::string_view before, int number, std::string_view after = {}) {
    add(before);
    if (number > 9) add(static_cast<char>('0' + number / 10));
    add(static_cast<char>('0' + number % 10));
    add(after);
  }
  constexpr operator std::string_view() const { return {text_, count_}; }

 private:
  constexpr void add(char c) { text_[count_++] = c; }
  constexpr void add(std::string_view letters) {
    for (char c : letters) add(c);
  }

  char text_[40]{};
  std::size_t count_ = 0;
};

/// Not constexpr on purpose: the compiler's message names it. (No number that is projected says what h0 was.)
inline void projected_lstm_takes_no_states() {}

template <class = void>
class recurrent_calls : public window_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  /// A linear layer by values: x, weight, and a bias if there is one.
  constexpr value given_linear(std::string_view name, values in, int out, source_line at) {
    begin(ctnn::linear<"">::record, "linear", name, in, at, 1);
    say("out", setting(out));
    if (in.size() == 2) say("bias", setting(false));
    say("given", setting(in.size() == 2 ? 1 : 3));
    return last();
  }
  /// Behind the options: PyTorch's that the operator has under other names.
  template <class Options>
  constexpr void say_pytorchs(const Options& o, int directions) {
    if (directions == 2 && !o.direction.is_set()) say("direction", setting(op::direction::bidirectional));
    if constexpr (requires { o.nonlinearity; }) {
      setting functions;
      const number of[] = {o.nonlinearity.whole_or(0)};
      for (int d = 0; d < directions && o.nonlinearity.is_set(); ++d) functions.append(of[0]);
      say("functions", functions);
    }
  }
  /// Of a layer's two directions one after the other: by a weight of their own.
  constexpr value projected(std::string_view name, value x, int dim, int size, const value* weights, int directions,
                            source_line at) {
    if (directions == 1) return given_linear(name, {x, weights[0]}, size, at);
    const value_list both = parts("split", x, equal_parts(2), dim, at);
    const value forth = given_linear({}, {both[0], weights[0]}, size, at);
    return cat({forth, given_linear({}, {both[1], weights[1]}, size, at)}, {.dim = dim}, at);
  }
  template <class Op, class Options>
  constexpr lstm_values recurrent(const layer_record& word, std::string_view name, values in, const Options& o,
                                  source_line at) {
    const int layers = o.num_layers.whole_or(1), hidden = o.hidden_size.whole_or(o.hidden.whole_or(0));
    const bool bias = o.bias.whole_or(1) != 0, both = o.bidirectional.whole_or(0) != 0;
    const int directions = both || o.direction.whole_or(0) == static_cast<int>(op::direction::bidirectional) ? 2 : 1;
    int size_ = 0;
    if constexpr (requires { o.proj_size; }) size_ = o.proj_size.whole_or(0);
    if (layers == 1 && size_ == 0) {
      const value y = call(word, Op::name, name, in, o, at, 1 + Op::states);
      say_pytorchs(o, directions);
      return {y, output_of(y, 1), output_of(y, 2)};
    }
    const std::size_t before = o.lengths.whole_or(0) != 0 ? 2 : 1;
    value_list states[2];
    if (in.size() > before && size_ != 0) projected_lstm_takes_no_states();
    for (std::size_t k = 0; k < static_cast<std::size_t>(Op::states) && before + k < in.size(); ++k) {
      long_setting each;
      for (int i = 0; i < layers; ++i) each.append(directions);
      states[k] = parts("split", in[before + k], each, 0, at);
    }
    const auto scope = inside(name, Op::name);
    value_list ends[2];
    const std::string_view alone = layers == 1 ? "projected" : std::string_view();
    value x = in[0];
    for (int i = 0; i < layers; ++i) {
      ir::pool<value> read({x});
      if (before == 2) read.push_back(in[1]);
      for (const value_list& s : states)
        if (!s.empty()) read.push_back(s[static_cast<std::size_t>(i)]);
      value projection[2];
      for (int d = 0; d < directions; ++d) {
        const std::string_view after = d == 1 ? "_reverse" : "";
        const int rows = Op::gates * hidden;
        read.push_back(parameter(numbered_name("weight_ih_l", i, after), {rows, size(x, -1)}, {}, at));
        value hh = parameter(numbered_name("weight_hh_l", i, after), {rows, size_ ? size_ : hidden}, {}, at);
        if (size_) {
          projection[d] = parameter(numbered_name("weight_hr_l", i, after), {size_, hidden}, {}, at);
          hh = matmul(hh, projection[d], {}, at);
        }
        read.push_back(hh);
        if (bias) read.push_back(parameter(numbered_name("bias_ih_l", i, after), {rows}, {}, at));
        if (bias) read.push_back(parameter(numbered_name("bias_hh_l", i, after), {rows}, {}, at));
      }
      begin(word, Op::name, numbered_name("l", i), read, at, 1 + Op::states);
      Options::each(o, option_sayer{*this});
      say_pytorchs(o, directions);
      const int slots = (bias ? 4 : 2) * directions;
      say("given", setting((1 << slots) - 1));
      const value y = last();
      x = size_ ? projected(alone, y, -1, size_, projection, directions, at) : y;
      if (size_ && i + 1 == layers) allow_unread(x);
      ends[0].push_back(size_ ? projected({}, output_of(y, 1), 0, size_, projection, directions, at) : output_of(y, 1));
      allow_unread(ends[0][static_cast<std::size_t>(i)]);
      if (Op::states == 2) ends[1].push_back(output_of(y, 2));
    }
    lstm_values all{x, ends[0][0], ends[1].empty() ? value{} : ends[1][0]};
    if (layers == 1) return all;
    all.h = cat(ends[0], {}, at);
    allow_unread(all.h);
    if (Op::states == 2) {
      all.c = cat(ends[1], {}, at);
      allow_unread(all.c);
    }
    return all;
  }
  /// One step for N sequences at a time, or of one: {x, h} or {x, h, c}.
  template <class Op>
  constexpr lstm_state step(const layer_record& word, std::string_view called_after, std::string_view name, values in,
                            const cell_options& o, source_line at) {
    const auto scope = inside(name, called_after);
    const int hidden = o.hidden_size, rows = Op::gates * hidden, rank = shape(in[0]).rank;
    ir::pool<value> read;
    for (std::size_t k = 0; k < in.size(); ++k)
      read.push_back(in_shape("step", in[k], {1, -1, k == 0 ? size(in[0], -1) : hidden}, at));
    read.push_back(parameter("weight_ih", {rows, size(in[0], -1)}, {}, at));
    read.push_back(parameter("weight_hh", {rows, hidden}, {}, at));
    if (o.bias) read.push_back(parameter("bias_ih", {rows}, {}, at));
    if (o.bias) read.push_back(parameter("bias_hh", {rows}, {}, at));
    begin(word, Op::name, "cell", read, at, 1 + Op::states);
    say("hidden", setting(hidden));
    if (!o.bias) say("bias", setting(false));
    say("functions", o.nonlinearity);
    say("given", setting(o.bias ? 15 : 3));
    const value y = last();
    const extents back = rank == 1 ? extents{hidden} : extents{-1, hidden};
    lstm_state next{in_shape("h_next", output_of(y, 1), back, at), {}};
    if (Op::states == 1) return next;
    next.c = in_shape("c_next", output_of(y, 2), back, at);
    allow_unread(next.h);
    allow_unread(next.c);
    return next;
  }

 public:
  /// torch.nn.RNN of x, or of x and the state before the first step, {x, h0}: (L, E), (L, N, E) or, batch_first,
  /// (N, L, E). Weights as PyTorch calls them, "weight_ih_l0", "weight_hh_l1_reverse".
  constexpr recurrent_values rnn(std::string_view name, values in, const rnn_options& o,
                                 source_line at = source_line::here()) {
    const lstm_values y = recurrent<op::rnn>(ctnn::rnn<"">::record, name, in, o, at);
    return {y.output, y.h};
  }
  /// torch.nn.GRU, see rnn.
  constexpr recurrent_values gru(std::string_view name, values in, const gru_options& o,
                                 source_line at = source_line::here()) {
    const lstm_values y = recurrent<op::gru>(ctnn::gru<"">::record, name, in, o, at);
    return {y.output, y.h};
  }
  /// torch.nn.LSTM of x, or of {x, h0, c0}, see rnn; with proj_size there are weights "weight_hr_l0", and no states
  /// before the first step.
  constexpr lstm_values lstm(std::string_view name, values in, const lstm_options& o,
                             source_line at = source_line::here()) {
    return recurrent<op::lstm>(ctnn::lstm<"">::record, name, in, o, at);
  }
  /// torch.nn.RNNCell of {x, h}: (N, E) or (E), and the state, whose next one it gives. Weights "weight_ih",
  /// "weight_hh", "bias_ih", "bias_hh".
  constexpr value rnn_cell(std::string_view name, values in, const cell_options& o,
                           source_line at = source_line::here()) {
    return step<op::rnn>(ctnn::rnn<"">::record, "rnn_cell", name, in, o, at).h;
  }
  /// torch.nn.GRUCell, see rnn_cell.
  constexpr value gru_cell(std::string_view name, values in, const cell_options& o,
                           source_line at = source_line::here()) {
    return step<op::gru>(ctnn::gru<"">::record, "gru_cell", name, in, o, at).h;
  }
  /// torch.nn.LSTMCell of {x, h, c}, see rnn_cell: auto [h, c] = m.lstm_cell("cell", {x, h0, c0}, {...}).
  constexpr lstm_state lstm_cell(std::string_view name, values in, const cell_options& o,
                                 source_line at = source_line::here()) {
    return step<op::lstm>(ctnn::lstm<"">::record, "lstm_cell", name, in, o, at);
  }
};

}  // namespace ctnn::detail
