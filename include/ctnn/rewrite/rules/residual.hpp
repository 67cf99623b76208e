// SPDX-License-Identifier: BSL-1.0
// Sums become part of the convolution or linear layer that computes one of their operands.
#pragma once

#include "linear_maps.hpp"

namespace ctnn::rules {

/// eltwise of two without coefficients  ->  binary
struct eltwise_to_binary {
  static constexpr rule_info info{"eltwise_to_binary", "eltwise(a, b) -> binary(a, b)", lowers::tier, numerics::exact};
  using pattern = single<op::eltwise>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 2) return {"it has more than two inputs"};
    for (float c : r.get<op::eltwise>(m.last).coefficients)
      if (c != 1) return {"it has coefficients"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto e = r.get<op::eltwise>(m.last);
    op::binary b;
    b.activation = e.activation;
    b.function = e.function == op::eltwise_function::sum    ? op::binary_function::add
                 : e.function == op::eltwise_function::prod ? op::binary_function::mul
                                                            : op::binary_function::maximum;
    const value_id in[] = {r.input(m.last, 0), r.input(m.last, 1)};
    r.become(m.last, b, r.name(m.last), in, {});
  }
};

/// Is what the sum adds to the first layer's result of its shape?
constexpr reason unless_of_one_shape(const rewriter& r, const match& m) {
  if (r.shape(r.input(m.last, 1 - m.input)) == r.shape(r.output(m.first))) return {};
  return {"its operands differ in shape", r.name(m.first)};
}

/// conv1d|conv2d|linear > add of the same shape  ->  the first with a residual input
struct fuse_residual {
  static constexpr rule_info info{"fuse_residual", "conv1d|conv2d|linear > binary(add) -> the first", lowers::nodes,
                                  numerics::reassociates};
  static constexpr bool takes_packed = true;
  using adds = find::any_of_all<find::fusing_convolutions, find::any_of<op::linear>>;
  using pattern = chain<adds, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::add || b.scalar) return {"it is not the sum of two values"};
    if (const reason no = is_complete(r, m.first)) return no;
    if (sum_of_maps::takes(r, m.last)) return {"its other operand goes into the weight", r.name(m.first)};
    return unless_of_one_shape(r, m);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id in[] = {r.input(m.first), r.input(m.last, 1 - m.input)};
    const pool<expression_id> weights = r.weights_of(m.first);
    adds::visit(r, m.first, [&](auto first) {
      first.activation = r.get<op::binary>(m.last).activation;
      r.fuse(m.first, m.last, first, in, weights);
    });
  }
};

/// conv1d|conv2d|linear with an activation > add of the same shape  ->  the first with a residual input, added last. An
/// activation behind the sum stays where it is: a layer applies one.
struct fuse_residual_last {
  static constexpr rule_info info{"fuse_residual_last",
                                  "conv1d|conv2d|linear with an activation > binary(add) -> the first", lowers::nodes,
                                  numerics::exact};
  static constexpr bool takes_packed = true;
  using pattern = fuse_residual::pattern;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::add || b.scalar) return {"it is not the sum of two values"};
    bool activates = false;
    fuse_residual::adds::visit(r, m.first, [&](const auto& first) { activates = static_cast<bool>(first.activation); });
    if (!activates) return {"its input has no activation", r.name(m.first)};
    if (b.activation) return {"it applies an activation"};
    if (r.inputs_count(m.first) != 1) return {"its input adds a residual", r.name(m.first)};
    return unless_of_one_shape(r, m);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id in[] = {r.input(m.first), r.input(m.last, 1 - m.input)};
    const pool<expression_id> weights = r.weights_of(m.first);
    fuse_residual::adds::visit(r, m.first, [&](auto first) {
      first.residual_last = true;
      r.fuse(m.first, m.last, first, in, weights);
    });
  }
};

}  // namespace ctnn::rules
