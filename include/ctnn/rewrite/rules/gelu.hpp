// SPDX-License-Identifier: BSL-1.0
// GELU spelled out, x / 2 (1 + tanh(polynomial of x)), in whatever order its factors and terms stand.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// c[0] + c[1] x + c[2] x^2 + c[3] x^3, or no such thing.
struct cubic {
  bool known = false;
  double c[4]{};

  static constexpr cubic of_x() { return {true, {0, 1, 0, 0}}; }
  constexpr cubic times(double k) const {
    cubic y = *this;
    for (double& v : y.c) v *= k;
    return y;
  }
  constexpr cubic plus(double k) const {
    cubic y = *this;
    y.c[0] += k;
    return y;
  }
  friend constexpr cubic operator+(const cubic& a, const cubic& b) {
    cubic y{a.known && b.known, {}};
    for (int i = 0; i < 4; ++i) y.c[i] = a.c[i] + b.c[i];
    return y;
  }
  friend constexpr cubic operator*(const cubic& a, const cubic& b) {
    cubic y{a.known && b.known, {}};
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 4; ++k) {
        if (i + k < 4) y.c[i + k] += a.c[i] * b.c[k];
        else if (a.c[i] * b.c[k] != 0) y.known = false;
      }
    return y;
  }
};

/// What node n computes before its own activation, as a polynomial of x.
constexpr cubic polynomial(const rewriter& r, node_id n, value_id x, int depth = 6) {
  using enum op::binary_function;
  if (depth == 0) return {};
  const auto of = [&](int i) {
    const value_id v = r.input(n, i);
    if (v == x) return cubic::of_x();
    const node_id p = r.producer(v);
    if (r.is<op::binary>(p) && r.get<op::binary>(p).activation) return cubic{};
    if (r.is<op::eltwise>(p) && r.get<op::eltwise>(p).activation) return cubic{};
    return polynomial(r, p, x, depth - 1);
  };
  if (r.is<op::unary>(n)) {
    const op::unary_function f = r.get<op::unary>(n).function;
    if (f == op::unary_function::square) return of(0) * of(0);
    return f == op::unary_function::neg ? of(0).times(-1) : cubic{};
  }
  if (r.is<op::eltwise>(n)) {
    const auto e = r.get<op::eltwise>(n);
    if (e.function == op::eltwise_function::max) return {};
    const bool sum = e.function == op::eltwise_function::sum;
    cubic all{true, {sum ? 0.0 : 1.0, 0, 0, 0}};
    for (std::size_t i = 0; i < r.inputs_count(n); ++i) {
      const cubic term = of(static_cast<int>(i));
      if (!sum) all = all * term;
      else all = all + term.times(e.coefficients.empty() ? 1.0 : static_cast<double>(e.coefficients[i]));
    }
    return all;
  }
  if (!r.is<op::binary>(n)) return {};
  const auto b = r.get<op::binary>(n);
  if (!b.scalar) {
    if (b.function == add) return of(0) + of(1);
    if (b.function == sub) return of(0) + of(1).times(-1);
    return b.function == mul ? of(0) * of(1) : cubic{};
  }
  const double k = static_cast<double>(*b.scalar);
  switch (b.function) {
    case add: return of(0).plus(k);
    case sub: return of(0).plus(-k);
    case rsub: return of(0).times(-1).plus(k);
    case mul: return of(0).times(k);
    case div: return k == 0 ? cubic{} : of(0).times(1 / k);
    case pow: return k == 2 ? of(0) * of(0) : k == 3 ? of(0) * of(0) * of(0) : cubic{};
    default: return {};
  }
}

/// Constants of models are written with six digits or more.
constexpr bool about(double a, double b) { return a >= b - 4e-6 * (b < 0 ? -b : b) && a <= b + 4e-6 * (b < 0 ? -b : b); }

/// tanh as an operator or as what a binary operator applies.
struct tanh_gate {
  static constexpr function whole = function::gelu_tanh;
  static constexpr std::string_view name = "gelu_by_tanh", arrow = "x / 2 * (1 + tanh(a x + b x^3)) -> gelu_tanh(x)";
  static constexpr bool is(const rewriter& r, node_id n) {
    if (r.is<op::activation>(n)) return r.get<op::activation>(n).activation.kind == function::tanh;
    return r.is<op::binary>(n) && r.get<op::binary>(n).activation.kind == function::tanh;
  }
  static constexpr bool fits(const cubic& p) {
    return p.known && p.c[0] == 0 && p.c[2] == 0 && about(p.c[1], 0.7978845608) && about(p.c[3], 0.7978845608 * 0.044715);
  }
};

/// x / 2 * (1 + gate(polynomial of x))  ->  gelu(x)
template <class Gate>
struct spelled_gelu {
  static constexpr rule_info info{Gate::name, Gate::arrow, lowers::nodes, numerics::reassociates};
  using pattern = chain<op::binary, op::binary>;

  /// scale * gate + shift.
  struct gated {
    node_id gate = none;
    double scale = 1, shift = 0;
  };
  static constexpr gated behind(const rewriter& r, value_id v) {
    using enum op::binary_function;
    gated g;
    for (int step = 0; step < 4 && r.readers(v) == 1; ++step) {
      const node_id n = r.producer(v);
      if (Gate::is(r, n)) {
        g.gate = n;
        return g;
      }
      if (!r.is<op::binary>(n)) return {};
      const auto b = r.get<op::binary>(n);
      if (!b.scalar || b.activation) return {};
      const double k = static_cast<double>(*b.scalar);
      if (b.function == add) g.shift += g.scale * k;
      else if (b.function == sub) g.shift -= g.scale * k;
      else if (b.function == mul) g.scale *= k;
      else if (b.function == div && k != 0) g.scale /= k;
      else return {};
      v = r.input(n);
    }
    return {};
  }
  struct found {
    value_id x = none;
    node_id gate = none;
  };
  /// The product of `gate_side` and `other`, times `factor`.
  static constexpr found product(const rewriter& r, value_id gate_side, value_id other, double factor) {
    const gated g = behind(r, gate_side);
    if (g.gate == none) return {};
    // The other side is x or x times a number.
    const node_id p = r.producer(other);
    for (const bool deeper : {false, true}) {
      if (deeper && (!r.is<op::binary>(p) || !r.get<op::binary>(p).scalar || r.get<op::binary>(p).activation)) return {};
      const value_id x = deeper ? r.input(p) : other;
      const cubic half = deeper ? polynomial(r, p, x) : cubic::of_x();
      if (!half.known || half.c[0] != 0 || half.c[2] != 0 || half.c[3] != 0) continue;
      const double k = factor * half.c[1];
      if (!about(k * g.scale, 0.5) || !about(k * g.shift, 0.5)) continue;
      const bool function_alone = !r.is<op::binary>(g.gate);
      cubic inner;
      if (!function_alone) inner = polynomial(r, g.gate, x);
      else if (r.input(g.gate) == x) inner = cubic::of_x();
      else inner = polynomial(r, r.producer(r.input(g.gate)), x);
      if (Gate::fits(inner)) return {x, g.gate};
    }
    return {};
  }
  static constexpr found find(const rewriter& r, const match& m) {
    using enum op::binary_function;
    const auto b = r.get<op::binary>(m.last);
    if (!b.scalar) return b.function == mul ? product(r, r.input(m.last, m.input), r.input(m.last, 1 - m.input), 1) : found{};
    const double k = b.function == mul ? static_cast<double>(*b.scalar) : b.function == div && *b.scalar != 0 ? 1 / static_cast<double>(*b.scalar) : 0;
    const auto inside = r.get<op::binary>(m.first);
    if (k == 0 || inside.scalar || inside.activation || inside.function != mul) return {};
    for (int i = 0; i < 2; ++i)
      if (const found f = product(r, r.input(m.first, i), r.input(m.first, 1 - i), k); f.x != none) return f;
    return {};
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.get<op::binary>(m.last).activation) return {"it applies an activation"};
    if (find(r, m).x == none) return {"it is not x / 2 times 1 + the function of x that GELU has"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const found f = find(r, m);
    r.note(r.name(f.gate), r.name(m.last));
    r.become(m.last, op::activation{{Gate::whole}}, r.name(m.last), {&f.x, 1}, {});
  }
};
using gelu_by_tanh = spelled_gelu<tanh_gate>;

}  // namespace ctnn::rules
