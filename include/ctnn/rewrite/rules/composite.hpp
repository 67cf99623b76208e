// SPDX-License-Identifier: BSL-1.0
// Several operators that spell one.
#pragma once

#include <limits>

#include "../ranges.hpp"
#include "linear_maps.hpp"

namespace ctnn::rules {

/// x * sigmoid(x)  ->  silu(x);  x * hardsigmoid(x)  ->  hardswish(x)
struct gated_by_itself {
  static constexpr rule_info info{"gated_by_itself", "x * sigmoid|hardsigmoid(x) -> silu|hardswish(x)", lowers::nodes,
                                  numerics::exact};
  struct match {
    node_id product = none, gate = none;
    value_id x = none;
  };
  using gate = activation_is<"the gate is not a sigmoid or hardsigmoid", function::sigmoid, function::hardsigmoid>;
  using pattern = find::either_order<of_two_values<op::binary_function::mul>, &match::product,
                                     find::alone<find::node<gate, &match::gate, find::value<&match::x>>>,
                                     find::or_say<"the gate is computed from another value", find::value<&match::x>>>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    op::activation whole = r.get<op::activation>(m.gate);
    whole.activation.kind = whole.activation.kind == function::sigmoid ? function::silu : function::hardswish;
    r.note(r.name(m.gate), r.name(m.product));
    r.become(m.product, whole, r.name(m.product), {&m.x, 1}, {});
  }
};

/// The product with -1 or the difference from 0 that applies relu: relu(-x) in one operator.
struct relu_of_negative {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    const bool negates = b.scalar && ((b.function == op::binary_function::mul && *b.scalar == -1) ||
                                      (b.function == op::binary_function::rsub && *b.scalar == 0));
    return negates && b.activation.kind == function::relu ? "" : "it is not relu(-x)";
  }
};
/// A scale without a bias.
struct just_scale {
  using of = op::scale;
  static constexpr std::string_view why_not(const op::scale& s) {
    return s.bias ? "its operand is not a product" : s.activation ? "its operand has an activation" : "";
  }
};

/// a + b or a - b.
struct sum_or_difference {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    using enum op::binary_function;
    if (b.function != add && b.function != sub) return "it is not the sum or difference of two values";
    return b.activation ? "it applies an activation" : "";
  }
};
/// The lesser of x and 0.
struct at_most_zero {
  using of = op::activation;
  static constexpr std::string_view why_not(const op::activation& a) {
    const bool is = a.activation.kind == function::clip && a.activation.b == 0 &&
                    a.activation.a == -std::numeric_limits<float>::infinity();
    return is ? "" : "it is not the lesser of x and 0";
  }
};

/// relu(x) + k * relu(-x), relu(x) - k * relu(-x), and with minimum(x, 0) or x - |x| for relu(-x)  ->  prelu(x), or
/// leaky_relu for one k. (0 may be -0.)
template <class Times>
struct two_sided_relu {
  static constexpr rule_info info{"two_sided_relu", "relu(x) + k * relu(-x) -> prelu(x)|leaky_relu(x)", lowers::nodes,
                                  numerics::reassociates};
  struct match {
    node_id sum = none, times = none, positive = none, negative = none, minus = none, below = none, twice = none,
            size = none;
    value_id x = none;
  };
  using relu = activation_is<"it is not a relu", function::relu>;
  using size = activation_is<"it is not |x|", function::abs>;
  using minus_x = find::alone<
      find::node<activation_is<"it does not negate", function::neg>, &match::minus, find::value<&match::x>>>;
  using relu_of_minus_x = find::one_of<find::node<relu, &match::negative, minus_x>,
                                       find::node<relu_of_negative, &match::negative, find::value<&match::x>>>;
  using below_zero =
      find::one_of<find::node<at_most_zero, &match::below, find::value<&match::x>>,
                   find::node<of_two_values<op::binary_function::sub>, &match::twice, find::value<&match::x>,
                              find::alone<find::node<size, &match::size, find::value<&match::x>>>>>;
  using pattern = find::either_order<
      sum_or_difference, &match::sum,
      find::alone<find::node<Times, &match::times,
                             find::or_say<"its operand is not a product with relu(-x)",
                                          find::alone<find::one_of<below_zero, relu_of_minus_x>>>>>,
      find::or_say<"its other operand is not relu(x)",
                   find::alone<find::node<relu, &match::positive, find::value<&match::x>>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.get<op::binary>(m.sum).function == op::binary_function::sub && r.input(m.sum, 1) != r.output(m.times))
      return {"it subtracts relu(x)"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.positive), r.name(m.sum));
    r.note(r.name(m.times), r.name(m.sum));
    float sign = r.get<op::binary>(m.sum).function == op::binary_function::sub ? -1.0f : 1.0f;
    if (m.twice != none) sign *= 2;
    else if (m.below == none) sign = -sign;
    if constexpr (std::is_same_v<Times, just_scale>) {
      const expression_id k = r.weight(m.times, 0);
      const expression_id slope = r.apply(op::binary{op::binary_function::mul, sign}, {&k, 1});
      r.become(m.sum, op::prelu{r.get<op::scale>(m.times).axis}, r.name(m.sum), {&m.x, 1}, {&slope, 1});
    } else {
      const float k = *r.get<op::binary>(m.times).scalar;
      r.become(m.sum, op::activation{{function::leaky_relu, sign * k}}, r.name(m.sum), {&m.x, 1}, {});
    }
  }
};
using two_sided_relu_by_channel = two_sided_relu<just_scale>;
using two_sided_relu_by_number = two_sided_relu<times_scalar>;

/// maximum(x, 0)  ->  relu(x);  maximum(x, k)  ->  clip(x, k, inf);  minimum(x, k)  ->  clip(x, -inf, k). Of 0 and -0
/// either may win.
struct bound_by_scalar {
  static constexpr rule_info info{"bound_by_scalar", "maximum|minimum|prelu(x, scalar) -> relu|clip|leaky_relu(x)",
                                  lowers::tier, numerics::reassociates};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::maximum && b.function != op::binary_function::minimum &&
        b.function != op::binary_function::prelu)
      return {"it has no bound or slope"};
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    if (math::is_nan(*b.scalar)) return {"its scalar is not a number"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    constexpr float most = std::numeric_limits<float>::infinity();
    const auto b = r.get<op::binary>(m.last);
    op::activation bound;
    if (b.function == op::binary_function::prelu) bound.activation = {function::leaky_relu, *b.scalar};
    else if (b.function == op::binary_function::minimum) bound.activation = {function::clip, -most, *b.scalar};
    else if (*b.scalar == 0) bound.activation = {function::relu};
    else bound.activation = {function::clip, *b.scalar, most};
    const value_id x = r.input(m.last);
    r.become(m.last, bound, r.name(m.last), {&x, 1}, {});
  }
};

/// x ^ 2  ->  square(x);  x ^ 0.5  ->  sqrt(x);  x ^ -0.5  ->  rsqrt(x);  x ^ -1, 1 / x  ->  reciprocal(x). Powers of
/// -inf are inf and 0, those of -0 are 0 and inf.
struct power_by_name {
  static constexpr rule_info info{"power_by_name", "pow(x, 2|0.5|-0.5|-1), 1 / x -> square|sqrt|rsqrt|reciprocal(x)",
                                  lowers::tier, numerics::reassociates};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    const bool inverse = b.function == op::binary_function::rdiv;
    if (b.function != op::binary_function::pow && !inverse) return {"it is not a power"};
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    const float k = *b.scalar;
    if (inverse ? k != 1 : k != 2 && k != 0.5f && k != -0.5f && k != -1) return {"the power has no name"};
    const bool root = k == 0.5f, inverse_root = k == -0.5f;
    const float low = root || inverse_root ? range_of(r, r.input(m.last)).low : 1;
    if (root && low == -std::numeric_limits<float>::infinity()) return {"its input may be -inf, whose root is NaN"};
    if (inverse_root && low <= 0) return {"its input may be -inf or -0, whose roots are others"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    using enum function;
    const auto b = r.get<op::binary>(m.last);
    const float power = b.function == op::binary_function::rdiv ? -1 : *b.scalar;
    op::activation named;
    named.activation.kind = power == 2 ? square : power == -1 ? reciprocal : power < 0 ? rsqrt : sqrt;
    const value_id x = r.input(m.last);
    r.become(m.last, named, r.name(m.last), {&x, 1}, {});
  }
};

/// x * x  ->  square(x)
struct square_by_name {
  static constexpr rule_info info{"square_by_name", "x * x -> square(x)", lowers::tier, numerics::exact};
  struct match {
    node_id product = none;
    value_id x = none;
  };
  using pattern = find::node<of_two_values<op::binary_function::mul>, &match::product, find::value<&match::x>,
                             find::or_say<"its operands are not the same", find::value<&match::x>>>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.become(m.product, op::activation{{function::square}}, r.name(m.product), {&m.x, 1}, {});
  }
};

/// 1 / sqrt(x)  ->  rsqrt(x)
struct rsqrt_by_name {
  static constexpr rule_info info{"rsqrt_by_name", "sqrt > reciprocal -> rsqrt", lowers::nodes, numerics::reassociates};
  struct match {
    node_id inverse = none, root = none;
    value_id x = none;
  };
  using root = activation_is<"its input is not a root", function::sqrt>;
  using pattern = find::node<activation_is<"it is not a reciprocal", function::reciprocal>, &match::inverse,
                             find::alone<find::node<root, &match::root, find::value<&match::x>>>>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.fuse(m.root, m.inverse, op::activation{{function::rsqrt}}, {&m.x, 1}, {});
  }
};

/// b * (1 / a)  ->  b / a
struct times_reciprocal {
  static constexpr rule_info info{"times_reciprocal", "b * reciprocal(a) -> b / a", lowers::nodes,
                                  numerics::reassociates};
  struct match {
    node_id product = none, inverse = none;
    value_id a = none, b = none;
  };
  using inverse = activation_is<"its operand is not a reciprocal", function::reciprocal>;
  using pattern = find::either_order<of_two_values<op::binary_function::mul, may_activate>, &match::product,
                                     find::alone<find::node<inverse, &match::inverse, find::value<&match::a>>>,
                                     find::value<&match::b>>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto quotient = r.get<op::binary>(m.product);
    quotient.function = op::binary_function::div;
    const value_id in[] = {m.b, m.a};
    r.note(r.name(m.inverse), r.name(m.product));
    r.become(m.product, quotient, r.name(m.product), in, {});
  }
};

/// A sum that reads a * k, which nobody else reads.
struct multiple_in_sum {
  node_id sum = none, times = none;
  value_id a = none;
  float k = 0;
  int input = 0;
};
template <class Sum>
using reads_multiple =
    find::reader<Sum, &multiple_in_sum::sum, &multiple_in_sum::input,
                 find::alone<find::node<times_scalar, &multiple_in_sum::times, find::value<&multiple_in_sum::a>,
                                        find::number<&multiple_in_sum::k>>>>;

/// a * k + b  ->  eltwise sum with coefficients (k, 1), for operands of one shape. The product may not be rounded by
/// itself.
struct weighted_sum {
  static constexpr rule_info info{"weighted_sum", "a * scalar + b -> eltwise(a, b)", lowers::nodes,
                                  numerics::reassociates};
  using match = multiple_in_sum;
  using pattern = reads_multiple<of_two_values<op::binary_function::add, may_activate>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(r.input(m.sum, 0)) == r.shape(r.input(m.sum, 1))))
      return {"its operands differ in shape", r.name(m.times)};
    if (sum_of_maps::takes(r, m.sum)) return {"it goes into the weight of its other operand", r.name(m.times)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    op::eltwise both;
    both.activation = r.get<op::binary>(m.sum).activation;
    both.coefficients = {1.0f, 1.0f};
    both.coefficients[static_cast<std::size_t>(m.input)] = m.k;
    r.note(r.name(m.times), r.name(m.sum));
    r.become(m.sum, both, r.name(m.sum), r.inputs_with(m.sum, m.input, m.a), {});
  }
};

/// eltwise sum of a * k and others  ->  the k is a coefficient
struct scaled_term {
  static constexpr rule_info info{"scaled_term", "eltwise(a * scalar, b ...) -> eltwise(a, b ...)", lowers::nodes,
                                  numerics::reassociates};
  using match = multiple_in_sum;
  using pattern = reads_multiple<op::eltwise>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto sum = r.get<op::eltwise>(m.sum);
    if (sum.function != op::eltwise_function::sum) return {"it is not a sum"};
    const float own = sum.coefficients.empty() ? 1 : sum.coefficients[static_cast<std::size_t>(m.input)];
    return unless_factors(own, m.k, r.name(m.times));
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto sum = r.get<op::eltwise>(m.sum);
    while (sum.coefficients.size() < r.inputs_count(m.sum)) sum.coefficients.push_back(1);
    sum.coefficients[static_cast<std::size_t>(m.input)] *= m.k;
    r.note(r.name(m.times), r.name(m.sum));
    r.become(m.sum, sum, r.name(m.sum), r.inputs_with(m.sum, m.input, m.a), {});
  }
};

}  // namespace ctnn::rules
