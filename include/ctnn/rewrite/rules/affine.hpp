// SPDX-License-Identifier: BSL-1.0
// y = x * s[c] + t[c] in its many spellings: first all of them become `scale`, then it is folded into the weights of
// the convolution, transposed or not, or linear layer that produces x: W'[o, ...] = s[o] W[o, ...], b' = s b + t (Jacob
// et al. 2018, 3.2). No numbers move here: a new weight is the operator itself, applied to the old weight.
#pragma once

#include "kinds.hpp"
#include "lifting.hpp"

namespace ctnn::rules {

/// batch_norm  ->  scale
struct batch_norm_to_scale {
  static constexpr rule_info info{"batch_norm_to_scale", "batch_norm -> scale", lowers::tier, numerics::rescales};
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

/// What an affine layer does to a value per channel: slope and shift, either may be absent.
struct affine {
  expression_id slope = none, shift = none;
};

/// Node n becomes this map of x with one number an index of `axis`, and then f.
constexpr void become_affine(rewriter& r, node_id n, value_id x, const affine& map, int axis,
                             const activation_function& f) {
  const expression_id weights[] = {map.slope, map.shift};
  if (map.slope == none) r.become(n, op::bias{axis, f}, r.name(n), {&x, 1}, {&map.shift, 1});
  else r.become(n, op::scale{map.shift != none, axis, f}, r.name(n), {&x, 1}, {weights, map.shift != none ? 2u : 1u});
}

/// The axis of v's channels: what a convolution makes says which, everything else has it where axes are not named.
constexpr int channels_made(const rewriter& r, value_id v) {
  int axis = channel_axis(r.shape(v));
  find::any_of_all<find::convolutions, find::transposed_convolutions>::visit(
      r, r.producer(v), [&](const auto& c) { axis = r.shape(v).rank - 1 - static_cast<int>(c.kernel.size()); });
  return axis;
}
/// Does a constant of `shape`, broadcast over x, hold one number for each index of axis `c` of x, or just one?
constexpr bool is_per_channel(const extents& x, const extents& shape, int c) {
  if (shape.rank > x.rank || x.rank == 0) return false;
  if (shape.count() == 1) return true;
  const int offset = x.rank - shape.rank;
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
    if (b.activation && b.function == op::binary_function::prelu) return {"it applies an activation"};
    const value_id v = r.input(m.last, 1 - m.input);
    const extents& x = r.shape(v);
    if (!is_per_channel(x, r.shape(r.input(m.last, m.input)), channels_made(r, v)))
      return {"the constant is not one number a channel", r.name(m.first)};
    const node_id maker = r.producer(r.input(m.last, 1 - m.input));
    if (x.rank > 1 && r.is<op::linear>(maker))
      return {"its channels are not the linear layer's outputs", r.name(maker)};  // fold_last_axis's
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last, 1 - m.input);
    const int c = channels_made(r, x), axis = c == channel_axis(r.shape(x)) ? automatic_axis : c;
    const expression_id k = per_channel(r, r.input(m.last, m.input), {r.shape(x)[c]});
    const auto b = r.get<op::binary>(m.last);
    if (b.function == op::binary_function::prelu) r.become(m.last, op::prelu{axis}, r.name(m.last), {&x, 1}, {&k, 1});
    else if (b.function == op::binary_function::add) become_affine(r, m.last, x, {none, k}, axis, b.activation);
    else become_affine(r, m.last, x, {k, none}, axis, b.activation);
  }
};

/// The map of x + k, x - k, x * k or x / k; every other function's is empty.
constexpr affine affine_by(rewriter& r, op::binary_function f, expression_id k) {
  using enum op::binary_function;
  const expression_id of_k[] = {k};
  switch (f) {
    case add: return {none, k};
    case sub: return {none, r.apply(op::activation{{function::neg}}, of_k)};
    case mul: return {k, none};
    case div: return {r.apply(op::activation{{function::reciprocal}}, of_k), none};
    default: return {};
  }
}

/// Why a binary function of a value and a constant, which is input `constant`, is no affine map of the value. Folded
/// into weights, 1 / 0 makes NaN of infinity.
constexpr reason is_affine_by_constant(const rewriter& r, node_id n, int constant) {
  using enum op::binary_function;
  const auto f = r.get<op::binary>(n).function;
  const value_id k = r.input(n, constant);
  if (f != add && f != sub && f != mul && f != div) return {"its function is not affine"};
  if (constant != 1 && (f == sub || f == div)) return {"the constant is not the second operand", r.name(r.producer(k))};
  if (f == div && !are_invertible(r.known_numbers(k))) return {"the constant may hold zeros"};
  return {};
}

/// x - constant or x / constant, one number a channel  ->  bias or scale by its inverse
struct binary_to_inverse_scale {
  static constexpr rule_info info{"binary_to_inverse_scale", "binary(x, -|/ per-channel constant) -> bias|scale",
                                  lowers::tier, numerics::reassociates};
  using pattern = edge<op::constant, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::sub && b.function != op::binary_function::div)
      return {"only - and / have inverses"};
    if (b.scalar) return {"its other operand is a scalar"};
    const value_id v = r.input(m.last, 1 - m.input);
    if (!is_per_channel(r.shape(v), r.shape(r.input(m.last, m.input)), channels_made(r, v)))
      return {"the constant is not one number a channel", r.name(m.first)};
    return is_affine_by_constant(r, m.last, m.input);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last, 0);
    const int c = channels_made(r, x), axis = c == channel_axis(r.shape(x)) ? automatic_axis : c;
    const affine map =
        affine_by(r, r.get<op::binary>(m.last).function, per_channel(r, r.input(m.last, 1), {r.shape(x)[c]}));
    become_affine(r, m.last, x, map, axis, r.get<op::binary>(m.last).activation);
  }
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
  return r.at(n).type->channel_axis(r.fields_of(n));
}

/// What an affine layer applies to its results.
constexpr activation_function activation_of(const rewriter& r, node_id n) {
  activation_function f;
  affine_layer::visit(r, n, [&](const auto& layer) { f = layer.activation; });
  return f;
}

/// Why a layer is not affine; one with an activation is affine up to it.
constexpr reason is_affine(const rewriter& r, node_id n, bool activates) {
  if (!activates && activation_of(r, n)) return {"it applies an activation"};
  if (!r.is<op::binary>(n)) return {};
  using enum op::binary_function;
  const auto b = r.get<op::binary>(n);
  if (!b.scalar) return {"its second operand is not a scalar"};
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
using weighted_layer = find::any_of_all<find::convolutions, find::transposed_convolutions, find::any_of<op::linear>>;

template <class Op>
inline constexpr bool is_transposed = false;
template <int Axes>
inline constexpr bool is_transposed<op::conv_transpose<Axes>> = true;

/// Those whose weight may be of bytes: scales and bias take in what a weight of floats does.
template <class Op>
concept multiplies_bytes = requires(const Op& op) { op.weight; };
template <class Op>
constexpr bool is_of_bytes(const Op& layer) {
  if constexpr (multiplies_bytes<Op>) return static_cast<bool>(layer.weight);
  else return false;
}

/// The axis of a weighted layer's outputs in what it makes: a linear layer's lie along the last but for ones, a
/// convolution's before the axes its windows slide over.
constexpr int output_axis(const rewriter& r, node_id n) {
  int axis = r.shape(r.output(n)).rank - 1;
  weighted_layer::visit(r, n, [&]<class Layer>(const Layer& layer) {
    if constexpr (std::is_same_v<Layer, op::linear>) axis -= layer.ones;
    else axis -= static_cast<int>(layer.kernel.size());
  });
  return axis;
}

/// Why a weighted layer takes in nothing that follows.
constexpr reason is_complete(const rewriter& r, node_id n) {
  bool activates = false;
  reason no;
  weighted_layer::visit(r, n, [&]<class Layer>(const Layer& layer) {
    activates = static_cast<bool>(layer.activation);
    if constexpr (multiplies_bytes<Layer>)
      if (layer.weight && (!layer.weight.real_bias || r.type(r.input(n)).rounded == rounding::away))
        no = {"its bias is no real number", r.name(n)};
  });
  if (no) return no;
  if (activates) return {"its input has an activation already", r.name(n)};
  if (r.inputs_count(n) != 1) return {"its input adds a residual", r.name(n)};
  return {};
}

/// Why a layer of bytes takes in no slopes: it would need a zero point for each output.
constexpr reason unless_slopes_fit(const rewriter& r, node_id n, bool slopes) {
  reason no;
  weighted_layer::visit(r, n, [&]<class Layer>(const Layer& layer) {
    if constexpr (multiplies_bytes<Layer>)
      if (slopes && layer.weight.zero_points && !layer.weight.by_output)
        no = {"its weight has one zero point for all", r.name(n)};
  });
  return no;
}
constexpr bool has_slopes(op::binary_function f) {
  return f == op::binary_function::mul || f == op::binary_function::div;
}

/// What becomes of the weighted layer n with `map` and then an activation behind it: put(layer, weights).
constexpr void with_map(rewriter& r, node_id n, const affine& map, const activation_function& then, auto&& put) {
  weighted_layer::visit(r, n, [&]<class Layer>(Layer layer) {
    layer.activation = then;
    int groups = 0;
    if (is_of_bytes(layer)) {
      const int scale_at = layer.bias ? 2 : 1;
      affine folded = fold(r, {none, map.shift}, none, layer.bias ? r.weight(n, 1) : none);
      pool<expression_id> weights(1, r.weight(n, 0));
      expression_id scale = r.weight(n, scale_at);
      if (map.slope != none) {
        op::binary times;
        times.function = op::binary_function::mul;
        const expression_id both[] = {scale, map.slope};
        scale = r.apply(times, both);
        if constexpr (multiplies_bytes<Layer>) layer.weight.by_output = true;
        folded = fold(r, map, map.slope, layer.bias ? r.weight(n, 1) : none);
      }
      layer.bias = folded.shift != none;
      if (layer.bias) weights.push_back(folded.shift);
      weights.push_back(scale);
      if (r.at(n).weights.count == scale_at + 2) weights.push_back(r.weight(n, scale_at + 1));  // zero points
      return put(layer, std::span<const expression_id>(weights));
    }
    if constexpr (is_transposed<Layer>) groups = layer.groups;
    const affine folded = fold(r, map, r.weight(n, 0), layer.bias ? r.weight(n, 1) : none, groups);
    layer.bias = folded.shift != none;
    const expression_id weights[] = {folded.slope, folded.shift};
    put(layer, std::span<const expression_id>(weights, layer.bias ? 2u : 1u));
  });
}
/// The weighted layer m.first takes in m.last, which is `map` and then its activation.
constexpr void fold_into(rewriter& r, const match& m, const affine& map) {
  with_map(r, m.first, map, activation_of(r, m.last), [&](const auto& layer, std::span<const expression_id> weights) {
    r.fuse(m.first, m.last, layer, r.inputs_of(m.first), weights);
  });
}

/// conv|conv_transpose|linear > scale|bias|binary with a scalar  ->  the first
struct fold_affine {
  static constexpr rule_info info{"fold_affine", "conv|conv_transpose|linear > scale|bias|binary(scalar) -> the first",
                                  lowers::nodes, numerics::rescales};
  static constexpr bool takes_bytes = true;
  using pattern = chain<weighted_layer, affine_layer>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (const reason no = is_affine(r, m.last, true)) return no;
    if (const reason no = is_complete(r, m.first)) return no;
    const bool slopes =
        r.is<op::binary>(m.last) ? has_slopes(r.get<op::binary>(m.last).function) : r.is<op::scale>(m.last);
    if (const reason no = unless_slopes_fit(r, m.first, slopes)) return no;
    if (r.is<op::binary>(m.last)) return {};
    if (channel_axis(r.shape(r.output(m.first)), axis_of(r, m.last)) == output_axis(r, m.first)) return {};
    return {r.is<op::linear>(m.first) ? "its channels are not the linear layer's outputs"
                                      : "its channels are not the convolution's",
            r.name(m.first)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    fold_into(r, m, affine_of(r, m.last, {r.shape(r.output(m.first))[output_axis(r, m.first)]}));
  }
};

/// scale|bias|binary with a scalar > scale|bias|binary with a scalar  ->  scale or bias, but for two of the last
struct merge_affine {
  static constexpr rule_info info{"merge_affine", "scale|bias|binary(scalar) > scale|bias|binary(scalar) -> scale|bias",
                                  lowers::nodes, numerics::rescales};
  using pattern = chain<affine_layer, affine_layer>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.is<op::binary>(m.first) && r.is<op::binary>(m.last)) return find::detail::another_operator;
    if (const reason why = is_affine(r, m.first, false)) return why;
    for (const node_id n : {m.first, m.last})
      if (r.is<op::binary>(n) && is_neutral(r.get<op::binary>(n))) return {"its scalar changes nothing", r.name(n)};
    const extents& x = r.shape(r.input(m.first));
    if (!r.is<op::binary>(m.first) && !r.is<op::binary>(m.last) &&
        channel_axis(x, axis_of(r, m.first)) != channel_axis(x, axis_of(r, m.last)))
      return {"their channels are different axes", r.name(m.first)};
    return is_affine(r, m.last, true);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const activation_function then = activation_of(r, m.last);
    const value_id x = r.input(m.first);
    const int axis = axis_of(r, r.is<op::binary>(m.first) ? m.last : m.first);
    const extents c{channels(r.shape(x), axis)};
    const affine inner = affine_of(r, m.first, c), outer = affine_of(r, m.last, c);
    if (inner.slope == none && outer.slope == none) {
      const expression_id b[] = {inner.shift, outer.shift};
      const expression_id sum = r.apply(op::bias{}, b);
      return r.fuse(m.first, m.last, op::bias{axis, then}, {&x, 1}, {&sum, 1});
    }
    const affine both = fold(r, outer, inner.slope == none ? r.filled(c, 1) : inner.slope, inner.shift);
    const op::scale result{both.shift != none, axis, then};
    const expression_id weights[] = {both.slope, both.shift};
    r.fuse(m.first, m.last, result, {&x, 1}, {weights, result.bias ? 2u : 1u});
  }
};

/// conv|conv_transpose|linear > +, -, * or / a constant along its outputs  ->  the first; what is left of MatMul + Add
/// (Gemm) where rows are many
struct fold_by_output {
  static constexpr rule_info info{"fold_by_output",
                                  "conv|conv_transpose|linear > binary(+|-|*|/ constant per output) -> the first",
                                  lowers::nodes, numerics::rescales};
  static constexpr bool takes_bytes = true;
  using pattern = chain<weighted_layer, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.get<op::binary>(m.last).scalar) return {"its other operand is a scalar"};  // fold_affine's
    const value_id k = r.input(m.last, 1 - m.input);
    if (!r.is<op::constant>(r.producer(k))) return {"its other operand is not constant", r.name(r.producer(k))};
    if (const reason no = is_affine_by_constant(r, m.last, 1 - m.input)) return no;
    if (const reason no = is_complete(r, m.first)) return no;
    if (const reason no = unless_slopes_fit(r, m.first, has_slopes(r.get<op::binary>(m.last).function))) return no;
    const extents &y = r.shape(r.output(m.first)), &c = r.shape(k);
    const int axis = output_axis(r, m.first) - (y.rank - c.rank);
    const bool along_outputs = axis >= 0 && c.count() == c[axis] && c[axis] == y[output_axis(r, m.first)];
    if (c.rank > y.rank || (c.count() != 1 && !along_outputs))
      return {"the constant is not one number an output", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const expression_id k = per_channel(r, r.input(m.last, 1 - m.input),
                                        {r.shape(r.output(m.first))[output_axis(r, m.first)]});
    fold_into(r, m, affine_by(r, r.get<op::binary>(m.last).function, k));
  }
};

/// A weighted layer adds one number an output more than it does.
template <class Layer>
constexpr void add_to_bias(rewriter& r, Layer& layer, pool<expression_id>& weights, expression_id more) {
  if (layer.bias) {
    const expression_id both[] = {weights[1], more};
    weights[1] = r.apply(op::bias{}, both);
    return;
  }
  layer.bias = true;
  weights.push_back(more);
  if (weights.size() == 3) std::swap(weights[1], weights[2]);  // before the slopes
}

/// scale|bias|binary(scalar or constant) > conv|conv_transpose|linear  ->  the second: W (s x + t) + b is
/// (W s) x + (W t + b). Padding with zeros does not mind a slope; a shift would have to be there, too. A
/// reshape that keeps the channels together may stand between.
struct affine_before {
  static constexpr rule_info info{"affine_before",
                                  "scale|bias|binary(scalar|constant) > conv|conv_transpose|linear -> the second",
                                  lowers::nodes, numerics::rescales};
  struct match {
    node_id first = none, between = none, last = none;
    int input = 0, constant = none;  ///< the operand of `first` that is a constant
    int from = 0, to = 0;            ///< the axes of what `last` reads along which the numbers of `first` lie
  };
  using pattern = find::reader<
      weighted_layer, &match::last, &match::input,
      find::alone<find::one_of<find::node<affine_layer, &match::first>,
                               find::node<op::reshape, &match::between,
                                          find::alone<find::node<affine_layer, &match::first>>>>>>;

 private:
  // Templates stand before who calls them: Clang wants them whole in constants.
  /// Finds what `first` is and along which axes its numbers lie; none if it is one number.
  static constexpr reason find_map(const rewriter& r, match& m) {
    const extents &x = r.shape(r.output(m.first)), &v = r.shape(r.input(m.last));
    m.from = m.to = 0;
    m.constant = none;
    int from = 0, to = 0;
    if (!r.is<op::binary>(m.first)) {
      if (const reason no = is_affine(r, m.first, false)) return no;
      from = channel_axis(x, axis_of(r, m.first));
      to = from + 1;
    } else if (r.get<op::binary>(m.first).scalar) {
      return is_affine(r, m.first, false);
    } else {
      if (r.get<op::binary>(m.first).activation) return {"it applies an activation"};
      for (int i = 0; i < 2 && m.constant == none; ++i)
        if (r.is<op::constant>(r.producer(r.input(m.first, i)))) m.constant = i;
      if (m.constant == none) return {"neither of its operands is constant"};
      if (!(r.shape(r.input(m.first, 1 - m.constant)) == x)) return {"the constant broadcasts its other operand"};
      if (const reason no = is_affine_by_constant(r, m.first, m.constant)) return no;
      const extents& k = r.shape(r.input(m.first, m.constant));
      const int more = x.rank - k.rank;
      for (int i = k.rank; i-- > 0;) {
        if (k[i] == 1) continue;
        if (to == 0) to = i + more + 1;
        from = i + more;
      }
      if (x.count(from, to) != k.count()) return {"the constant's axes are not next to each other"};
    }
    if (x.count(from, to) == 1) return {};
    if (m.between != none) {
      if (to != from + 1) return {"the reshape moves the constant's axes"};
      from = function_first::same_channels(v, x, from);
      if (from == none) return {"the reshape moves channels"};
      to = from + 1;
    }
    m.from = from;
    m.to = to;
    return {};
  }
  static constexpr bool map_shifts(const rewriter& r, const match& m) {
    if (r.is<op::scale>(m.first)) return r.get<op::scale>(m.first).bias;
    if (r.is<op::bias>(m.first)) return true;
    const auto f = r.get<op::binary>(m.first).function;
    return f == op::binary_function::add || f == op::binary_function::sub;
  }
  static constexpr affine map_of(rewriter& r, const match& m, const extents& c) {
    if (m.constant == none) return affine_of(r, m.first, c);
    const expression_id k = r.weight(r.producer(r.input(m.first, m.constant)), 0);
    return affine_by(r, r.get<op::binary>(m.first).function, r.reshaped(k, c));
  }
  /// The weight of `last` times one number an input, as (groups, outputs, before, inputs, behind).
  template <class Last>
  static constexpr expression_id times(rewriter& r, const Last& last, const extents& v, const match& m,
                                       expression_id weight, expression_id k) {
    const auto all = static_cast<int>(r.shape_of(weight).count());
    const int numbers = static_cast<int>(r.shape_of(k).count());
    extents w{1, 1, 1, numbers, all / numbers};
    if constexpr (std::is_same_v<Last, op::linear>) {
      const int row = v.rank - last.axes, from = m.from < m.to ? m.from : row, to = m.from < m.to ? m.to : row;
      w = {1, last.out, static_cast<int>(v.count(row, from)), numbers, static_cast<int>(v.count(to, v.rank))};
    } else if constexpr (!is_transposed<Last>) {
      const int groups = numbers == 1 ? 1 : last.groups, inputs = numbers / groups;
      w = {groups, last.out / groups, 1, inputs, all / last.out / inputs};
    }
    op::binary by;
    by.function = op::binary_function::mul;
    const expression_id both[] = {r.reshaped(weight, w), r.reshaped(k, {w[0], 1, 1, numbers / w[0], 1})};
    return r.apply(by, both);
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    if (const reason no = find_map(r, m)) return {no.text, r.name(m.first)};
    if (r.shape_of(r.weight(m.last, 0)).count() == 0) return {"its weight is empty"};
    const bool shifts = map_shifts(r, m);
    const extents& v = r.shape(r.input(m.last));
    reason no;
    weighted_layer::visit(r, m.last, [&]<class Last>(const Last& last) {
      if constexpr (std::is_same_v<Last, op::linear>) {
        if (m.from < m.to && m.from < v.rank - last.axes) no = {"its channels are not the linear layer's inputs"};
      } else {
        const int channel = v.rank - 1 - static_cast<int>(last.kernel.size());
        if (m.from < m.to && (m.from != channel || m.to != channel + 1))
          no = {"its channels are not the convolution's inputs"};
        if (!shifts) return;
        if constexpr (is_transposed<Last>) {
          no = {"not every output sees the same of a shift"};
        } else {
          for (int p : last.padding(v))
            if (p != 0) no = {"padding with zeros goes round what is shifted"};
        }
      }
    });
    return no ? reason{no.text, r.name(m.first)} : no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const extents v = r.shape(r.input(m.last));
    const affine map = map_of(r, m, {static_cast<int>(v.count(m.from, m.to))});
    pool<expression_id> weights = r.weights_of(m.last);
    r.note(r.name(m.first), r.name(m.last));
    weighted_layer::visit(r, m.last, [&](auto last) {
      const expression_id old = weights[0];
      if (map.slope != none) weights[0] = r.reshaped(times(r, last, v, m, old, map.slope), r.shape_of(old));
      if (map.shift != none) {
        const expression_id products[] = {times(r, last, v, m, old, map.shift)};
        op::reduce over;
        over.axes = {2, 3, 4};
        add_to_bias(r, last, weights, r.reshaped(r.apply(over, products), {last.out}));
      }
      const value_id x = r.input(m.first, m.constant == 0 ? 1 : 0);
      if (m.between == none) return r.become(m.last, last, r.name(m.last), r.inputs_with(m.last, 0, x), weights);
      r.read_instead(m.between, {&x, 1});
      r.become(m.last, last, r.name(m.last), r.inputs_of(m.last), weights);
    });
  }
};

}  // namespace ctnn::rules
