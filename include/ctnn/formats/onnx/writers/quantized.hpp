// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers.
#pragma once

#include <algorithm>

#include "sampling.hpp"

namespace ctnn::onnx::writers {

inline std::vector<attribute> granularity_of(node_writer& w, const op::granularity& g) {
  std::vector<attribute> a{with("axis", g.axis)};
  if (g.block > 0) {
    w.need(21);
    a.push_back(with("block_size", g.block));
  }
  return a;
}
/// ncnn's scale, by which real numbers are multiplied.
inline std::string ncnn_scale(node_writer& w, const element& e) {
  return w.number(static_cast<float>(1 / e.real.scale), dtype::f32);
}
/// A float as the byte that ncnn makes of it: ties away from 0, -127 to 127.
inline std::string as_ncnn_byte(node_writer& w, const std::string& x, const std::string& scale) {
  const std::string scaled = w.add("Mul", {x, scale});
  const std::string size = w.add("Floor", {w.add("Add", {w.add("Abs", {scaled}), w.number(0.5, dtype::f32)})});
  const std::string round = w.add("Mul", {w.add("Sign", {scaled}), size});
  return w.add("Cast", {w.add("Clip", {round, w.number(-127.0, dtype::f32), w.number(127.0, dtype::f32)})},
               {with("to", element_number(dtype::i8))});
}
inline void quantize(node_writer& w) {
  const op::quantize op = w.get<op::quantize>();
  const int lead = w.lead();
  const element& to = w.result_type();
  if (w.input_count() == 1) {
    const std::string x = w.in(0, lead);
    if (to.rounded == ir::rounding::away) return w.result(as_ncnn_byte(w, x, ncnn_scale(w, to)), lead);
    return w.result(w.integers_of(w.type().real ? w.real_of(x, w.type()) : x, to), lead);
  }
  if (w.type(1).type != w.type().type) w.need(23);  // before, the scale is of the real numbers' type
  std::vector<std::string> in{w.in(0), w.in(1)};
  // The zero point says the type of the result.
  if (w.input_count() == 3) in.push_back(w.in(2));
  else if (to != dtype::u8) in.push_back(w.constant(w.shape(1), to, 0));
  w.is("QuantizeLinear", in, granularity_of(w, op));
}
inline void dequantize(node_writer& w) {
  const op::dequantize op = w.get<op::dequantize>();
  const int lead = w.lead();
  if (w.input_count() == 1) return w.result(w.real_of(w.in(0, lead), w.type()), lead);
  w.is("DequantizeLinear", w.all_inputs(), granularity_of(w, op));
}
inline void dynamic_quantize(node_writer& w) {
  const std::vector<std::string> out = w.add_many("DynamicQuantizeLinear", {w.in()}, {}, 3);
  for (int i = 0; i < 3; ++i) w.result(i, out[static_cast<std::size_t>(i)]);
}

/// i32 sums as real numbers, by the input's scale, which is a value, and the weight's.
inline std::string reals_of_sums(node_writer& w, byte_slots& slots, const std::string& sums, const extents& each) {
  const std::string y = w.add("Cast", {sums}, {with("to", element_number(dtype::f32))});
  return w.add("Mul", {y, w.add("Mul", {slots("input_scale"), slots.spread("weight_scale", each)})});
}

/// Real numbers of sums in ncnn's arithmetic, where real = byte / scale, and bytes of these.
inline std::string ncnn_results(node_writer& w, byte_slots& slots, const activation_function& f, const extents& each,
                                const std::string& sums) {
  std::string y = w.add("Cast", {sums}, {with("to", element_number(dtype::f32))});
  // A scale of 0 is that of outputs without numbers: theirs is 0.
  const std::string both = w.add("Mul", {ncnn_scale(w, w.own_type()), slots.spread("weight_scale", each)});
  const std::string none = w.add("Equal", {both, w.number(0.0, dtype::f32)});
  const std::string factor = w.add("Where", {none, w.number(0.0, dtype::f32), w.add("Reciprocal", {both})});
  y = w.add("Mul", {y, factor});
  if (slots.has("bias")) y = w.add("Add", {y, slots.as("bias", each)});
  y = applied(w, f, y, dtype::f32);
  const element& made = w.own_result_type();
  return made == dtype::i8 ? as_ncnn_byte(w, y, ncnn_scale(w, made)) : y;
}

/// A layer by a weight of bytes that ONNX has integers for: `product` makes i32 of bytes, their zero point and the
/// weight's (both may be left out), `qlinear` bytes of bytes by inputs of QLinearConv's order.
inline void integer_layer(node_writer& w, byte_slots& slots, const op::weight_element& weight,
                          const activation_function& f, const extents& each, int lead, auto&& product, auto&& qlinear) {
  const element &x = w.own_type(), &y = w.own_result_type();
  const std::string from = w.in(0, lead);
  if (x.rounded == ir::rounding::away) return w.result(ncnn_results(w, slots, f, each, product({from})), lead);
  const std::string zero = x.real ? w.number(static_cast<double>(x.real.zero), x.type) : slots("input_zero");
  if (y.real) {
    const std::string weight_zero =
        slots.has("weight_zero") ? slots("weight_zero") : w.constant(slots.form("weight_scale"), weight.type, 0);
    return w.result(qlinear({from, w.number(x.real.scale, dtype::f32), zero, slots("weight_scale"), weight_zero,
                             w.number(y.real.scale, dtype::f32), w.number(static_cast<double>(y.real.zero), y.type)}),
                    lead);
  }
  std::vector<std::string> in{from, zero};
  if (slots.has("weight_zero")) in.push_back(slots("weight_zero"));
  std::string sums = product(in);
  if (slots.has("bias")) sums = w.add("Add", {sums, slots.as("bias", each)});
  if (y == dtype::f32) sums = applied(w, f, reals_of_sums(w, slots, sums, each), dtype::f32);
  w.result(sums, lead);
}

template <int Axes>
void conv(node_writer& w) {
  const auto op = w.get<op::conv<Axes>>();
  if (!op.weight || w.in_reals()) return conv_of_reals<Axes>(w);
  byte_slots slots(w, op);
  const std::vector<attribute> a = convolution_attributes<Axes>(op, w.shape());
  extents each{op.out};
  for (int i = 0; i < Axes; ++i) each.push_back(1);
  const std::string weight = slots.whole("weight"), bias = slots.has("bias") ? slots.whole("bias") : "";
  integer_layer(
      w, slots, op.weight, op.activation, each, w.shape().rank == Axes + 1 ? 1 : 0,
      [&](std::vector<std::string> in) {
        in.insert(in.begin() + 1, weight);
        return w.add("ConvInteger", in, a);
      },
      [&](std::vector<std::string> in) {
        in.insert(in.begin() + 3, weight);
        in.push_back(bias);
        return w.add("QLinearConv", in, a);
      });
}

inline void linear(node_writer& w) {
  const op::linear op = w.get<op::linear>();
  if (!op.weight || w.in_reals()) return linear_of_reals(w);
  if (op.axes != 1 || op.ones != 0) node_writer::refuse("a linear layer of bytes over several axes");
  byte_slots slots(w, op);
  if (w.own_result_type().real && op.bias) node_writer::refuse("a product of bytes with a bias of integers");
  const std::string weight = op.transposed ? slots.whole("weight") : w.transposed_weight(0);
  integer_layer(
      w, slots, op.weight, op.activation, {op.out}, 0,
      [&](std::vector<std::string> in) {
        in.insert(in.begin() + 1, weight);
        return w.add("MatMulInteger", in);
      },
      [&](std::vector<std::string> in) {
        in.insert(in.begin() + 3, weight);
        return w.add("QLinearMatMul", in);
      });
}

inline void matmul(node_writer& w) {
  const op::matmul op = w.get<op::matmul>();
  const element &a = w.own_type(0), &b = w.own_type(1), &y = w.own_result_type();
  if (w.in_reals() || !is_byte(a) || (y == a.type && !y.real)) return matmul_of_reals(w);
  const auto zero = [&](const element& e) { return w.number(static_cast<double>(e.real.zero), e.type); };
  const auto scale = [&](const element& e) { return w.number(e.real.scale, dtype::f32); };
  const std::string left = w.in(0), right = turned_operand(w, 1, op.transpose_b);
  if (y == dtype::i32) return w.is("MatMulInteger", {left, right, zero(a), zero(b)});
  w.is("QLinearMatMul", {left, scale(a), zero(a), right, scale(b), zero(b), scale(y), zero(y)});
}

/// ONNX's integers have no scale.
inline void storage_cast(node_writer& w) {
  const int lead = w.lead();
  w.result(w.add("Identity", {w.in(0, lead)}), lead);
}

}  // namespace ctnn::onnx::writers
