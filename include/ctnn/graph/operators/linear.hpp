// SPDX-License-Identifier: BSL-1.0
// linear: torch.nn.functional.linear, ONNX Gemm with transB, ncnn InnerProduct.
#pragma once

#include "../operator.hpp"

namespace ctnn::op {

/// Input (..., K), output (..., out) with `activation` applied. Weight (out, K), bias (out).
struct linear {
  static constexpr std::string_view name = "linear";

  int out = 0;
  bool bias = true;
  activation_function activation{};

  static constexpr void fields(auto& self, auto&& field) {
    field("out", self.out);
    field("bias", self.bias);
    field("activation", self.activation);
  }

  constexpr problem infer(inputs in, outputs result) const {
    if (out == 0) return {mistake::missing_option, "out"};
    if (out < 1) return {mistake::option_out_of_range, "out", {out}, {1}};
    if (in[0].rank < 1) return {mistake::rank_mismatch, name, in[0], {1}};
    result[0] = in[0];
    result[0].back(0) = out;
    return {};
  }

  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"weight"sv, {out, in[0].back(0)}}};
    if (bias) slots.push_back({"bias"sv, {out}});
    return slots;
  }

  constexpr std::int64_t macs(inputs in, std::span<const extents> result) const {
    return result[0].count() * in[0].back(0);
  }
};

}  // namespace ctnn::op
