// SPDX-License-Identifier: BSL-1.0
// Functions of one number that are spelled out.
#pragma once

#include "gelu.hpp"

namespace ctnn::rules {

/// log(1 + exp(x)), log1p(exp(x))  ->  softplus(x)
struct spelled_softplus {
  static constexpr rule_info info{"spelled_softplus", "log(1 + exp(x)) -> softplus(x)",
                                  lowers::nodes,      numerics::reassociates,
                                  proved_by::running, "what logarithms make of exponentials"};
  struct match {
    node_id whole = none, sum = none, power = none;
    value_id x = none;
    float one = 0;
  };
  using logarithm = activation_is<"it is no logarithm", function::log, function::log1p>;
  using power = activation_is<"it is not the logarithm of 1 + exp(x)", function::exp>;
  using powers = find::alone<find::node<power, &match::power, find::value<&match::x>>>;
  using sum = find::silently<find::node<plus_number, &match::sum, powers, find::number<&match::one>>>;
  using pattern = find::node<logarithm, &match::whole, find::one_of<find::alone<sum>, powers>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const bool is = r.applies(m.whole, function::log) ? m.sum != none && m.one == 1 : m.sum == none;
    return is ? reason{} : reason{"it is not the logarithm of 1 + exp(x)", r.name(m.power)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.power), r.name(m.whole));
    r.become(m.whole, op::activation{{function::softplus}}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// x * tanh(softplus(x))  ->  mish(x)
struct spelled_mish {
  static constexpr rule_info info{"spelled_mish",     "x * tanh(softplus(x)) -> mish(x)",
                                  lowers::nodes,      numerics::reassociates,
                                  proved_by::running, "what logarithms make of exponentials"};
  struct match {
    node_id product = none, gate = none, inner = none;
    value_id x = none;
  };
  using tanh = activation_is<"the gate is not tanh", function::tanh>;
  using softplus = activation_is<"the gate is not the tanh of a softplus", function::softplus>;
  using inner = find::silently<find::node<softplus, &match::inner, find::value<&match::x>>>;
  using pattern = find::either_order<of_two_values<op::binary_function::mul>, &match::product,
                                     find::alone<find::silently<find::node<tanh, &match::gate, inner>>>,
                                     find::or_say<"the gate is computed from another value", find::value<&match::x>>>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.gate), r.name(m.product));
    r.become(m.product, op::activation{{function::mish}}, r.name(m.product), {&m.x, 1}, {});
  }
};

struct sigmoid_gate {
  template <auto Name>
  using node = applied<"it is not a sigmoid", function::sigmoid, Name>;
};

/// x * sigmoid(a x)  ->  swish(x), which GELU is close to with 1.702 for a
struct spelled_swish {
  static constexpr rule_info info{"spelled_swish", "x * sigmoid(a x) -> swish(x)", lowers::nodes,
                                  numerics::reassociates};
  using gated = gated_product<sigmoid_gate>;
  struct match : gated::match {
    float a = 0;
  };
  using pattern = gated::pattern;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.get<op::binary>(m.whole).activation) return {"it applies an activation"};
    bool of_x = false;
    const bool is = gated::holds_for_some_x(r, m, [&](const polynomial& whole, const polynomial& inner) {
      const double a = inner.c[0][1];
      of_x = of_x || inner.known;
      m.a = static_cast<float>(a);
      return math::abs(m.a) >= smallest_divisor && math::abs(m.a) <= 1e30f && is_about(whole, 0, 0, 1) && inner.known &&
             inner.c[0][0] == 0 && inner.c[0][2] == 0 && inner.c[0][3] == 0;
    });
    return is ? reason{} : reason{"it is not x times the sigmoid of a number times x", {}, false, !of_x};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const activation_function f =
        m.a == 1 ? activation_function{function::silu} : activation_function{function::swish, m.a};
    r.note(r.name(m.gate), r.name(m.whole));
    r.become(m.whole, op::activation{f}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// x / (1 + |x|)  ->  softsign(x)
struct spelled_softsign {
  static constexpr rule_info info{"spelled_softsign", "x / (1 + |x|) -> softsign(x)", lowers::nodes, numerics::exact};
  struct match {
    node_id whole = none, sum = none, size = none;
    value_id x = none;
    float one = 0;
  };
  using size = find::node<activation_is<"it is not |x|", function::abs>, &match::size, find::value<&match::x>>;
  using sum = find::silently<find::node<plus_number, &match::sum, find::silently<size>, find::number<&match::one>>>;
  using pattern =
      find::node<of_two_values<op::binary_function::div>, &match::whole, find::value<&match::x>, find::alone<sum>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    return m.one == 1 ? reason{} : reason{"another number than 1 is added to |x|", r.name(m.sum)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.sum), r.name(m.whole));
    r.become(m.whole, op::activation{{function::softsign}}, r.name(m.whole), {&m.x, 1}, {});
  }
};

}  // namespace ctnn::rules
