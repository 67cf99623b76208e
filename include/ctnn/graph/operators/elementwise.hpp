// SPDX-License-Identifier: BSL-1.0
// Operators that look at one element at a time: functions of one and two numbers, weighted sums.
#pragma once

#include "../operator.hpp"
#include "byte_functions.hpp"
#include "normalization.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// y = f(x), any shape; f is any function of one number: of floating-point elements, some of integers as well. Of bytes
/// that stand for real numbers it is a table of 256 bytes, of these numbers: what the element of the result says of
/// rounding chooses TensorFlow Lite's arithmetic, which for some functions is of integers alone, or ONNX's (step_of).
struct activation {
  static constexpr std::string_view name = "activation";
  static constexpr traits is = traits_of_channels;

  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) { field("activation", self.activation); }

  constexpr problem infer(inputs in, outputs result) const {
    if (activation.kind == function::none) return {mistake::missing_option, "activation"};
    if (activation.kind == function::clip && !(activation.a <= activation.b))
      return {mistake::option_out_of_range, "activation"};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    using enum function;
    if (reads_reals(in)) {
      if (const problem p = infer_byte_elements(in, 1, wanted, out[0], name, has_wide_kernel())) return p;
      return fits_kernels(in[0].real, out[0]) ? problem{} : problem{mistake::option_out_of_range, "as"};
    }
    const dtype t = out[0] = type_at(in, 0);
    for (function f : {relu, clip, shrink, abs, neg, sign, floor, ceil, round, trunc, square})
      if (activation.kind == f && is_integer(t)) return {};
    return is_floating(t) ? problem{} : wrong_type(name, t);
  }
  /// Of 16 bits.
  constexpr bool has_wide_kernel() const {
    using enum function;
    return is_bounds(activation) || activation.kind == sigmoid || activation.kind == tanh ||
           activation.kind == leaky_relu;
  }
  /// TensorFlow Lite's kernels of integers refuse, or leave to others, what is outside of these.
  constexpr bool fits_kernels(const quantization& of, const element& as) const {
    if (as.rounded == rounding::real) return true;
    const bool curves = activation.kind == function::sigmoid || activation.kind == function::tanh;
    if (as == dtype::i16 && curves) return as.real.scale == 1.0 / 32768 && of.scale * 12288 < 32767;
    const double up = of.scale / as.real.scale, slope = up * static_cast<double>(activation.a);
    const double low = slope < 0 ? -slope : slope;
    if (activation.kind == function::hardswish) return up <= 127;
    return activation.kind != function::leaky_relu || (up >= 1.0 / 256 && up <= 128 && low >= 1.0 / 256 && low < 128);
  }
};

/// torch.nn.PReLU: x < 0 ? weight[c] x : x; "weight" of shape (C), for which one number may be given, too.
struct prelu {
  static constexpr std::string_view name = "prelu";
  static constexpr bool by_channel = true;
  static constexpr traits is = traits_of_channels;

  int axis = automatic_axis;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }

  constexpr problem infer(inputs in, outputs result) const { return infer_by_channel(name, axis, in[0], result[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
  constexpr weight_slots weights(inputs in) const { return {{"weight"sv, {channels(in[0], axis)}}}; }
};

/// y = x * scale at inference; scale is 1 except in old caffe files.
struct dropout {
  static constexpr std::string_view name = "dropout";
  static constexpr traits is = traits_of_each_number;
  static constexpr int tier = 3;

  float scale = 1;

  static constexpr void fields(auto& self, auto&& field) { field("scale", self.scale); }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
};

struct identity {
  static constexpr std::string_view name = "identity";
  static constexpr traits is = traits_of_each_number;

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
};

/// rsub, rdiv and rpow take their operands the other way round; they matter with a scalar. prelu is a < 0 ? a b : a.
enum class binary_function { add, sub, mul, div, maximum, minimum, pow, rsub, rdiv, rpow, prelu };

/// a (f) b with trailing-axis broadcasting (numpy, PyTorch, ONNX), or x (f) scalar with one input.
/// `activation` is applied to the result. Bytes that stand for real numbers are added, subtracted and multiplied, as
/// the result's element says of rounding: by factors_of_sum or a fixed_factor, by twice_rounded_sum, or in real numbers
/// in ONNX Runtime's order; between the bounds of the activation.
struct binary {
  static constexpr std::string_view name = "binary";
  static constexpr traits is{.layouts = layout_rule::any,
                             .each = true,
                             .in_place = true,
                             .divisible = true,
                             .lifts = true,
                             .images = image_flow::keeps};
  static constexpr int tier = 2;
  static constexpr int min_inputs = 1, max_inputs = 2;

  binary_function function = binary_function::add;
  optional_number scalar{};
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("scalar", self.scalar);
    field("activation", self.activation);
  }

  constexpr problem infer(inputs in, outputs result) const {
    const int needed = scalar ? 1 : 2;
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    if (scalar) {
      result[0] = in[0];
      return {};
    }
    const extents &a = in[0], &b = in[1];
    extents y = a.rank >= b.rank ? a : b;
    const int common = a.rank < b.rank ? a.rank : b.rank;
    for (int i = 0; i < common; ++i) {
      const int p = a.back(i), q = b.back(i);
      if (p != q && p != 1 && q != 1) return {mistake::operand_mismatch, "second input", b, a};
      y.back(i) = p == 1 ? q : p;
    }
    result[0] = y;
    return {};
  }
  /// Numbers of one type; an exponent may have another.
  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    out[0] = type_at(in, 0);
    // The larger of two integers is one of them.
    const bool chooses = function == binary_function::maximum || function == binary_function::minimum;
    if (chooses && !scalar && same_numbers(element_at(in, 0), element_at(in, 1))) out[0] = element_at(in, 0);
    else if (reads_reals(in)) return infer_bytes(in, wanted, out[0]);
    if (out[0] == dtype::boolean || (!scalar && type_at(in, 1) == dtype::boolean))
      return wrong_type(name, dtype::boolean);
    return function == binary_function::pow ? problem{} : require_one_type(in, name);
  }
  /// Has it kernels of bytes that stand for real numbers?
  constexpr bool combines_bytes() const {
    return !scalar && is_bounds(activation) &&
           (function == binary_function::add || function == binary_function::sub || function == binary_function::mul);
  }

 private:
  constexpr problem infer_bytes(types in, types wanted, element& made) const {
    if (const problem p = infer_byte_elements(in, in.size(), wanted, made, name, true)) return p;
    if (!combines_bytes()) return {mistake::option_out_of_range, is_bounds(activation) ? "function" : "activation"};
    const double step = made.real.scale;
    const bool fits = in[0].real.scale / step < 1048576 && in[1].real.scale / step < 1048576;
    return fits ? problem{} : problem{mistake::option_out_of_range, "as"};
  }
};

enum class eltwise_function { prod, sum, max };

/// ncnn's and caffe's Eltwise: product, (weighted) sum or maximum of two or more inputs of one shape.
struct eltwise {
  static constexpr std::string_view name = "eltwise";
  static constexpr traits is = traits_of_each_number;
  static constexpr bool overwrites(int, int i) { return i < 2; }  // it goes on with the sum of the first two
  static constexpr int tier = 3;
  static constexpr int min_inputs = 2, max_inputs = static_cast<int>(max_list);

  eltwise_function function = eltwise_function::sum;
  list<float> coefficients{};
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("coefficients", self.coefficients);
    field("activation", self.activation);
  }

  constexpr problem infer(inputs in, outputs result) const {
    for (std::size_t i = 1; i < in.size(); ++i)
      if (!(in[i] == in[0])) return {mistake::shape_mismatch, "input", in[i], in[0]};
    if (!coefficients.empty() && coefficients.size() != in.size())
      return {mistake::option_out_of_range, "coefficients", {static_cast<int>(coefficients.size())},
              {static_cast<int>(in.size())}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return out[0] == dtype::boolean || reads_reals(in) ? wrong_type(name, out[0]) : require_one_type(in, name);
  }
};

/// torch.nn.functional.softmax over one axis. Of bytes that stand for real numbers: exponentials by a table of floats,
/// TensorFlow Lite's way.
struct softmax {
  static constexpr std::string_view name = "softmax";
  static constexpr traits is = traits_of_channels;

  int axis = -1;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    result[0] = in[0];
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr problem infer_types(types in, types wanted, span<element> out) const {
    return reads_reals(in) ? infer_byte_elements(in, 1, wanted, out[0], name, true) : all_floating(in, out, name);
  }
};

}  // namespace ctnn::op
