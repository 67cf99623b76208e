// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers, and layers that multiply bytes.
#pragma once

#include "../../base/byte_image.hpp"
#include "../../base/int8.hpp"
#include "byte_functions.hpp"
#include "convolution.hpp"
#include "elementwise.hpp"
#include "matrix.hpp"

namespace ctnn::op {

/// Inputs x, scale and, if there is a third, zero point. Shapes of scales and zero points: one for all, one for each
/// index of an axis, or, `block` > 0, one for each block along it. With x alone they are numbers of the operator.
struct granularity {
  static constexpr int min_inputs = 1, max_inputs = 3;

  int axis = 1;
  int block = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("block", self.block);
  }
  /// Of an element of x, which one of so many scales it has.
  constexpr std::int64_t scale_of(const extents& x, std::int64_t scales, std::int64_t element) const {
    if (scales == 1) return 0;
    const int a = normal_axis(axis, x.rank);
    const std::int64_t inner = x.count(a + 1, x.rank), line = element / inner, along = line % x[a];
    if (block == 0) return along;
    return (line / x[a] * ((x[a] + block - 1) / block) + along / block) * inner + element % inner;
  }
  /// Elements whose inputs are read together, each as 8 bytes at most, and where their scales are.
  static constexpr std::int64_t at_once(std::int64_t count) { return count < 128 ? count : 128; }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return 4 * scratch_for(at_once(in[0].count()));
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    if (in.size() == 1) return {};
    if (in.size() == 3 && !(in[2] == in[1])) return {mistake::shape_mismatch, "zero point", in[2], in[1]};
    const extents &x = in[0], &scale = in[1];
    if (block == 0 && scale.count() == 1 && scale.rank <= 1) return {};
    const int a = normal_axis(axis, x.rank);
    if (a < 0 || a >= x.rank) return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
    if (block == 0)
      return scale == extents{x[a]} ? problem{} : problem{mistake::shape_mismatch, "scale", scale, {x[a]}};
    if (block < 1) return {mistake::option_out_of_range, "block", {block}, {0}};
    extents wanted = x;
    wanted[a] = (x[a] + block - 1) / block;
    return scale == wanted ? problem{} : problem{mistake::shape_mismatch, "scale", scale, wanted};
  }
  constexpr int passes(int back, inputs in) const {
    if (in.size() == 1 || (block == 0 && in[1].count() == 1 && in[1].rank <= 1)) return back;
    return block == 0 ? passes_but(normal_axis(axis, in[0].rank), back, in[0]) : -1;
  }
};

/// round(x / scale) + zero point, saturated. Scale and zero point are inputs, or those of the element that is asked
/// for; of bytes from -128 to 127 unless another type is. Real numbers are rounded to the nearest, ties to even;
/// integers of 8, 16 or 32 bits that stand for real numbers as the result's element says (TensorFlow Lite's
/// requantization).
struct quantize : granularity {
  static constexpr std::string_view name = "quantize";
  static constexpr traits is{.in_place = true, .lifts = true, .images = image_flow::keeps, .vectors = vectors_of::none};
  /// Scales that are inputs may lie along an axis.
  constexpr bool overwrites(int inputs, int i) const { return inputs == 1 && i == 0; }

  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    const element x = element_at(in, 0);
    if (in.size() > 1) out[0] = wanted.empty() ? dtype::i8 : wanted[0].type;
    else out[0] = wanted.empty() ? element{} : wanted[0];
    const dtype to = out[0];
    if (x.real) {
      if (in.size() > 1) return wrong_type(name, x);
      if (!is_byte(to) && to != dtype::i16) return wrong_type("result", to);
      if (!is_byte(x) && x != dtype::i16 && x != dtype::u16 && x != dtype::i32) return wrong_type(name, x);
      if (const problem p = check_quantization("of", x.real, x)) return p;
      return check_quantization("as", out[0].real, to);
    }
    if (size_of(to) > 2 || is_floating(to) || to == dtype::boolean) return wrong_type(name, to);
    if (in.size() == 3 && in[2] != to) return wrong_type("zero point", in[2]);
    if (x != dtype::i32)
      if (const problem p = require_type(in, 0, is_floating, name)) return p;
    if (in.size() == 1) return check_quantization("as", out[0].real, to);
    return require_type(in, 1, is_floating, "scale");
  }
};

/// The real numbers that integers stand for: (x - zero point) * scale. Both are of x's element, and the result is of
/// f32; or inputs, and it is of the scale's type.
struct dequantize : granularity {
  static constexpr std::string_view name = "dequantize";
  static constexpr traits is{.vectors = vectors_of::none};

  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 1);
    const dtype t = type_at(in, 0);
    if (is_floating(t) || t == dtype::boolean || size_of(t) == 8) return wrong_type(name, t);
    if (in.size() == 1) return check_quantization("of", element_at(in, 0).real, t);
    if (in.size() == 3 && in[2] != t) return wrong_type("zero point", in[2]);
    return require_type(in, 1, is_floating, "scale");
  }
};

/// The same integers, which stand for other real numbers from here on, or for themselves (MLIR's quant.scast).
struct storage_cast {
  static constexpr std::string_view name = "storage_cast";
  static constexpr traits is{.layouts = layout_rule::any,
                             .each = true,
                             .in_place = true,
                             .divisible = true,
                             .view = true,
                             .images = image_flow::keeps,
                             .vectors = vectors_of::none};

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    const dtype t = type_at(in, 0);
    out[0] = t;
    if (const problem p = require_type(in, 0, is_integer, name)) return p;
    if (wanted.empty() || !wanted[0].real) return {};
    if (wanted[0] != t) return wrong_type("as", wanted[0]);
    out[0] = wanted[0];
    return check_quantization("as", out[0].real, t);
  }
};

/// ONNX DynamicQuantizeLinear: outputs u8, its scale (f32) and zero point (u8), from the smallest and largest of x.
struct dynamic_quantize {
  static constexpr std::string_view name = "dynamic_quantize";
  static constexpr traits is{.vectors = vectors_of::none};

  static constexpr void fields(auto&, auto&&) {}
  constexpr int output_count() const { return 3; }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    result[1] = result[2] = {};
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = out[2] = dtype::u8;
    out[1] = dtype::f32;
    return type_at(in, 0) == dtype::f32 ? problem{} : wrong_type(name, type_at(in, 0));
  }
};

/// How bytes stand for real numbers and what becomes of sums of their products, bit for bit.
/// onnx: real = (byte - zero point) * scale; ties are rounded to even; the bias is i32 and part of the sum.
/// ncnn: real = byte / scale, bytes within -127 to 127, ties are rounded away from 0; the bias is real; an input of
/// floats is quantized first.
/// tflite: real = (byte - zero point) * scale; the bias is i32 and part of the sum, which is multiplied by
/// fixed_factor(scale of the input * of the weight / of the result), rounded once. Scales and zero points of values are
/// numbers of the operator, weights have none but their scale and, where said, zero points; activations are bounds of
/// the result.
/// real: what ONNX's DequantizeLinear around a layer of floats says: sums stand for real numbers, to which the bias, a
/// real number, is added, rounded once; these are divided by the result's scale, ties are rounded to even. Where the
/// activation only bounds them, factor, bias and bounds are divided instead, once. Scales and zero points of values are
/// numbers of the operator.
enum class byte_arithmetic { onnx, ncnn, tflite, real };

/// What convolutions and products of bytes have in common. Sums are i32 (they wrap around); the result's element says
/// what becomes of them: i32: nothing; f32: the real numbers they stand for, with the activation applied; i8, u8:
/// these, quantized again. In TFLite's arithmetic and in `real` scale and zero point of values are those of their
/// elements.
struct products_of_bytes {
  byte_arithmetic arithmetic = byte_arithmetic::onnx;
  dtype weight_type = dtype::i8;
  bool by_output = false;  ///< the weight has a scale and a zero point for each output, not one for all
  bool zero_points = false;  ///< in `real` and TFLite's arithmetic: the weight has some (in ONNX's it always has)

  static constexpr void fields(auto& self, auto&& field) {
    field("arithmetic", self.arithmetic);
    field("weight_type", self.weight_type);
    field("by_output", self.by_output);
    field("zero_points", self.zero_points);
  }
  constexpr bool is_tflite() const { return arithmetic == byte_arithmetic::tflite; }
  constexpr bool is_real() const { return arithmetic == byte_arithmetic::real; }
  /// Floats may become bytes where the next layer quantizes them.
  constexpr int own_tier(const element& made) const {
    return arithmetic == byte_arithmetic::ncnn && made == dtype::f32 ? 1 : 0;
  }
  constexpr bool has_real_bias() const { return is_real() || arithmetic == byte_arithmetic::ncnn; }
  constexpr problem infer_bytes(types in, types wanted, span<element> result, const activation_function& f) const {
    const dtype x = type_at(in, 0), other = arithmetic == byte_arithmetic::ncnn ? dtype::f32 : dtype::u8;
    if (x != dtype::i8 && x != other) return wrong_type("input", x);
    if (is_tflite() || is_real())
      if (const problem p = check_quantization("of", element_at(in, 0).real, x)) return p;
    result[0] = has_real_bias() ? dtype::f32 : dtype::i32;
    if (!wanted.empty()) result[0] = wanted[0];
    const dtype to = result[0];
    const bool onnx = arithmetic == byte_arithmetic::onnx;
    if (!is_byte(weight_type) || (!onnx && !is_real() && weight_type != dtype::i8))
      return wrong_type("weight", weight_type);
    const bool possible = to == dtype::i8 || (to == dtype::f32 && !is_tflite()) ||
                          (to == dtype::u8 && arithmetic != byte_arithmetic::ncnn) || (onnx && to == dtype::i32);
    if (!possible) return wrong_type("result", to);
    if (f && (to == dtype::i32 || (is_tflite() && !is_bounds(f)))) return {mistake::option_out_of_range, "activation"};
    if (zero_points && !is_real() && !is_tflite()) return {mistake::option_out_of_range, "zero_points"};
    // In ONNX's arithmetic slots have them, and the element may say so.
    const bool as_slots = onnx && (!is_byte(to) || !result[0].real);
    if (as_slots || arithmetic == byte_arithmetic::ncnn || (is_real() && to == dtype::f32)) {
      result[0].real = {};
      return {};
    }
    return check_quantization("as", result[0].real, to);
  }
  /// Slots after the weight, for a result of type `to`.
  constexpr void add_slots(weight_slots& slots, dtype to, bool bias, int outs, int rows = 1) const {
    const bool onnx = arithmetic == byte_arithmetic::onnx;
    const extents each{by_output ? outs : 1};
    if (bias) slots.push_back({"bias"sv, {outs}, has_real_bias() ? dtype::f32 : dtype::i32});
    if (to != dtype::i32) slots.push_back({"weight_scale"sv, each});
    if (to != dtype::i32 && !is_tflite() && !is_real()) {
      slots.push_back({"input_scale"sv, {rows}});
      if (is_byte(to)) slots.push_back({"output_scale"sv, {1}});
    }
    if (onnx || zero_points) slots.push_back({"weight_zero"sv, each, weight_type});
    if (onnx) {
      slots.push_back({"input_zero"sv, {rows}, dtype::f32, true});
      if (is_byte(to)) slots.push_back({"output_zero"sv, {1}, to});
    }
  }
};

/// conv of bytes. Outside of the input is its zero point.
template <int Axes>
struct quantized_conv : conv<Axes>, products_of_bytes {
  static constexpr std::string_view name =
      Axes == 1 ? "quantized_conv1d"sv : Axes == 2 ? "quantized_conv2d"sv : "quantized_conv3d"sv;
  static constexpr traits is{
      .divisible = true, .divides_scratch = true, .vectors = vectors_of::none};  // plain values
  static constexpr bool defined_by_base = false;  // whose kernels compute floats
  static constexpr int tier = 0;
  static constexpr int min_inputs = 1, max_inputs = 1;
  static constexpr bool takes_slopes = false;
  static constexpr bool packs(int slot) { return slot == 0; }  // kernels/quad_packing.hpp
  static constexpr bool f32_takes_scratch = true;
  /// What the kernel makes of a group's input.
  constexpr byte_image image(const extents& in, const extents& result) const {
    byte_image g;
    g.channels = conv<Axes>::channels_of(in) / this->groups;
    g.outputs = this->out;
    g.groups = this->groups;
    const auto pad = this->padding(in);
    for (int i = 0; i < Axes; ++i) {
      const auto k = static_cast<std::size_t>(i);
      const int count = conv<Axes>::extent_of(result, i), stride = count == 1 ? 1 : this->stride[k];
      g.axis[3 - Axes + i] = {conv<Axes>::extent_of(in, i), count, this->kernel[k], stride, this->dilation[k], pad[k]};
    }
    return g;
  }
  constexpr std::int64_t scratch(inputs in, span<const extents> result) const {
    return image(in[0], result[0]).scratch_of_parts();
  }

  static constexpr void fields(auto& self, auto&& field) {
    products_of_bytes::fields(self, field);
    conv<Axes>::fields(self, field);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (const problem p = conv<Axes>::infer(in, result)) return p;
    const byte_image g = image(in[0], result[0]);
    if (!g.countable()) return {mistake::too_large, "kernel"};
    // The image is in memory with its padding, which may be as large as a file likes.
    const std::int64_t common = 16 * (in[0].count() + result[0].count() + g.depth()) + (std::int64_t{1} << 24);
    if (g.scratch() > common) return {mistake::option_out_of_range, "pad"};
    return {};
  }
  constexpr problem infer_types(types in, types wanted, span<element> result) const {
    return infer_bytes(in, wanted, result, this->activation);
  }
  constexpr weight_slots weights(inputs in, types, types made) const {
    weight_slots slots{{conv<Axes>::weights(in)[0]}};
    slots[0].type = weight_type;
    add_slots(slots, type_at(made, 0), this->bias, this->out);
    return slots;
  }
};

/// The same over an image of one row.
constexpr quantized_conv<2> as_image(const quantized_conv<1>& p) {
  quantized_conv<2> image;
  static_cast<products_of_bytes&>(image) = p;
  static_cast<conv2d&>(image) = as_image(static_cast<const conv1d&>(p));
  return image;
}

using quantized_conv1d = quantized_conv<1>;
using quantized_conv2d = quantized_conv<2>;
using quantized_conv3d = quantized_conv<3>;

/// matmul of bytes by a weight of shape `right`, whose last two axes change places first if it is `transposed` (as a
/// linear layer's are): (..., rows, K) by (..., K, outputs), batches broadcast. The bias has a number for each output.
/// Where `out` says how many outputs there are, the weight is a linear layer's, (out, K).
struct quantized_matmul : products_of_bytes {
  static constexpr std::string_view name = "quantized_matmul";
  static constexpr traits is{.divisible = true, .divides_scratch = true, .vectors = vectors_of::none};

  list<int> right{};
  int out = 0;
  bool transposed = false;
  bool by_row = false;  ///< the input has a scale and a zero point for each row, not one for all
  bool bias = false;
  activation_function activation{};
  slot_set given = 0;

  static constexpr void fields(auto& self, auto&& field) {
    products_of_bytes::fields(self, field);
    field("right", self.right);
    field("out", self.out);
    field("transposed", self.transposed);
    field("by_row", self.by_row);
    field("bias", self.bias);
    field("activation", self.activation);
    field("given", self.given);
  }
  constexpr bool is_transposed() const { return transposed || out > 0; }
  constexpr extents weight_shape(const extents& x) const {
    if (out > 0) return {out, x.rank > 0 ? x.back(0) : 1};
    extents w;
    for (int n : right) w.push_back(n);
    return w;
  }
  constexpr matmul product() const { return {false, is_transposed()}; }

  constexpr problem infer_types(types in, types wanted, span<element> result) const {
    return infer_bytes(in, wanted, result, activation);
  }
  constexpr problem infer(inputs in, outputs result) const {
    extents both[] = {in[0], {}};
    if (out < 0 || (out > 0 && !right.empty())) return {mistake::option_out_of_range, "out", {out}, {0}};
    if (const problem p = shape_from(right, both[1])) return p;
    if (out > 0) both[1] = weight_shape(in[0]);
    return product().infer(both, result);
  }
  constexpr weight_slots weights(inputs in, types, types made) const {
    const extents w = weight_shape(in[0]);
    weight_slots slots{{"weight"sv, w, weight_type}};
    add_slots(slots, type_at(made, 0), bias, w.rank > 1 ? w.back(is_transposed() ? 1 : 0) : 1,
              by_row && in[0].rank > 1 ? in[0].back(1) : 1);
    return slots;
  }
  constexpr std::int64_t macs(inputs in, span<const extents> result) const {
    return result[0].count() * in[0].back(0);
  }
  static constexpr bool packs(int slot) { return slot == 0; }
  constexpr int passes(int back, inputs in) const {
    const int weight = weight_shape(in[0]).rank, of_rows = by_row ? 2 : 1;
    return weight < 2 || back < of_rows || (weight > 2 && back < weight) ? -1 : back;
  }
  /// By a weight of shape w.
  constexpr byte_product sizes(const extents& in, const extents& w) const {
    const bool turned = is_transposed();
    return {in.rank > 1 ? in.back(1) : 1, w.rank > 1 ? w.back(turned ? 0 : 1) : w.back(0),
            w.rank > 1 ? w.back(turned ? 1 : 0) : 1};
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return sizes(in[0], weight_shape(in[0])).scratch_of_parts();
  }
};

}  // namespace ctnn::op
