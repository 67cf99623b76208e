// SPDX-License-Identifier: BSL-1.0
// From real numbers to integers that stand for them, and back.
#pragma once

#include "../../base/int8.hpp"
#include "byte_functions.hpp"

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
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
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
    const bool away = out[0].rounded == ir::rounding::away;
    if (away && (in.size() > 1 || x != dtype::f32 || to != dtype::i8)) return {mistake::option_out_of_range, "rounded"};
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

}  // namespace ctnn::op
