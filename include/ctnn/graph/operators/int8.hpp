// SPDX-License-Identifier: BSL-1.0
// Convolutions and linear layers that multiply bytes, as ncnn quantizes them, for loaded models: x stands for
// round(x * input_scale) in -127 to 127, a weight for its byte / weight_scale of its output. Bias and activation are
// applied to real numbers. ONNX's operators (quantized.hpp) have zero points and scales that divide.
#pragma once

#include "convolution.hpp"
#include "linear.hpp"
#include "typing.hpp"

namespace ctnn::op {

/// Slots after the weight: bias, scales of each output's weights, of the input, and of the output if it is quantized.
constexpr void add_scales(weight_slots& slots, int out, bool bias, bool requantize) {
  if (bias) slots.push_back({"bias"sv, {out}});
  slots.push_back({"weight_scale"sv, {out}});
  slots.push_back({"input_scale"sv, {1}});
  if (requantize) slots.push_back({"output_scale"sv, {1}});
}
constexpr problem bytes_or_floats(std::string_view name, types in) {
  return type_at(in, 0) == dtype::f32 || type_at(in, 0) == dtype::i8 ? problem{} : wrong_type(name, type_at(in, 0));
}

/// conv2d of f32, or of i8 that are quantized already. With `requantize` the output is round(y * output_scale), i8.
struct int8_conv2d : conv2d {
  static constexpr std::string_view name = "int8_conv2d";
  static constexpr int min_inputs = 1, max_inputs = 1;

  bool requantize = false;

  static constexpr void fields(auto& self, auto&& field) {
    conv2d::fields(self, field);
    field("requantize", self.requantize);
  }
  constexpr problem infer_types(types in, std::span<dtype> result) const {
    result[0] = requantize ? dtype::i8 : dtype::f32;
    return bytes_or_floats(name, in);
  }
  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"weight"sv, {out, in[0].back(2) / groups, kernel[0], kernel[1]}, dtype::i8}};
    add_scales(slots, out, bias, requantize);
    return slots;
  }
};

/// linear in the same way.
struct int8_linear : linear {
  static constexpr std::string_view name = "int8_linear";

  static constexpr void fields(auto& self, auto&& field) { linear::fields(self, field); }
  constexpr problem infer_types(types in, std::span<dtype> result) const {
    result[0] = dtype::f32;
    return bytes_or_floats(name, in);
  }
  constexpr weight_slots weights(inputs in) const {
    weight_slots slots{{"weight"sv, {out, in[0].back(0)}, dtype::i8}};
    add_scales(slots, out, bias, false);
    return slots;
  }
};

}  // namespace ctnn::op
