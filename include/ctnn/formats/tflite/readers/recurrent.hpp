// SPDX-License-Identifier: BSL-1.0
// Recurrent layers: PyTorch's, with the gates' weights apart, and filters of what the last runs were given. A run goes
// on from the state that the last one left.
#pragma once

#include "nn.hpp"
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

/// Adds the layer; `in` are x and the weights, `states` inputs of the file. The op has states after x.
template <class Op>
void add_recurrent(node_reader& n, Op op, const std::vector<term>& in, std::initializer_list<std::size_t> states) {
  if (n.rank(in[0]) != 3) n.fail("input is " + describe(n.shape(in[0])) + ", expected 3 dimensions");
  op.batch_first = !n.flag("time_major", false);
  op.given = (slot_set{1} << (in.size() - 1)) - 1;
  std::vector<term> all{in[0]};
  n.only_helping(true);
  for (const std::size_t s : states) {
    const term before = state_before(n, s, dtype::f32);
    const extents of = n.shape(before);
    if (of.rank != 2) n.fail("state " + std::to_string(s) + " is " + describe(of) + ", expected a matrix");
    all.push_back(n.reshaped(before, {1, of[0], of[1]}));
  }
  n.only_helping(false);
  all.insert(all.end(), in.begin() + 1, in.end());
  const std::vector<term> made = n.nodes(op, all);
  n.result(made[0]);
  std::size_t k = 1;
  for (const std::size_t s : states) {
    const extents of = n.shape(made[k]);
    leave_state(n, s, helping(n, [&] { return n.reshaped(made[k], {of[1], of[2]}); }));
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
  add_recurrent(n, op, {n.input(0), joined(n, {1}), joined(n, {2}), n.input(3), zeros(n, op.hidden)}, {4});
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
  std::vector<term> in{n.input(0), joined(n, {1, 2, 3, 4}), joined(n, {5, 6, 7, 8}), joined(n, {12, 13, 14, 15}),
                       zeros(n, 4 * op.hidden)};
  if (op.peepholes) in.push_back(joined(n, {9, 10, 11}));
  add_recurrent(n, op, in, {18, 19});
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

}  // namespace ctnn::tflite::readers
