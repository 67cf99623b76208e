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

/// relu(x) + k * relu(-x)  ->  prelu(x) of slope -k, or leaky_relu for one k
template <class Times>
struct two_sided_relu {
  static constexpr rule_info info{"two_sided_relu", "relu(x) + k * relu(-x) -> prelu(x)|leaky_relu(x)", lowers::nodes, numerics::exact};
  using pattern = chain<Times, op::binary>;
  static constexpr bool is_relu(const rewriter& r, value_id v) {
    return r.is<op::activation>(r.producer(v)) && r.readers(v) == 1 &&
           r.get<op::activation>(r.producer(v)).activation.kind == function::relu;
  }
  /// x of a relu(-x) that nobody else reads, or none.
  static constexpr value_id behind_negative(const rewriter& r, value_id v) {
    using enum op::binary_function;
    if (r.readers(v) != 1) return none;
    if (is_relu(r, v)) {
      const value_id negative = r.input(r.producer(v));
      const node_id n = r.producer(negative);
      const bool negates = r.is<op::unary>(n) && r.get<op::unary>(n).function == op::unary_function::neg;
      return negates && r.readers(negative) == 1 ? r.input(n) : none;
    }
    const node_id n = r.producer(v);  // the relu is in a product with -1 already
    if (!r.is<op::binary>(n)) return none;
    const auto b = r.get<op::binary>(n);
    const bool negates = b.scalar && ((b.function == mul && *b.scalar == -1) || (b.function == rsub && *b.scalar == 0));
    return negates && b.activation.kind == function::relu ? r.input(n) : none;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto sum = r.get<op::binary>(m.last);
    if (sum.function != op::binary_function::add || sum.scalar) return {"it is not the sum of two values"};
    if (sum.activation) return {"it applies an activation"};
    if constexpr (std::is_same_v<Times, op::scale>) {
      if (r.get<op::scale>(m.first).bias) return {"its operand is not a product", r.name(m.first)};
    } else {
      const auto times = r.get<op::binary>(m.first);
      if (times.function != op::binary_function::mul || !times.scalar || times.activation)
        return {"its operand is not a value times a scalar", r.name(m.first)};
    }
    const value_id x = behind_negative(r, r.input(m.first)), other = r.input(m.last, 1 - m.input);
    if (x == none) return {"its operand is not a product with relu(-x)", r.name(m.first)};
    if (!is_relu(r, other) || r.input(r.producer(other)) != x) return {"its other operand is not relu(x)", r.name(r.producer(other))};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = behind_negative(r, r.input(m.first));
    const node_id positive = r.producer(r.input(m.last, 1 - m.input));
    r.note(r.name(positive), r.name(m.last));
    r.note(r.name(m.first), r.name(m.last));
    if constexpr (std::is_same_v<Times, op::scale>) {
      op::unary negative;
      negative.function = op::unary_function::neg;
      const expression_id k = r.weight(m.first, 0), slope = r.apply(negative, {&k, 1});
      r.become(m.last, op::prelu{}, r.name(m.last), {&x, 1}, {&slope, 1});
    } else {
      const float k = *r.get<op::binary>(m.first).scalar;
      r.become(m.last, op::activation{{function::leaky_relu, -k}}, r.name(m.last), {&x, 1}, {});
    }
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

/// x ^ 2  ->  square(x);  x ^ 0.5  ->  sqrt(x);  x ^ -0.5  ->  rsqrt(x);  x ^ -1, 1 / x  ->  reciprocal(x)
struct power_by_name {
  static constexpr rule_info info{"power_by_name", "pow(x, 2|0.5|-0.5|-1), 1 / x -> square|sqrt|rsqrt|reciprocal(x)", lowers::rank,
                                  numerics::reassociates};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    const bool inverse = b.function == op::binary_function::rdiv;
    if (b.function != op::binary_function::pow && !inverse) return {"it is not a power"};
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    const float k = *b.scalar;
    if (inverse ? k != 1 : k != 2 && k != 0.5f && k != -0.5f && k != -1) return {"the power has no name"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    using enum op::unary_function;
    const auto b = r.get<op::binary>(m.last);
    const float power = b.function == op::binary_function::rdiv ? -1 : *b.scalar;
    op::unary named;
    named.function = power == 2 ? square : power == -1 ? reciprocal : power < 0 ? rsqrt : sqrt;
    const value_id x = r.input(m.last);
    r.become(m.last, named, r.name(m.last), {&x, 1}, {});
  }
};

/// x * x  ->  square(x)
struct square_by_name {
  static constexpr rule_info info{"square_by_name", "x * x -> square(x)", lowers::rank, numerics::exact};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::mul || b.scalar) return {"it is not the product of two values"};
    if (r.input(m.last, 0) != r.input(m.last, 1)) return {"its operands are not the same"};
    if (b.activation) return {"it applies an activation"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last);
    r.become(m.last, op::unary{op::unary_function::square}, r.name(m.last), {&x, 1}, {});
  }
};

/// 1 / sqrt(x)  ->  rsqrt(x)
struct rsqrt_by_name {
  static constexpr rule_info info{"rsqrt_by_name", "sqrt > reciprocal -> rsqrt", lowers::nodes, numerics::reassociates};
  using pattern = chain<op::unary, op::unary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.get<op::unary>(m.last).function != op::unary_function::reciprocal) return {"it is not a reciprocal"};
    if (r.get<op::unary>(m.first).function != op::unary_function::sqrt) return {"its input is not a root", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, op::unary{op::unary_function::rsqrt}, {&x, 1}, {});
  }
};

/// b * (1 / a)  ->  b / a
struct times_reciprocal {
  static constexpr rule_info info{"times_reciprocal", "b * reciprocal(a) -> b / a", lowers::nodes, numerics::reassociates};
  using pattern = chain<op::unary, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::mul || b.scalar) return {"it is not the product of two values"};
    if (r.get<op::unary>(m.first).function != op::unary_function::reciprocal) return {"its operand is not a reciprocal", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto quotient = r.get<op::binary>(m.last);
    quotient.function = op::binary_function::div;
    const value_id in[] = {r.input(m.last, 1 - m.input), r.input(m.first)};
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, quotient, r.name(m.last), in, {});
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
