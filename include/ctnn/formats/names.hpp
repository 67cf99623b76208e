// SPDX-License-Identifier: BSL-1.0
// Words for enumerators, in their order, for files and people.
#pragma once

#include <string_view>

#include "../graph/operators.hpp"

namespace ctnn {

inline constexpr std::string_view function_names[] = {"none", "relu", "leaky_relu", "clip", "sigmoid", "tanh",
                                                      "hardsigmoid", "hardswish", "elu", "silu", "mish", "gelu", "gelu_tanh"};
inline constexpr std::string_view unary_names[] = {"abs", "neg", "floor", "ceil", "square", "sqrt", "rsqrt", "exp", "log", "sin",
                                                   "cos", "tan", "asin", "acos", "atan", "reciprocal", "tanh", "log10", "round", "trunc"};
inline constexpr std::string_view binary_names[] = {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "rsub", "rdiv", "rpow"};
inline constexpr std::string_view pooling_names[] = {"max", "avg"};
inline constexpr std::string_view interpolation_names[] = {"nearest", "bilinear"};
inline constexpr std::string_view reduction_names[] = {"sum", "mean", "max", "min", "prod", "l1", "l2", "log_sum", "log_sum_exp", "sum_square"};
inline constexpr std::string_view eltwise_names[] = {"eltwise_prod", "weighted_sum", "eltwise_max"};

inline constexpr std::string_view name_of(function f) { return function_names[static_cast<std::size_t>(f)]; }

}  // namespace ctnn
