// SPDX-License-Identifier: BSL-1.0
// Functions of one element beyond those in elementwise.hpp, and conversions: operators of loaded models.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

/// Parameters are `a` and `b`.
enum class pointwise_function {
  logical_not,       ///< of booleans
  bit_not,           ///< of integers
  sign,
  erf,
  sinh,
  cosh,
  asinh,
  acosh,
  atanh,
  softplus,          ///< log(1 + e^x)
  softsign,          ///< x / (1 + |x|)
  selu,              ///< b (x > 0 ? x : a (e^x - 1))
  celu,              ///< max(x, 0) + min(0, a (e^(x / a) - 1))
  thresholded_relu,  ///< x > a ? x : 0
  shrink,            ///< x < -a ? x + b : x > a ? x - b : 0
  swish,             ///< x / (1 + e^(-a x))
  clip6,             ///< min(max(x, 0), 6)
  log1p,
  expm1,
};

/// y = f(x), any shape.
struct pointwise {
  static constexpr std::string_view name = "pointwise";

  pointwise_function function = pointwise_function::sign;
  double a = 0;
  double b = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("a", self.a);
    field("b", self.b);
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    const dtype t = out[0] = type_at(in, 0);
    const bool fits = function == pointwise_function::logical_not                                             ? t == dtype::boolean
                      : function == pointwise_function::bit_not                                               ? is_integer(t)
                      : function == pointwise_function::sign || function == pointwise_function::shrink ? t != dtype::boolean
                                                                                                              : is_floating(t);
    return fits ? problem{} : wrong_type(name, t);
  }
};

/// torch.isnan.
struct is_nan {
  static constexpr std::string_view name = "is_nan";

  static constexpr void fields(auto&, auto&&) {}
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = dtype::boolean;
    return require_type(in, 0, is_floating, name);
  }
};

/// torch.isinf of the signs asked for.
struct is_inf {
  static constexpr std::string_view name = "is_inf";

  bool negative = true;
  bool positive = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("negative", self.negative);
    field("positive", self.positive);
  }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = dtype::boolean;
    return require_type(in, 0, is_floating, name);
  }
};

/// Elements in another type. Floating point to integer cuts off the fraction; what is out of range keeps its low bits in 8
/// and 16 bits and saturates in more; NaN becomes 0; integers keep their low bits; a boolean is x != 0.
struct cast {
  static constexpr std::string_view name = "cast";

  dtype to = dtype::f32;

  static constexpr void fields(auto& self, auto&& field) { field("to", self.to); }
  constexpr problem infer(inputs in, outputs result) const {
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types, std::span<dtype> out) const {
    out[0] = to;
    return {};
  }
};

/// torch.clamp with bounds that are inputs: x, then the lower bound if `low`, then the upper if `high`; scalars of x's type.
struct clamp {
  static constexpr std::string_view name = "clamp";
  static constexpr int min_inputs = 1, max_inputs = 3;

  bool low = true;
  bool high = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("low", self.low);
    field("high", self.high);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const int needed = 1 + (low ? 1 : 0) + (high ? 1 : 0);
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    for (std::size_t i = 1; i < in.size(); ++i)
      if (in[i].count() != 1) return {mistake::shape_mismatch, "bound", in[i], {1}};
    result[0] = in[0];
    return {};
  }
  constexpr problem infer_types(types in, std::span<dtype> out) const {
    out[0] = type_at(in, 0);
    return require_one_type(in, name);
  }
};

}  // namespace ctnn::op
