// SPDX-License-Identifier: BSL-1.0
// Several operators that spell one.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// x * sigmoid(x)  ->  silu(x);  x * hardsigmoid(x)  ->  hardswish(x)
struct gated_by_itself {
  static constexpr rule_info info{"gated_by_itself", "x * sigmoid|hardsigmoid(x) -> silu|hardswish(x)", lowers::nodes, numerics::exact};
  using pattern = chain<op::activation, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::mul || b.scalar) return {"it is not the product of two values"};
    if (b.activation) return {"it applies an activation"};
    const function f = r.get<op::activation>(m.first).activation.kind;
    if (f != function::sigmoid && f != function::hardsigmoid) return {"the gate is not a sigmoid or hardsigmoid", r.name(m.first)};
    if (r.input(m.first) != r.input(m.last, 1 - m.input)) return {"the gate is computed from another value", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    op::activation whole = r.get<op::activation>(m.first);
    whole.activation.kind = whole.activation.kind == function::sigmoid ? function::silu : function::hardswish;
    const value_id x = r.input(m.first);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, whole, r.name(m.last), {&x, 1}, {});
  }
};

/// maximum(x, 0)  ->  relu(x);  maximum(x, k)  ->  clip(x, k, max);  minimum(x, k)  ->  clip(x, lowest, k)
struct bound_by_scalar {
  static constexpr rule_info info{"bound_by_scalar", "maximum|minimum(x, scalar) -> relu|clip(x)", lowers::rank, numerics::exact};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::maximum && b.function != op::binary_function::minimum)
      return {"it is not a maximum or minimum"};
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    if (math::is_nan(*b.scalar)) return {"its scalar is not a number"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    constexpr float most = std::numeric_limits<float>::max();
    const auto b = r.get<op::binary>(m.last);
    op::activation bound;
    if (b.function == op::binary_function::minimum) bound.activation = {function::clip, -most, *b.scalar};
    else if (*b.scalar == 0) bound.activation = {function::relu};
    else bound.activation = {function::clip, *b.scalar, most};
    const value_id x = r.input(m.last);
    r.become(m.last, bound, r.name(m.last), {&x, 1}, {});
  }
};

/// x ^ 2  ->  square(x);  x ^ 0.5  ->  sqrt(x);  x ^ -1  ->  reciprocal(x)
struct power_by_name {
  static constexpr rule_info info{"power_by_name", "pow(x, 2|0.5|-1) -> square|sqrt|reciprocal(x)", lowers::rank, numerics::reassociates};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::pow) return {"it is not a power"};
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    if (*b.scalar != 2 && *b.scalar != 0.5f && *b.scalar != -1) return {"the power has no name"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    using enum op::unary_function;
    const float power = *r.get<op::binary>(m.last).scalar;
    op::unary named;
    named.function = power == 2 ? square : power == -1 ? reciprocal : sqrt;
    const value_id x = r.input(m.last);
    r.become(m.last, named, r.name(m.last), {&x, 1}, {});
  }
};

/// a * k + b  ->  eltwise sum with coefficients (k, 1), for operands of one shape
struct weighted_sum {
  static constexpr rule_info info{"weighted_sum", "a * scalar + b -> eltwise(a, b)", lowers::nodes, numerics::exact};
  using pattern = chain<op::binary, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto sum = r.get<op::binary>(m.last), times = r.get<op::binary>(m.first);
    if (sum.function != op::binary_function::add || sum.scalar) return {"it is not the sum of two values"};
    if (times.function != op::binary_function::mul || !times.scalar) return {"its operand is not a value times a scalar", r.name(m.first)};
    if (times.activation) return {"its operand has an activation", r.name(m.first)};
    if (!(r.shape(r.input(m.last, 0)) == r.shape(r.input(m.last, 1)))) return {"its operands differ in shape", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto sum = r.get<op::binary>(m.last), times = r.get<op::binary>(m.first);
    op::eltwise both;
    both.activation = sum.activation;
    value_id in[] = {r.input(m.last, 0), r.input(m.last, 1)};
    in[m.input] = r.input(m.first);
    both.coefficients = {1.0f, 1.0f};
    both.coefficients[static_cast<std::size_t>(m.input)] = *times.scalar;
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, both, r.name(m.last), in, {});
  }
};

/// eltwise sum of a * k and others  ->  the k is a coefficient
struct scaled_term {
  static constexpr rule_info info{"scaled_term", "eltwise(a * scalar, b ...) -> eltwise(a, b ...)", lowers::nodes, numerics::reassociates};
  using pattern = chain<op::binary, op::eltwise>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto times = r.get<op::binary>(m.first);
    if (r.get<op::eltwise>(m.last).function != op::eltwise_function::sum) return {"it is not a sum"};
    if (times.function != op::binary_function::mul || !times.scalar) return {"its operand is not a value times a scalar", r.name(m.first)};
    if (times.activation) return {"its operand has an activation", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto sum = r.get<op::eltwise>(m.last);
    pool<value_id> in;
    for (std::size_t i = 0; i < r.inputs_count(m.last); ++i) in.push_back(r.input(m.last, static_cast<int>(i)));
    while (sum.coefficients.size() < in.size()) sum.coefficients.push_back(1);
    const auto i = static_cast<std::size_t>(m.input);
    in[i] = r.input(m.first);
    sum.coefficients[i] *= *r.get<op::binary>(m.first).scalar;
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, sum, r.name(m.last), in, {});
  }
};

}  // namespace ctnn::rules
