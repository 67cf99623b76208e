// SPDX-License-Identifier: BSL-1.0
// Operators along an axis: positions of extremes, running sums, the largest, normalised exponentials.
#pragma once

#include "elementwise.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// torch.argmax or argmin along an axis as i64; of equal ones the first, or the last.
struct arg_reduce {
  static constexpr std::string_view name = "arg_reduce";
  static constexpr traits is{.vectors = vectors_of::none};

  bool largest = true;
  int axis = 0;
  bool keep = true;
  bool last = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("largest", self.largest);
    field("axis", self.axis);
    field("keep", self.keep);
    field("last", self.last);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (in[0][a] < 1) return {mistake::shape_mismatch, "input", in[0], {1}};
    extents y;
    for (int i = 0; i < in[0].rank; ++i) {
      if (i != a) y.push_back(in[0][i]);
      else if (keep) y.push_back(1);
    }
    result[0] = y;
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const {
    const int own = in[0].rank - 1 - normal_axis(axis, in[0].rank);
    return back == own ? -1 : back - (!keep && own < back ? 1 : 0);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = dtype::i64;
    return type_at(in, 0) == dtype::boolean ? wrong_type(name, dtype::boolean) : problem{};
  }
};

/// torch.cumsum along an axis; `exclusive` leaves out the element itself, `reverse` starts at the end; `product`:
/// cumprod.
struct cumsum {
  static constexpr std::string_view name = "cumsum";
  static constexpr traits is{.vectors = vectors_of::none};

  int axis = 0;
  bool exclusive = false;
  bool reverse = false;
  bool product = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("axis", self.axis);
    field("exclusive", self.exclusive);
    field("reverse", self.reverse);
    field("product", self.product);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    result[0] = in[0];
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    return out[0] == dtype::boolean ? wrong_type(name, out[0]) : problem{};
  }
};

/// torch.topk: outputs the k largest (or smallest) along an axis, in order, and their positions (i64); of equal ones
/// the earlier first.
struct topk {
  static constexpr std::string_view name = "topk";
  static constexpr traits is{.vectors = vectors_of::none};

  int k = 0;
  int axis = -1;
  bool largest = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("k", self.k);
    field("axis", self.axis);
    field("largest", self.largest);
  }
  constexpr int output_count() const { return 2; }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    if (k < 0 || k > in[0][a]) return {mistake::option_out_of_range, "k", {k}, {in[0][a]}};
    result[0] = in[0];
    result[0][a] = k;
    result[1] = result[0];
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr std::int64_t scratch(inputs, span<const extents>) const { return scratch_for(k, 16); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    out[1] = dtype::i64;
    return out[0] == dtype::boolean ? wrong_type(name, out[0]) : problem{};
  }
};

/// torch.log_softmax along an axis.
struct log_softmax {
  static constexpr std::string_view name = "log_softmax";
  static constexpr traits is = traits_of_channels;

  int axis = -1;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
  constexpr problem infer(inputs in, outputs result) const {
    const int a = normal_axis(axis, in[0].rank);
    if (a < 0 || a >= in[0].rank) return {mistake::axis_out_of_range, "axis", {axis}, {in[0].rank}};
    result[0] = in[0];
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

/// softmax and its logarithm.
template <class Op>
concept normalises_powers = std::is_same_v<Op, softmax> || std::is_same_v<Op, log_softmax>;

/// 1 at the first maximum along an axis, 0 elsewhere (ONNX Hardmax).
struct hardmax {
  static constexpr std::string_view name = "hardmax";
  static constexpr traits is{.vectors = vectors_of::none};

  int axis = -1;

  static constexpr void fields(auto& self, auto&& field) { field("axis", self.axis); }
  constexpr problem infer(inputs in, outputs result) const { return log_softmax{axis}.infer(in, result); }
  constexpr bool move_axes(const axis_map& m) { return move_axis(axis, m); }
  constexpr int passes(int back, inputs in) const { return passes_but(normal_axis(axis, in[0].rank), back, in[0]); }
  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
};

}  // namespace ctnn::op
