// SPDX-License-Identifier: BSL-1.0
// Hard sigmoid and hard swish spelled with relu6 or another clip: relu6(x + 3) / 6, x * relu6(x + 3) / 6 and the like,
// in whatever order their factors stand.
#pragma once

#include "../ranges.hpp"
#include "affine.hpp"
#include "gelu.hpp"

namespace ctnn::rules {

struct clip_gate {
  template <auto Name>
  using node = applied<"it is not clip", function::clip, Name>;
};

/// The gate of x as hardsigmoid(x), if `k` times the gate's clip is between 0 and 1 and it clips a x + b.
constexpr activation_function as_hardsigmoid(const rewriter& r, node_id gate, const polynomial& inner, double k) {
  const activation_function f =
      r.is<op::binary>(gate) ? r.get<op::binary>(gate).activation : r.get<op::activation>(gate).activation;
  const double top = k * static_cast<double>(f.b);
  // A lower bound that no number reaches may be any.
  const bool from_zero = f.a == 0 || (f.a < 0 && range_finder(r).activated(gate).low >= 0);
  const bool to_one = f.kind == function::clip && from_zero && k > 0 && top >= 1 - 4e-7 && top <= 1 + 4e-7;
  if (!to_one || !inner.known) return {};
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 4; ++i)
      if ((j > 0 || i > 1) && inner.c[j][i] != 0) return {};
  // hardsigmoid divides the one by the other.
  constexpr double least = 1e-18, most = 1e18;
  const auto size = [](double x) { return x < 0 ? -x : x; };
  const double slope = k * inner.c[0][1], shift = k * inner.c[0][0];
  if (!(size(slope) >= least && size(slope) <= most && size(shift) <= most)) return {};
  return {function::hardsigmoid, static_cast<float>(slope), static_cast<float>(shift)};
}

/// clip(a x + b, 0, k) / k  ->  hardsigmoid(x), where a x + b is at least two operators if k is 1
struct spelled_hardsigmoid {
  static constexpr rule_info info{"spelled_hardsigmoid", "clip(a x + b, 0, k) / k -> hardsigmoid(x)", lowers::nodes,
                                  numerics::reassociates, proved_by::order};
  struct match {
    node_id whole = none, gate = none, inner = none;
    value_id x = none;
    float k = 0;
    activation_function f{};
  };
  using gate = clip_gate::node<&match::gate>;
  using inner = find::silently<find::node<number_arithmetic, &match::inner>>;
  using pattern =
      find::two_forms<find::node<number_arithmetic, &match::whole, find::alone<gate>, find::number<&match::k>>,
                      find::node<binary_applies<"it does not clip", function::clip>, &match::whole,
                                 find::alone<inner>, find::number<&match::k>>>;

  static constexpr reason guard(const rewriter& r, match& m) {
    double k = 1;
    if (m.gate == none) {
      m.gate = m.whole;
    } else {
      const polynomial whole = polynomial_of(r, m.whole, none, m.gate);
      for (const auto& c : {whole.c[0][0], whole.c[0][1], whole.c[1][1]})
        if (!whole.known || c != 0) return {"it is not the gate times a number"};
      k = whole.c[1][0];
    }
    // x is above whatever arithmetic with numbers nobody else reads.
    m.x = r.input(m.gate);
    for (node_id n = r.producer(m.x); r.is<op::binary>(n) && r.readers(m.x) == 1; n = r.producer(m.x)) {
      if (!number_arithmetic::why_not(r.get<op::binary>(n)).empty()) break;
      m.x = r.input(n);
    }
    m.f = as_hardsigmoid(r, m.gate, inside_gate(r, m.gate, m.x), k);
    return m.f ? reason{} : reason{"it is not a line of x, clipped and scaled to 0 ... 1"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.gate == m.whole ? m.inner : m.gate), r.name(m.whole));
    r.become(m.whole, op::activation{m.f}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// x * clip(a x + b, 0, k) / k  ->  hardswish(x)
struct spelled_hardswish {
  static constexpr rule_info info{"spelled_hardswish", "x * clip(a x + b, 0, k) / k -> hardswish(x)", lowers::nodes,
                                  numerics::reassociates, proved_by::order};
  using gated = gated_product<clip_gate>;
  struct match : gated::match {
    activation_function f{};
  };
  using pattern = gated::pattern;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.get<op::binary>(m.whole).activation) return {"it applies an activation"};
    const bool is = gated::holds_for_some_x(r, m, [&](const polynomial& whole, const polynomial& inner) {
      const double k = whole.c[1][1];
      if (!is_about(whole, 0, 0, k)) return false;
      m.f = as_hardsigmoid(r, m.gate, inner, k);
      return static_cast<bool>(m.f);
    });
    return is ? reason{} : reason{"it is not x times a line of x, clipped and scaled to 0 ... 1"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.gate), r.name(m.whole));
    r.become(m.whole, op::activation{{function::hardswish, m.f.a, m.f.b}}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// conv|conv_transpose|linear with relu, leaky_relu or clip > * k  ->  the first, whose weights and bounds are k
/// times as large. (Of relu6(x + 3) / 6 the layer that makes x has taken in the rest before the division is seen.)
struct positive_factor {
  static constexpr rule_info info{"positive_factor",
                                  "conv|conv_transpose|linear with relu|leaky_relu|clip > * k -> the first",
                                  lowers::nodes, numerics::rescales, proved_by::order};
  struct match : ir::match {
    double k = 0;
    activation_function f{};
  };
  static constexpr bool takes_packed = true;
  using pattern = chain<weighted_layer, op::binary>;
  static constexpr reason guard(const rewriter& r, match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (!b.scalar || b.activation || is_affine_by_scalar(b)) return {"it is no factor"};
    if (b.function == op::binary_function::mul) m.k = static_cast<double>(*b.scalar);
    else if (b.function == op::binary_function::div) m.k = 1 / static_cast<double>(*b.scalar);
    if (!(m.k >= 1e-6 && m.k <= 1e6)) return {"it is no factor"};  // larger ones, smaller ones leave the numbers' range
    if (r.inputs_count(m.first) != 1) return {"its input adds a residual", r.name(m.first)};
    weighted_layer::visit(r, m.first, [&](const auto& first) { m.f = first.activation; });
    if (m.f.kind == function::relu || m.f.kind == function::leaky_relu) return {};
    if (m.f.kind != function::clip) return {"its input applies no relu or clip", r.name(m.first)};
    for (float* bound : {&m.f.a, &m.f.b}) {
      if (!math::is_finite(*bound)) continue;
      if (math::abs(*bound) > 1e30f) return {"a bound is too large", r.name(m.first)};
      *bound = static_cast<float>(m.k * static_cast<double>(*bound));
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    int outputs = 0;
    weighted_layer::visit(r, m.first, [&](const auto& first) { outputs = first.out; });
    const affine map{r.filled({outputs}, static_cast<float>(m.k)), none};
    with_map(r, m.first, map, m.f, [&](const auto& layer, std::span<const expression_id> weights) {
      r.fuse(m.first, m.last, layer, r.inputs_of(m.first), weights);
    });
  }
};

}  // namespace ctnn::rules
