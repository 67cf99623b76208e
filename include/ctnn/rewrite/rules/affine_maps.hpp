// SPDX-License-Identifier: BSL-1.0
// Affine maps, y = x * s + t with numbers that are known before the network runs, and the layers whose weights take
// them in: W'[o, ...] = s[o] W[o, ...], b' = s b + t (Jacob et al. 2018, 3.2). No numbers move here: a new weight is
// the operator itself, applied to the old weight.
#pragma once

#include "kinds.hpp"
#include "lifting.hpp"

namespace ctnn::rules {

/// What an affine layer does to a value: slope and shift, either may be absent.
struct affine {
  expression_id slope = none, shift = none;
};

/// The map of x + k, x - k, k - x, x * k or x / k; every other function's is empty.
constexpr affine affine_by(rewriter& r, op::binary_function f, expression_id k) {
  using enum op::binary_function;
  const expression_id of_k[] = {k};
  switch (f) {
    case add: return {none, k};
    case rsub: return {r.filled(r.shape_of(k), -1), k};
    case sub: return {none, r.apply(op::activation{{function::neg}}, of_k)};
    case mul: return {k, none};
    case div: return {r.apply(op::activation{{function::reciprocal}}, of_k), none};
    default: return {};
  }
}

using affine_layer = find::any_of<op::scale, op::bias, op::binary>;

/// An affine layer as a rule finds it.
struct affine_map {
  node_id layer = none;
  value_id x = none;           ///< what it is a map of
  int constant = none;         ///< the operand of a binary function that holds the numbers
  constant_axes numbers{};     ///< where they lie in x
  activation_function then{};  ///< what is applied to its result
};

/// What an affine layer applies to its results.
constexpr activation_function activation_of(const rewriter& r, node_id n) {
  activation_function f;
  affine_layer::visit(r, n, [&](const auto& layer) { f = layer.activation; });
  return f;
}

/// Why a binary function of a value and a constant, which is input `constant`, is no affine map of the value. Folded
/// into weights, 1 / 0 makes NaN of infinity.
constexpr reason is_affine_by_constant(const rewriter& r, node_id n, int constant) {
  using enum op::binary_function;
  const auto f = r.get<op::binary>(n).function;
  const value_id k = r.input(n, constant);
  if (f != add && f != sub && f != mul && f != div) return {"its function is not affine"};
  if (constant != 1 && f == div) return {"the constant is not the second operand", r.name(r.producer(k))};
  if (f == div && !are_invertible(r.known_numbers(k))) return {"the constant may hold zeros"};
  return {};
}

/// The same of a value and a scalar.
constexpr reason is_affine_by_scalar(const op::binary& b) {
  using enum op::binary_function;
  if (b.function != add && b.function != sub && b.function != rsub && b.function != mul && b.function != div)
    return {"its function is not affine"};
  if (b.function == div && *b.scalar == 0) return {"it divides by zero"};
  if (b.function == div && math::abs(*b.scalar) < smallest_divisor) return {"it divides by almost zero"};
  if (!math::is_finite(*b.scalar)) return {"its scalar is not finite"};
  return {};
}

/// The constant operand of binary function n, and where its numbers lie in the other one.
constexpr reason find_constant(const rewriter& r, node_id n, affine_map& m) {
  m = {n};
  if (r.inputs_count(n) != 2) return {"its other operand is a scalar"};
  for (int i = 1; i >= 0 && m.constant == none; --i)
    if (r.is<op::constant>(r.producer(r.input(n, i)))) m.constant = i;
  if (m.constant == none) return {"its other operand is not constant"};
  m.x = r.input(n, 1 - m.constant);
  m.numbers = constant_axes::broadcast(r.shape(r.input(n, m.constant)), r.shape(m.x));
  m.then = r.get<op::binary>(n).activation;
  if (!m.numbers.fits()) return {"the constant broadcasts its other operand"};
  return {};
}

/// Finds the map that layer n is, up to its activation; or why it is none.
constexpr reason find_affine(const rewriter& r, node_id n, affine_map& m) {
  m = {n, r.input(n)};
  m.then = activation_of(r, n);
  if (r.is<op::binary>(n)) {
    if (const auto b = r.get<op::binary>(n); b.scalar) {
      m.numbers = constant_axes(r.shape(m.x));
      return is_affine_by_scalar(b);
    }
    if (const reason no = find_constant(r, n, m)) return no;
    return is_affine_by_constant(r, n, m.constant);
  }
  bool one_number = true;
  for (int slot = 0; slot < r.at(n).weights.count; ++slot)
    one_number = one_number && r.is_one_number(r.weight(n, slot));
  const extents& x = r.shape(m.x);
  m.numbers =
      one_number ? constant_axes(x) : constant_axes(x, channel_axis(x, r.at(n).type->channel_axis(r.fields_of(n))));
  return {};
}
/// The same of a layer without an activation.
constexpr reason find_bare_affine(const rewriter& r, node_id n, affine_map& m) {
  const reason no = find_affine(r, n, m);
  return !no && m.then ? reason{"it applies an activation"} : no;
}

/// What a binary function does to the value that it is a map of: k - x is one way round or the other.
constexpr op::binary_function function_of(const rewriter& r, const affine_map& m) {
  using enum op::binary_function;
  const auto f = r.get<op::binary>(m.layer).function;
  return f == sub && m.constant == 0 ? rsub : f;
}
constexpr bool multiplies(op::binary_function f) {
  return f == op::binary_function::mul || f == op::binary_function::div;
}
/// Does a map multiply? Does it add? k - x does both.
constexpr bool has_slopes(const rewriter& r, const affine_map& m) {
  if (!r.is<op::binary>(m.layer)) return r.is<op::scale>(m.layer);
  const auto f = function_of(r, m);
  return multiplies(f) || f == op::binary_function::rsub;
}
constexpr bool has_shifts(const rewriter& r, const affine_map& m) {
  if (r.is<op::scale>(m.layer)) return r.get<op::scale>(m.layer).bias;
  return r.is<op::bias>(m.layer) || !multiplies(function_of(r, m));
}

/// Numbers as so many: as they are, or, if they are all the same, that one again and again.
constexpr expression_id spread(rewriter& r, expression_id numbers, int count) {
  if (numbers == none) return none;
  if (r.shape_of(numbers).count() == count) return r.reshaped(numbers, {count});
  if (r.shape_of(numbers).count() > 1) {
    const expression_id all[] = {numbers};
    numbers = r.apply(op::slice{{0}, {0}, {1}}, all);
    if (count == 1) return numbers;
  }
  op::binary times;
  times.function = op::binary_function::mul;
  const expression_id ones_and_one[] = {r.filled({count}, 1), r.reshaped(numbers, {1})};
  return r.apply(times, ones_and_one);
}

/// A map with so many numbers: as many as there are, or any count of one.
constexpr affine numbers_of(rewriter& r, const affine_map& m, int count) {
  if (r.is<op::scale>(m.layer))
    return {spread(r, r.weight(m.layer, 0), count), has_shifts(r, m) ? spread(r, r.weight(m.layer, 1), count) : none};
  if (r.is<op::bias>(m.layer)) return {none, spread(r, r.weight(m.layer, 0), count)};
  using enum op::binary_function;
  const auto b = r.get<op::binary>(m.layer);
  if (!b.scalar)
    return affine_by(r, function_of(r, m), spread(r, r.weight(r.producer(r.input(m.layer, m.constant)), 0), count));
  switch (b.function) {
    case add: return {none, r.filled({count}, *b.scalar)};
    case sub: return {none, r.filled({count}, -*b.scalar)};
    case rsub: return {r.filled({count}, -1), r.filled({count}, *b.scalar)};
    case mul: return {r.filled({count}, *b.scalar), none};
    case div: return {r.filled({count}, 1 / *b.scalar), none};
    default: return {};
  }
}

/// Node n becomes this map of x with one number an index of `axis`, and then f.
constexpr void become_affine(rewriter& r, node_id n, value_id x, const affine& map, int axis,
                             const activation_function& f) {
  const expression_id weights[] = {map.slope, map.shift};
  axis = spelled_axis(r.shape(x), axis);
  if (map.slope == none) r.become(n, op::bias{axis, f}, r.name(n), {&x, 1}, {&map.shift, 1});
  else r.become(n, op::scale{map.shift != none, axis, f}, r.name(n), {&x, 1}, {weights, map.shift != none ? 2u : 1u});
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

/// Those whose weight may be of bytes, or packed: scales and bias take in what a weight of floats does.
template <class Op>
concept multiplies_bytes = requires(const Op& op) {
  op.weight;
};

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

/// Why the numbers of a map of what layer n makes do not go by its outputs.
constexpr reason unless_along_outputs(const rewriter& r, const affine_map& m, node_id n) {
  if (m.numbers.is_along(output_axis(r, n))) return {};
  if (r.is<op::binary>(m.layer)) return {"the constant is not one number an output", r.name(n)};
  return {r.is<op::linear>(n) ? "its channels are not the linear layer's outputs"
                              : "its channels are not the convolution's",
          r.name(n)};
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
      if (slopes && layer.weight && layer.weight.zero_points && !layer.weight.by_output)
        no = {"its weight has one zero point for all", r.name(n)};
  });
  return no;
}
/// A layer by a weight of bytes, or a packed one, with `map`, which goes into the weight's scale and the bias:
/// put(layer, weights).
template <class Layer>
constexpr void with_map_in_scale(rewriter& r, node_id n, Layer layer, const affine& map, auto&& put) {
  const int scale_at = layer.bias ? 2 : 1;
  affine folded = fold(r, {none, map.shift}, none, layer.bias ? r.weight(n, 1) : none);
  pool<expression_id> weights(1, r.weight(n, 0));
  expression_id scale = r.weight(n, scale_at);
  if (map.slope != none) {
    if (layer.weight.is_packed()) {
      scale = sloped(r, scale, map.slope, 0);
    } else {
      op::binary times;
      times.function = op::binary_function::mul;
      const expression_id both[] = {scale, map.slope};
      scale = r.apply(times, both);
      layer.weight.by_output = true;
    }
    folded = fold(r, map, map.slope, layer.bias ? r.weight(n, 1) : none);
  }
  layer.bias = folded.shift != none;
  if (layer.bias) weights.push_back(folded.shift);
  weights.push_back(scale);
  if (r.at(n).weights.count == scale_at + 2) weights.push_back(r.weight(n, scale_at + 1));  // zero points
  put(layer, std::span<const expression_id>(weights));
}
/// What becomes of the weighted layer n with `map` and then an activation behind it: put(layer, weights).
constexpr void with_map(rewriter& r, node_id n, const affine& map, const activation_function& then, auto&& put) {
  weighted_layer::visit(r, n, [&]<class Layer>(Layer layer) {
    layer.activation = then;
    if constexpr (multiplies_bytes<Layer>)
      if (layer.weight || layer.weight.is_packed()) return with_map_in_scale(r, n, layer, map, put);
    int groups = 0;
    if constexpr (is_transposed<Layer>) groups = layer.groups;
    const affine folded = fold(r, map, r.weight(n, 0), layer.bias ? r.weight(n, 1) : none, groups);
    layer.bias = folded.shift != none;
    const expression_id weights[] = {folded.slope, folded.shift};
    put(layer, std::span<const expression_id>(weights, layer.bias ? 2u : 1u));
  });
}
/// The weighted layer `first` takes in `map` and then its activation.
constexpr void fold_into(rewriter& r, node_id first, const affine_map& map) {
  const int outputs = r.shape(r.output(first))[output_axis(r, first)];
  with_map(r, first, numbers_of(r, map, outputs), map.then,
           [&](const auto& layer, std::span<const expression_id> weights) {
             r.fuse(first, map.layer, layer, r.inputs_of(first), weights);
           });
}

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

}  // namespace ctnn::rules
