// SPDX-License-Identifier: BSL-1.0
// Resizing, sampling on grids, regions of interest, boxes.
#pragma once

#include <algorithm>

#include "quantized.hpp"

namespace ctnn::onnx::readers {

inline op::interpolation interpolation_of(node_reader& n, const std::string& mode) {
  if (mode == "nearest") return op::interpolation::nearest;
  if (mode == "linear" || mode == "bilinear") return op::interpolation::linear;
  if (mode == "cubic" || mode == "bicubic") return op::interpolation::cubic;
  n.fail("mode is '" + mode + "'");
}

template <class Enum, std::size_t N>
Enum word_of(node_reader& n, const char* key, const std::string& value,
             const std::pair<const char*, Enum> (&words)[N]) {
  for (const auto& [word, e] : words)
    if (value == word) return e;
  n.fail(std::string(key) + " is '" + value + "'");
}

inline void resize(node_reader& n) {
  using enum op::coordinates;
  using enum op::rounding;
  op::interpolate op;
  op.mode = interpolation_of(n, n.text("mode", "nearest"));
  const term x = n.input(0);
  const extents s = n.shape(x);
  std::vector<float> scales;
  integers sizes;
  if (n.version < 11) {  // no choice of coordinates yet: asymmetric, nearest rounds down, but up where it shrinks
    n.expect(2, 2);
    op.coordinates = asymmetric;
    scales = n.floats(1);
    const bool shrinks = std::any_of(scales.begin(), scales.end(), [](float f) { return f < 1; });
    if (shrinks && op.mode == op::interpolation::nearest &&
        std::any_of(scales.begin(), scales.end(), [](float f) { return f > 1; }))
      node_reader::refuse("growing and shrinking at once");
    op.rounding = shrinks ? ceil : floor;
  } else {
    n.expect(1, 4);
    const std::string how = n.text("coordinate_transformation_mode", "half_pixel");
    op.coordinates = word_of<op::coordinates>(n, "coordinate_transformation_mode", how,
                                              {{"half_pixel", half_pixel},
                                               {"half_pixel_symmetric", half_pixel_symmetric},
                                               {"pytorch_half_pixel", pytorch_half_pixel},
                                               {"align_corners", align_corners},
                                               {"asymmetric", asymmetric},
                                               {"tf_half_pixel_for_nn", tf_half_pixel_for_nn},
                                               {"tf_crop_and_resize", tf_crop_and_resize}});
    op.rounding = word_of<op::rounding>(n, "nearest_mode", n.text("nearest_mode", "round_prefer_floor"),
                                        {{"round_prefer_floor", round_prefer_floor},
                                         {"round_prefer_ceil", round_prefer_ceil},
                                         {"floor", floor},
                                         {"ceil", ceil}});
    op.cubic_a = n.real("cubic_coeff_a", -0.75f);
    op.exclude_outside = n.flag("exclude_outside", false);
    op.extrapolation = n.real("extrapolation_value", 0);
    op.antialias = n.flag("antialias", false);
    if (n.has(2)) scales = n.floats(2);
    if (n.has(3)) sizes = n.whole(3);
  }
  list<int> axes;
  const integers named = n.list_of("axes");
  if (named.empty())
    for (int i = 0; i < s.rank; ++i) axes.push_back(i);
  else axes = n.axes(named, s.rank);
  if (scales.empty() == sizes.empty()) n.fail("needs either scales or sizes");
  if ((sizes.empty() ? scales.size() : sizes.size()) != axes.size())
    n.fail("has " + std::to_string(sizes.empty() ? scales.size() : sizes.size()) + " scales or sizes for " +
           std::to_string(axes.size()) + " axes");
  std::vector<double> scale(static_cast<std::size_t>(s.rank), 1.0);
  std::vector<std::int64_t> size(static_cast<std::size_t>(s.rank));
  for (int i = 0; i < s.rank; ++i) size[static_cast<std::size_t>(i)] = s[i];
  const std::string policy = n.text("keep_aspect_ratio_policy", "stretch");
  double smallest = 0, largest = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto k = static_cast<std::size_t>(axes[i]);
    const int from = s[axes[i]];
    if (sizes.empty()) {
      scale[k] = static_cast<double>(scales[i]);
      if (!(scale[k] > 0) || !(scale[k] * from < 2147483647.0)) n.fail("a scale is " + std::to_string(scale[k]));
      size[k] = saturated<std::int64_t>(std::floor(static_cast<double>(static_cast<float>(from) * scales[i])));
    } else {
      if (sizes[i] < 1 || from < 1)
        n.fail("a size is " + std::to_string(sizes[i]) + " for an extent of " + std::to_string(from));
      scale[k] = static_cast<double>(sizes[i]) / from;
      size[k] = sizes[i];
      smallest = i == 0 ? scale[k] : std::min(smallest, scale[k]);
      largest = std::max(largest, scale[k]);
    }
  }
  if (policy != "stretch" && !sizes.empty()) {
    if (policy != "not_larger" && policy != "not_smaller") n.fail("keep_aspect_ratio_policy is '" + policy + "'");
    const double one = policy == "not_larger" ? smallest : largest;
    for (int axis : axes) {
      scale[static_cast<std::size_t>(axis)] = one;
      size[static_cast<std::size_t>(axis)] = saturated<std::int64_t>(std::floor(one * s[axis] + 0.5));
    }
  }
  // The axes that the file leaves alone, from the first one on, are not named.
  op.axes = s.rank;
  if (!(op.coordinates == tf_crop_and_resize))
    for (int i = 0; i < s.rank - 1 && op.axes > s.rank - 2 && size[static_cast<std::size_t>(i)] == s[i] &&
                    scale[static_cast<std::size_t>(i)] == 1;
         ++i)
      --op.axes;
  op.size.clear();
  op.scale.clear();
  for (int i = s.rank - op.axes; i < s.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    op.size.push_back(n.to_int(size[k], "size"));
    op.scale.push_back(sizes.empty() || policy != "stretch" ? scale[k] : 0);
  }
  if (op.coordinates == tf_crop_and_resize) {
    if (!n.has(1)) n.fail("needs a region of interest");
    const std::vector<float> roi = n.floats(1);
    if (roi.size() != 2 * axes.size()) n.fail("roi has " + std::to_string(roi.size()) + " numbers");
    std::vector<double> all(static_cast<std::size_t>(2 * s.rank));
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.rank); ++i) all[i + static_cast<std::size_t>(s.rank)] = 1;
    for (std::size_t i = 0; i < axes.size(); ++i) {
      all[static_cast<std::size_t>(axes[i])] = static_cast<double>(roi[i]);
      all[static_cast<std::size_t>(axes[i] + s.rank)] = static_cast<double>(roi[i + axes.size()]);
    }
    for (double v : all) op.roi.push_back(v);
  }
  n.result(n.add(op, {x}));
}

inline void upsample(node_reader& n) {
  op::interpolate op;
  op.mode = interpolation_of(n, n.text("mode", "nearest"));
  op.coordinates = op::coordinates::asymmetric;
  op.rounding = op::rounding::floor;
  const extents s = n.shape(n.input(0));
  std::vector<float> scales;
  if (n.version < 7 && n.has_attribute("height_scale")) {
    scales = {1, 1, n.real("height_scale", 1), n.real("width_scale", 1)};
  } else if (n.version < 9) {
    n.expect(1, 1);
    scales = n.reals("scales");
  } else {
    n.expect(2, 2);
    scales = n.floats(1);
  }
  if (static_cast<int>(scales.size()) != s.rank)
    n.fail("has " + std::to_string(scales.size()) + " scales for " + std::to_string(s.rank) + " axes");
  op.axes = s.rank;
  for (int i = 0; i < 2 && op.axes > 1 && scales[static_cast<std::size_t>(i)] == 1; ++i) --op.axes;
  op.scale.clear();
  for (int i = 0; i < s.rank; ++i) {
    const float f = scales[static_cast<std::size_t>(i)], to = static_cast<float>(s[i]) * f;
    if (!(f > 0) || !(to < 2147483000.0f)) n.fail("a scale is " + std::to_string(f));
    if (i >= s.rank - op.axes) op.scale.push_back(static_cast<double>(f));
  }
  n.result(n.add(op, {n.input(0)}));
}

inline void grid_sample(node_reader& n) {
  n.expect(2, 2);
  op::grid_sample op;
  op.mode = interpolation_of(n, n.text("mode", "linear"));
  op.padding = word_of<op::grid_padding>(n, "padding_mode", n.text("padding_mode", "zeros"),
                                         {{"zeros", op::grid_padding::zeros}, {"border", op::grid_padding::border},
                                          {"reflection", op::grid_padding::reflection}});
  op.align_corners = n.flag("align_corners", false);
  n.result(n.add(op, n.all_inputs()));
}
inline void affine_grid(node_reader& n) {
  n.expect(2, 2);
  op::affine_grid op;
  const integers size = n.whole(1);
  if (size.size() > max_rank) n.fail("size has " + std::to_string(size.size()) + " numbers");
  for (std::int64_t v : size) op.size.push_back(n.to_int(v, "size"));
  op.align_corners = n.flag("align_corners", false);
  n.result(n.add(op, {n.input(0)}));
}
inline void roi_align(node_reader& n) {
  n.expect(3, 3);
  op::roi_align op;
  const std::string mode = n.text("mode", "avg");
  if (mode != "avg" && mode != "max") n.fail("mode is '" + mode + "', expected avg or max");
  op.maximum = mode == "max";
  op.size = {n.small("output_height", 1), n.small("output_width", 1)};
  op.samples = n.small("sampling_ratio", 0);
  op.spatial_scale = n.real("spatial_scale", 1);
  const std::string how = n.text("coordinate_transformation_mode", n.version < 16 ? "output_half_pixel" : "half_pixel");
  if (how != "half_pixel" && how != "output_half_pixel") n.fail("coordinate_transformation_mode is '" + how + "'");
  op.half_pixel = how == "half_pixel";
  n.result(n.add(op, n.all_inputs()));
}
inline void max_roi_pool(node_reader& n) {
  n.expect(2, 2);
  op::roi_pool op;
  const integers size = n.list_of("pooled_shape");
  if (size.size() != 2) n.fail("pooled_shape has " + std::to_string(size.size()) + " numbers, expected 2");
  for (std::size_t i = 0; i < 2; ++i) op.size[i] = n.to_int(size[i], "pooled_shape");
  op.spatial_scale = n.real("spatial_scale", 1);
  n.result(n.add(op, n.all_inputs()));
}
inline void deform_conv(node_reader& n) {
  n.expect(3, 5);
  const term x = n.input(0), w = n.input(1);
  if (n.rank(x) != 4 || n.rank(w) != 4)
    n.fail("weight is " + describe(n.shape(w)) + " for an input of " + describe(n.shape(x)));
  op::deform_conv op;
  set_convolution(n, op, n.shape(w));
  op.offset_groups = n.small("offset_group", 1);
  op.bias = n.has(3);
  op.given = op.bias ? 3 : 1;
  std::vector<term> in{x, n.input(2)};
  if (n.has(4)) in.push_back(n.input(4));
  in.push_back(w);
  if (op.bias) in.push_back(n.input(3));
  n.result(n.add(op, in));
}

}  // namespace ctnn::onnx::readers
