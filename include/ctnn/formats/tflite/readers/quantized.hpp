// SPDX-License-Identifier: BSL-1.0
// Operators of bytes that stand for real numbers, in TensorFlow Lite's arithmetic. Each has its reader of real numbers
// beside it.
#pragma once

#include "movement.hpp"

namespace ctnn::tflite::readers {

/// The one scale and zero point of a value.
inline ir::quantization one_scale(node_reader& n, const std::string& name) {
  const stated_quantization* q = scales_of(n, name);
  if (!q) n.fail("'" + name + "' has no scale");
  if (q->scale.size() != 1) node_reader::refuse("values with a scale for each channel");
  if (q->scale[0] == 0) refuse_scale(n, name, 0, "one above 0");
  return {static_cast<double>(q->scale[0]), n.to_int(q->zero[0], "zero point")};
}
inline ir::quantization of_input(node_reader& n, std::size_t i) { return one_scale(n, n.node.inputs[i]); }
inline ir::quantization of_output(node_reader& n) {
  if (!n.wants(0)) n.fail("has no output");
  return one_scale(n, n.node.outputs[0]);
}
/// Whether input i is of bytes with a scale; other integers with one are refused.
inline bool bytes_at(node_reader& n, std::size_t i) {
  if (!is_quantized(n, i)) return false;
  const dtype t = n.type(n.input(i));
  if (!ir::is_byte(t)) node_reader::refuse("quantized " + std::string(name_of(t)));
  return true;
}
inline dtype byte_output(node_reader& n) {
  const dtype to = output_type(n);
  if (!ir::is_byte(to)) node_reader::refuse("output of " + std::string(name_of(to)));
  return to;
}
/// The activation at the end, as bounds of bytes.
inline activation_function fused_bounds(node_reader& n) {
  const activation_function f = fused(n);
  if (!op::is_bounds(f)) node_reader::refuse("fused activation " + std::string(name_of(f.kind)) + " of bytes");
  return f;
}

inline bool is_quantized_output(node_reader& n) {
  return n.wants(0) && ir::is_byte(output_type(n)) && scales_of(n, n.node.outputs[0]);
}
/// A reader of real numbers for operators that compare or choose: bytes of one scale will do.
template <operator_reader read>
void alike(node_reader& n) {
  const ir::quantization* first = nullptr;
  ir::quantization scales[2];
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (!n.has(i) || is_floating(n.type(n.input(i))) || !ir::is_byte(n.type(n.input(i))) || !is_quantized(n, i)) {
      if (is_quantized(n, i) && n.type(n.input(i)) == dtype::i16) node_reader::refuse("quantized i16");
      continue;
    }
    scales[first ? 1 : 0] = of_input(n, i);
    if (first && !(scales[1] == *first)) node_reader::refuse("bytes of different scales");
    first = &scales[0];
  }
  if (first && is_quantized_output(n) && !(of_output(n) == *first)) node_reader::refuse("a result of another scale");
  if (first && fused(n)) node_reader::refuse("a fused activation of bytes");
  read(n);
}

/// A function of one number: a table of 256 bytes.
template <operator_reader read, function f, int a = 0, int b = 0>
void function_of(node_reader& n) {
  if (!bytes_at(n, 0)) return read(n);
  n.expect(1, 1);
  op::quantized_activation op;
  op.activation = {f, static_cast<float>(a) / 1000, static_cast<float>(b) / 1000};
  op.of = of_input(n, 0);
  op.as = of_output(n);
  op.to = byte_output(n);
  n.result(n.add(op, {n.input()}));
}

inline term requantized(node_reader& n, term x, const ir::quantization& of, const ir::quantization& as, dtype to,
                        const activation_function& f = {}) {
  if (of == as && n.type(x) == to && !f) return x;
  return n.add(op::requantize{of, as, to, f}, {x});
}

/// An activation that bounds.
template <operator_reader read, function f, int a = 0, int b = 0>
void bounds(node_reader& n) {
  if (!bytes_at(n, 0)) return read(n);
  n.expect(1, 1);
  n.result(requantized(n, n.input(), of_input(n, 0), of_output(n), byte_output(n),
                       {f, static_cast<float>(a), static_cast<float>(b)}));
}

template <op::binary_function f>
void arithmetic(node_reader& n) {
  n.expect(2, 2);
  if (!bytes_at(n, 0) && !bytes_at(n, 1)) return unscaled<binary<f>>(n);
  const op::quantized_binary op{f, of_input(n, 0), of_input(n, 1), of_output(n), byte_output(n), fused_bounds(n)};
  n.result(n.add(op, {n.input(0), n.input(1)}));
}

/// Sets what a layer of sums has besides its shape and adds the slots after the weight to `in`.
template <class Op>
void set_sums(node_reader& n, Op& op, std::vector<term>& in, int outputs, int channel_axis) {
  op.arithmetic = op::byte_arithmetic::tflite;
  op.of = of_input(n, 0);
  op.as = of_output(n);
  op.to = byte_output(n);
  op.weight_type = n.type(n.input(1));
  if (op.weight_type != dtype::i8) node_reader::refuse("weights of " + std::string(name_of(op.weight_type)));
  const stated_quantization* w = scales_of(n, n.node.inputs[1]);
  if (!w) n.fail("the weight has no scale");
  if (std::ranges::any_of(w->zero, [](std::int64_t z) { return z != 0; }))
    node_reader::refuse("weights with a zero point");
  op.by_output = w->scale.size() > 1;
  if (op.by_output && (w->axis != channel_axis || static_cast<int>(w->scale.size()) != outputs))
    n.fail("the weight has " + std::to_string(w->scale.size()) + " scales along axis " + std::to_string(w->axis) +
           ", expected " + std::to_string(outputs) + " along " + std::to_string(channel_axis));
  if (op.bias) {
    if (n.type(n.input(2)) != dtype::i32) node_reader::refuse("a bias of " + std::string(name_of(n.type(n.input(2)))));
    in.push_back(n.input(2));
  }
  in.push_back(helping(n, [&] { return n.constant({static_cast<int>(w->scale.size())}, w->scale); }));
  op.given = (slot_set{1} << (in.size() - 1)) - 1;
}

template <bool each_channel>
void byte_convolution(node_reader& n) {
  if (!bytes_at(n, 0)) return convolution<each_channel>(n);
  op::quantized_conv2d op;
  set_convolution<each_channel>(n, op);
  op.activation = fused_bounds(n);
  std::vector<term> in{channels_first(n, n.input(0)),
                       helping(n, [&] { return weight_first<each_channel>(n, n.input(1)); })};
  set_sums(n, op, in, op.out, each_channel ? 3 : 0);
  n.result(channels_last(n, n.add(op, in)));
}

inline void byte_product(node_reader& n) {
  if (!bytes_at(n, 0)) return fully_connected(n);
  n.expect(2, 3);
  if (n.flag("weights_format", false)) node_reader::refuse("shuffled weights");
  check_sums(n);
  const extents w = n.shape(n.input(1)), out = product_shape(n, n.shape(n.input(0)), w);
  extents rows = out;
  rows.back(0) = w[1];
  op::quantized_matmul op;
  op.right = ir::as_list(w);
  op.transposed = true;
  op.bias = n.has(2);
  op.activation = fused_bounds(n);
  std::vector<term> in{helping(n, [&] { return n.reshaped(n.input(0), rows); }), n.input(1)};
  set_sums(n, op, in, w[0], 0);
  n.result(n.add(op, in));
}

/// Bytes of one scale have the maximum and the average in it.
template <op::pooling f>
void byte_pool(node_reader& n) {
  if (!bytes_at(n, 0)) return pool<f>(n);
  const ir::quantization of = of_input(n, 0), as = of_output(n);
  if (!(of == as)) node_reader::refuse("a result of another scale");
  const op::pool op = windows_of(n, f);
  const activation_function with = fused_bounds(n);
  const term y = n.add(op, {channels_first(n, n.input(0))});
  n.result(channels_last(n, requantized(n, y, of, as, byte_output(n), with)));
}

inline void byte_concatenation(node_reader& n) {
  if (!bytes_at(n, 0)) return concatenation(n);
  const activation_function f = fused_bounds(n);
  if (f) node_reader::refuse("a fused activation of bytes");
  const ir::quantization as = of_output(n);
  const dtype to = byte_output(n);
  const int axis = n.axis(n.integer("axis", 0), n.rank(n.input(0)));
  std::vector<term> in;
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (!bytes_at(n, i)) n.fail("input " + std::to_string(i) + " has no scale");
    in.push_back(helping(n, [&] { return requantized(n, n.input(i), of_input(n, i), as, to); }));
  }
  n.result(in.size() == 1 ? in[0] : n.add(op::concat{axis}, in));
}

inline void byte_softmax(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<softmax>(n);
  n.expect(1, 1);
  if (n.rank(n.input()) < 1) n.fail("input is a scalar");
  op::quantized_softmax op;
  op.of = of_input(n, 0);
  op.of.scale *= static_cast<double>(n.real("beta", 0));
  op.as = of_output(n);
  op.to = byte_output(n);
  n.result(n.add(op, {n.input()}));
}

/// The mean is the exact sum, of another scale.
inline void byte_mean(node_reader& n) {
  if (!bytes_at(n, 0)) return reduce<op::reduction::mean>(n);
  n.expect(2, 2);
  const term x = n.input(0);
  const extents s = n.shape(x);
  ir::quantization of = of_input(n, 0);
  const ir::quantization as = of_output(n);
  const dtype to = byte_output(n);
  op::reduce op{op::reduction::sum, n.axes(n.whole(1), s.rank), n.flag("keep_dims", false)};
  std::int64_t count = 1;
  for (const int axis : op.axes) count *= s[axis];
  if (count > 1 << 22) node_reader::refuse("a mean of " + std::to_string(count) + " bytes");
  if (count == 0) n.fail("input is " + describe(s));
  if (s.rank == 0 || op.axes.empty()) return n.result(requantized(n, x, of, as, to));
  const term sum = helping(n, [&] {
    const term wide = n.cast(x, dtype::i32);
    return n.add(op, {of.zero == 0 ? wide : binary_of(n, sub, wide, n.number(of.zero, dtype::i32))});
  });
  n.result(requantized(n, sum, {of.scale / static_cast<double>(count), 0}, as, to));
}

inline void quantize(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  if (bytes_at(n, 0)) return n.result(requantized(n, x, of_input(n, 0), of_output(n), byte_output(n)));
  if (n.type(x) != dtype::f32) node_reader::refuse("input of " + std::string(name_of(n.type(x))));
  op::quantize op;
  op.to = byte_output(n);
  op.as = of_output(n);
  n.result(n.add(op, {x}));
}
inline void dequantize(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  if (is_floating(n.type(x))) return n.result(n.cast(x, output_type(n)));
  const stated_quantization* q = scales_of(n, n.node.inputs[0]);
  if (!q) n.fail("input has no scale");
  if (q->scale.size() > 1) return n.result(real_weight(n, 0));
  op::dequantize op;
  op.of = of_input(n, 0);
  n.result(n.add(op, {x}));
}

}  // namespace ctnn::tflite::readers
