// SPDX-License-Identifier: BSL-1.0
// The ends of object detectors. Detections are rows of (class, score, left, top, right, bottom),
// best score first; there are as many as the numbers give, so the rows come with their count: output 0 has room for the
// most there can be, output 1 (i32) says how many there are. An extractor gives only those.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

inline constexpr std::size_t detection_bytes = 28;  ///< while it is sorted

/// Boxes around the pixels of a feature map, as parts of the image: inputs the feature map (C, H, W) and the image
/// (C, H, W), of which only the sizes count. Output (2, 4 H W each): corners and variances. Without an image, `single`:
/// sizes are parts of the image themselves and the output is (4 H W each).
struct prior_box {
  static constexpr std::string_view name = "prior_box";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 1, max_inputs = 2;

  list<float> min_sizes{};
  list<float> max_sizes{};
  list<float> ratios{};
  std::array<float, 4> variances{0.1f, 0.1f, 0.2f, 0.2f};
  bool flip = true;   ///< every ratio also the other way round
  bool clip = false;  ///< to the image
  std::array<int, 2> image{0, 0};   ///< its height and width; 0: of the second input
  std::array<float, 2> step{0, 0};  ///< between centres, down and to the right; 0: the image's size by the map's
  float offset = 0;                 ///< of the first centre, in steps
  bool whole_steps = false;   ///< steps that are not given are rounded up
  bool pixel_centre = false;  ///< the offset is of one pixel less
  bool single = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("min_sizes", self.min_sizes);
    field("max_sizes", self.max_sizes);
    field("ratios", self.ratios);
    field("variances", self.variances);
    field("flip", self.flip);
    field("clip", self.clip);
    field("image", self.image);
    field("step", self.step);
    field("offset", self.offset);
    field("whole_steps", self.whole_steps);
    field("pixel_centre", self.pixel_centre);
    field("single", self.single);
  }
  constexpr int boxes_each() const {
    const int n = static_cast<int>(min_sizes.size()), r = static_cast<int>(ratios.size());
    if (single) return n - 1 + (r > 0 ? r : 1);
    return n * (1 + r * (flip ? 2 : 1)) + static_cast<int>(max_sizes.size());
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 3) return {mistake::rank_mismatch, name, in[0], {3}};
    if (min_sizes.empty()) return {mistake::missing_option, "min_sizes"};
    if (!single && !max_sizes.empty() && max_sizes.size() != min_sizes.size())
      return {mistake::option_out_of_range,
              "max_sizes",
              {static_cast<int>(max_sizes.size())},
              {static_cast<int>(min_sizes.size())}};
    const bool image_given = image[0] > 0 && image[1] > 0;
    if (!single && !image_given && in.size() != 2) return {mistake::wrong_number_of_inputs, name, {1}, {2}};
    if (in.size() == 2 && in[1].rank != 3) return {mistake::rank_mismatch, name, in[1], {3}};
    const extents all{in[0][1], in[0][2], boxes_each(), 4};
    if (const problem p = countable(all)) return p;
    result[0] = single ? extents{static_cast<int>(all.count())} : extents{2, static_cast<int>(all.count())};
    return single ? problem{} : countable(result[0]);
  }
  constexpr problem infer_types(types, span<element> out) const {
    out[0] = dtype::f32;
    return {};
  }
};

/// SSD: inputs offsets (4 n numbers), scores (n, classes) and prior boxes (2, 4 n), corners and variances. Class 0 is
/// the background. With `by_class` scores are (classes, n), priors (4 n), and the variances are the operator's.
struct detection_output {
  static constexpr std::string_view name = "detection_output";
  static constexpr traits is{.counts_rows = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 3, max_inputs = 3;

  int classes = 0;
  float overlap = 0.05f;  ///< above this share of their union the worse of two boxes of a class goes
  int candidates = 300;   ///< of each class
  int most = 100;         ///< of all
  float confidence = 0.5f;
  bool by_class = false;
  std::array<float, 4> variances{0.1f, 0.1f, 0.2f, 0.2f};

  static constexpr void fields(auto& self, auto&& field) {
    field("classes", self.classes);
    field("overlap", self.overlap);
    field("candidates", self.candidates);
    field("most", self.most);
    field("confidence", self.confidence);
    field("by_class", self.by_class);
    field("variances", self.variances);
  }
  constexpr int output_count() const { return 2; }
  constexpr problem infer(inputs in, outputs result) const {
    for (const extents& x : in)
      if (const problem p = countable(x)) return p;
    if (classes < 1 || classes > (1 << 24)) return {mistake::option_out_of_range, "classes", {classes}, {1}};
    if (candidates < 0) return {mistake::option_out_of_range, "candidates", {candidates}, {0}};
    if (most < 0) return {mistake::option_out_of_range, "most", {most}, {0}};
    const std::int64_t numbers = in[2].count() / (by_class ? 1 : 2), n = numbers / 4;
    if (in[2].count() % (by_class ? 4 : 8) != 0) return {mistake::shape_mismatch, "prior boxes", in[2], {2, 4}};
    if (in[0].count() != numbers) return {mistake::shape_mismatch, "offsets", in[0], in[2]};
    if (in[1].count() != n * classes) return {mistake::shape_mismatch, "scores", in[1], in[2]};
    const std::int64_t possible = n * (classes - 1);
    result[0] = {possible < most ? static_cast<int>(possible) : most, 6};
    result[1] = {1};
    return {};
  }
  /// Detections that are left of n boxes when each class has lost its overlapping ones.
  constexpr std::int64_t kept_at_most(std::int64_t n) const {
    return (classes - 1) * (n < candidates ? n : std::int64_t{candidates});
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    const std::int64_t n = in[0].count() / 4;
    return scratch_for(n, detection_bytes) + scratch_for(kept_at_most(n) + n, detection_bytes);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::f32;
    out[1] = dtype::i32;
    for (dtype t : in)
      if (t != dtype::f32) return wrong_type(name, t);
    return {};
  }
};

/// YOLO: each input (boxes * (5 + classes), H, W) has for every box x, y, w, h, its score and those of the classes.
/// `anchors` are widths and heights; box b of input i takes anchor mask[i * boxes + b], or anchor b if there is no
/// mask. `scales`: pixels of the image a pixel of input i stands for, 0 or none: anchors are in pixels of the input.
struct yolo_detection {
  static constexpr std::string_view name = "yolo_detection";
  static constexpr traits is{.counts_rows = true, .vectors = vectors_of::none};
  static constexpr int min_inputs = 1, max_inputs = 16;

  int classes = 20;
  int boxes = 5;
  float confidence = 0.01f;
  float overlap = 0.45f;
  bool softmax = false;  ///< over the classes; otherwise the best class's sigmoid
  list<float> anchors{};
  list<int> mask{};
  list<float> scales{};

  static constexpr void fields(auto& self, auto&& field) {
    field("classes", self.classes);
    field("boxes", self.boxes);
    field("confidence", self.confidence);
    field("overlap", self.overlap);
    field("softmax", self.softmax);
    field("anchors", self.anchors);
    field("mask", self.mask);
    field("scales", self.scales);
  }
  constexpr int output_count() const { return 2; }
  /// The anchor of box b of input i.
  constexpr int anchor(std::size_t i, int b) const {
    return mask.empty() ? b : mask[i * static_cast<std::size_t>(boxes) + static_cast<std::size_t>(b)];
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (classes < 1 || classes > (1 << 24)) return {mistake::option_out_of_range, "classes", {classes}, {1}};
    if (boxes < 1 || boxes > static_cast<int>(max_list)) return {mistake::option_out_of_range, "boxes", {boxes}, {1}};
    const std::size_t needed = in.size() * static_cast<std::size_t>(boxes);
    if (!mask.empty() && mask.size() < needed)
      return {mistake::option_out_of_range, "mask", {static_cast<int>(mask.size())}, {static_cast<int>(needed)}};
    if (!scales.empty() && scales.size() < in.size())
      return {mistake::option_out_of_range, "scales", {static_cast<int>(scales.size())}, {static_cast<int>(in.size())}};
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i].rank != 3) return {mistake::rank_mismatch, name, in[i], {3}};
      if (const problem p = countable(in[i])) return p;
      if (in[i][0] != boxes * static_cast<std::int64_t>(5 + classes))
        return {mistake::shape_mismatch, "channels", in[i], {boxes, 5 + classes}};
      for (int b = 0; b < boxes; ++b)
        if (const int a = anchor(i, b); a < 0 || 2 * static_cast<std::size_t>(a) + 1 >= anchors.size())
          return {mistake::option_out_of_range, "mask", {a}, {static_cast<int>(anchors.size() / 2)}};
      rows += in[i].count() / (5 + classes);
    }
    if (rows > 2147483647 / 6) return {mistake::too_large, "shape"};
    result[0] = {static_cast<int>(rows), 6};
    result[1] = {1};
    return {};
  }
  constexpr std::int64_t scratch(inputs, span<const extents> out) const {
    return scratch_for(out[0][0], detection_bytes);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::f32;
    out[1] = dtype::i32;
    for (dtype t : in)
      if (t != dtype::f32) return wrong_type(name, t);
    return {};
  }
};

}  // namespace ctnn::op
