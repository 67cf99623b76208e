// SPDX-License-Identifier: BSL-1.0
// Normalisation by statistics of the numbers themselves; scales and offsets are inputs. Floating point.
#pragma once

#include "../channel_axis.hpp"
#include "layer_norm.hpp"
#include "reduce.hpp"

namespace ctnn::op {

/// torch.nn.functional.group_norm: statistics of each group of channels and all that lies behind their axis, of each
/// sample before it. Inputs x, scale and bias of shape (C), or (groups) as in old ONNX files. As many groups as
/// channels: instance_norm.
struct group_norm {
  static constexpr std::string_view name = "group_norm";
  static constexpr bool by_channel = true;
  static constexpr traits is{.in_place = true, .divisible = true, .images = image_flow::keeps};
  static constexpr int min_inputs = 3, max_inputs = 3;

  int groups = 1;
  float eps = 1e-5f;
  int axis = automatic_axis;

  static constexpr void fields(auto& self, auto&& field) {
    field("groups", self.groups);
    field("eps", self.eps);
    field("axis", self.axis);
  }
  static constexpr bool overwrites(int, int i) { return i == 0; }
  constexpr problem infer(inputs in, outputs result) const {
    if (const problem p = infer_by_channel(name, axis, in[0], result[0])) return p;
    const int c = channels(in[0], axis);
    if (groups < 1 || c % groups != 0) return {mistake::groups_do_not_divide_channels, "groups", {c}, {groups}};
    for (std::size_t i = 1; i < 3; ++i)
      if (!(in[i] == extents{c}) && !(in[i] == extents{groups})) return {mistake::shape_mismatch, "scale", in[i], {c}};
    return {};
  }
  constexpr int passes(int back, inputs in) const { return passes_before(channel_axis(in[0], axis), back, in[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

/// torch.nn.functional.normalize: x / (its p-norm along an axis, which counts as `eps` where it is less); 0 where the
/// norm is 0.
struct lp_normalize {
  static constexpr std::string_view name = "lp_normalize";
  static constexpr traits is{.in_place = true, .divisible = true};

  int axis = -1;
  int p = 2;
  float eps = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("p", self.p);
    field("eps", self.eps);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (p != 1 && p != 2) return {mistake::option_out_of_range, "p", {p}, {1}};
    if (eps < 0) return {mistake::option_out_of_range, "eps", {-1}, {0}};
    result[0] = in[0];
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

/// (x - mean) / sqrt(variance + eps) over `axes`, of which layer_norm has the last ones; without an eps ONNX's
/// (x - mean) / (deviation + 1e-9).
struct mean_variance_normalize {
  static constexpr std::string_view name = "mean_variance_normalize";
  static constexpr traits is{.in_place = true, .divisible = true};

  list<int> axes{};
  float eps = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("axes", self.axes);
    field("eps", self.eps);
  }
  constexpr problem infer(inputs in, outputs result) const {
    if (axis_bits(axes, in[0].rank) >> 31) return {mistake::axis_out_of_range, "axes", {axes[0]}, {in[0].rank}};
    if (eps < 0) return {mistake::option_out_of_range, "eps", {-1}, {0}};
    result[0] = in[0];
    return {};
  }
  constexpr bool move_axes(const axis_map& m) {
    reduce as{reduction::mean, axes};
    const bool fits = as.move_axes(m);
    axes = as.axes;
    return fits;
  }
  constexpr int passes(int back, inputs in) const { return reduce{reduction::mean, axes}.passes(back, in); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

}  // namespace ctnn::op
