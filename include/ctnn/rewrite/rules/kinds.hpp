// SPDX-License-Identifier: BSL-1.0
// Kinds of operators that patterns name (pattern.hpp), and why another operator is not of the kind.
#pragma once

#include "../../graph/operators/reduce.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

inline constexpr bool may_activate = true;

/// x + 0, x - 0, x * 1, x / 1, x ^ 1: the first operand, of which nothing else is made.
constexpr bool is_neutral(const op::binary& b) {
  using enum op::binary_function;
  if (!b.scalar || b.activation) return false;
  if (b.function == add || b.function == sub) return *b.scalar == 0;
  return (b.function == mul || b.function == div || b.function == pow) && *b.scalar == 1;
}

/// A binary function of two values, which applies no activation unless it may.
template <op::binary_function F, bool MayActivate = false>
struct of_two_values {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    if (b.function != F || b.scalar)
      return F == op::binary_function::mul   ? "it is not the product of two values"
             : F == op::binary_function::sub ? "it is not the difference of two values"
             : F == op::binary_function::div ? "it is not the quotient of two values"
                                             : "it is not the sum of two values";
    return b.activation && !MayActivate ? "it applies an activation" : "";
  }
};

/// x * k.
struct times_scalar {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    if (b.function != op::binary_function::mul || !b.scalar) return "its operand is not a value times a scalar";
    return b.activation ? "its operand has an activation" : "";
  }
};

/// x + k.
struct plus_number {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    return b.function == op::binary_function::add && b.scalar && !b.activation
               ? ""
               : "it is not the sum of a value and a number";
  }
};

/// Why one factor does not do what two do one after the other.
constexpr reason unless_factors(float a, float k, std::string_view layer) {
  const double both = static_cast<double>(a) * static_cast<double>(k), size = both < 0 ? -both : both;
  if (a != 1 && k != 1 && !(size >= static_cast<double>(smallest_divisor) && size <= 1e38))
    return {"the product of its factors is too large or small", layer};
  return {};
}

template <fixed_string Text, function... F>
struct activation_is {
  using of = op::activation;
  static constexpr std::string_view why_not(const op::activation& a) {
    return ((a.activation.kind == F) || ...) ? std::string_view() : Text.view();
  }
};

/// A binary function that applies F to what it computes.
template <fixed_string Text, function F>
struct binary_applies {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    return b.activation.kind == F ? std::string_view() : Text.view();
  }
};

/// The same of a sum with coefficients.
template <fixed_string Text, function F>
struct sum_applies {
  using of = op::eltwise;
  static constexpr std::string_view why_not(const op::eltwise& e) {
    return e.activation.kind == F && e.function == op::eltwise_function::sum ? std::string_view() : Text.view();
  }
};

/// F as an operator or as what a binary function or a sum applies.
template <fixed_string Text, function F, auto Name>
using applied = find::one_of<find::silently<find::node<activation_is<Text, F>, Name>>,
                             find::one_of<find::silently<find::node<binary_applies<Text, F>, Name>>,
                                          find::silently<find::node<sum_applies<Text, F>, Name>>>>;

/// The axis along which node n reduces by f and which stays as 1, if it is one.
constexpr int reduced_axis(const rewriter& r, node_id n, op::reduction f) {
  const auto p = r.get<op::reduce>(n);
  const unsigned bits = p.reduced(r.shape(r.input(n)));
  if (p.function != f || !p.keep || bits == 0 || (bits & (bits - 1)) != 0) return none;
  int axis = 0;
  while (bits >> axis != 1) ++axis;
  return axis;
}

/// + - * / with a number.
struct number_arithmetic {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    using enum op::binary_function;
    const bool is =
        b.scalar && !b.activation && (b.function == add || b.function == sub || b.function == mul || b.function == div);
    return is ? "" : "it is no arithmetic with a number";
  }
};

}  // namespace ctnn::rules
