// SPDX-License-Identifier: BSL-1.0
// Per-channel affine operators. Their field `axis` says where the channels are; a declared network must say so where
// the shape does not (channel_axis.hpp).
#pragma once

#include "../channel_axis.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// torch.nn.functional.batch_norm in inference: (x - running_mean) / sqrt(running_var + eps) * weight + bias, each of
/// shape (C). A root of 0 counts as `zero_root`: 0 divides by it, ncnn's BatchNorm has 1e-4.
struct batch_norm {
  static constexpr std::string_view name = "batch_norm";
  static constexpr bool by_channel = true;
  static constexpr traits is = traits_of_each_number;
  static constexpr int tier = 4;

  float eps = 1e-5f;
  int axis = automatic_axis;
  float zero_root = 0;
  slot_set given = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("eps", self.eps);
    field("axis", self.axis);
    field("zero_root", self.zero_root);
    field("given", self.given);
  }

  constexpr problem infer(inputs in, outputs result) const {
    if (eps < 0) return {mistake::option_out_of_range, "eps", {-1}, {0}};
    return infer_by_channel(name, axis, in[0], result[0]);
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
  constexpr weight_slots weights(inputs in) const {
    const extents c{channels(in[0], axis)};
    return {{"weight"sv, c}, {"bias"sv, c}, {"running_mean"sv, c}, {"running_var"sv, c}};
  }
};

/// x * scale + bias, each of shape (C), with `activation` applied; caffe's and ncnn's Scale.
struct scale {
  static constexpr std::string_view name = "scale";
  static constexpr bool by_channel = true;
  static constexpr traits is = traits_of_channels;
  static constexpr int tier = 1;

  bool bias = true;
  int axis = automatic_axis;
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("bias", self.bias);
    field("activation", self.activation);
    field("axis", self.axis);
  }

  constexpr problem infer(inputs in, outputs result) const { return infer_by_channel(name, axis, in[0], result[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"scale"sv, {channels(in[0], axis)}}};
    if (bias) slots.push_back({"bias"sv, {channels(in[0], axis)}});
    return slots;
  }
};

/// x + bias, bias of shape (C), with `activation` applied; caffe's and ncnn's Bias.
struct bias {
  static constexpr std::string_view name = "bias";
  static constexpr bool by_channel = true;
  static constexpr traits is = traits_of_channels;
  static constexpr int tier = 1;

  int axis = automatic_axis;
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("activation", self.activation);
    field("axis", self.axis);
  }

  constexpr problem infer(inputs in, outputs result) const { return infer_by_channel(name, axis, in[0], result[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
  constexpr weight_slots weights(inputs in) const { return {{"bias"sv, {channels(in[0], axis)}}}; }
};

/// torch.nn.functional.local_response_norm: x (k + alpha mean)^-beta, the mean of x^2 over `size` neighbouring
/// channels, or with `within` over size x size pixels of the channel (caffe); what is not there counts as 0. Of an even
/// size the window reaches one further behind than before (ONNX).
struct local_response_norm {
  static constexpr std::string_view name = "local_response_norm";
  static constexpr traits is{.layouts = layout_rule::nchw_or_nhwc, .images = image_flow::makes};

  int size = 5;
  float alpha = 1e-4f;
  float beta = 0.75f;
  float k = 1;
  bool within = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("size", self.size);
    field("alpha", self.alpha);
    field("beta", self.beta);
    field("k", self.k);
    field("within", self.within);
  }

  /// Members of a window before and after its middle.
  constexpr int before() const { return (size - 1) / 2; }
  constexpr int after() const { return size / 2; }
  /// What the sum of squares is multiplied by.
  constexpr float factor() const {
    const auto members = within ? static_cast<float>(size) * static_cast<float>(size) : static_cast<float>(size);
    return alpha / members;
  }

  constexpr int passes(int back, inputs in) const { return passes_samples(2, back, in[0]); }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 3 && in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {3}};
    if (size < 1) return {mistake::option_out_of_range, "size", {size}, {1}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
  static constexpr bool f32_takes_scratch = false;
  constexpr std::int64_t scratch(inputs in, span<const extents> out) const {
    return within ? scratch_for_floats(in, out) : 0;
  }
};

}  // namespace ctnn::op
