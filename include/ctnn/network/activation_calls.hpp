// SPDX-License-Identifier: BSL-1.0
// torch.nn's activations that have numbers of their own or are several layers, with PyTorch's defaults.
#pragma once

#include "tensor_calls.hpp"

namespace ctnn::detail {

template <class = void>
class activation_calls : public tensor_calls<> {
 public:
  // Functions with numbers of their own
  constexpr value leaky_relu(value x, double negative_slope = 0.01, source_line at = source_line::here()) {
    return function_of("leaky_relu", x, ir::function::leaky_relu, {negative_slope}, at);
  }
  constexpr value elu(value x, double alpha = 1, source_line at = source_line::here()) {
    return function_of("elu", x, ir::function::elu, {alpha}, at);
  }
  constexpr value celu(value x, double alpha = 1, source_line at = source_line::here()) {
    return function_of("celu", x, ir::function::celu, {alpha}, at);
  }
  /// torch.nn.PReLU. Weight "weight" (num_parameters): one for all numbers, PyTorch's default, or one for each channel.
  constexpr value prelu(std::string_view name, value x, const prelu_options& o = {},
                        source_line at = source_line::here()) {
    const extents s = shape(x);
    const int slopes = o.num_parameters.whole_or(1);
    const int axis = ir::channel_axis(s, o.dim.whole_or(o.axis.whole_or(ir::automatic_axis)));
    if (slopes != 1 && slopes == s[axis]) return call(ctnn::prelu<"">::record, "prelu", name, x, o, at);
    const auto scope = inside(name, "prelu");
    value slope = parameter("weight", {slopes}, {}, at);
    if (slopes != 1) slope = in_shape("reshape", slope, along_axis(slopes, axis, s.rank), at);
    return of_two<op::binary>("prelu", op::binary_function::prelu, x, slope, at);
  }
  constexpr value hardtanh(value x, double min_val = -1, double max_val = 1, source_line at = source_line::here()) {
    return function_of("hardtanh", x, ir::function::clip, {min_val, max_val}, at);
  }
  constexpr value hardshrink(value x, double lambd = 0.5, source_line at = source_line::here()) {
    return function_of("hardshrink", x, ir::function::shrink, {lambd}, at);
  }
  constexpr value softshrink(value x, double lambd = 0.5, source_line at = source_line::here()) {
    return function_of("softshrink", x, ir::function::shrink, {lambd, lambd}, at);
  }
  /// torch.nn.RReLU at inference: leaky ReLU of its slopes' mean.
  constexpr value rrelu(value x, double lower = 1.0 / 8, double upper = 1.0 / 3, source_line at = source_line::here()) {
    return function_of("rrelu", x, ir::function::leaky_relu, {(number(lower).value + number(upper).value) / 2}, at);
  }
  /// torch.nn.GELU: `approximate` is "none" or "tanh".
  constexpr value gelu(value x, std::string_view approximate = "none", source_line at = source_line::here()) {
    return function_of("gelu", x, approximate == "tanh" ? ir::function::gelu_tanh : ir::function::gelu, {}, at);
  }
  /// torch.nn.Softplus: log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold.
  constexpr value softplus(value x, double beta = 1, double threshold = 20, source_line at = source_line::here()) {
    const value steeper = beta == 1 ? x : mul(x, beta, at);
    value y = function_of("softplus", steeper, ir::function::softplus, {}, at);
    if (beta != 1) y = div(y, beta, at);
    return threshold == 20 ? y : where(gt(steeper, threshold, at), x, y, at);
  }
  constexpr value logsigmoid(value x, source_line at = source_line::here()) {
    return neg(softplus(neg(x, at), 1, 20, at), at);
  }
  constexpr value tanhshrink(value x, source_line at = source_line::here()) { return sub(x, tanh(x, at), {}, at); }
  /// torch.nn.Threshold: x above the threshold, else `value_below`.
  constexpr value threshold(value x, double above, double value_below, source_line at = source_line::here()) {
    const value bound = full({1}, above, at), filling = full({1}, value_below, at);
    return where(gt(x, bound, at), x, filling, at);
  }
  constexpr value softmin(value x, int dim = -1, source_line at = source_line::here()) {
    return softmax(neg(x, at), {.dim = dim}, at);
  }
  /// torch.nn.GLU: the first half along an axis, by the sigmoid of the second.
  constexpr value glu(value x, int dim = -1, source_line at = source_line::here()) {
    const auto halves = chunk<2>(x, dim, at);
    return mul(halves[0], sigmoid(halves[1], {}, at), {}, at);
  }

  // At inference these do nothing.
#define CTNN_DROPOUT(word)                                                  \
  constexpr value word(value x, source_line at = source_line::here()) {     \
    return call(ctnn::dropout<"">::record, #word, {}, x, no_options{}, at); \
  }
  CTNN_DROPOUT(dropout1d)
  CTNN_DROPOUT(dropout2d)
  CTNN_DROPOUT(dropout3d)
  CTNN_DROPOUT(alpha_dropout)
  CTNN_DROPOUT(feature_alpha_dropout)
#undef CTNN_DROPOUT
};

}  // namespace ctnn::detail
