// SPDX-License-Identifier: BSL-1.0
// Element by element: arithmetic, comparisons, functions of one number.
#pragma once

#include "common.hpp"

namespace ctnn::tflite::readers {

using enum op::binary_function;

/// a (f) b, with an activation behind it where the operator has one.
template <op::binary_function f>
void binary(node_reader& n) {
  n.expect(2, 2);
  onnx::readers::same_types(n, {n.input(0), n.input(1)});
  finish(n, binary_of(n, f, n.input(0), n.input(1)));
}
inline void squared_difference(node_reader& n) {
  n.expect(2, 2);
  onnx::readers::same_types(n, {n.input(0), n.input(1)});
  n.result(applied(n, {function::square}, binary_of(n, sub, n.input(0), n.input(1))));
}
/// The quotient rounded down: of integers (a - a mod b) / b, whose remainder has b's sign.
inline void floor_div(node_reader& n) {
  n.expect(2, 2);
  const term a = n.input(0), b = n.input(1);
  onnx::readers::same_types(n, {a, b});
  if (is_floating(n.type(a))) return n.result(applied(n, {function::floor}, binary_of(n, div, a, b)));
  const term rest = helping(n, [&] { return n.add(op::remainder{}, {a, b}); });
  n.result(binary_of(n, div, helping(n, [&] { return binary_of(n, sub, a, rest); }), b));
}
inline void floor_mod(node_reader& n) {
  n.expect(2, 2);
  n.result(n.add(op::remainder{}, n.all_inputs()));
}
inline void add_n(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  const std::vector<term> in = n.all_inputs();
  onnx::readers::same_types(n, in);
  term sum = in[0];
  for (std::size_t i = 1; i < in.size(); ++i) sum = binary_of(n, add, sum, in[i]);
  n.result(sum);
}

inline void differs(node_reader& n) {
  n.expect(2, 2);
  const term same = helping(n, [&] { return n.add(op::compare{op::comparison::equal}, {n.input(0), n.input(1)}); });
  n.result(n.add(op::bitwise_not{}, {same}));
}

/// A function of one number, with its parameters in thousandths.
template <function f, int a = 0, int b = 0>
void apply(node_reader& n) {
  n.expect(1, 1);
  n.result(applied(n, {f, static_cast<float>(a) / 1000, static_cast<float>(b) / 1000}, n.input()));
}
inline void hard_swish(node_reader& n) { onnx::readers::hard_swish(n); }
inline void leaky_relu(node_reader& n) {
  n.expect(1, 1);
  n.result(applied(n, {function::leaky_relu, n.real("alpha", 0)}, n.input()));
}
inline void gelu(node_reader& n) {
  n.expect(1, 1);
  n.result(applied(n, {n.flag("approximate", false) ? function::gelu_tanh : function::gelu}, n.input()));
}

/// The condition has the shape of both, or (v1) chooses among what their first axis has.
template <bool broadcasts>
void select(node_reader& n) {
  n.expect(3, 3);
  std::vector<term> in = n.all_inputs();
  const extents condition = n.shape(in[0]), x = n.shape(in[1]);
  if (!broadcasts && condition.rank == 1 && x.rank > 1 && condition[0] == x[0]) {
    extents to{x[0]};
    for (int i = 1; i < x.rank; ++i) to.push_back(1);
    in[0] = helping(n, [&] { return n.reshaped(in[0], to); });
  }
  n.result(n.add(op::where{}, in));
}

inline void cast(node_reader& n) {
  n.expect(1, 1);
  n.result(n.cast(n.input(), output_type(n)));
}
inline void bit_cast(node_reader& n) {
  n.expect(1, 1);
  const dtype from = n.type(n.input()), to = output_type(n);
  if (size_of(from) != size_of(to) || (to == dtype::boolean && from != to))
    node_reader::refuse("bits of " + std::string(name_of(from)) + " as " + std::string(name_of(to)));
  n.result(n.add(op::bit_cast{to}, {n.input()}));
}

}  // namespace ctnn::tflite::readers
