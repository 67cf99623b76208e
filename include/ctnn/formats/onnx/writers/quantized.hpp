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
inline void quantize(node_writer& w) {
  const op::quantize op = w.get<op::quantize>();
  const int lead = w.lead();
  const element& to = w.result_type();
  if (w.input_count() == 1) {
    const std::string x = w.in(0, lead);
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

/// The slots of a layer of bytes by name (op::products_of_bytes::add_slots).
class byte_slots {
 public:
  byte_slots(node_writer& w, const weight_slots& slots) : w_(w) {
    for (const weight_slot& s : slots) names_.push_back(s.name);
  }
  bool has(std::string_view name) const { return at(name) < names_.size(); }
  const extents shape(std::string_view name) const { return w_.weight_shape(at(name)); }
  std::string whole(std::string_view name) { return w_.weight(at(name)); }
  shared_array numbers(std::string_view name) {
    if (!w_.has_numbers(at(name))) w_.refuse("a " + std::string(name) + " that is not known");
    return w_.numbers(at(name));
  }
  /// One number as a scalar, numbers of several as they are.
  std::string operator()(std::string_view name) {
    return shape(name).count() == 1 ? w_.weight(at(name), {}) : w_.weight(at(name));
  }
  std::string as(std::string_view name, const extents& shape) { return w_.weight(at(name), shape); }

 private:
  std::size_t at(std::string_view name) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), name) - names_.begin());
  }
  node_writer& w_;
  std::vector<std::string_view> names_;
};

/// What becomes of i32 sums: `each` is the shape that numbers of outputs have beside them.
inline void finish_sums(node_writer& w, byte_slots& slots, std::string y, const activation_function& f,
                        const extents& each, const extents& rows, int lead) {
  const auto spread = [&](std::string_view name, const extents& many) {
    return slots.shape(name).count() == 1 ? slots.as(name, {}) : slots.as(name, many);
  };
  if (slots.has("bias")) y = w.add("Add", {y, slots.as("bias", each)});
  if (w.result_type() == dtype::i32) return w.result(y, lead);
  y = w.add("Cast", {y}, {with("to", element_number(dtype::f32))});
  const std::string both = w.add("Mul", {spread("input_scale", rows), spread("weight_scale", each)});
  y = applied(w, f, w.add("Mul", {y, both}), dtype::f32);
  if (w.result_type() != dtype::f32) y = w.add("QuantizeLinear", {y, slots("output_scale"), slots("output_zero")});
  w.result(y, lead);
}

/// A float as the byte that ncnn makes of it: ties away from 0, -127 to 127.
inline std::string as_ncnn_byte(node_writer& w, const std::string& x, const std::string& scale) {
  const std::string scaled = w.add("Mul", {x, scale});
  const std::string size = w.add("Floor", {w.add("Add", {w.add("Abs", {scaled}), w.number(0.5, dtype::f32)})});
  const std::string round = w.add("Mul", {w.add("Sign", {scaled}), size});
  return w.add("Cast", {w.add("Clip", {round, w.number(-127.0, dtype::f32), w.number(127.0, dtype::f32)})},
               {with("to", element_number(dtype::i8))});
}

/// A product of bytes as ncnn has it: real = byte / scale. `product` makes i32 of a byte input.
inline void ncnn_bytes(node_writer& w, byte_slots& slots, const activation_function& f, const extents& each,
                       const std::string& x, int lead, auto&& product) {
  const std::string bytes = w.type() == dtype::i8 ? x : as_ncnn_byte(w, x, slots.as("input_scale", {}));
  std::string y = w.add("Cast", {product(bytes)}, {with("to", element_number(dtype::f32))});
  const std::string weight_scale =
      slots.shape("weight_scale").count() == 1 ? slots.as("weight_scale", {}) : slots.as("weight_scale", each);
  // A scale of 0 is that of outputs without numbers: theirs is 0.
  const std::string both = w.add("Mul", {slots.as("input_scale", {}), weight_scale});
  const std::string none = w.add("Equal", {both, w.number(0.0, dtype::f32)});
  const std::string factor = w.add("Where", {none, w.number(0.0, dtype::f32), w.add("Reciprocal", {both})});
  y = w.add("Mul", {y, factor});
  if (slots.has("bias")) y = w.add("Add", {y, slots.as("bias", each)});
  y = applied(w, f, y, dtype::f32);
  if (w.result_type() == dtype::i8) y = as_ncnn_byte(w, y, slots.as("output_scale", {}));
  w.result(y, lead);
}

/// A layer whose numbers are real ones between bytes: `layer` makes them of the input and the weight. What stands for
/// the weight is of the numbers' axis `axis`.
inline void real_layer(node_writer& w, byte_slots& slots, const activation_function& f, const std::string& x,
                       std::string weight, int axis, int lead, auto&& layer) {
  std::vector<std::string> in{weight, slots("weight_scale")};
  if (slots.has("weight_zero")) in.push_back(slots("weight_zero"));
  weight = w.add("DequantizeLinear", in, {with("axis", axis)});
  const std::string y = applied(w, f, layer(w.real_of(x, w.type()), weight), dtype::f32);
  w.result(w.result_type() == dtype::f32 ? y : w.integers_of(y, w.result_type()), lead);
}

/// The bias of a real_layer, real numbers. Where it is part of sums of bytes, as in TensorFlow Lite, it stands for them
/// by the scales of input and weight.
inline std::string real_bias(node_writer& w, byte_slots& slots, const op::products_of_bytes& op) {
  if (!op.is_tflite()) return slots.whole("bias");
  const shared_array of_weight = slots.numbers("weight_scale");
  std::vector<float> scale;
  for (std::size_t i = 0; i < of_weight->size(); ++i)
    scale.push_back(static_cast<float>(w.type().real.scale * number_at(*of_weight, i)));
  const std::string each = scale.size() == 1 ? w.number(scale[0], dtype::f32) : w.reals(scale);
  return w.add("DequantizeLinear", {slots.whole("bias"), each}, {with("axis", 0)});
}

template <int Axes>
void quantized_conv(node_writer& w) {
  const auto op = w.get<op::quantized_conv<Axes>>();
  const extents x = w.shape();
  byte_slots slots(w, op.weights({&x, 1}, {&w.type(), 1}, {&w.result_type(), 1}));
  const int lead = x.rank == Axes + 1 ? 1 : 0;
  const std::vector<attribute> a = convolution_attributes<Axes>(op, x);
  extents each{op.out};
  for (int i = 0; i < Axes; ++i) each.push_back(1);
  const std::string from = w.in(0, lead), weight = slots.whole("weight");
  if (op.is_real() || op.is_tflite())
    return real_layer(w, slots, op.activation, from, weight, 0, lead,
                      [&](const std::string& input, const std::string& by) {
                        std::vector<std::string> in{input, by};
                        if (op.bias) in.push_back(real_bias(w, slots, op));
                        return w.add("Conv", in, a);
                      });
  if (op.arithmetic == op::byte_arithmetic::ncnn)
    return ncnn_bytes(w, slots, op.activation, each, from, lead, [&](const std::string& bytes) {
      return w.add("ConvInteger", {bytes, weight}, a);
    });
  if (w.result_type() != dtype::i32 && w.result_type() != dtype::f32 && !op.activation)
    return w.is("QLinearConv",
                {from, slots("input_scale"), slots("input_zero"), weight, slots("weight_scale"), slots("weight_zero"),
                 slots("output_scale"), slots("output_zero"), op.bias ? slots.whole("bias") : ""},
                a, lead);
  const std::string sums = w.add("ConvInteger", {from, weight, slots("input_zero"), slots("weight_zero")}, a);
  finish_sums(w, slots, sums, op.activation, each, {}, lead);
}

inline void quantized_matmul(node_writer& w) {
  const op::quantized_matmul op = w.get<op::quantized_matmul>();
  const extents x = w.shape();
  byte_slots slots(w, op.weights({&x, 1}, {&w.type(), 1}, {&w.result_type(), 1}));
  const extents shape = op.weight_shape(x);
  if (op.is_real() || op.is_tflite()) {
    if (shape.rank != 2) w.refuse("a product of bytes by several matrices");
    return real_layer(w, slots, op.activation, w.in(),
                      op.is_transposed() ? w.transposed_weight(0) : slots.whole("weight"), 1, 0,
                      [&](const std::string& input, const std::string& by) {
                        const std::string y = w.add("MatMul", {input, by});
                        return op.bias ? w.add("Add", {y, real_bias(w, slots, op)}) : y;
                      });
  }
  std::string weight = slots.whole("weight");
  if (op.is_transposed()) {
    integers order;
    for (int i = 0; i < shape.rank; ++i) order.push_back(i);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    weight = w.permuted(weight, order);
  }
  const extents outputs{slots.has("bias") ? slots.shape("bias")[0]
                        : shape.rank > 1  ? shape.back(op.is_transposed() ? 1 : 0)
                                          : 1};
  const std::string from = w.in();
  if (op.arithmetic == op::byte_arithmetic::ncnn)
    return ncnn_bytes(w, slots, op.activation, outputs, from, 0, [&](const std::string& bytes) {
      return w.add("MatMulInteger", {bytes, weight});
    });
  if (w.result_type() != dtype::i32 && w.result_type() != dtype::f32 && !op.activation && !op.bias && !op.by_row)
    return w.is("QLinearMatMul", {from, slots("input_scale"), slots("input_zero"), weight, slots("weight_scale"),
                                  slots("weight_zero"), slots("output_scale"), slots("output_zero")});
  const extents rows = op.by_row && x.rank > 1 ? extents{x.back(1), 1} : extents{};
  const std::string sums = w.add("MatMulInteger", {from, weight, slots("input_zero"), slots("weight_zero")});
  finish_sums(w, slots, sums, op.activation, outputs, rows, 0);
}

/// ONNX's integers have no scale.
inline void storage_cast(node_writer& w) {
  const int lead = w.lead();
  w.result(w.add("Identity", {w.in(0, lead)}), lead);
}

}  // namespace ctnn::onnx::writers
