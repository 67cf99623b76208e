// SPDX-License-Identifier: BSL-1.0
// Values between the elements of a regular grid: torch.nn.functional.interpolate and ONNX Resize.
#pragma once

#include "../window.hpp"
#include "typing.hpp"

namespace ctnn::op {

enum class interpolation { nearest, linear, cubic };
/// Where output position i lies in the input; half_pixel is PyTorch's align_corners=False.
enum class coordinates {
  half_pixel,
  half_pixel_symmetric,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_half_pixel_for_nn,
  tf_crop_and_resize
};
/// Which element is nearest. `torch`: floor(i * step) in float, whatever the coordinates, step = in / out if a size is
/// given, else 1 / scale (PyTorch, ncnn). `by_size`: ceil where there are fewer results than inputs, floor elsewhere
/// (ONNX before opset 11).
enum class rounding { torch, round_prefer_floor, round_prefer_ceil, floor, ceil, by_size };

/// The layers interpolate_nearest, interpolate_linear, interpolate_bilinear, interpolate_trilinear,
/// interpolate_bicubic: the last `axes` axes get another size. `size` 0 follows from `scale`; coordinates are computed
/// with `scale` where one is given, else with size / extent. `roi`, for tf_crop_and_resize, has a start for each axis
/// and then the ends. `fraction_bits` above 0 is how TensorFlow Lite interpolates bytes linearly: positions are
/// computed in float, neighbours' weights are multiples of 2^-fraction_bits, the exact sum is rounded, halves upwards.
struct interpolate {
  static constexpr std::string_view name = "interpolate";
  static constexpr traits is{
      .layouts = layout_rule::nhwc, .divisible = true, .divides_typed = true, .images = image_flow::makes};

  interpolation mode = interpolation::nearest;
  int axes = 2;
  by_axis size{0};
  repeated<double> scale{0.0};
  op::coordinates coordinates = op::coordinates::half_pixel;
  op::rounding rounding = op::rounding::torch;
  list<double> roi{};
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;
  float extrapolation = 0;
  int fraction_bits = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("mode", self.mode);
    field("axes", self.axes);
    field("size", self.size);
    field("scale_factor", self.scale);
    field("coordinates", self.coordinates);
    field("rounding", self.rounding);
    field("roi", self.roi);
    field("cubic_a", self.cubic_a);
    field("exclude_outside", self.exclude_outside);
    field("antialias", self.antialias);
    field("extrapolation", self.extrapolation);
    field("fraction_bits", self.fraction_bits);
  }

  constexpr bool crops() const { return coordinates == op::coordinates::tf_crop_and_resize; }
  /// Along rows and columns elements are copied.
  constexpr bool copies_in_rows() const { return axes == 2 && mode == interpolation::nearest && !crops(); }
  /// A line between two elements along each axis: vectors run over the channels of pixels.
  constexpr layout_rule layouts(inputs) const {
    if (copies_in_rows()) return layout_rule::nchw_or_nhwc;
    return axes == 2 && mode == interpolation::linear && !antialias && !crops() ? layout_rule::nhwc : layout_rule::nchw;
  }
  constexpr int resized(int i, int in) const {
    return size.at(i) > 0 ? size.at(i) : static_cast<int>(static_cast<float>(in) * static_cast<float>(scale.at(i)));
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (axes < 1 || axes > x.rank) return {mistake::rank_mismatch, name, x, {axes}};
    if (const problem p = size.check("size", axes, 0)) return p;
    if (const problem p = scale.check("scale_factor", axes, 0)) return p;
    if (crops() && static_cast<int>(roi.size()) != 2 * axes)
      return {mistake::option_out_of_range, "roi", {static_cast<int>(roi.size())}, {2 * axes}};
    using enum op::coordinates;
    const bool plain =
        mode == interpolation::linear && !antialias && !exclude_outside && scale.period() == 1 && scale.at(0) == 0;
    const bool placed = coordinates == half_pixel || coordinates == align_corners || coordinates == asymmetric;
    if (fraction_bits < 0 || fraction_bits > 11 || (fraction_bits > 0 && !(plain && placed && axes == 2)))
      return {mistake::option_out_of_range, "fraction_bits", {fraction_bits}, {0}};
    result[0] = x;
    for (int i = 0; i < axes; ++i) {
      int& n = result[0].back(axes - 1 - i);
      if (size.at(i) == 0 && !(scale.at(i) > 0)) return {mistake::missing_option, "size"};
      if (size.at(i) == 0 && static_cast<float>(n) * static_cast<float>(scale.at(i)) >= 2147483648.0f)
        return {mistake::too_large, "scale_factor"};
      if (size.at(i) > 0 && n < 1) return {mistake::shape_mismatch, "input", x, {1}};
      n = resized(i, n);
    }
    return countable(result[0]);
  }
  constexpr int passes(int back, inputs) const { return back < axes ? -1 : back; }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = element_at(in, 0);
    if (fraction_bits > 0 && !is_byte(out[0])) return wrong_type("fraction_bits", out[0]);
    return out[0] == dtype::boolean && mode != interpolation::nearest ? wrong_type(name, out[0]) : problem{};
  }
};

}  // namespace ctnn::op
