// SPDX-License-Identifier: BSL-1.0
// GELU spelled out, x / 2 (1 + tanh(polynomial of x)) or with erf, in whatever order its factors and terms stand.
#pragma once

#include "kinds.hpp"

namespace ctnn::rules {

/// The sum of c[j][i] x^i g^j, g being what the gate gives, or no such thing.
struct polynomial {
  bool known = false;
  double c[2][4]{};

  static constexpr polynomial of(double number) { return {true, {{number}}}; }
  static constexpr polynomial of_x() { return {true, {{0, 1}}}; }
  static constexpr polynomial of_gate() { return {true, {{}, {1}}}; }

  friend constexpr polynomial operator+(const polynomial& a, const polynomial& b) {
    polynomial y{a.known && b.known};
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 4; ++i) y.c[j][i] = a.c[j][i] + b.c[j][i];
    return y;
  }
  friend constexpr polynomial operator*(const polynomial& a, const polynomial& b) {
    polynomial y{a.known && b.known};
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 4; ++i)
        for (int l = 0; a.c[j][i] != 0 && l < 2; ++l)
          for (int k = 0; k < 4; ++k) {
            if (j + l < 2 && i + k < 4) y.c[j + l][i + k] += a.c[j][i] * b.c[l][k];
            else if (b.c[l][k] != 0) y.known = false;
          }
    return y;
  }
};

/// What node n computes before its own activation, as a polynomial of value x and of what `gate` makes.
constexpr polynomial polynomial_of(const rewriter& r, node_id n, value_id x, node_id gate, int depth = 8) {
  using enum op::binary_function;
  if (depth == 0) return {};
  const auto of = [&](int i) {
    const value_id v = r.input(n, i);
    if (v == x) return polynomial::of_x();
    const node_id p = r.producer(v);
    if (p == gate) return polynomial::of_gate();
    if (r.is<op::binary>(p) && r.get<op::binary>(p).activation) return polynomial{};
    if (r.is<op::eltwise>(p) && r.get<op::eltwise>(p).activation) return polynomial{};
    return polynomial_of(r, p, x, gate, depth - 1);
  };
  if (r.applies(n, function::square)) return of(0) * of(0);
  if (r.applies(n, function::neg)) return of(0) * polynomial::of(-1);
  if (r.is<op::eltwise>(n)) {
    const auto e = r.get<op::eltwise>(n);
    if (e.function == op::eltwise_function::max) return {};
    const bool sum = e.function == op::eltwise_function::sum;
    polynomial all = polynomial::of(sum ? 0 : 1);
    for (std::size_t i = 0; i < r.inputs_count(n); ++i) {
      const polynomial term = of(static_cast<int>(i));
      if (!sum) all = all * term;
      else all = all + term * polynomial::of(e.coefficients.empty() ? 1.0 : static_cast<double>(e.coefficients[i]));
    }
    return all;
  }
  if (!r.is<op::binary>(n)) return {};
  const auto b = r.get<op::binary>(n);
  if (b.scalar && !math::is_finite(*b.scalar)) return {};
  const double number = b.scalar ? static_cast<double>(*b.scalar) : 0;
  const polynomial k = b.scalar ? polynomial::of(number) : of(1);
  switch (b.function) {
    case add: return of(0) + k;
    case sub: return of(0) + k * polynomial::of(-1);
    case rsub: return of(0) * polynomial::of(-1) + k;
    case mul: return of(0) * k;
    case div: return b.scalar && number != 0 ? of(0) * polynomial::of(1 / number) : polynomial{};
    case pow:
      return b.scalar && number == 2 ? of(0) * of(0) : b.scalar && number == 3 ? of(0) * of(0) * of(0) : polynomial{};
    default: return {};
  }
}

/// What a gate is applied to, as a polynomial of value x.
constexpr polynomial inside_gate(const rewriter& r, node_id gate, value_id x) {
  if (r.is<op::binary>(gate) || r.is<op::eltwise>(gate)) return polynomial_of(r, gate, x, none);
  return r.input(gate) == x ? polynomial::of_x() : polynomial_of(r, r.producer(r.input(gate)), x, none);
}

/// Is it a x + b x^3 + k x g, and nothing else? Constants of models are written with six digits or more.
constexpr bool is_about(const polynomial& p, double a, double b, double k) {
  const polynomial want{true, {{0, a, 0, b}, {0, k, 0, 0}}};
  bool same = p.known;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i) {
      const double c = want.c[j][i], off = 4e-6 * (c < 0 ? -c : c);
      same = same && p.c[j][i] >= c - off && p.c[j][i] <= c + off;
    }
  return same;
}

/// tanh as an operator or as what a binary operator applies.
struct tanh_gate {
  static constexpr function whole = function::gelu_tanh;
  static constexpr std::string_view name = "gelu_by_tanh", arrow = "x / 2 * (1 + tanh(a x + b x^3)) -> gelu_tanh(x)";
  template <auto Name>
  using node = applied<"it is not tanh", function::tanh, Name>;
  static constexpr double a = 0.7978845608, b = 0.7978845608 * 0.044715;
};

using erf = activation_is<"it is not erf", function::erf>;
struct erf_gate {
  static constexpr function whole = function::gelu;
  static constexpr std::string_view name = "gelu_by_erf", arrow = "x / 2 * (1 + erf(x / sqrt(2))) -> gelu(x)";
  template <auto Name>
  using node = find::silently<find::node<erf, Name>>;
  static constexpr double a = 0.70710678118654752, b = 0;
};

/// A product of x and what a gate makes of x, in any order and with numbers anywhere.
template <class Gate>
struct gated_product {
  struct match {
    node_id whole = none, product = none, gate = none;
    value_id other = none, x = none;
    float k = 0;
  };
  /// The gate is one factor, x (perhaps times a number) the other; a number may come last.
  using gate = find::behind<number_arithmetic, 4, find::alone<typename Gate::template node<&match::gate>>>;
  template <auto Name>
  using product = find::either_order<of_two_values<op::binary_function::mul>, Name, gate, find::value<&match::other>>;
  using pattern = find::two_forms<
      product<&match::whole>,
      find::node<op::binary, &match::whole, find::alone<product<&match::product>>, find::number<&match::k>>>;

  /// Finds the x for which f(the whole in terms of x and the gate, what the gate is applied to in terms of x).
  static constexpr bool holds_for_some_x(const rewriter& r, match& m, auto&& f) {
    for (const node_id maker : {none, r.producer(m.other)}) {
      if (maker != none && r.inputs_count(maker) != 1) break;
      m.x = maker == none ? m.other : r.input(maker);
      if (f(polynomial_of(r, m.whole, m.x, m.gate), inside_gate(r, m.gate, m.x))) return true;
    }
    return false;
  }
};

/// x / 2 * (1 + gate(polynomial of x))  ->  gelu(x)
template <class Gate>
struct spelled_gelu {
  static constexpr rule_info info{Gate::name, Gate::arrow, lowers::nodes, numerics::reassociates};
  using match = typename gated_product<Gate>::match;
  using pattern = typename gated_product<Gate>::pattern;

  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.get<op::binary>(m.whole).activation) return {"it applies an activation"};
    const bool is = gated_product<Gate>::holds_for_some_x(r, m, [](const polynomial& whole, const polynomial& inner) {
      return is_about(whole, 0.5, 0, 0.5) && is_about(inner, Gate::a, Gate::b, 0);
    });
    return is ? reason{} : reason{"it is not x / 2 times 1 + the function of x that GELU has"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.gate), r.name(m.whole));
    r.become(m.whole, op::activation{{Gate::whole}}, r.name(m.whole), {&m.x, 1}, {});
  }
};
using gelu_by_tanh = spelled_gelu<tanh_gate>;
using gelu_by_erf = spelled_gelu<erf_gate>;

}  // namespace ctnn::rules
