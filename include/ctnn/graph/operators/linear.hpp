// SPDX-License-Identifier: BSL-1.0
// linear: torch.nn.functional.linear, ONNX Gemm with transB, ncnn InnerProduct.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

/// Input (..., K), output (..., out) with `activation` applied. Weight (out, K), bias (out). With `axes` above 1 the
/// last that many axes of the input make one row of K numbers, as a flatten before would; `ones` extents of 1 follow
/// the outputs, as a reshape to (..., out, 1, 1) behind would give: ready to multiply the channels of an image. With
/// two inputs the second has the output's shape and is added before the activation (a residual connection), or, with
/// `residual_last`, behind it.
struct linear {
  static constexpr std::string_view name = "linear";
  static constexpr int tier = 1;  // between bytes it is a quantized_matmul
  static constexpr bool packs(int slot) { return slot == 0; }
  static constexpr traits is{.in_place = true, .divisible = true};
  /// The residual, unless partial sums would stand there before it is read.
  constexpr bool overwrites(int inputs, int i) const { return inputs == 2 && i == 1 && !residual_last; }
  static constexpr int min_inputs = 1, max_inputs = 2;

  int out = 0;
  bool bias = true;
  activation_function activation{};
  int axes = 1;
  int ones = 0;
  bool residual_last = false;
  slot_set given = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("bias", self.bias);
    field("activation", self.activation);
    field("axes", self.axes);
    field("ones", self.ones);
    field("residual_last", self.residual_last);
    field("given", self.given);
  }

  constexpr problem infer(inputs in, outputs result) const {
    if (out == 0) return {mistake::missing_option, "out"};
    if (out < 1) return {mistake::option_out_of_range, "out", {out}, {1}};
    if (in[0].rank < 1) return {mistake::rank_mismatch, name, in[0], {1}};
    if (axes < 1 || axes > in[0].rank) return {mistake::axis_out_of_range, "axes", {axes}, {in[0].rank}};
    if (depth(in[0]) > 2147483647) return {mistake::too_large, "axes"};
    result[0] = in[0];
    result[0].rank -= axes - 1;
    result[0].back(0) = out;
    if (ones < 0 || result[0].rank + ones > max_rank) return {mistake::option_out_of_range, "ones", {ones}, {0}};
    for (int i = 0; i < ones; ++i) result[0].push_back(1);
    if (in.size() == 2 && !(in[1] == result[0])) return {mistake::shape_mismatch, "residual input", in[1], result[0]};
    return {};
  }
  constexpr int passes(int back, inputs) const { return back < axes ? -1 : back - axes + 1 + ones; }
  /// Numbers of a row.
  constexpr std::int64_t depth(const extents& x) const { return x.count(x.rank - axes, x.rank); }

  constexpr problem infer_types(types in, span<element> out) const { return all_floating(in, out, name); }
  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"weight"sv, {out, static_cast<int>(depth(in[0]))}}};
    if (bias) slots.push_back({"bias"sv, {out}});
    return slots;
  }

  constexpr std::int64_t macs(inputs in, span<const extents> result) const {
    return result[0].count() * depth(in[0]);
  }
};

}  // namespace ctnn::op
