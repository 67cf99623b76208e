// SPDX-License-Identifier: BSL-1.0
// Values between the elements, for loaded models: resizing in all of ONNX's modes, sampling on a grid, regions of interest.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

enum class resize_mode { nearest, linear, cubic };
enum class resize_coordinates {
  half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric, tf_half_pixel_for_nn, tf_crop_and_resize
};
/// `by_size` is ceil where there are fewer results than inputs and floor elsewhere (ONNX before opset 11).
enum class resize_rounding { round_prefer_floor, round_prefer_ceil, floor, ceil, by_size };

/// ONNX Resize and Upsample. `sizes` are all extents of the output; `scales`, one for each axis, what coordinates are
/// computed with (size / extent where the file gives sizes); `roi`, for tf_crop_and_resize, starts and then ends.
struct resize {
  static constexpr std::string_view name = "resize";

  resize_mode mode = resize_mode::nearest;
  resize_coordinates coordinates = resize_coordinates::half_pixel;
  resize_rounding rounding = resize_rounding::round_prefer_floor;
  list<int> sizes{};
  list<double> scales{};
  list<double> roi{};
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;
  float extrapolation = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("mode", self.mode);
    field("coordinates", self.coordinates);
    field("rounding", self.rounding);
    field("sizes", self.sizes);
    field("scales", self.scales);
    field("roi", self.roi);
    field("cubic_a", self.cubic_a);
    field("exclude_outside", self.exclude_outside);
    field("antialias", self.antialias);
    field("extrapolation", self.extrapolation);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const auto rank = static_cast<std::size_t>(in[0].rank);
    if (sizes.size() != rank || scales.size() != rank) return {mistake::rank_mismatch, "sizes", in[0], {static_cast<int>(sizes.size())}};
    if (coordinates == resize_coordinates::tf_crop_and_resize && roi.size() != 2 * rank)
      return {mistake::rank_mismatch, "roi", in[0], {static_cast<int>(roi.size())}};
    for (std::size_t i = 0; i < rank; ++i) {
      if (!(scales[i] > 0)) return {mistake::option_out_of_range, "scales", {0}, {1}};
      if (sizes[i] > 0 && in[0][static_cast<int>(i)] < 1) return {mistake::shape_mismatch, "input", in[0], {1}};
    }
    return shape_from(sizes, result[0]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 0);
    return out[0] == dtype::boolean && mode != resize_mode::nearest ? wrong_type(name, out[0]) : problem{};
  }
};

enum class grid_padding { zeros, border, reflection };

/// torch.nn.functional.grid_sample: inputs x (N, C, spatial...) and grid (N, output's spatial..., coordinates from the last
/// spatial axis to the first, -1 to 1).
struct grid_sample {
  static constexpr std::string_view name = "grid_sample";
  static constexpr int min_inputs = 2, max_inputs = 2;

  resize_mode mode = resize_mode::linear;
  grid_padding padding = grid_padding::zeros;
  bool align_corners = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("mode", self.mode);
    field("padding", self.padding);
    field("align_corners", self.align_corners);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents &x = in[0], &g = in[1];
    if (x.rank < 3 || x.rank > 5) return {mistake::rank_mismatch, name, x, {4}};
    if (g.rank != x.rank || g[0] != x[0] || g.back(0) != x.rank - 2) return {mistake::shape_mismatch, "grid", g, x};
    for (int i = 2; i < x.rank; ++i)
      if (x[i] < 1) return {mistake::shape_mismatch, "input", x, {1}};
    extents y{x[0], x[1]};
    for (int i = 1; i + 1 < g.rank; ++i) y.push_back(g[i]);
    result[0] = y;
    return countable(y);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 0);
    if (const problem p = require_type(in, 1, is_floating, "grid")) return p;
    return require_type(in, 0, is_floating, name);
  }
};

/// torch.nn.functional.affine_grid: theta (N, 2, 3) or (N, 3, 4) to a grid for images of `size` (N, C, spatial...).
struct affine_grid {
  static constexpr std::string_view name = "affine_grid";

  list<int> size{};
  bool align_corners = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("size", self.size);
    field("align_corners", self.align_corners);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int axes = static_cast<int>(size.size()) - 2;
    if (axes != 2 && axes != 3) return {mistake::option_out_of_range, "size", {axes + 2}, {4}};
    extents s;
    if (const problem p = shape_from(size, s)) return p;
    if (!(in[0] == extents{s[0], axes, axes + 1})) return {mistake::shape_mismatch, "theta", in[0], {s[0], axes, axes + 1}};
    extents y{s[0]};
    for (int i = 2; i < s.rank; ++i) y.push_back(s[i]);
    y.push_back(axes);
    result[0] = y;
    return countable(y);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const { return all_floating(in, out, name); }
};

/// ONNX RoiAlign: inputs x (N, C, H, W), rois (R, 4) as x1, y1, x2, y2, and the image (i64) of each.
struct roi_align {
  static constexpr std::string_view name = "roi_align";
  static constexpr int min_inputs = 3, max_inputs = 3;

  bool maximum = false;
  std::array<int, 2> size{1, 1};
  int samples = 0;  ///< in each direction of a cell; 0: as many as the cell is wide
  float scale = 1;
  bool half_pixel = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("maximum", self.maximum);
    field("size", self.size);
    field("samples", self.samples);
    field("scale", self.scale);
    field("half_pixel", self.half_pixel);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {4}};
    if (in[1].rank != 2 || in[1][1] != 4) return {mistake::shape_mismatch, "rois", in[1], {1, 4}};
    if (!(in[2] == extents{in[1][0]})) return {mistake::shape_mismatch, "images", in[2], {in[1][0]}};
    if (samples < 0) return {mistake::option_out_of_range, "samples", {samples}, {0}};
    return shape_from({in[1][0], in[0][1], size[0], size[1]}, result[0]);
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 0);
    if (type_at(in, 1) != out[0]) return wrong_type("rois", type_at(in, 1));
    if (const problem p = require_type(in, 2, is_index, "images")) return p;
    return require_type(in, 0, is_floating, name);
  }
};

}  // namespace ctnn::op
