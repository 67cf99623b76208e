// SPDX-License-Identifier: BSL-1.0
// linear: torch.nn.functional.linear, ONNX Gemm with transB, ncnn InnerProduct.
#pragma once

#include "../../base/byte_image.hpp"
#include "weight_element.hpp"

namespace ctnn::op {

/// Input (..., K), output (..., out) with `activation` applied. Weight (out, K), or, of bytes and `transposed`, (K,
/// out), as in ONNX's MatMul; bias (out). With `axes` above 1 the last that many axes of the input make one row of K
/// numbers, as a flatten before would; `ones` extents of 1 follow the outputs, as a reshape to (..., out, 1, 1) behind
/// would give: ready to multiply the channels of an image. With two inputs the second has the output's shape and is
/// added before the activation (a residual connection), or, with `residual_last`, behind it. Of bytes, and by packed
/// weights: weight_element.hpp.
struct linear {
  static constexpr std::string_view name = "linear";
  static constexpr int tier = 1;
  constexpr int own_tier() const { return weight || weight.is_packed() ? -1 : 0; }  // what made real numbers is gone
  static constexpr bool packs(int slot) { return slot == 0; }
  static constexpr traits is{.in_place = true, .divisible = true, .divides_typed = true, .divides_scratch = true};
  /// The residual, unless partial sums would stand there before it is read.
  constexpr bool overwrites(int inputs, int i) const { return inputs == 2 && i == 1 && !residual_last; }
  static constexpr int min_inputs = 1, max_inputs = 2;

  int out = 0;
  bool bias = true;
  activation_function activation{};
  int axes = 1;
  int ones = 0;
  bool residual_last = false;
  weight_element weight{};
  bool transposed = false;  ///< of bytes, also of packed ones of 8 bits: the weight is (K, out)
  slot_set given = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("bias", self.bias);
    field("activation", self.activation);
    field("axes", self.axes);
    field("ones", self.ones);
    field("residual_last", self.residual_last);
    weight_element::fields(self.weight, field);
    weight_element::packed_fields(self.weight, field);
    field("transposed", self.transposed);
    field("given", self.given);
  }

  constexpr problem infer(inputs in, outputs result) const {
    if (out == 0) return {mistake::missing_option, "out"};
    if (out < 1) return {mistake::option_out_of_range, "out", {out}, {1}};
    if (transposed && !weight && weight.bits != 8) return {mistake::option_out_of_range, "transposed"};
    if (in[0].rank < 1) return {mistake::rank_mismatch, name, in[0], {1}};
    if (axes < 1 || axes > in[0].rank) return {mistake::axis_out_of_range, "axes", {axes}, {in[0].rank}};
    if (depth(in[0]) > 2147483647) return {mistake::too_large, "axes"};
    if (weight.is_packed() && given != 0)  // a value would have to be packed first
      return {mistake::option_out_of_range, "given", {static_cast<int>(given)}, {0}};
    if (weight.is_packed())
      if (const problem p = weight.check_packed(depth(in[0]))) return p;
    result[0] = in[0];
    result[0].rank -= axes - 1;
    result[0].back(0) = out;
    if (ones < 0 || result[0].rank + ones > max_rank) return {mistake::option_out_of_range, "ones", {ones}, {0}};
    for (int i = 0; i < ones; ++i) result[0].push_back(1);
    if (in.size() == 2 && !(in[1] == result[0])) return {mistake::shape_mismatch, "residual input", in[1], result[0]};
    return {};
  }
  constexpr bool move_axes(const axis_map& m) { return m.keeps_last(m.before.rank - axes); }
  constexpr int passes(int back, inputs) const { return back < axes ? -1 : back - axes + 1 + ones; }
  /// Numbers of a row.
  constexpr std::int64_t depth(const extents& x) const { return x.count(x.rank - axes, x.rank); }

  constexpr problem infer_types(types in, types wanted, span<element> made) const {
    if (weight) return weight.infer(in, wanted, made, activation);
    for (std::size_t i = 0; weight.is_packed() && i < in.size(); ++i)
      if (in[i] != dtype::f32) return wrong_type("input", in[i]);
    return all_floating(in, made, name);
  }
  constexpr weight_slots weights(inputs in, types of = {}, types made = {}) const {
    const auto k = static_cast<int>(depth(in[0]));
    if (weight.is_packed()) {
      weight_slots packed;
      weight.add_packed_slots(packed, transposed, bias, out, k);
      return packed;
    }
    weight_slots slots{{"weight"sv, transposed ? extents{k, out} : extents{out, k}, weight.type}};
    if (weight) weight.add_slots(slots, element_at(of, 0), element_at(made, 0), bias, out);
    else if (bias) slots.push_back({"bias"sv, {out}});
    return slots;
  }

  constexpr std::int64_t macs(inputs in, span<const extents> result) const {
    return result[0].count() * depth(in[0]);
  }
  /// Of bytes: the product of all rows.
  constexpr byte_product product(const extents& x) const {
    const std::int64_t k = depth(x);
    return {k == 0 ? 0 : x.count() / k, k, out};
  }
  static constexpr bool f32_takes_scratch = false;
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return weight ? product(in[0]).scratch_of_parts() : 0;
  }
  constexpr std::int64_t least_scratch(inputs in, span<const extents>) const {
    return weight ? product(in[0]).scratch_of_part(1) : 0;
  }
};

}  // namespace ctnn::op
