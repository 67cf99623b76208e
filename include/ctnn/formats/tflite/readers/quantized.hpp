// SPDX-License-Identifier: BSL-1.0
// Operators of bytes that stand for real numbers, in TensorFlow Lite's arithmetic. Each has its reader of real numbers
// beside it.
#pragma once

#include <algorithm>

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
/// Whether an operator has kernels of 16 bits, too.
enum class widths { bytes, wide };
/// Whether input i is of bytes with a scale; other integers with one are refused.
inline bool bytes_at(node_reader& n, std::size_t i, widths w = widths::bytes) {
  if (!is_quantized(n, i)) return false;
  const dtype t = n.type(n.input(i));
  if (w == widths::wide ? !ir::is_steps(t) : !ir::is_byte(t))
    node_reader::refuse("quantized " + std::string(name_of(t)));
  return true;
}
/// The element of an output of bytes. Numbers of 16 bits are made by kernels of TensorFlow Lite's own alone.
inline ir::element byte_output(node_reader& n, widths w = widths::bytes) {
  const dtype to = output_type(n);
  if (w == widths::wide && to == dtype::i16) return {to, of_output(n), ir::rounding::twice};
  if (!ir::is_byte(to)) node_reader::refuse("output of " + std::string(name_of(to)));
  return {to, of_output(n)};
}
/// That of an output which XNNPACK has a kernel of sums of two for.
inline ir::element sum_output(node_reader& n) {
  ir::element made = byte_output(n, widths::wide);
  if (n.builder().options.rounding == ir::rounding::twice) made.rounded = ir::rounding::twice;
  return made;
}
/// The activation at the end, as bounds of bytes.
inline activation_function fused_bounds(node_reader& n) {
  const activation_function f = fused(n);
  if (!op::is_bounds(f)) node_reader::refuse("fused activation " + std::string(name_of(f.kind)) + " of bytes");
  return f;
}

inline bool is_quantized_output(node_reader& n) {
  return n.wants(0) && ir::is_steps(output_type(n)) && scales_of(n, n.node.outputs[0]);
}
/// A reader of real numbers for operators that compare or choose: bytes of one scale will do.
template <operator_reader read>
void alike(node_reader& n) {
  const ir::quantization* first = nullptr;
  ir::quantization scales[2];
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (!is_quantized(n, i) || !ir::is_steps(n.type(n.input(i)))) continue;
    scales[first ? 1 : 0] = of_input(n, i);
    if (first && !(scales[1] == *first)) node_reader::refuse("bytes of different scales");
    first = &scales[0];
  }
  if (first && is_quantized_output(n) && !(of_output(n) == *first)) node_reader::refuse("a result of another scale");
  if (first && fused(n)) node_reader::refuse("a fused activation of bytes");
  read(n);
}

/// Sums, whose steps are of this scale, as what is made; `how`: rounded twice by kernels of TensorFlow Lite's own.
inline term quantized_sums(node_reader& n, term x, double scale, ir::element made, ir::rounding how) {
  if (check_quantization("scale", {scale, 0}, dtype::i32)) n.fail("has sums whose scale is no number above 0");
  made.rounded = how;
  return n.add_as(made, op::quantize{}, {n.stands_for(x, {scale, 0})});
}
/// Of bytes of one scale; the sum is of 32 bits. TensorFlow Lite Micro alone has it, and counts the zero point once too
/// often: this is the sum that its numbers stand for.
inline void byte_add_n(node_reader& n) {
  if (n.input_count() < 1) n.fail("has no inputs");
  if (!bytes_at(n, 0)) return unscaled<add_n>(n);
  const ir::quantization of = of_input(n, 0);
  const ir::element made = byte_output(n);
  const int fine = 1 << 19;  // of a step of the sum
  if (n.input_count() > 16) node_reader::refuse("a sum of more than 16 tensors of bytes");
  const std::vector<term> in = n.all_inputs();
  onnx::readers::same_types(n, in);
  term sum = n.cast(in[0], dtype::i32);
  n.only_helping(true);
  for (std::size_t i = 1; i < in.size(); ++i) {
    if (!bytes_at(n, i)) n.fail("input " + std::to_string(i) + " has no scale");
    if (!(of_input(n, i) == of)) node_reader::refuse("bytes of different scales");
    if (!(n.shape(in[i]) == n.shape(in[0]))) n.fail("inputs are of different shapes");
    sum = binary_of(n, add, sum, n.cast(in[i], dtype::i32));
  }
  const int zeros = of.zero * static_cast<int>(in.size());
  if (zeros != 0) sum = binary_of(n, sub, sum, n.number(zeros, dtype::i32));
  sum = binary_of(n, mul, sum, n.number(fine, dtype::i32));
  n.only_helping(false);
  n.result(quantized_sums(n, sum, of.scale / fine, made, ir::rounding::twice));
}

/// A function of one number: a table of 256 bytes. Of 16 bits there are two.
template <operator_reader read, function f, int a = 0, int b = 0>
void function_of(node_reader& n) {
  constexpr widths w = f == function::sigmoid || f == function::tanh ? widths::wide : widths::bytes;
  if (!bytes_at(n, 0, w)) return read(n);
  n.expect(1, 1);
  const activation_function with{f, static_cast<float>(a) / 1000, static_cast<float>(b) / 1000};
  n.result(n.add_as(byte_output(n, w), op::activation{with}, {n.input()}));
}

/// A function of one number that has kernels of integers.
inline void integer_function(node_reader& n, const activation_function& f, widths w = widths::bytes) {
  n.result(n.add_as(byte_output(n, w), op::activation{f}, {n.input()}));
}
inline void byte_hard_swish(node_reader& n) {
  if (!bytes_at(n, 0)) return hard_swish(n);
  n.expect(1, 1);
  integer_function(n, {function::hardswish, 1.0f / 6, 0.5f});
}
inline void byte_leaky_relu(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return leaky_relu(n);
  n.expect(1, 1);
  integer_function(n, {function::leaky_relu, n.real("alpha", 0)}, widths::wide);
}
inline void byte_gelu(node_reader& n) {
  if (!bytes_at(n, 0)) return gelu(n);
  if (n.flag("approximate", false)) function_of<gelu, function::gelu_tanh>(n);
  else function_of<gelu, function::gelu>(n);
}

/// Bytes as others, by kernels of TensorFlow Lite's own.
inline term requantized(node_reader& n, term x, ir::element made, const activation_function& f = {}) {
  if (!same_numbers(n.element_of(x), made)) made.rounded = ir::rounding::twice;
  if (f) return n.add_as(made, op::activation{f}, {x});
  return same_numbers(n.element_of(x), made) ? x : n.add_as(made, op::quantize{}, {x});
}

/// An activation that bounds.
template <operator_reader read, function f, int a = 0, int b = 0>
void bounds(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return read(n);
  n.expect(1, 1);
  n.result(requantized(n, n.input(), byte_output(n, widths::wide), {f, static_cast<float>(a), static_cast<float>(b)}));
}

template <op::binary_function f>
void arithmetic(node_reader& n) {
  n.expect(2, 2);
  if (!bytes_at(n, 0, widths::wide) && !bytes_at(n, 1, widths::wide)) return unscaled<binary<f>>(n);
  n.result(n.add_as(sum_output(n), op::binary{f, {}, fused_bounds(n)}, {n.input(0), n.input(1)}));
}

/// The real numbers of input i, and bytes of a result's.
inline term real_numbers(node_reader& n, std::size_t i) {
  one_scale(n, n.node.inputs[i]);
  return helping(n, [&] { return n.add(op::dequantize{}, {n.input(i)}); });
}
inline term as_bytes(node_reader& n, term x) { return n.add_as(byte_output(n, widths::wide), op::quantize{}, {x}); }
/// The quotient of the real numbers: by 0 it is the largest byte of its sign. TensorFlow Lite's kernel is within one
/// step of it but where it divides -1 step, whose quotient it takes for 0 steps of an unsigned byte, and by 0.
inline void byte_division(node_reader& n) {
  n.expect(2, 2);
  if (!bytes_at(n, 0) && !bytes_at(n, 1)) return unscaled<binary<div>>(n);
  const activation_function f = fused_bounds(n);
  const term a = real_numbers(n, 0), b = real_numbers(n, 1);
  n.result(as_bytes(n, helping(n, [&] { return activated(n, f, binary_of(n, div, a, b)); })));
}
inline void byte_squared_difference(node_reader& n) {
  n.expect(2, 2);
  if (!bytes_at(n, 0) && !bytes_at(n, 1)) return unscaled<squared_difference>(n);
  const term a = real_numbers(n, 0), b = real_numbers(n, 1);
  n.result(as_bytes(n, helping(n, [&] { return applied(n, {function::square}, binary_of(n, sub, a, b)); })));
}
inline void byte_log_softmax(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<log_softmax>(n);
  n.expect(1, 1);
  if (n.rank(n.input()) < 1) n.fail("input is a scalar");
  const term x = real_numbers(n, 0);
  n.result(as_bytes(n, helping(n, [&] { return n.add(op::log_softmax{-1}, {x}); })));
}
inline void byte_l2_normalization(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<l2_normalization>(n);
  n.expect(1, 1);
  if (n.rank(n.input()) < 1) n.fail("input is a scalar");
  n.ignore("fused_activation_function");
  const term x = real_numbers(n, 0);
  n.result(as_bytes(n, helping(n, [&] { return n.add(op::lp_normalize{-1, 2}, {x}); })));
}

/// x where it is not below its zero point, and x by its slope elsewhere: each rounded twice.
inline void byte_parametric_relu(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<onnx::readers::parametric_relu>(n);
  n.expect(2, 2);
  if (!bytes_at(n, 1)) node_reader::refuse("slopes of " + std::string(name_of(n.type(n.input(1)))));
  const ir::element made = byte_output(n);
  const term x = n.input(0);
  const op::binary times{op::binary_function::mul};
  const ir::element twice(made.type, made.real, ir::rounding::twice);
  const term below = helping(n, [&] { return n.add_as(twice, times, {x, n.input(1)}); });
  const term above = helping(n, [&] { return requantized(n, x, made); });
  const term is_below = helping(n, [&] {
    const term zero = n.number(of_input(n, 0).zero, n.type(x));
    return n.add(op::compare{op::comparison::less}, {x, zero});
  });
  n.result(n.add(op::where{}, {is_below, below, above}));
}

/// Elements as they are, or those between them as XNNPACK's kernel has them, which is the interpreter's.
template <op::interpolation mode>
void byte_resize(node_reader& n) {
  if (!bytes_at(n, 0)) return resize<mode>(n);
  if (!(of_input(n, 0) == of_output(n))) node_reader::refuse("a result of another scale");
  op::interpolate op = resized<mode>(n);
  if (mode == op::interpolation::linear) op.fraction_bits = 11;
  n.result(channels_last(n, n.add(op, {channels_first(n, n.input(0))})));
}

/// Bytes of one scale have the maximum and the average in it.
template <op::pooling f>
void byte_pool(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return pool<f>(n);
  const ir::quantization of = of_input(n, 0), as = of_output(n);
  if (!(of == as)) node_reader::refuse("a result of another scale");
  const op::pool op = windows_of(n, f);
  const activation_function with = fused_bounds(n);
  const term y = n.add(op, {channels_first(n, n.input(0))});
  n.result(channels_last(n, requantized(n, y, byte_output(n, widths::wide), with)));
}

inline void byte_concatenation(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return concatenation(n);
  const activation_function f = fused_bounds(n);
  if (f) node_reader::refuse("a fused activation of bytes");
  const ir::element made = byte_output(n, widths::wide);
  const int axis = n.axis(n.integer("axis", 0), n.rank(n.input(0)));
  std::vector<term> in;
  for (std::size_t i = 0; i < n.input_count(); ++i) {
    if (!bytes_at(n, i, widths::wide)) n.fail("input " + std::to_string(i) + " has no scale");
    in.push_back(helping(n, [&] { return requantized(n, n.input(i), made); }));
  }
  n.result(in.size() == 1 ? in[0] : n.add(op::concat{axis}, in));
}

inline void byte_softmax(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return unscaled<softmax>(n);
  n.expect(1, 1);
  if (n.rank(n.input()) < 1) n.fail("input is a scalar");
  // Numbers are multiplied by beta first: their scale is.
  quantization of = of_input(n, 0);
  of.scale *= static_cast<double>(n.real("beta", 0));
  if (check_quantization("beta", of, n.type(n.input()))) n.fail("beta is no number above 0");
  ir::element made = byte_output(n, widths::wide);
  if (made == dtype::i16 && std::abs(made.real.scale * 32768 - 1) > 0.001)
    node_reader::refuse("a result of 16 bits whose scale is not 1/32768");
  n.result(n.add_as(made, op::softmax{-1}, {n.stands_for(n.input(), of)}));
}

/// The exact sum, or the mean, which is one of another scale.
template <op::reduction f>
void byte_sum(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<reduce<f>>(n);
  n.expect(2, 2);
  const term x = n.input(0);
  const extents s = n.shape(x);
  const ir::quantization of = of_input(n, 0);
  const ir::element made = byte_output(n);
  op::reduce op{op::reduction::sum, n.axes(n.whole(1), s.rank), n.flag("keep_dims", false)};
  std::int64_t count = 1;
  for (const int axis : op.axes) count *= s[axis];
  if (count > 1 << 22) node_reader::refuse("a sum of " + std::to_string(count) + " bytes");
  if (count == 0) n.fail("input is " + describe(s));
  if (s.rank == 0 || op.axes.empty()) return n.result(requantized(n, x, made));
  const term sum = helping(n, [&] {
    const term wide = n.cast(x, dtype::i32);
    return n.add(op, {of.zero == 0 ? wide : binary_of(n, sub, wide, n.number(of.zero, dtype::i32))});
  });
  const double parts = f == op::reduction::mean ? static_cast<double>(count) : 1;
  // Over images there is a kernel of integers; others average in floats, which round once.
  const bool of_images = f == op::reduction::mean && s.rank == 4 && op.keep && op.axes.size() == 2 &&
                         op.axes[0] + op.axes[1] == 3 && op.axes[0] * op.axes[1] == 2;
  n.result(quantized_sums(n, sum, of.scale / parts, made, of_images ? ir::rounding::twice : ir::rounding::once));
}

inline void quantize(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  if (is_quantized(n, 0) && (n.type(x) == dtype::i32 || bytes_at(n, 0, widths::wide))) {
    ir::element made = byte_output(n, widths::wide);
    const double ratio = of_input(n, 0).scale / made.real.scale;
    const bool by_xnnpack = n.type(x) == made.type && made != dtype::i16 && ratio >= 1.0 / 256 && ratio <= 128 &&
                            n.builder().options.rounding != ir::rounding::twice;
    if (!by_xnnpack || same_numbers(n.element_of(x), made)) return n.result(requantized(n, x, made));
    made.rounded = ir::rounding::coarse;
    return n.result(n.add_as(made, op::quantize{}, {x}));
  }
  if (n.type(x) != dtype::f32) node_reader::refuse("input of " + std::string(name_of(n.type(x))));
  n.result(as_bytes(n, x));
}
inline void dequantize(node_reader& n) {
  n.expect(1, 1);
  const term x = n.input();
  if (is_floating(n.type(x))) return n.result(n.cast(x, output_type(n)));
  const stated_quantization* q = scales_of(n, n.node.inputs[0]);
  if (!q) n.fail("input has no scale");
  if (q->scale.size() > 1) return n.result(real_weight(n, 0));
  of_input(n, 0);
  n.result(n.add(op::dequantize{}, {x}));
}

}  // namespace ctnn::tflite::readers
