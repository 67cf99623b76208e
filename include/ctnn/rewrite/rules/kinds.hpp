// SPDX-License-Identifier: BSL-1.0
// Kinds of operators that patterns name (pattern.hpp), and why another operator is not of the kind.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

inline constexpr bool may_activate = true;

/// A binary function of two values, which applies no activation unless it may.
template <op::binary_function F, bool MayActivate = false>
struct of_two_values {
  using of = op::binary;
  static constexpr std::string_view why_not(const op::binary& b) {
    if (b.function != F || b.scalar)
      return F == op::binary_function::mul ? "it is not the product of two values" : "it is not the sum of two values";
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

template <fixed_string Text, function... F>
struct activation_is {
  using of = op::activation;
  static constexpr std::string_view why_not(const op::activation& a) {
    return ((a.activation.kind == F) || ...) ? std::string_view() : Text.view();
  }
};

}  // namespace ctnn::rules
