// SPDX-License-Identifier: BSL-1.0
// RNN, GRU and LSTM: PyTorch's weights of each direction, put together as ONNX has them.
#pragma once

#include <algorithm>

#include "../readers/recurrent.hpp"
#include "quantized.hpp"

namespace ctnn::onnx::writers {

/// Weights of all directions, each of them blocks of rows in ONNX's order: (directions, rows, ...). `slots[d]` are
/// those of direction d that follow each other.
inline std::string gates_of(node_writer& w, const std::vector<std::vector<std::size_t>>& slots,
                            const std::vector<int>& order, int hidden) {
  bool known = true;
  for (const std::vector<std::size_t>& own : slots)
    for (const std::size_t slot : own) known = known && w.has_numbers(slot);
  if (known) {
    extents s{static_cast<int>(slots.size())};
    const extents one = w.weight_shape(slots[0][0]);
    s.push_back(static_cast<int>(slots[0].size()) * one[0]);
    s.append(one, 1, one.rank);
    const auto all = std::make_shared<array>(s, w.numbers(slots[0][0])->type());
    std::byte* to = all->bytes().data();
    for (const std::vector<std::size_t>& own : slots)
      for (const std::size_t slot : own) {
        const shared_array from = w.numbers(slot);
        const std::size_t block = from->bytes().size() / order.size();
        for (const int gate : order) {
          std::memcpy(to, from->bytes().data() + static_cast<std::size_t>(gate) * block, block);
          to += block;
        }
      }
    return w.b.initializer(w.weight_name(slots[0][0]), s, all);
  }
  std::vector<std::string> directions;
  for (const std::vector<std::size_t>& own : slots) {
    std::vector<std::string> rows;
    for (const std::size_t slot : own) {
      const std::string all = w.weight(slot);
      for (const int gate : order)
        rows.push_back(order.size() == 1
                           ? all
                           : sliced(w, all, {std::int64_t{gate} * hidden}, {(std::int64_t{gate} + 1) * hidden}, {0}));
    }
    const std::string one = rows.size() == 1 ? rows[0] : w.add("Concat", rows, {with("axis", 0)});
    directions.push_back(w.add("Unsqueeze", {one, w.whole({0})}));
  }
  return directions.size() == 1 ? directions[0] : w.add("Concat", directions, {with("axis", 0)});
}

/// `order`: PyTorch's gates in ONNX's order.
template <class Op>
void recurrent(node_writer& w, const char* type, const std::vector<int>& order, std::vector<attribute> a,
               bool peepholes = false) {
  const Op op = w.get<Op>();
  const extents x = w.shape();
  const int d = op.directions(), hidden = op.hidden;
  // Runtimes want the steps first.
  std::string from = w.in();
  if (x.rank == 2) from = w.add("Unsqueeze", {from, w.whole({1})});
  else if (op.batch_first) from = w.permuted(from, {1, 0, 2});
  const std::size_t each = 2 + (op.bias ? 2u : 0u) + (peepholes ? 1u : 0u);
  const auto slots = [&](std::vector<std::size_t> which) {
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t k = 0; k < static_cast<std::size_t>(d); ++k) {
      all.emplace_back();
      for (const std::size_t s : which) all.back().push_back(k * each + s);
    }
    return all;
  };
  std::vector<std::string> in{from, gates_of(w, slots({0}), order, hidden), gates_of(w, slots({1}), order, hidden)};
  in.push_back(op.bias ? gates_of(w, slots({2, 3}), order, hidden) : "");
  std::size_t next = 1;
  in.push_back("");
  if (op.lengths) {
    in.back() = w.in(next);
    if (w.type(next) != dtype::i32) in.back() = w.add("Cast", {in.back()}, {with("to", element_number(dtype::i32))});
    ++next;
  }
  for (std::size_t i = 0; i < Op::states; ++i, ++next) {
    in.push_back(next < w.input_count() ? w.in(next) : "");
    if (!in.back().empty() && x.rank == 2) in.back() = w.add("Unsqueeze", {in.back(), w.whole({1})});
  }
  if (peepholes) {
    while (in.size() < 7) in.push_back("");
    in.push_back(gates_of(w, slots({each - 1}), {0, 2, 1}, hidden));  // i, f, o to i, o, f
  }
  a.push_back(with("hidden_size", hidden));
  if (op.direction != op::direction::forward)
    a.push_back(with("direction", op.direction == op::direction::reverse ? "reverse" : "bidirectional"));
  if (op.clip > 0) a.push_back(with("clip", op.clip));
  if (!op.functions.empty()) {
    attribute names = attribute_of("activations", attribute_kind::texts);
    attribute alpha = attribute_of("activation_alpha", attribute_kind::reals),
              beta = attribute_of("activation_beta", attribute_kind::reals);
    constexpr const char* spelled[] = {"Sigmoid",    "Tanh",        "Relu", "Affine",   "LeakyRelu", "ThresholdedRelu",
                                       "ScaledTanh", "HardSigmoid", "Elu",  "Softsign", "Softplus"};
    static_assert(std::size(spelled) == std::size(readers::gate_functions));
    for (int i = 0; i < d * op.functions_each; ++i) {
      const activation_function f = op.function_at(i / op.functions_each, i % op.functions_each);
      const auto* known = std::ranges::find(readers::gate_functions, f.kind, &activation_function::kind);
      if (known == std::end(readers::gate_functions))
        node_writer::refuse("the function " + std::string(name_of(f.kind)) + " of a gate");
      names.texts.push_back(spelled[known - std::begin(readers::gate_functions)]);
      // Parameters stand in the order of the functions that have some.
      if (known->a != 0) alpha.reals.push_back(f.a);
      if (known->b != 0 || f.kind == function::affine) beta.reals.push_back(f.b);
    }
    for (attribute* list : {&names, &alpha, &beta})
      if (!list->texts.empty() || !list->reals.empty()) a.push_back(std::move(*list));
  }
  const std::vector<std::string> out = w.add_many(type, in, a, 1 + Op::states);
  // (length, directions, batch, hidden)
  if (w.wants(0)) {
    const bool turned = op.batch_first && x.rank == 3;
    w.result(0, w.reshaped(w.permuted(out[0], turned ? integers{2, 0, 1, 3} : integers{0, 2, 1, 3}), w.result_shape()));
  }
  for (int i = 1; i <= Op::states; ++i) {
    if (!w.wants(i)) continue;
    const std::string& state = out[static_cast<std::size_t>(i)];
    w.result(i, x.rank == 2 ? w.add("Squeeze", {state, w.whole({1})}) : state);
  }
}

inline void rnn(node_writer& w) { recurrent<op::rnn>(w, "RNN", {0}, {}); }
inline void gru(node_writer& w) {
  recurrent<op::gru>(w, "GRU", {1, 0, 2}, {with("linear_before_reset", w.get<op::gru>().linear_before_reset)});
}
/// i, f, g, o to i, o, f, c.
inline void lstm(node_writer& w) {
  const op::lstm op = w.get<op::lstm>();
  if (op.weight) w.refuse("an lstm of bytes");
  if (op.cell_clip > 0) w.refuse("an lstm with a cell_clip");
  recurrent<op::lstm>(w, "LSTM", {0, 3, 1, 2}, {with("input_forget", op.input_forget)}, op.peepholes);
}

}  // namespace ctnn::onnx::writers
