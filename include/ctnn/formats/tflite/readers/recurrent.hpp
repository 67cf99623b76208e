// SPDX-License-Identifier: BSL-1.0
// Recurrent layers: PyTorch's, with the gates' weights apart, and filters of what the last runs were given. A run goes
// on from the state that the last one left.
#pragma once

#include "nn.hpp"
#include "quantized.hpp"
#include "state.hpp"

namespace ctnn::tflite::readers {

/// Inputs first, first + 1 ...: one after the other along the first axis.
inline term joined(node_reader& n, std::initializer_list<std::size_t> inputs) {
  return helping(n, [&] {
    std::vector<term> in;
    for (const std::size_t i : inputs) in.push_back(real_weight(n, i));
    n.only_helping(true);
    return in.size() == 1 ? in[0] : n.add(op::concat{0}, in);
  });
}
inline term zeros(node_reader& n, int count) {
  return helping(n, [&] { return n.constant(n.allocate({count}, dtype::f32)); });
}

/// An input of the file that is a state, and its type.
struct state_input {
  std::size_t at;
  dtype type = dtype::f32;
};
/// Adds the layer; `in` are x and the weights, `states` inputs of the file. The op has states after x. `elements`
/// are those of results, where it leaves them to who adds it.
template <class Op>
void add_recurrent(node_reader& n, Op op, const std::vector<term>& in, std::initializer_list<state_input> states,
                   ir::types elements = {}) {
  if (n.rank(in[0]) != 3) n.fail("input is " + describe(n.shape(in[0])) + ", expected 3 dimensions");
  op.batch_first = !n.flag("time_major", false);
  op.given = (slot_set{1} << (in.size() - 1)) - 1;
  std::vector<term> all{in[0]};
  n.only_helping(true);
  for (const auto& [s, type] : states) {
    const term before = state_before(n, s, type);
    const extents of = n.shape(before);
    if (of.rank != 2) n.fail("state " + std::to_string(s) + " is " + describe(of) + ", expected a matrix");
    all.push_back(n.reshaped(before, {1, of[0], of[1]}));
  }
  n.only_helping(false);
  all.insert(all.end(), in.begin() + 1, in.end());
  const std::vector<term> made = n.nodes_as(elements, op, all);
  n.result(made[0]);
  std::size_t k = 1;
  for (const state_input& s : states) {
    const extents of = n.shape(made[k]);
    leave_state(n, s.at, helping(n, [&] { return n.reshaped(made[k], {of[1], of[2]}); }));
    ++k;
  }
}
template <class Op>
void set_hidden(node_reader& n, Op& op, std::size_t weight) {
  const extents w = n.shape(n.input(weight));
  if (w.rank != 2) n.fail("input " + std::to_string(weight) + " is " + describe(w) + ", expected a matrix");
  op.hidden = w[0];
}

inline void rnn(node_reader& n) {
  n.expect(5, 5);
  op::rnn op;
  set_hidden(n, op, 2);
  const activation_function f = fused(n);
  if (f.kind == function::none) op.functions.push_back(function::affine), op.alpha.push_back(1);
  else if (f.kind == function::relu) op.functions.push_back(function::relu);
  else if (f.kind != function::tanh) node_reader::refuse("fused activation " + std::string(name_of(f.kind)));
  add_recurrent(n, op, {n.input(0), joined(n, {1}), joined(n, {2}), n.input(3), zeros(n, op.hidden)}, {{4}});
}

/// What no lstm of a file may have.
inline void check_lstm(node_reader& n) {
  if (n.input_count() < 20 || n.input_count() > 24)
    n.fail("has " + std::to_string(n.input_count()) + " inputs, expected 20 to 24");
  if (fused(n).kind != function::tanh) node_reader::refuse("an activation other than TANH");
  n.ignore("proj_clip");  // of a projection, which none has
  if (n.flag("diagonal_recurrent_tensors", false)) node_reader::refuse("option 'diagonal_recurrent_tensors'");
  if (n.has(16) || n.has(17)) node_reader::refuse("a projection");
  for (std::size_t i = 20; i < 24; ++i)
    if (n.has(i)) node_reader::refuse("layer normalization");
  if (n.has(1) != n.has(5) || n.has(1) != n.has(12)) n.fail("has parts of an input gate");
  if (!n.has(1)) node_reader::refuse("coupled gates");
}
/// The bound of c; 0: none. Keras's layers have one of 10 in every file.
inline float cell_clip(node_reader& n) {
  const float bound = n.real("cell_clip", 0);
  if (!(bound >= 0) || !std::isfinite(bound)) n.fail("cell_clip is no finite number from 0 on");
  return bound;
}
/// Gates i, f, g, o: weights 1 to 4, recurrent weights 5 to 8, peepholes 9 to 11, biases 12 to 15. Without 1 the input
/// gate is 1 less the forget gate.
inline void lstm(node_reader& n) {
  check_lstm(n);
  n.ignore("hidden");
  op::lstm op;
  op.cell_clip = cell_clip(n);
  set_hidden(n, op, 6);
  op.peepholes = n.has(10);
  std::vector<term> in{n.input(0), joined(n, {1, 2, 3, 4}), joined(n, {5, 6, 7, 8}), joined(n, {12, 13, 14, 15}),
                       zeros(n, 4 * op.hidden)};
  if (op.peepholes) in.push_back(joined(n, {9, 10, 11}));
  add_recurrent(n, op, in, {{18}, {19}});
}

// SVDF: as many filters as features, each over what its feature was in the last runs; `rank` of them make a unit.

struct filter_sizes {
  int batch = 0, features = 0, memory = 0, units = 0;
};
/// Of inputs (batch, in), (features, in), (features, memory), a bias (units), and the state (batch, features * memory).
inline filter_sizes filters_of(node_reader& n) {
  n.expect(3, 5);
  if (n.input_count() != 5) n.fail("has " + std::to_string(n.input_count()) + " inputs, expected 5");
  const int rank = n.small("rank", 0);
  const extents x = n.shape(n.input(0)), w = n.shape(n.input(1)), over = n.shape(n.input(2));
  if (x.rank != 2 || w.rank != 2 || over.rank != 2 || w[1] != x[1] || over[0] != w[0] || rank < 1 || w[0] % rank != 0)
    n.fail("filters " + describe(over) + " and features " + describe(w) + " of rank " + std::to_string(rank) +
           " for an input of " + describe(x));
  if (n.has(3) && !(n.shape(n.input(3)) == extents{w[0] / rank})) n.fail("bias is " + describe(n.shape(n.input(3))));
  return {x[0], w[0], over[1], w[0] / rank};
}
/// The state, with the oldest features gone and the new ones behind: (batch, features, memory).
inline term remembered(node_reader& n, const filter_sizes& s, term features) {
  const term before = state_before(n, 4, n.type(features));
  const extents flat{s.batch, s.features * s.memory};
  if (!(n.shape(before) == flat)) n.fail("state is " + describe(n.shape(before)) + ", expected " + describe(flat));
  return helping(n, [&] {
    term now = n.reshaped(features, {s.batch, s.features, 1});
    if (s.memory > 1) {
      const term all = n.reshaped(before, {s.batch, s.features, s.memory});
      now = n.add(op::concat{2}, {n.add(op::slice{{2}, {1}, {s.memory}}, {all}), now});
    }
    leave_state(n, 4, n.reshaped(now, flat));
    return now;
  });
}
/// The filters' sums, (batch, units); `over` has their factors.
inline term filtered(node_reader& n, const filter_sizes& s, term now, term over) {
  return helping(n, [&] {
    const term products = binary_of(n, mul, now, n.reshaped(over, {1, s.features, s.memory}));
    const term by_unit = n.reshaped(products, {s.batch, s.units, s.features / s.units * s.memory});
    return n.add(op::reduce{op::reduction::sum, {2}, false}, {by_unit});
  });
}

inline void svdf(node_reader& n) {
  const filter_sizes s = filters_of(n);
  const activation_function f = fused(n);
  const term features = helping(n, [&] {
    op::linear op;
    op.out = s.features;
    op.bias = false;
    op.given = 1;
    return n.add(op, {n.input(0), real_weight(n, 1)});
  });
  term y = filtered(n, s, remembered(n, s, features), real_weight(n, 2));
  if (n.has(3)) y = helping(n, [&] { return binary_of(n, add, y, n.input(3)); });
  n.result(activated(n, f, y));
}

/// The one scale of input i, which has no zero point.
inline float scale_of_steps(node_reader& n, std::size_t i) {
  const ir::quantization q = of_input(n, i);
  if (q.zero != 0) node_reader::refuse("a zero point of input " + std::to_string(i));
  return static_cast<float>(q.scale);
}
inline void require_type(node_reader& n, std::size_t i, dtype type) {
  const dtype t = n.type(n.input(i));
  if (t != type) node_reader::refuse("input " + std::to_string(i) + " of " + std::string(name_of(t)));
}
/// Inputs first, first + 1 ... of bytes, one after the other, and the scale of each behind `scales`.
inline term joined_bytes(node_reader& n, std::size_t first, dtype type, std::vector<float>* scales) {
  std::vector<term> in;
  for (std::size_t i = first; i < first + 4; ++i) {
    require_type(n, i, type);
    if (scales) scales->push_back(scale_of_steps(n, i));
    in.push_back(n.input(i));
  }
  return helping(n, [&] { return n.add(op::concat{0}, in); });
}
/// Gates and c of 16 bits. What y stands for is said by the last of the tensors between steps; as TensorFlow Lite Micro
/// has it, where there are none, by the state h.
inline void byte_lstm(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<lstm>(n);
  check_lstm(n);
  if (n.has(9) || n.has(10) || n.has(11)) node_reader::refuse("peepholes of bytes");
  if (output_type(n) != dtype::i8) node_reader::refuse("output of " + std::string(name_of(output_type(n))));
  require_type(n, 0, dtype::i8);
  op::lstm op;
  op.cell_clip = cell_clip(n);
  set_hidden(n, op, 6);
  op.weight.type = dtype::i8;
  of_input(n, 0);
  const ir::quantization h = one_scale(n, n.node.inputs[18]), c = one_scale(n, n.node.inputs[19]);
  const std::string between = n.text("hidden", "");
  const ir::element made(dtype::i8, between.empty() ? h : one_scale(n, between), ir::rounding::twice);
  if (op::lstm::cell_bits(c) < 0) node_reader::refuse("a cell's scale that is no power of 2 from 1/32768 to 1/512");
  std::vector<float> of_input_weights, of_state_weights;
  const term weight = joined_bytes(n, 1, dtype::i8, &of_input_weights),
             recurrent = joined_bytes(n, 5, dtype::i8, &of_state_weights),
             bias = joined_bytes(n, 12, dtype::i32, nullptr);
  add_recurrent(n, op,
                {n.input(0), weight, recurrent, bias, helping(n, [&] { return n.constant({4}, of_input_weights); }),
                 helping(n, [&] { return n.constant({4}, of_state_weights); })},
                {{18, dtype::i8}, {19, dtype::i16}}, {&made, 1});
}

/// Features are of 16 bits or of 8, as the state is, and so are the filters' factors; sums are of 32. Ratios of scales
/// are of floats. Files say that what is below 0 becomes 0, and no kernel sees to it.
inline void byte_svdf(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<svdf>(n);
  const filter_sizes s = filters_of(n);
  const activation_function f = fused(n);
  if (f && f.kind != function::relu)
    node_reader::refuse("fused activation " + std::string(name_of(f.kind)) + " of bytes");
  require_type(n, 0, dtype::i8);
  require_type(n, 1, dtype::i8);
  if (n.has(3)) require_type(n, 3, dtype::i32);
  if (!is_state(n, 4)) node_reader::refuse("input 4 that is no state");
  const auto type = onnx::element_type(stated(n, n.node.inputs[4])->element);
  const dtype of_state = type == dtype::i8 ? dtype::i8 : dtype::i16;
  require_type(n, 2, of_state);
  const ir::quantization x = of_input(n, 0), y = of_output(n);
  const float weight = scale_of_steps(n, 1), over = scale_of_steps(n, 2);
  const ir::quantization state = one_scale(n, n.node.inputs[4]);
  if (state.zero != 0) node_reader::refuse("a zero point of the state");
  const auto of_features = static_cast<float>(state.scale);
  const term features = helping(n, [&] {
    op::linear op;
    op.out = n.shape(n.input(1))[0];
    op.bias = false;
    op.weight.type = dtype::i8;
    op.given = 1;
    const term sums = n.add_as(dtype::i32, op, {n.input(0), n.input(1)});
    const double factor = static_cast<double>(static_cast<float>(x.scale) * weight / of_features);
    return quantized_sums(n, sums, factor * state.scale, {of_state, state}, ir::rounding::twice);
  });
  const term all = remembered(n, s, features);
  const term now = helping(n, [&] { return n.cast(all, dtype::i32); });
  const term factors = helping(n, [&] { return n.cast(n.input(2), dtype::i32); });
  term sums = filtered(n, s, now, factors);
  if (n.has(3)) sums = helping(n, [&] { return binary_of(n, add, sums, n.input(3)); });
  const double factor = static_cast<double>(of_features * over / static_cast<float>(y.scale));
  n.result(quantized_sums(n, sums, factor * y.scale, byte_output(n), ir::rounding::twice));
}

}  // namespace ctnn::tflite::readers
