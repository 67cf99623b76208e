// SPDX-License-Identifier: BSL-1.0
// Signs: -x beside what may as well have the other sign.
#pragma once

#include "affine_maps.hpp"

namespace ctnn::rules {

using negates = activation_is<"it does not negate", function::neg>;

/// -(-x)  ->  x
struct negated_twice {
  static constexpr rule_info info{"negated_twice", "neg > neg -> x", lowers::nodes, numerics::exact};
  struct match {
    node_id outer = none, inner = none;
    value_id x = none;
  };
  using pattern =
      find::node<negates, &match::outer, find::silently<find::node<negates, &match::inner, find::value<&match::x>>>>;
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.outer, m.x); }
};

/// -a + b  ->  b - a;  b - (-a)  ->  b + a
struct negated_term {
  static constexpr rule_info info{"negated_term", "neg(a) + b, b - neg(a) -> b - a, b + a", lowers::nodes,
                                  numerics::exact};
  struct match {
    node_id sum = none, term = none;
    int input = 0;
  };
  using pattern = find::reader<op::binary, &match::sum, &match::input,
                               find::alone<find::silently<find::node<negates, &match::term>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto f = r.get<op::binary>(m.sum).function;
    if (r.inputs_count(m.sum) != 2) return {"it has one operand"};
    if (f != op::binary_function::add && f != op::binary_function::sub) return {"it is no sum and no difference"};
    if (f == op::binary_function::sub && m.input == 0) return {"both operands would be subtracted", r.name(m.term)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    using enum op::binary_function;
    auto sum = r.get<op::binary>(m.sum);
    const value_id in[] = {r.input(m.sum, 1 - m.input), r.input(m.term)};
    sum.function = sum.function == add ? sub : add;
    r.note(r.name(m.term), r.name(m.sum));
    r.become(m.sum, sum, r.name(m.sum), in, {});
  }
};

/// Weights, those at `slots`, with the other sign.
constexpr void negate(rewriter& r, pool<expression_id>& weights, std::size_t slots) {
  for (std::size_t i = 0; i < slots; ++i) {
    const expression_id w[] = {weights[i]};
    weights[i] = r.apply(op::activation{{function::neg}}, w);
  }
}

/// conv|conv_transpose|linear > neg  ->  the first with weights and bias of the other sign
struct negated_layer {
  static constexpr rule_info info{"negated_layer", "conv|conv_transpose|linear > neg -> the first", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<weighted_layer, op::activation>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    return r.applies(m.last, function::neg) ? is_complete(r, m.first) : find::detail::another_operator;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> weights = r.weights_of(m.first);
    negate(r, weights, weights.size());
    r.note(r.name(m.last), r.name(m.first));
    weighted_layer::visit(r, m.first, [&](const auto& layer) {
      r.become(m.last, layer, r.name(m.first), r.inputs_of(m.first), weights);
    });
  }
};

/// neg > conv|conv_transpose|linear  ->  the second with weights of the other sign
struct negated_input {
  static constexpr rule_info info{"negated_input", "neg > conv|conv_transpose|linear -> the second", lowers::nodes,
                                  numerics::reassociates};
  using pattern = find::reader<weighted_layer, &match::last, &match::input,
                               find::alone<find::silently<find::node<negates, &match::first>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    return m.input == 0 ? reason{} : reason{"it is the residual", r.name(m.first)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> weights = r.weights_of(m.last);
    negate(r, weights, 1);
    r.note(r.name(m.first), r.name(m.last));
    weighted_layer::visit(r, m.last, [&](const auto& layer) {
      r.become(m.last, layer, r.name(m.last), r.inputs_with(m.last, 0, r.input(m.first)), weights);
    });
  }
};

}  // namespace ctnn::rules
