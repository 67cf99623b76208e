// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers.
#pragma once

#include "attention.hpp"

namespace ctnn::onnx::readers {

inline op::granularity granularity_of(node_reader& n) {
  op::granularity g;
  g.axis = n.small("axis", 1);
  g.block = n.small("block_size", 0);
  return g;
}
/// A scale or zero point of shape (1) counts as one number.
inline term as_scale(node_reader& n, term t) {
  return n.shape(t).count() == 1 && n.rank(t) == 1 ? n.reshaped(t, {}) : t;
}

/// Adds the zero point, input 2, to `in`; one that is known to be 0 is left out, so that rules see it.
inline void add_zero_point(node_reader& n, std::vector<term>& in) {
  if (!n.has(2)) return;
  const shared_array k = n.known(n.input(2));
  bool none = k != nullptr && !n.known(in[0]);
  for (std::size_t i = 0; none && i < k->size(); ++i) none = number_at(*k, i) == 0;
  if (!none) in.push_back(as_scale(n, n.input(2)));
}

inline void quantize(node_reader& n) {
  n.expect(2, 3);
  n.ignore("saturate");
  n.ignore("precision");
  op::quantize op;
  static_cast<op::granularity&>(op) = granularity_of(n);
  op.to = n.has(2) ? n.type(n.input(2)) : dtype::u8;
  if (!n.has(2) && n.integer("output_dtype", 0) != 0) op.to = n.element("output_dtype", 2);
  n.ignore("output_dtype");
  std::vector<term> in{n.input(0), as_scale(n, n.input(1))};
  add_zero_point(n, in);
  n.result(n.add(op, in));
}
inline void dequantize(node_reader& n) {
  n.expect(2, 3);
  n.ignore("output_dtype");
  op::dequantize op;
  static_cast<op::granularity&>(op) = granularity_of(n);
  std::vector<term> in{n.input(0), as_scale(n, n.input(1))};
  add_zero_point(n, in);
  n.result(n.add(op, in));
}
inline void dynamic_quantize(node_reader& n) {
  n.expect(1, 1);
  const std::vector<term> out = n.nodes(op::dynamic_quantize{}, {n.input()});
  for (std::size_t i = 0; i < 3; ++i) n.result(i, out[i]);
}

template <class Op>
void read_convolution(node_reader& n, Op& op, term x, term w) {
  const int axes = n.rank(x) - 2;
  if (axes < 1 || n.rank(w) != n.rank(x)) n.fail("weight is " + describe(n.shape(w)) + " for an input of " + describe(n.shape(x)));
  const window_attributes a = read_window(n, axes);
  for (int i = 0; i < axes; ++i)
    if (!a.kernel.empty() && a.kernel[static_cast<std::size_t>(i)] != n.shape(w)[i + 2]) n.fail("kernel_shape differs from the weight");
  set_sliding(op, a);
  op.groups = n.small("group", 1);
}
inline void quantized_convolution(node_reader& n) {
  n.expect(8, 9);
  op::quantized_convolution op;
  read_convolution(n, op, n.input(0), n.input(3));
  n.result(n.add(op, n.all_inputs()));
}
inline void quantized_matmul(node_reader& n) {
  n.expect(8, 8);
  n.result(n.add(op::quantized_matmul{}, n.all_inputs()));
}
inline void integer_convolution(node_reader& n) {
  n.expect(2, 4);
  op::integer_convolution op;
  read_convolution(n, op, n.input(0), n.input(1));
  op.zero_x = n.has(2);
  op.zero_w = n.has(3);
  std::vector<term> in;
  for (std::size_t i = 0; i < 4; ++i)
    if (n.has(i)) in.push_back(n.input(i));
  n.result(n.add(op, in));
}
inline void integer_matmul(node_reader& n) {
  n.expect(2, 4);
  const op::integer_matmul op{n.has(2), n.has(3)};
  std::vector<term> in;
  for (std::size_t i = 0; i < 4; ++i)
    if (n.has(i)) in.push_back(n.input(i));
  n.result(n.add(op, in));
}

}  // namespace ctnn::onnx::readers
