// SPDX-License-Identifier: BSL-1.0
// y = x * s[c] + t[c] in its many spellings: first all of them become `scale`, then it is folded into the weights of
// the convolution, transposed or not, or linear layer that produces x: W'[o, ...] = s[o] W[o, ...], b' = s b + t (Jacob
// et al. 2018, 3.2). No numbers move here: a new weight is the operator itself, applied to the old weight.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// batch_norm  ->  scale
struct batch_norm_to_scale {
  static constexpr rule_info info{"batch_norm_to_scale", "batch_norm -> scale", lowers::tier, numerics::reassociates};
  using pattern = single<op::batch_norm>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto norm = r.get<op::batch_norm>(m.last);
    return norm.eps == 0 && norm.zero_root == 0 ? reason{"it may divide by a root of 0"} : reason{};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto norm = r.get<op::batch_norm>(m.last);
    const int axis = norm.axis;
    norm.axis = automatic_axis;  // the only one of its weights
    const expression_id gamma = r.weight(m.last, 0), beta = r.weight(m.last, 1), mean = r.weight(m.last, 2),
                        variance = r.weight(m.last, 3);
    const extents c = r.shape_of(gamma);
    const expression_id zero = r.filled(c, 0), one = r.filled(c, 1);
    // The slope is what batch_norm makes of 1 without its shift; the shift is what it makes of 0.
    const expression_id slope[] = {one, gamma, zero, zero, variance}, shift[] = {zero, gamma, beta, mean, variance};
    const expression_id weights[] = {r.apply(norm, slope), r.apply(norm, shift)};
    const value_id x = r.input(m.last);
    r.become(m.last, op::scale{true, axis}, r.name(m.last), {&x, 1}, weights);
  }
};

/// The constant operand of a binary function as one number a channel of x; one number is the same for all.
constexpr expression_id per_channel(rewriter& r, value_id constant_value, const extents& c) {
  const expression_id k = r.weight(r.producer(constant_value), 0);
  if (r.shape_of(k).count() == c.count()) return r.reshaped(k, c);
  op::binary times;
  times.function = op::binary_function::mul;
  const expression_id ones_and_k[] = {r.filled(c, 1), r.reshaped(k, {1})};
  return r.apply(times, ones_and_k);
}

/// Does a constant of `shape`, broadcast over x, hold one number for each index of the channel axis of x, or just one?
constexpr bool is_per_channel(const extents& x, const extents& shape) {
  if (shape.rank > x.rank || x.rank == 0) return false;
  if (shape.count() == 1) return true;
  const int c = channel_axis(x), offset = x.rank - shape.rank;
  for (int i = 0; i < shape.rank; ++i)
    if (shape[i] != (i + offset == c ? x[c] : 1)) return false;
  return offset <= c && x[c] > 1;
}

/// x * constant, x + constant or prelu(x, constant), one number a channel  ->  scale, bias or prelu
struct binary_to_scale {
  static constexpr rule_info info{"binary_to_scale", "binary(x, per-channel constant) -> scale|bias|prelu",
                                  lowers::tier, numerics::exact};
  using pattern = edge<op::constant, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::mul && b.function != op::binary_function::add &&
        b.function != op::binary_function::prelu)
      return {"only +, * and prelu go by channel"};
    if (b.function == op::binary_function::prelu && m.input != 1)
      return {"the constant is not the slope", r.name(m.first)};
    if (b.scalar) return {"its other operand is a scalar"};
    if (b.activation) return {"it applies an activation"};
    const extents& x = r.shape(r.input(m.last, 1 - m.input));
    if (!(x == r.shape(r.output(m.last))) || !is_per_channel(x, r.shape(r.input(m.last, m.input))))
      return {"the constant is not one number a channel", r.name(m.first)};
    const node_id maker = r.producer(r.input(m.last, 1 - m.input));
    if (x.rank > 1 && r.is<op::linear>(maker))
      return {"its channels are not the linear layer's outputs", r.name(maker)};  // fold_last_axis's
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last, 1 - m.input);
    const expression_id k = per_channel(r, r.input(m.last, m.input), {channels(r.shape(x))});
    const auto function = r.get<op::binary>(m.last).function;
    if (function == op::binary_function::add) {
      r.become(m.last, op::bias{}, r.name(m.last), {&x, 1}, {&k, 1});
    } else if (function == op::binary_function::prelu) {
      r.become(m.last, op::prelu{}, r.name(m.last), {&x, 1}, {&k, 1});
    } else {
      op::scale by;
      by.bias = false;
      r.become(m.last, by, r.name(m.last), {&x, 1}, {&k, 1});
    }
  }
};

/// x - constant or x / constant, one number a channel  ->  bias or scale by its inverse
struct binary_to_inverse_scale {
  static constexpr rule_info info{"binary_to_inverse_scale", "binary(x, -|/ per-channel constant) -> bias|scale",
                                  lowers::tier, numerics::reassociates};
  using pattern = edge<op::constant, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::sub && b.function != op::binary_function::div)
      return {"only - and / have inverses"};
    if (m.input != 1) return {"the constant is not the second operand", r.name(m.first)};
    if (b.activation) return {"it applies an activation"};
    const extents& x = r.shape(r.input(m.last, 0));
    if (!(x == r.shape(r.output(m.last))) || !is_per_channel(x, r.shape(r.input(m.last, 1))))
      return {"the constant is not one number a channel", r.name(m.first)};
    if (b.function == op::binary_function::div && r.known_numbers(r.input(m.last, 1)) == numbers_are::anything)
      return {"the constant may hold zeros", r.name(m.first)};  // folded into weights, 1 / 0 makes NaN of infinity
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last, 0);
    const bool minus = r.get<op::binary>(m.last).function == op::binary_function::sub;
    const expression_id k = per_channel(r, r.input(m.last, 1), {channels(r.shape(x))});
    const op::activation inverse{{minus ? function::neg : function::reciprocal}};
    const expression_id of_k[] = {k}, inverted[] = {r.apply(inverse, of_k)};
    op::scale by;
    by.bias = false;
    if (minus) r.become(m.last, op::bias{}, r.name(m.last), {&x, 1}, inverted);
    else r.become(m.last, by, r.name(m.last), {&x, 1}, inverted);
  }
};

/// What an affine layer does to a value per channel: slope and shift, either may be absent.
struct affine {
  expression_id slope = none, shift = none;
};

using affine_layer = find::any_of<op::scale, op::bias, op::binary>;

/// The affine map of `scale`, `bias` or a binary function with a scalar.
constexpr affine affine_of(rewriter& r, node_id n, const extents& c) {
  if (r.is<op::scale>(n)) return {r.weight(n, 0), r.get<op::scale>(n).bias ? r.weight(n, 1) : none};
  if (r.is<op::bias>(n)) return {none, r.weight(n, 0)};
  using enum op::binary_function;
  const auto b = r.get<op::binary>(n);
  switch (b.function) {
    case add: return {none, r.filled(c, *b.scalar)};
    case sub: return {none, r.filled(c, -*b.scalar)};
    case mul: return {r.filled(c, *b.scalar), none};
    case div: return {r.filled(c, 1 / *b.scalar), none};
    default: return {};
  }
}

/// The field `axis` of a layer with numbers a channel.
constexpr int axis_of(const rewriter& r, node_id n) {
  return r.at(n).type->channel_axis(r.view().fields_of(r.at(n).fields));
}

/// Why a layer is not affine; one with an activation is affine up to it.
constexpr reason is_affine(const rewriter& r, node_id n, bool activates) {
  if (!r.is<op::binary>(n)) return {};
  using enum op::binary_function;
  const auto b = r.get<op::binary>(n);
  if (!b.scalar) return {"its second operand is not a scalar"};
  if (b.activation && !activates) return {"it applies an activation"};
  if (b.function != add && b.function != sub && b.function != mul && b.function != div)
    return {"its function is not affine"};
  if (b.function == div && *b.scalar == 0) return {"it divides by zero"};
  if (b.function == div && math::abs(*b.scalar) < smallest_divisor) return {"it divides by almost zero"};
  if (!math::is_finite(*b.scalar)) return {"its scalar is not finite"};
  return {};
}

/// Weight W with one slope an output. Outputs come first, (out, ...); with `groups` they are the second axis of W, (C,
/// out / groups, kernel), as conv_transpose2d has it.
constexpr expression_id sloped(rewriter& r, expression_id weight, expression_id slope, int groups) {
  const extents full = r.shape_of(weight);
  if (groups > 0) {
    op::binary times;
    times.function = op::binary_function::mul;
    const expression_id w[] = {
        r.reshaped(weight, {groups, full[0] / groups, full[1], static_cast<int>(full.count(2, full.rank))}),
        r.reshaped(slope, {groups, 1, full[1], 1})};
    return r.reshaped(r.apply(times, w), full);
  }
  op::scale times;
  times.bias = false;
  const expression_id w[] = {r.reshaped(weight, {full[0], static_cast<int>(full.count(1, full.rank))}), slope};
  return r.reshaped(r.apply(times, w), full);
}

/// Weights (W, b) after the map.
constexpr affine fold(rewriter& r, affine map, expression_id weight, expression_id old_bias, int groups = 0) {
  affine out{weight, old_bias};
  if (map.slope != none) {
    out.slope = sloped(r, weight, map.slope, groups);
    if (old_bias != none) {
      op::scale times;
      times.bias = false;
      const expression_id b[] = {old_bias, map.slope};
      out.shift = r.apply(times, b);
    }
  }
  if (map.shift != none) {
    const expression_id b[] = {out.shift, map.shift};
    out.shift = out.shift == none ? map.shift : r.apply(op::bias{}, b);
  }
  return out;
}

/// Layers whose weights take in a scale and a shift.
using weighted_layer = find::any_of<op::conv2d, op::conv_transpose2d, op::linear>;

/// conv2d|conv_transpose2d|linear > scale|bias|binary with a scalar  ->  the first
struct fold_affine {
  static constexpr rule_info info{"fold_affine",
                                  "conv2d|conv_transpose2d|linear > scale|bias|binary(scalar) -> the first",
                                  lowers::nodes, numerics::reassociates};
  using pattern = chain<weighted_layer, affine_layer>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (const reason no = is_affine(r, m.last, true)) return no;
    bool activates = false;
    weighted_layer::visit(r, m.first, [&](const auto& first) { activates = static_cast<bool>(first.activation); });
    if (activates) return {"its input has an activation already", r.name(m.first)};
    if (r.inputs_count(m.first) != 1) return {"its input adds a residual", r.name(m.first)};
    if (r.is<op::binary>(m.last)) return {};
    // A linear layer's outputs lie along the last axis but for ones, a convolution's channels before rows and columns.
    const bool linear = r.is<op::linear>(m.first);
    const extents& y = r.shape(r.output(m.first));
    const int behind = linear ? r.get<op::linear>(m.first).ones : 2;
    if (channel_axis(y, axis_of(r, m.last)) != y.rank - 1 - behind)
      return {linear ? "its channels are not the linear layer's outputs" : "its channels are not the convolution's",
              r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    weighted_layer::visit(r, m.first, [&]<class First>(First first) {
      const affine map = affine_of(r, m.last, {first.out});
      int groups = 0;
      if constexpr (std::is_same_v<First, op::conv_transpose2d>) groups = first.groups;
      const affine folded = fold(r, map, r.weight(m.first, 0), first.bias ? r.weight(m.first, 1) : none, groups);
      first.bias = folded.shift != none;
      if (r.is<op::binary>(m.last)) first.activation = r.get<op::binary>(m.last).activation;
      const value_id x = r.input(m.first);
      const expression_id weights[] = {folded.slope, folded.shift};
      r.fuse(m.first, m.last, first, {&x, 1}, {weights, first.bias ? 2u : 1u});
    });
  }
};

/// scale|bias|binary with a scalar > scale|bias|binary with a scalar  ->  scale or bias, but for two of the last
struct merge_affine {
  static constexpr rule_info info{"merge_affine", "scale|bias|binary(scalar) > scale|bias|binary(scalar) -> scale|bias",
                                  lowers::nodes, numerics::reassociates};
  using pattern = chain<affine_layer, affine_layer>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.is<op::binary>(m.first) && r.is<op::binary>(m.last)) return find::detail::another_operator;
    if (const reason why = is_affine(r, m.first, false)) return why;
    const extents& x = r.shape(r.input(m.first));
    if (!r.is<op::binary>(m.first) && !r.is<op::binary>(m.last) &&
        channel_axis(x, axis_of(r, m.first)) != channel_axis(x, axis_of(r, m.last)))
      return {"their channels are different axes", r.name(m.first)};
    return is_affine(r, m.last, false);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    const int axis = axis_of(r, r.is<op::binary>(m.first) ? m.last : m.first);
    const extents c{channels(r.shape(x), axis)};
    const affine inner = affine_of(r, m.first, c), outer = affine_of(r, m.last, c);
    if (inner.slope == none && outer.slope == none) {
      const expression_id b[] = {inner.shift, outer.shift};
      const expression_id sum = r.apply(op::bias{}, b);
      return r.fuse(m.first, m.last, op::bias{axis}, {&x, 1}, {&sum, 1});
    }
    const affine both = fold(r, outer, inner.slope == none ? r.filled(c, 1) : inner.slope, inner.shift);
    const op::scale result{both.shift != none, axis};
    const expression_id weights[] = {both.slope, both.shift};
    r.fuse(m.first, m.last, result, {&x, 1}, {weights, result.bias ? 2u : 1u});
  }
};

/// linear > + or * a constant along its outputs  ->  linear; what is left of MatMul + Add (Gemm) where rows are many
struct fold_last_axis {
  static constexpr rule_info info{"fold_last_axis", "linear > binary(+|* constant per output) -> linear", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<op::linear, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.scalar || (b.function != op::binary_function::add && b.function != op::binary_function::mul))
      return {"it is not the sum or product of two values"};
    if (b.activation) return {"it applies an activation"};
    if (r.get<op::linear>(m.first).activation) return {"its input has an activation already", r.name(m.first)};
    const value_id k = r.input(m.last, 1 - m.input);
    if (!r.is<op::constant>(r.producer(k))) return {"its other operand is not constant", r.name(r.producer(k))};
    const extents &y = r.shape(r.output(m.first)), &c = r.shape(k);
    const bool along_outputs = c.rank >= 1 && c.count() == y.back(0) && c.back(0) == y.back(0);
    if (c.rank > y.rank || (c.count() != 1 && !along_outputs))
      return {"the constant is not one number an output", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto first = r.get<op::linear>(m.first);
    const expression_id k = per_channel(r, r.input(m.last, 1 - m.input), {first.out});
    affine map;
    (r.get<op::binary>(m.last).function == op::binary_function::add ? map.shift : map.slope) = k;
    const affine folded = fold(r, map, r.weight(m.first, 0), first.bias ? r.weight(m.first, 1) : none);
    first.bias = folded.shift != none;
    const value_id x = r.input(m.first);
    const expression_id weights[] = {folded.slope, folded.shift};
    r.fuse(m.first, m.last, first, {&x, 1}, {weights, first.bias ? 2u : 1u});
  }
};

/// x * scalar > conv2d|conv_transpose2d|linear  ->  the second with scaled weights (padding with zeros does not mind)
struct scale_before {
  static constexpr rule_info info{"scale_before",
                                  "binary(* or / scalar) > conv2d|conv_transpose2d|linear -> the second", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<op::binary, weighted_layer>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.first);
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    if (!b.scalar || (b.function != op::binary_function::mul && b.function != op::binary_function::div))
      return {"its input is not a value times a scalar", r.name(m.first)};
    if (b.activation) return {"its input has an activation", r.name(m.first)};
    if (b.function == op::binary_function::div && *b.scalar == 0) return {"its input divides by zero", r.name(m.first)};
    if (b.function == op::binary_function::div ? !is_invertible(*b.scalar) : !math::is_finite(*b.scalar))
      return {"its input's factor is not finite", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.first);
    op::binary times;
    times.function = b.function;
    times.scalar = b.scalar;
    const expression_id old[] = {r.weight(m.last, 0)};
    pool<expression_id> weights(r.view().weights(r.at(m.last)));
    weights[0] = r.apply(times, old);
    r.note(r.name(m.first), r.name(m.last));
    weighted_layer::visit(r, m.last, [&](const auto& last) {
      r.become(m.last, last, r.name(m.last), r.inputs_with(m.last, 0, r.input(m.first)), weights);
    });
  }
};

}  // namespace ctnn::rules
