// SPDX-License-Identifier: BSL-1.0
// Integers that stand for real numbers, (q - zero point) * scale, as ONNX has them, for loaded models.
#pragma once

#include "windows.hpp"
#include "matrix.hpp"

namespace ctnn::op {

/// Shapes of scales: one for all, one for each index of an axis, or, `block` > 0, one for each block along it.
struct granularity {
  int axis = 1;
  int block = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("block", self.block);
  }
  constexpr problem check(const extents& x, const extents& scale) const {
    if (block == 0 && scale.count() == 1 && scale.rank <= 1) return {};
    const int a = normal_axis(axis, x.rank);
    if (a < 0 || a >= x.rank) return {mistake::axis_out_of_range, "axis", {axis}, {x.rank}};
    if (block == 0) return scale == extents{x[a]} ? problem{} : problem{mistake::shape_mismatch, "scale", scale, {x[a]}};
    if (block < 1) return {mistake::option_out_of_range, "block", {block}, {0}};
    extents wanted = x;
    wanted[a] = (x[a] + block - 1) / block;
    return scale == wanted ? problem{} : problem{mistake::shape_mismatch, "scale", scale, wanted};
  }
};

/// round(x / scale) + zero point, ties to even, saturated: inputs x, scale and, if there is a third, zero point of type `to`.
struct quantize : granularity {
  static constexpr std::string_view name = "quantize";
  static constexpr int min_inputs = 2, max_inputs = 3;

  dtype to = dtype::u8;

  static constexpr void fields(auto& self, auto&& field) {
    granularity::fields(self, field);
    field("to", self.to);
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    if (in.size() == 3 && !(in[2] == in[1])) return {mistake::shape_mismatch, "zero point", in[2], in[1]};
    return check(in[0], in[1]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = to;
    if (size_of(to) > 2 || is_floating(to) || to == dtype::boolean) return wrong_type(name, to);
    if (in.size() == 3 && in[2] != to) return wrong_type("zero point", in[2]);
    if (type_at(in, 0) != dtype::i32)
      if (const problem p = require_type(in, 0, is_floating, name)) return p;
    return require_type(in, 1, is_floating, "scale");
  }
};

/// (x - zero point) * scale in the scale's type: inputs x, scale and, if there is a third, zero point of x's type.
struct dequantize : granularity {
  static constexpr std::string_view name = "dequantize";
  static constexpr int min_inputs = 2, max_inputs = 3;

  static constexpr void fields(auto& self, auto&& field) { granularity::fields(self, field); }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    if (in.size() == 3 && !(in[2] == in[1])) return {mistake::shape_mismatch, "zero point", in[2], in[1]};
    return check(in[0], in[1]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 1);
    const dtype t = type_at(in, 0);
    if (is_floating(t) || t == dtype::boolean || size_of(t) == 8) return wrong_type(name, t);
    if (in.size() == 3 && in[2] != t) return wrong_type("zero point", in[2]);
    return require_type(in, 1, is_floating, "scale");
  }
};

/// ONNX DynamicQuantizeLinear: outputs u8, its scale (f32) and zero point (u8), from the smallest and largest of x.
struct dynamic_quantize {
  static constexpr std::string_view name = "dynamic_quantize";

  static constexpr void fields(auto&, auto&&) {}
  constexpr int output_count() const { return 3; }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    result[1] = result[2] = {};
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = out[2] = dtype::u8;
    out[1] = dtype::f32;
    return type_at(in, 0) == dtype::f32 ? problem{} : wrong_type(name, type_at(in, 0));
  }
};

/// Inputs x, its scale and zero point, weight, its scale and zero point (one, or one for each output channel), the
/// output's scale and zero point, and, if there is a ninth, bias (i32, of scale x scale * weight scale).
struct quantized_convolution : convolution {
  static constexpr std::string_view name = "quantized_convolution";
  static constexpr int min_inputs = 8, max_inputs = 9;

  static constexpr void fields(auto& self, auto&& field) { convolution::fields(self, field); }
  constexpr problem infer(inputs in, outputs result) const {
    if (const problem p = shape(in[0], in[3], result[0])) return p;
    for (std::size_t i : {1u, 2u, 6u, 7u})
      if (in[i].count() != 1) return {mistake::shape_mismatch, "scale", in[i], {1}};
    for (std::size_t i : {4u, 5u})
      if (in[i].count() != 1 && !(in[i] == extents{in[3][0]})) return {mistake::shape_mismatch, "weight's scale", in[i], {in[3][0]}};
    if (in.size() == 9 && !(in[8] == extents{in[3][0]})) return {mistake::shape_mismatch, "bias", in[8], {in[3][0]}};
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 7);
    for (std::size_t i : {0u, 2u, 3u, 5u, 7u})
      if (const problem p = require_type(in, i, is_byte, name)) return p;
    for (std::size_t i : {1u, 4u, 6u})
      if (type_at(in, i) != dtype::f32) return wrong_type("scale", type_at(in, i));
    if (in.size() == 9 && in[8] != dtype::i32) return wrong_type("bias", in[8]);
    if (in.size() > 5 && (in[2] != in[0] || in[5] != in[3])) return wrong_type("zero point", in[2]);
    return {};
  }
};

/// Inputs a, its scale and zero point, b, its scale and zero point, the output's scale and zero point. a may have a scale
/// for each row, b for each column.
struct quantized_matmul {
  static constexpr std::string_view name = "quantized_matmul";
  static constexpr int min_inputs = 8, max_inputs = 8;

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    if (const problem p = matmul::shape(in[0], in[3], result[0])) return p;
    for (std::size_t i : {1u, 2u})
      if (in[i].count() != 1 && (in[0].rank < 2 || in[i].count() != in[0].back(1))) return {mistake::shape_mismatch, "scale", in[i], {1}};
    for (std::size_t i : {4u, 5u})
      if (in[i].count() != 1 && (in[3].rank < 2 || in[i].count() != in[3].back(0))) return {mistake::shape_mismatch, "scale", in[i], {1}};
    for (std::size_t i : {6u, 7u})
      if (in[i].count() != 1) return {mistake::shape_mismatch, "scale", in[i], {1}};
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 7);
    for (std::size_t i : {0u, 2u, 3u, 5u, 7u})
      if (const problem p = require_type(in, i, is_byte, name)) return p;
    for (std::size_t i : {1u, 4u, 6u})
      if (const problem p = require_type(in, i, is_floating, "scale")) return p;
    if (in.size() > 5 && (in[2] != in[0] || in[5] != in[3])) return wrong_type("zero point", in[2]);
    return {};
  }
};

/// Products of bytes as i32: inputs x, weight and, as flagged, their zero points (the weight's: one, or one for each output
/// channel).
struct integer_convolution : convolution {
  static constexpr std::string_view name = "integer_convolution";
  static constexpr int min_inputs = 2, max_inputs = 4;

  bool zero_x = false;
  bool zero_w = false;

  static constexpr void fields(auto& self, auto&& field) {
    convolution::fields(self, field);
    field("zero_x", self.zero_x);
    field("zero_w", self.zero_w);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int needed = 2 + (zero_x ? 1 : 0) + (zero_w ? 1 : 0);
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    if (const problem p = shape(in[0], in[1], result[0])) return p;
    if (zero_x && in[2].count() != 1) return {mistake::shape_mismatch, "zero point", in[2], {1}};
    const extents& w = in[in.size() - 1];
    if (zero_w && w.count() != 1 && !(w == extents{in[1][0]})) return {mistake::shape_mismatch, "zero point", w, {in[1][0]}};
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = dtype::i32;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (const problem p = require_type(in, i, is_byte, name)) return p;
    return {};
  }
};

/// The same for matrices: a's zero point may be one for each row, b's one for each column.
struct integer_matmul {
  static constexpr std::string_view name = "integer_matmul";
  static constexpr int min_inputs = 2, max_inputs = 4;

  bool zero_a = false;
  bool zero_b = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("zero_a", self.zero_a);
    field("zero_b", self.zero_b);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int needed = 2 + (zero_a ? 1 : 0) + (zero_b ? 1 : 0);
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    if (const problem p = matmul::shape(in[0], in[1], result[0])) return p;
    const extents& za = in[zero_a ? 2 : 0];
    if (zero_a && za.count() != 1 && (in[0].rank < 2 || za.count() != in[0].back(1)))
      return {mistake::shape_mismatch, "zero point", za, {1}};
    const extents& zb = in[in.size() - 1];
    if (zero_b && zb.count() != 1 && (in[1].rank < 2 || zb.count() != in[1].back(0)))
      return {mistake::shape_mismatch, "zero point", zb, {1}};
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = dtype::i32;
    for (std::size_t i = 0; i < in.size(); ++i)
      if (const problem p = require_type(in, i, is_byte, name)) return p;
    return {};
  }
};

}  // namespace ctnn::op
