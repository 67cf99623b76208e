// SPDX-License-Identifier: BSL-1.0
// Values between the elements: sampling on a grid, regions of interest.
#pragma once

#include "interpolate.hpp"

namespace ctnn::op {

enum class grid_padding { zeros, border, reflection };

/// torch.nn.functional.grid_sample: inputs x (N, C, spatial...) and grid (N, output's spatial..., coordinates from the
/// last spatial axis to the first, -1 to 1).
struct grid_sample {
  static constexpr std::string_view name = "grid_sample";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  interpolation mode = interpolation::linear;
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
    y.append(g, 1, g.rank - 1);
    result[0] = y;
    return countable(y);
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_for(in[1].count()); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (const problem p = require_type(in, 1, is_floating, "grid")) return p;
    return require_type(in, 0, is_floating, name);
  }
};

/// torch.nn.functional.affine_grid: theta (N, 2, 3) or (N, 3, 4) to a grid for images of `size` (N, C, spatial...).
struct affine_grid {
  static constexpr std::string_view name = "affine_grid";
  static constexpr traits is{.vectors = vectors_of::none};

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
    if (!(in[0] == extents{s[0], axes, axes + 1}))
      return {mistake::shape_mismatch, "theta", in[0], {s[0], axes, axes + 1}};
    extents y{s[0]};
    y.append(s, 2, s.rank);
    y.push_back(axes);
    result[0] = y;
    return countable(y);
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

/// ONNX RoiAlign: inputs x (N, C, H, W), rois (R, 4) as x1, y1, x2, y2, and the image (i64) of each.
struct roi_align {
  static constexpr std::string_view name = "roi_align";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 3, max_inputs = 3;

  bool maximum = false;
  std::array<int, 2> size{1, 1};
  int samples = 0;  ///< in each direction of a cell; 0: as many as the cell is wide
  float spatial_scale = 1;  ///< of regions to x's pixels
  bool half_pixel = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("maximum", self.maximum);
    field("size", self.size);
    field("samples", self.samples);
    field("spatial_scale", self.spatial_scale);
    field("half_pixel", self.half_pixel);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {4}};
    if (in[1].rank != 2 || in[1][1] != 4) return {mistake::shape_mismatch, "rois", in[1], {1, 4}};
    if (!(in[2] == extents{in[1][0]})) return {mistake::shape_mismatch, "images", in[2], {in[1][0]}};
    if (samples < 0) return {mistake::option_out_of_range, "samples", {samples}, {0}};
    return shape_from({in[1][0], in[0][1], size[0], size[1]}, result[0]);
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return 2 * scratch_for(in[0][1]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    if (type_at(in, 1) != out[0]) return wrong_type("rois", type_at(in, 1));
    if (const problem p = require_type(in, 2, is_index, "images")) return p;
    return require_type(in, 0, is_floating, name);
  }
};

/// torchvision's roi_pool, ONNX MaxRoiPool (Girshick, Fast R-CNN, 2015): the maxima of regions' cells, 0 of those that
/// have no pixel. Inputs x (N, C, H, W) and rois (R, 5): the image's index, x1, y1, x2, y2.
struct roi_pool {
  static constexpr std::string_view name = "roi_pool";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 2, max_inputs = 2;

  std::array<int, 2> size{1, 1};  ///< cells of a region
  float spatial_scale = 1;        ///< of regions to x's pixels

  static constexpr void fields(auto& self, auto&& field) {
    field("size", self.size);
    field("spatial_scale", self.spatial_scale);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {4}};
    if (in[1].rank != 2 || in[1][1] != 5) return {mistake::shape_mismatch, "rois", in[1], {1, 5}};
    return shape_from({in[1][0], in[0][1], size[0], size[1]}, result[0]);
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

}  // namespace ctnn::op
