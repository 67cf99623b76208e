// SPDX-License-Identifier: BSL-1.0
// Pooling over (H, W) of (C, H, W) or (N, C, H, W): torch's max_pool2d, avg_pool2d and their adaptive forms.
#pragma once

#include "../operator.hpp"
#include "../window.hpp"

namespace ctnn::op {

enum class pooling { max, average };

/// The layers max_pool2d and avg_pool2d. `stride` 0 means the kernel's size, as in PyTorch.
/// Padding never wins a maximum; an average divides by the cells inside the input, or with `count_include_pad` by
/// those inside the input and its padding (PyTorch, ONNX); `divisor_whole` makes that the whole window
/// (ncnn's avgpool_count_include_pad with ceil mode).
struct pool2d {
  static constexpr std::string_view name = "pool2d";

  pooling function = pooling::max;
  pair kernel{0, 0};
  pair stride{0, 0};
  margins pad{0, 0, 0, 0};
  same_padding same = same_padding::none;
  bool ceil = false;
  bool count_include_pad = false;
  bool divisor_whole = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("kernel", self.kernel);
    field("stride", self.stride);
    field("pad", self.pad);
    field("same", self.same);
    field("ceil", self.ceil);
    field("count_include_pad", self.count_include_pad);
    field("divisor_whole", self.divisor_whole);
  }

  constexpr pair step() const { return {stride[0] ? stride[0] : kernel[0], stride[1] ? stride[1] : kernel[1]}; }
  constexpr margins padding(const extents& in) const {
    return resolve_padding(pad, same, kernel, step(), {1, 1}, in.back(1), in.back(0));
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (kernel[0] == 0 || kernel[1] == 0) return {mistake::missing_option, "kernel"};
    for (unsigned i = 0; i < 2; ++i) {
      if (kernel[i] < 1) return {mistake::option_out_of_range, "kernel", {kernel[i]}, {1}};
      if (stride[i] < 0) return {mistake::option_out_of_range, "stride", {stride[i]}, {1}};
    }
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    for (unsigned i = 0; i < 4; ++i) {
      if (pad[i] < 0) return {mistake::option_out_of_range, "pad", {pad[i]}, {0}};
    }
    const margins p = padding(x);
    const int h = x.back(1) + p[0] + p[2], w = x.back(0) + p[1] + p[3];
    if (h < kernel[0] || w < kernel[1])
      return {mistake::window_larger_than_padded_input, "kernel", {h, w}, {kernel[0], kernel[1]}};
    result[0] = x;
    result[0].back(1) = window_count(x.back(1), p[0], p[2], kernel[0], step()[0], ceil);
    result[0].back(0) = window_count(x.back(0), p[1], p[3], kernel[1], step()[1], ceil);
    return {};
  }
};

/// The layers adaptive_avg_pool2d and adaptive_max_pool2d: window i of n covers [floor(i size / n), ceil((i + 1) size / n)).
/// `size` 0 keeps the input's extent; the default (1, 1) pools globally, and with `flatten` gives (C) or (N, C) instead
/// of (C, 1, 1), as ncnn's global pooling does.
struct adaptive_pool2d {
  static constexpr std::string_view name = "adaptive_pool2d";

  pooling function = pooling::average;
  pair size{1, 1};
  bool flatten = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("size", self.size);
    field("flatten", self.flatten);
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    if (flatten && size != pair{1, 1}) return {mistake::option_out_of_range, "flatten", {size[0], size[1]}, {1, 1}};
    result[0] = x;
    for (unsigned i = 0; i < 2; ++i) {
      if (size[i] < 0) return {mistake::option_out_of_range, "size", {size[i]}, {0}};
      if (size[i] > 0) result[0].back(1 - static_cast<int>(i)) = size[i];
    }
    if (flatten) result[0].rank -= 2;
    return {};
  }
};

/// torch.nn.functional.interpolate; `half_pixel` is its align_corners=False.
enum class interpolation { nearest, bilinear };

/// (C, H, W) to (C, size). Either `size` or `scale` is given.
struct interpolate {
  static constexpr std::string_view name = "interpolate";

  interpolation mode = interpolation::nearest;
  pair size{0, 0};
  std::array<float, 2> scale{0, 0};
  bool align_corners = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("mode", self.mode);
    field("size", self.size);
    field("scale", self.scale);
    field("align_corners", self.align_corners);
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    result[0] = x;
    for (unsigned i = 0; i < 2; ++i) {
      const int axis = 1 - static_cast<int>(i);
      const float scaled = static_cast<float>(x.back(axis)) * scale[i];
      if (scaled >= 2147483648.0f) return {mistake::too_large, "scale"};
      const int n = size[i] ? size[i] : static_cast<int>(scaled);
      if (n < 1) return {mistake::missing_option, "size"};
      result[0].back(axis) = n;
    }
    return {};
  }
};

}  // namespace ctnn::op
