// SPDX-License-Identifier: BSL-1.0
// Normalisations spelled out in means and differences, for loaded models.
#pragma once

#include "../../graph/loaded_operators.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

/// d / sqrt(mean(d^2) + eps)  ->  layer_norm(x) if d is x - mean(x), else rms_norm(d); the means over the last axes
struct spelled_norm {
  static constexpr rule_info info{"spelled_norm", "d / sqrt(mean(d * d) + eps) -> layer_norm(x) | rms_norm(d)", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<op::unary, op::binary>;

  /// The first of the axes a mean is over, if those are the last ones and stay as 1; else none.
  static constexpr int mean_from(const rewriter& r, node_id n) {
    if (!r.is<op::reduce>(n)) return none;
    const auto p = r.get<op::reduce>(n);
    if (p.function != op::reduction::mean || !p.keep) return none;
    const int rank = r.shape(r.input(n)).rank;
    const unsigned bits = axis_bits(p.axes, rank), all = (1u << rank) - 1;
    for (int a = 0; a < rank; ++a)
      if (bits == (all & ~((1u << a) - 1))) return a;
    return none;
  }
  struct found {
    reason why{};
    value_id x = none;  ///< what is normalised
    int axis = 0;
    float eps = 0;
    bool centred = false;
  };
  static constexpr found find(const rewriter& r, const match& m) {
    using enum op::binary_function;
    const auto b = r.get<op::binary>(m.last);
    const op::unary_function f = r.get<op::unary>(m.first).function;
    const bool quotient = b.function == div && m.input == 1 && f == op::unary_function::sqrt;
    if (b.scalar || !(quotient || (b.function == mul && f == op::unary_function::rsqrt))) return {{"it does not divide by a root"}};
    if (b.activation) return {{"it applies an activation"}};
    const node_id shifted = r.producer(r.input(m.first));
    if (!r.is<op::binary>(shifted)) return {{"nothing is added under the root", r.name(m.first)}};
    const auto eps = r.get<op::binary>(shifted);
    if (eps.function != add || !eps.scalar || eps.activation) return {{"nothing is added under the root", r.name(m.first)}};
    const node_id mean = r.producer(r.input(shifted)), squares = r.is<op::reduce>(mean) ? r.producer(r.input(mean)) : none;
    const int axis = mean_from(r, mean);
    if (axis == none) return {{"under the root is no mean over the last axes", r.name(mean)}};
    if (!r.is<op::unary>(squares) || r.get<op::unary>(squares).function != op::unary_function::square)
      return {{"the mean is not one of squares", r.name(mean)}};
    const value_id d = r.input(squares);
    if (d != r.input(m.last, 1 - m.input)) return {{"it divides another value than the one squared", r.name(squares)}};
    found out{{}, d, axis, *eps.scalar, false};
    const node_id centre = r.producer(d);
    if (!r.is<op::binary>(centre)) return out;
    const auto minus = r.get<op::binary>(centre);
    if (minus.function != sub || minus.scalar || minus.activation) return out;
    const node_id middle = r.producer(r.input(centre, 1));
    if (mean_from(r, middle) != axis || r.input(middle) != r.input(centre, 0)) return out;
    out.x = r.input(centre, 0);
    out.centred = true;
    return out;
  }
  static constexpr reason guard(const rewriter& r, const match& m) { return find(r, m).why; }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const found f = find(r, m);
    r.note(r.name(m.first), r.name(m.last));
    if (f.centred) r.become(m.last, op::layer_norm{f.axis, f.eps, false}, r.name(m.last), {&f.x, 1}, {});
    else r.become(m.last, op::rms_norm{f.axis, f.eps}, r.name(m.last), {&f.x, 1}, {});
  }
};

/// layer_norm|rms_norm > * k  ->  with the scale k;  layer_norm with a scale > + b  ->  with the bias b
template <class Norm>
struct norm_operand {
  static constexpr rule_info info{"norm_operand", "layer_norm|rms_norm > * k, + b -> the same", lowers::nodes, numerics::exact};
  using pattern = chain<Norm, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    const bool has_scale = r.inputs_count(m.first) == 2;
    const bool adds = has_scale && std::is_same_v<Norm, op::layer_norm>;
    if (b.scalar || b.function != (adds ? op::binary_function::add : op::binary_function::mul))
      return {adds ? "it is not the sum of two values" : "it is not the product of two values"};
    if (b.activation) return {"it applies an activation"};
    if (static_cast<int>(r.inputs_count(m.first)) == max_inputs<Norm>()) return {"its input has all operands already", r.name(m.first)};
    if (r.at(m.first).outputs.count != 1) return {"its input has several outputs", r.name(m.first)};
    if (!(r.shape(r.output(m.first)) == r.shape(r.output(m.last)))) return {"its other operand is larger", r.name(m.first)};
    if (r.input(m.last, 1 - m.input) == r.output(m.first)) return {"its operands are the same"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in;
    for (std::size_t i = 0; i < r.inputs_count(m.first); ++i) in.push_back(r.input(m.first, static_cast<int>(i)));
    in.push_back(r.input(m.last, 1 - m.input));
    r.fuse(m.first, m.last, r.get<Norm>(m.first), in, {});
  }
};

}  // namespace ctnn::rules
