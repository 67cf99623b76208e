// SPDX-License-Identifier: BSL-1.0
// Per-channel affine operators. The channel axis is 0 of an unbatched input (C), (C, L), (C, H, W), and 1 of (N, C, H, W).
#pragma once

#include "../operator.hpp"

namespace ctnn {

constexpr int channel_axis(const extents& x) { return x.rank >= 4 ? 1 : 0; }
constexpr int channels(const extents& x) { return x[channel_axis(x)]; }

}  // namespace ctnn

namespace ctnn::op {

/// torch.nn.functional.batch_norm in inference: (x - mean) / sqrt(variance + eps) * gamma + beta, each of shape (C).
/// A root of 0 counts as 1e-4, as in ncnn's BatchNorm.
struct batch_norm {
  static constexpr std::string_view name = "batch_norm";
  static constexpr int kind_rank = 4;

  float eps = 1e-5f;

  static constexpr void fields(auto& self, auto&& field) { field("eps", self.eps); }

  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 1) return {mistake::rank_mismatch, name, in[0], {1}};
    if (eps < 0) return {mistake::option_out_of_range, "eps", {-1}, {0}};
    result[0] = in[0];
    return {};
  }
  constexpr weight_slots weights(inputs in) const {
    const extents c{channels(in[0])};
    return {{"gamma"sv, c}, {"beta"sv, c}, {"mean"sv, c}, {"variance"sv, c}};
  }
};

/// x * scale + bias, each of shape (C); caffe's and ncnn's Scale.
struct scale {
  static constexpr std::string_view name = "scale";
  static constexpr int kind_rank = 1;

  bool bias = true;

  static constexpr void fields(auto& self, auto&& field) { field("bias", self.bias); }

  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 1) return {mistake::rank_mismatch, name, in[0], {1}};
    result[0] = in[0];
    return {};
  }
  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"scale"sv, {channels(in[0])}}};
    if (bias) slots.push_back({"bias"sv, {channels(in[0])}});
    return slots;
  }
};

/// x + bias, bias of shape (C); caffe's and ncnn's Bias.
struct bias {
  static constexpr std::string_view name = "bias";
  static constexpr int kind_rank = 1;

  static constexpr void fields(auto&, auto&&) {}

  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 1) return {mistake::rank_mismatch, name, in[0], {1}};
    result[0] = in[0];
    return {};
  }
  constexpr weight_slots weights(inputs in) const { return {{"bias"sv, {channels(in[0])}}}; }
};

/// torch.nn.functional.local_response_norm: x (k + alpha mean)^-beta, the mean of x^2 over `size` neighbouring channels, or
/// with `within` over size x size pixels of the channel (caffe); what is not there counts as 0. Of an even size the window
/// reaches one further behind than before (ONNX).
struct local_response_norm {
  static constexpr std::string_view name = "local_response_norm";

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

  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank != 3 && in[0].rank != 4) return {mistake::rank_mismatch, name, in[0], {3}};
    if (size < 1) return {mistake::option_out_of_range, "size", {size}, {1}};
    result[0] = in[0];
    return {};
  }
};

}  // namespace ctnn::op
