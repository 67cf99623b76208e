// SPDX-License-Identifier: BSL-1.0
// Recurrent layers: PyTorch's, with the gates' weights apart. Their states begin with zeros in every run.
#pragma once

#include "nn.hpp"

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
/// The states are variables of the file that nothing has written into.
inline void require_zeros(node_reader& n, std::size_t i) {
  if (!n.has(i)) return;
  const shared_array k = n.known(n.input(i));
  for (std::size_t e = 0; k && e < k->size(); ++e)
    if (number_at(*k, e) != 0) node_reader::refuse("a state that does not begin with zeros");
  if (!k) node_reader::refuse("a state from elsewhere");
}
inline term zeros(node_reader& n, int count) {
  return helping(n, [&] { return n.constant(n.allocate({count}, dtype::f32)); });
}

/// Adds the layer; `in` are x and the weights.
template <class Op>
void add_recurrent(node_reader& n, Op op, const std::vector<term>& in) {
  if (n.rank(in[0]) != 3) n.fail("input is " + describe(n.shape(in[0])) + ", expected 3 dimensions");
  op.batch_first = !n.flag("time_major", false);
  op.given = (slot_set{1} << (in.size() - 1)) - 1;
  n.result(n.nodes(op, in)[0]);
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
  require_zeros(n, 4);
  add_recurrent(n, op, {n.input(0), joined(n, {1}), joined(n, {2}), n.input(3), zeros(n, op.hidden)});
}

/// Gates i, f, g, o: weights 1 to 4, recurrent weights 5 to 8, peepholes 9 to 11, biases 12 to 15. Without 1 the input
/// gate is 1 less the forget gate.
inline void lstm(node_reader& n) {
  if (n.input_count() < 20 || n.input_count() > 24)
    n.fail("has " + std::to_string(n.input_count()) + " inputs, expected 20 to 24");
  op::lstm op;
  if (fused(n).kind != function::tanh) node_reader::refuse("an activation other than TANH");
  for (const char* key : {"cell_clip", "proj_clip"})
    if (n.real(key, 0) != 0) node_reader::refuse("option '" + std::string(key) + "'");
  if (n.flag("diagonal_recurrent_tensors", false)) node_reader::refuse("option 'diagonal_recurrent_tensors'");
  if (n.has(16) || n.has(17)) node_reader::refuse("a projection");
  for (std::size_t i = 20; i < 24; ++i)
    if (n.has(i)) node_reader::refuse("layer normalization");
  if (n.has(1) != n.has(5) || n.has(1) != n.has(12)) n.fail("has parts of an input gate");
  if (!n.has(1)) node_reader::refuse("coupled gates");
  set_hidden(n, op, 6);
  op.peepholes = n.has(10);
  require_zeros(n, 18);
  require_zeros(n, 19);
  std::vector<term> in{n.input(0), joined(n, {1, 2, 3, 4}), joined(n, {5, 6, 7, 8}), joined(n, {12, 13, 14, 15}),
                       zeros(n, 4 * op.hidden)};
  if (op.peepholes) in.push_back(joined(n, {9, 10, 11}));
  add_recurrent(n, op, in);
}

}  // namespace ctnn::tflite::readers
