// SPDX-License-Identifier: BSL-1.0
// Normalisation of rows by their own statistics; scale and offset are inputs.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

/// Over the axes from `axis` on: (x - mean) / sqrt(variance + eps) * scale + bias. Inputs x, scale if there is a
/// second, bias if there is a third, broadcast to x. With `statistics` the outputs 1 and 2 are mean and 1 / deviation,
/// f32 (ONNX LayerNormalization). With weights of its own: affine_layer_norm.
struct layer_norm {
  static constexpr std::string_view name = "layer_norm";
  static constexpr traits is{.divisible = true, .images = image_flow::keeps};
  static constexpr int min_inputs = 1, max_inputs = 3;

  int axis = -1;
  float eps = 1e-5f;
  bool statistics = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("eps", self.eps);
    field("statistics", self.statistics);
  }
  constexpr int output_count() const { return statistics ? 3 : 1; }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    extents y;
    if (const problem p = broadcast_shapes(in, y)) return p;
    if (!(y == in[0])) return {mistake::shape_mismatch, "scale", in.back(), in[0]};
    result[0] = y;
    if (!statistics) return {};
    for (int i = a; i < y.rank; ++i) y[i] = 1;
    result[1] = result[2] = y;
    return {};
  }
  constexpr bool move_axes(const axis_map& m) {
    const int first = normal_axis(axis, m.before.rank);
    axis = m(first);
    return m.keeps_last(first);
  }
  constexpr int passes(int back, inputs in) const { return passes_before(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    const problem p = all_floating(in, out, name);
    for (std::size_t i = 1; i < out.size(); ++i) out[i] = dtype::f32;
    return p;
  }
};

/// Over the axes from `axis` on: x / sqrt(mean(x^2) + eps) * scale; inputs x and, if there is a second, scale.
/// With a weight of its own: affine_rms_norm.
struct rms_norm {
  static constexpr std::string_view name = "rms_norm";
  static constexpr int min_inputs = 1, max_inputs = 2;

  int axis = -1;
  float eps = 1e-5f;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("eps", self.eps);
  }
  constexpr problem infer(inputs in, outputs result) const { return layer_norm{axis, eps, false}.infer(in, result); }
  constexpr bool move_axes(const axis_map& m) {
    layer_norm as{axis};
    const bool fits = as.move_axes(m);
    axis = as.axis;
    return fits;
  }
  constexpr int passes(int back, inputs in) const { return layer_norm{axis, eps, false}.passes(back, in); }
  constexpr problem infer_types(types in, span<element> out) const { return each_floating(in, out, name); }
};

}  // namespace ctnn::op
