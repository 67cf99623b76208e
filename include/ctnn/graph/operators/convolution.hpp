// SPDX-License-Identifier: BSL-1.0
// conv2d and conv_transpose2d: torch.nn.functional, ONNX Conv and ConvTranspose (2-D).
#pragma once

#include "../operator.hpp"
#include "../window.hpp"

namespace ctnn::op {

/// Input (C, H, W) or (N, C, H, W); output (out, H', W') with H' = (H + pads - span) / stride + 1.
/// Weight (out, C / groups, kernel), bias (out). Depthwise is groups == C. `activation` is applied to the sum;
/// with two inputs the second has the output's shape and is added before the activation (a residual connection).
struct conv2d {
  static constexpr std::string_view name = "conv2d";
  static constexpr int min_inputs = 1, max_inputs = 2;

  int out = 0;
  pair kernel{0, 0};
  pair stride{1, 1};
  margins pad{0, 0, 0, 0};
  same_padding same = same_padding::none;
  pair dilation{1, 1};
  int groups = 1;
  bool bias = true;
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("kernel", self.kernel);
    field("stride", self.stride);
    field("pad", self.pad);
    field("same", self.same);
    field("dilation", self.dilation);
    field("groups", self.groups);
    field("bias", self.bias);
    field("activation", self.activation);
  }

  constexpr margins padding(const extents& in) const {
    return resolve_padding(pad, same, kernel, stride, dilation, in.back(1), in.back(0));
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (out == 0) return {mistake::missing_option, "out"};
    if (kernel[0] == 0 || kernel[1] == 0) return {mistake::missing_option, "kernel"};
    if (out < 1) return {mistake::option_out_of_range, "out", {out}, {1}};
    for (unsigned i = 0; i < 2; ++i) {
      if (kernel[i] < 1) return {mistake::option_out_of_range, "kernel", {kernel[i]}, {1}};
      if (stride[i] < 1) return {mistake::option_out_of_range, "stride", {stride[i]}, {1}};
      if (dilation[i] < 1) return {mistake::option_out_of_range, "dilation", {dilation[i]}, {1}};
    }
    for (int p : pad)
      if (p < 0) return {mistake::option_out_of_range, "pad", {p}, {0}};
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    if (groups < 1) return {mistake::option_out_of_range, "groups", {groups}, {1}};
    if (x.back(2) % groups != 0 || out % groups != 0)
      return {mistake::groups_do_not_divide_channels, "groups", {x.back(2), out}, {groups}};
    const margins p = padding(x);
    const int h = x.back(1) + p[0] + p[2], w = x.back(0) + p[1] + p[3];
    const int sh = span_of(kernel[0], dilation[0]), sw = span_of(kernel[1], dilation[1]);
    if (h < sh || w < sw) return {mistake::window_larger_than_padded_input, "kernel", {h, w}, {sh, sw}};
    extents y = x;
    y.back(2) = out;
    y.back(1) = (h - sh) / stride[0] + 1;
    y.back(0) = (w - sw) / stride[1] + 1;
    if (in.size() == 2 && !(in[1] == y)) return {mistake::shape_mismatch, "residual input", in[1], y};
    result[0] = y;
    return {};
  }

  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"weight"sv, {out, in[0].back(2) / groups, kernel[0], kernel[1]}}};
    if (bias) slots.push_back({"bias"sv, {out}});
    return slots;
  }

  constexpr std::int64_t macs(inputs in, std::span<const extents> result) const {
    return result[0].count() * (in[0].back(2) / groups) * kernel[0] * kernel[1];
  }
};

/// Input (C, H, W) or (N, C, H, W); output (out, H', W') with H' = (H - 1) stride + span + output_padding - pads: every
/// input adds its multiple of the kernel to the outputs from `stride` times its place on, then the padding is cut off.
/// Weight (C, out / groups, kernel), bias (out). Depthwise is groups == C == out. `activation` is applied to the sum.
struct conv_transpose2d {
  static constexpr std::string_view name = "conv_transpose2d";

  int out = 0;
  pair kernel{0, 0};
  pair stride{1, 1};
  margins pad{0, 0, 0, 0};
  pair output_padding{0, 0};
  pair dilation{1, 1};
  int groups = 1;
  bool bias = true;
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("kernel", self.kernel);
    field("stride", self.stride);
    field("pad", self.pad);
    field("output_padding", self.output_padding);
    field("dilation", self.dilation);
    field("groups", self.groups);
    field("bias", self.bias);
    field("activation", self.activation);
  }

  /// Outputs along the rows' axis (0) or the columns' (1); below 1 if the padding leaves none.
  constexpr std::int64_t extent(unsigned axis, int size) const {
    return (std::int64_t{size} - 1) * stride[axis] + (std::int64_t{kernel[axis]} - 1) * dilation[axis] + 1 + output_padding[axis] -
           pad[axis] - pad[axis + 2];
  }

  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (out == 0) return {mistake::missing_option, "out"};
    if (kernel[0] == 0 || kernel[1] == 0) return {mistake::missing_option, "kernel"};
    if (out < 1) return {mistake::option_out_of_range, "out", {out}, {1}};
    for (unsigned i = 0; i < 2; ++i) {
      if (kernel[i] < 1) return {mistake::option_out_of_range, "kernel", {kernel[i]}, {1}};
      if (stride[i] < 1) return {mistake::option_out_of_range, "stride", {stride[i]}, {1}};
      if (dilation[i] < 1) return {mistake::option_out_of_range, "dilation", {dilation[i]}, {1}};
      if (output_padding[i] < 0) return {mistake::option_out_of_range, "output_padding", {output_padding[i]}, {0}};
    }
    for (int p : pad)
      if (p < 0) return {mistake::option_out_of_range, "pad", {p}, {0}};
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {3}};
    if (groups < 1) return {mistake::option_out_of_range, "groups", {groups}, {1}};
    if (x.back(2) % groups != 0 || out % groups != 0)
      return {mistake::groups_do_not_divide_channels, "groups", {x.back(2), out}, {groups}};
    result[0] = x;
    result[0].back(2) = out;
    for (unsigned i = 0; i < 2; ++i) {
      const int axis = 1 - static_cast<int>(i);
      const std::int64_t n = extent(i, x.back(axis));
      if (n < 1) return {mistake::option_out_of_range, "pad", {pad[i], pad[i + 2]}, {0}};
      if (n > 2147483647) return {mistake::too_large, "stride"};
      result[0].back(axis) = static_cast<int>(n);
    }
    return {};
  }

  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"weight"sv, {in[0].back(2), out / groups, kernel[0], kernel[1]}}};
    if (bias) slots.push_back({"bias"sv, {out}});
    return slots;
  }

  constexpr std::int64_t macs(inputs in, std::span<const extents>) const {
    return in[0].count() * (out / groups) * kernel[0] * kernel[1];
  }
};

}  // namespace ctnn::op
