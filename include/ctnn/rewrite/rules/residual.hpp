// SPDX-License-Identifier: BSL-1.0
// Sums become part of the convolution that computes one of their operands.
#pragma once

#include "../rule.hpp"

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

/// conv2d > add of the same shape  ->  conv2d with a residual input
struct conv2d_residual {
  static constexpr rule_info info{"conv2d_residual", "conv2d > binary(add) -> conv2d", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<op::conv2d, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    const auto c = r.get<op::conv2d>(m.first);
    if (b.function != op::binary_function::add || b.scalar) return {"it is not the sum of two values"};
    if (c.activation) return {"its input has an activation already", r.name(m.first)};
    if (r.inputs_count(m.first) != 1) return {"its input adds a residual already", r.name(m.first)};
    const value_id other = r.input(m.last, 1 - m.input);
    if (!(r.shape(other) == r.shape(r.output(m.first)))) return {"its operands differ in shape", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto c = r.get<op::conv2d>(m.first);
    c.activation = r.get<op::binary>(m.last).activation;
    const value_id in[] = {r.input(m.first), r.input(m.last, 1 - m.input)};
    const expression_id weights[] = {r.weight(m.first, 0), c.bias ? r.weight(m.first, 1) : none};
    r.fuse(m.first, m.last, c, in, {weights, c.bias ? 2u : 1u});
  }
};

}  // namespace ctnn::rules
