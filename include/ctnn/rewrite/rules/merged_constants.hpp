// SPDX-License-Identifier: BSL-1.0
// Arithmetic with constants in a row, whatever axes their numbers lie along: a grid and an offset, a position's
// embedding and a scalar, the anchors of a detector and the square before them.
#pragma once

#include "affine.hpp"
#include "composite.hpp"

namespace ctnn::rules {

/// Constant `layer` is an operand of goes on as this map of itself.
constexpr void become_constant(rewriter& r, const affine_map& m, expression_id numbers) {
  const value_id k = r.input(m.layer, m.constant);
  r.reweigh(r.producer(k), {&numbers, 1});
  r.renumber(k);
}

/// Does a function with a constant change nothing? Then neutral_weight takes it out.
constexpr bool is_neutral(const rewriter& r, const affine_map& m) {
  if (m.constant == none) return false;
  const numbers_are k = r.known_numbers(r.input(m.layer, m.constant));
  return k == (has_slopes(r, m) ? numbers_are::ones : numbers_are::zeros);
}

/// + a constant > + a scalar or a constant along some of its axes, in either order; the same of *  ->  one constant
struct merge_constants {
  static constexpr rule_info info{"merge_constants",
                                  "binary(+|*, constant) > scale|bias|binary(+|*, fewer axes) -> the first",
                                  lowers::nodes, numerics::rescales};
  struct match : ir::match {
    affine_map inner{}, outer{};
    bool outer_is_large = false;  ///< its constant stays
  };
  using pattern = chain<affine_layer, affine_layer>;

 private:
  /// Its numbers, in a shape that is broadcast to that of the constant of `large`.
  static constexpr expression_id small_numbers(rewriter& r, const affine_map& small, const affine_map& large) {
    affine numbers;
    if (small.constant != none) {
      const node_id k = r.producer(r.input(small.layer, small.constant));
      numbers = affine_by(r, r.get<op::binary>(small.layer).function, r.weight(k, 0));
    } else {
      numbers = numbers_of(r, small, static_cast<int>(small.numbers.count()));
    }
    const expression_id all = numbers.slope == none ? numbers.shift : numbers.slope;
    if (small.constant != none || small.numbers.is_one_number()) return all;
    extents broadcast{r.shape_of(all)[0]};
    for (int axis = small.numbers.axis() + 1; axis < r.shape(large.x).rank; ++axis) broadcast.push_back(1);
    return r.reshaped(all, broadcast);
  }
  /// Is the constant of `large` its alone, and has as many axes as the numbers of `small`?
  static constexpr bool takes(const rewriter& r, const affine_map& large, const affine_map& small) {
    if (large.constant == none || r.readers(r.input(large.layer, large.constant)) != 1) return false;
    const int rank = r.shape(r.input(large.layer, large.constant)).rank, all = r.shape(large.x).rank;
    const int needed = small.constant != none          ? r.shape(r.input(small.layer, small.constant)).rank
                       : small.numbers.is_one_number() ? 1
                                                       : all - small.numbers.axis();
    return needed <= rank && large.numbers.covers(small.numbers);
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_bare_affine(r, m.first, m.inner)) return {no.text, r.name(m.first)};
    if (const reason no = find_affine(r, m.last, m.outer)) return no;
    if (m.outer.x != r.output(m.first)) return {"it is the constant's", r.name(m.first)};
    if (m.inner.numbers.meets(m.outer.numbers)) return find::detail::another_operator;  // merge_affine's
    for (const affine_map* map : {&m.inner, &m.outer})
      if (is_neutral(r, *map)) return {"its constant changes nothing", r.name(map->layer)};
    for (const affine_map* map : {&m.inner, &m.outer})
      if (has_slopes(r, *map) && has_shifts(r, *map)) return {"one multiplies and adds", r.name(map->layer)};
    if (has_slopes(r, m.inner) != has_slopes(r, m.outer)) return {"one adds and the other multiplies", r.name(m.first)};
    m.outer_is_large = takes(r, m.outer, m.inner);
    if (!m.outer_is_large && !takes(r, m.inner, m.outer))
      return {"no constant has all axes of the other, or it is read elsewhere", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const affine_map &large = m.outer_is_large ? m.outer : m.inner, &small = m.outer_is_large ? m.inner : m.outer;
    const value_id k = r.input(large.layer, large.constant);
    const bool multiplies = has_slopes(r, large);
    const affine own = affine_by(r, r.get<op::binary>(large.layer).function, r.weight(r.producer(k), 0));
    op::binary both;
    both.function = multiplies ? op::binary_function::mul : op::binary_function::add;
    const expression_id numbers[] = {multiplies ? own.slope : own.shift, small_numbers(r, small, large)};
    become_constant(r, large, r.apply(both, numbers));
    both.activation = m.outer.then;
    const value_id in[] = {m.inner.x, k};
    r.fuse(m.first, m.last, both, in, {});
  }
};

/// * scalar > + constant > * scalar  ->  * scalar > + constant
struct scaled_constant {
  static constexpr rule_info info{"scaled_constant", "* scalar > + constant > * scalar -> * scalar > + constant",
                                  lowers::nodes, numerics::rescales};
  struct match {
    node_id first = none, sum = none, last = none;
    value_id x = none;
    float k = 0;
    affine_map map{};
  };
  using scaled = find::node<times_scalar, &match::first, find::value<&match::x>, find::number<&match::k>>;
  using pattern =
      find::node<op::binary, &match::last, find::alone<find::node<op::binary, &match::sum, find::alone<scaled>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    const auto last = r.get<op::binary>(m.last);
    if (!last.scalar || last.function != op::binary_function::mul) return find::detail::another_operator;
    if (const reason no = find_bare_affine(r, m.sum, m.map)) return {no.text, r.name(m.sum)};
    if (m.map.constant == none || has_slopes(r, m.map)) return {"it adds no constant", r.name(m.sum)};
    if (r.readers(r.input(m.sum, m.map.constant)) != 1)
      return {"the constant is read elsewhere", r.name(r.producer(r.input(m.sum, m.map.constant)))};
    if (!math::is_finite(*last.scalar)) return {"its scalar is not finite"};
    return unless_factors(m.k, *last.scalar, r.name(m.first));
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto last = r.get<op::binary>(m.last);
    auto sum = r.get<op::binary>(m.sum), times = r.get<op::binary>(m.first);
    const value_id k = r.input(m.sum, m.map.constant);
    const expression_id numbers[] = {affine_by(r, sum.function, r.weight(r.producer(k), 0)).shift,
                                     r.filled({1}, *last.scalar)};
    op::binary by;
    by.function = op::binary_function::mul;
    become_constant(r, m.map, r.apply(by, numbers));
    times.scalar = m.k * *last.scalar;
    r.recode(m.first, times);
    r.renumber(r.output(m.first));
    sum.function = op::binary_function::add;
    sum.activation = last.activation;
    r.fuse(m.sum, m.last, sum, r.inputs_of(m.sum), {});
  }
};

/// eltwise sum > * scalar  ->  the sum, with other coefficients
struct scaled_sum {
  static constexpr rule_info info{"scaled_sum",       "eltwise(a, b ...) > * scalar -> eltwise(a, b ...)",
                                  lowers::nodes,      numerics::rescales,
                                  proved_by::running, "products of constants are rounded"};
  using pattern = chain<op::eltwise, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (!b.scalar || b.function != op::binary_function::mul) return find::detail::another_operator;
    const auto sum = r.get<op::eltwise>(m.first);
    if (sum.function != op::eltwise_function::sum) return {"it is not a sum", r.name(m.first)};
    if (sum.activation) return {"its input has an activation already", r.name(m.first)};
    if (!math::is_finite(*b.scalar)) return {"its scalar is not finite"};
    for (const float c : sum.coefficients)
      if (const reason no = unless_factors(c, *b.scalar, r.name(m.first))) return no;
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto sum = r.get<op::eltwise>(m.first);
    while (sum.coefficients.size() < r.inputs_count(m.first)) sum.coefficients.push_back(1);
    const auto by = r.get<op::binary>(m.last);
    for (float& c : sum.coefficients) c *= *by.scalar;
    sum.activation = by.activation;
    r.fuse(m.first, m.last, sum, r.inputs_of(m.first), {});
  }
};

/// x * scalar > square > * scalar or a constant  ->  square(x) * scalar or a constant
struct scaled_square {
  static constexpr rule_info info{"scaled_square",
                                  "* scalar > square > *|/ scalar|constant -> square > * scalar|constant",
                                  lowers::nodes, numerics::rescales};
  struct match {
    node_id times = none, square = none, last = none;
    value_id x = none;
    float k = 0;
    affine_map map{};
  };
  using scaled = find::node<times_scalar, &match::times, find::value<&match::x>, find::number<&match::k>>;
  using squared =
      find::node<activation_is<"its operand is not a square", function::square>, &match::square, find::alone<scaled>>;
  using pattern = find::node<affine_layer, &match::last, find::alone<squared>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_affine(r, m.last, m.map)) return no;
    if (m.map.x != r.output(m.square)) return {"it is the constant's", r.name(m.square)};
    if (!has_slopes(r, m.map)) return {"it does not multiply"};
    if (is_neutral(r, m.map)) return {"its constant changes nothing"};
    if (m.map.constant != none && r.readers(r.input(m.last, m.map.constant)) != 1)
      return {"the constant is read elsewhere", r.name(r.producer(r.input(m.last, m.map.constant)))};
    if (const reason no = unless_factors(m.k, m.k, r.name(m.times))) return no;
    if (!r.is<op::binary>(m.last) || !r.get<op::binary>(m.last).scalar) return {};
    return unless_factors(m.k * m.k, factor(r.get<op::binary>(m.last)), r.name(m.times));
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    op::binary times;
    times.function = op::binary_function::mul;
    const auto by_square = [&](expression_id numbers) {
      const expression_id both[] = {numbers, r.filled({1}, m.k * m.k)};
      return r.apply(times, both);
    };
    r.note(r.name(m.times), r.name(m.last));
    r.read_instead(m.square, {&m.x, 1});
    r.renumber(r.output(m.square));
    if (r.is<op::scale>(m.last)) {
      pool<expression_id> weights = r.weights_of(m.last);
      weights[0] = by_square(weights[0]);
      return r.reweigh(m.last, weights);
    }
    auto product = r.get<op::binary>(m.last);
    if (product.scalar) {
      product.scalar = m.k * m.k * factor(product);
    } else {
      const expression_id k = r.weight(r.producer(r.input(m.last, m.map.constant)), 0);
      become_constant(r, m.map, by_square(affine_by(r, product.function, k).slope));
    }
    product.function = op::binary_function::mul;
    r.become(m.last, product, r.name(m.last), r.inputs_of(m.last), {});
  }

 private:
  static constexpr float factor(const op::binary& b) {
    return b.function == op::binary_function::div ? 1 / *b.scalar : *b.scalar;
  }
};

}  // namespace ctnn::rules
