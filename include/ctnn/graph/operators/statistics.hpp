// SPDX-License-Identifier: BSL-1.0
// Normalisation by statistics of the numbers themselves; scales and offsets are inputs. Floating point.
#pragma once

#include "layer_norm.hpp"

namespace ctnn::op {

/// torch.nn.functional.group_norm of (N, C, ...): inputs x, scale and bias of shape (C), or (groups) as in old ONNX
/// files. As many groups as channels: instance_norm.
struct group_norm {
  static constexpr std::string_view name = "group_norm";
  static constexpr traits is{.in_place = true, .divisible = true};
  static constexpr int min_inputs = 3, max_inputs = 3;

  int groups = 1;
  float eps = 1e-5f;

  static constexpr void fields(auto& self, auto&& field) {
    field("groups", self.groups);
    field("eps", self.eps);
  }
  static constexpr bool overwrites(int, int i) { return i == 0; }
  constexpr problem infer(inputs in, outputs result) const {
    if (in[0].rank < 2) return {mistake::rank_mismatch, name, in[0], {2}};
    const int c = in[0][1];
    if (groups < 1 || c % groups != 0) return {mistake::groups_do_not_divide_channels, "groups", {c}, {groups}};
    for (std::size_t i = 1; i < 3; ++i)
      if (!(in[i] == extents{c}) && !(in[i] == extents{groups})) return {mistake::shape_mismatch, "scale", in[i], {c}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<dtype> out) const { return all_floating(in, out, name); }
};

/// x / (its p-norm along an axis); 0 where the norm is 0.
struct lp_normalize {
  static constexpr std::string_view name = "lp_normalize";
  static constexpr traits is{.in_place = true, .divisible = true};

  int axis = -1;
  int p = 2;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("p", self.p);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (p != 1 && p != 2) return {mistake::option_out_of_range, "p", {p}, {1}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<dtype> out) const { return all_floating(in, out, name); }
};

/// (x - mean) / (deviation + 1e-9) over `axes`.
struct mean_variance_normalize {
  static constexpr std::string_view name = "mean_variance_normalize";
  static constexpr traits is{.in_place = true, .divisible = true};

  list<int> axes{};

  static constexpr void fields(auto& self, auto&& field) { field("axes", self.axes); }
  constexpr problem infer(inputs in, outputs result) const {
    if (axis_bits(axes, in[0].rank) >> 31) return {mistake::axis_out_of_range, "axes", {axes[0]}, {in[0].rank}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, span<dtype> out) const { return all_floating(in, out, name); }
};

}  // namespace ctnn::op
