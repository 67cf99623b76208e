// SPDX-License-Identifier: BSL-1.0
// Where a weight holds zeros only, of a leaf or of what rules made of leaves: 0 * x is 0 here, so weights are taken for
// finite.
#pragma once

#include "../graph/zero_channels.hpp"
#include "pattern.hpp"

namespace ctnn::ir {

/// Operators whose weights are looked at: by their channels they make, change or read others.
constexpr bool has_channels(const operator_type& type) {
  for (const operator_type* t :
       {&type_of<op::conv1d>, &type_of<op::conv2d>, &type_of<op::conv3d>, &type_of<op::conv_transpose1d>,
        &type_of<op::conv_transpose2d>, &type_of<op::conv_transpose3d>, &type_of<op::linear>, &type_of<op::batch_norm>,
        &type_of<op::scale>, &type_of<op::bias>, &type_of<op::prelu>, &type_of<op::constant>})
    if (t == &type) return true;
  return false;
}

/// Is f(0) 0?
constexpr bool keeps_zero(const activation_function& f) {
  switch (f.kind) {
    case function::reciprocal:  // compilers refuse to divide by 0
    case function::rsqrt:
    case function::log:
    case function::log10:
    case function::acosh: return false;
    case function::celu: return f.a != 0;
    default: return apply(f, 0) == 0;
  }
}

/// What both say / either says, place by place.
constexpr void keep_both(pool<bool>& a, const pool<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] && b[i];
}
constexpr void add_either(pool<bool>& a, const pool<bool>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
}
constexpr bool any_of(const pool<bool>& a) {
  for (bool x : a)
    if (x) return true;
  return false;
}

// (GCC 12 deletes a pool twice that ?: gives: ifs instead.)

/// True at the places of `axis` at which all numbers of an expression are 0. What it does not know holds others.
class zero_finder {
  // Templates stand before who calls them: Clang wants them whole in constants.
  template <class Op>
  static constexpr bool is(const expression& e) {
    return e.type == &type_of<Op>;
  }
  template <class Op>
  constexpr Op get(const expression& e) const {
    return decode<Op>(g_.fields_of(e.fields));
  }

 public:
  constexpr explicit zero_finder(const graph_view& g) : g_(g) {}

  /// True at the places of a vector, a leaf or what was copied of leaves, whose numbers are known not to be above 0.
  constexpr pool<bool> not_above(expression_id id) const {
    const expression& e = g_.at_expression(id);
    if (e.shape.rank != 1) return nothing(id, 0);
    if (e.type == nullptr) return places_not_above_zero(g_, e);
    if (is<op::slice>(e)) return sliced(e, 0, not_above(argument(e)));
    if (!is<op::concat>(e)) return of(id, 0);
    pool<bool> all;
    for (const expression_id part : g_.arguments(e)) {
      const pool<bool> more = not_above(part);
      all.append(more.data(), more.size());
    }
    return all;
  }

  constexpr pool<bool> of(expression_id id, int axis) const {
    const expression& e = g_.at_expression(id);
    if (e.type == nullptr) return zero_channels(g_, e, axis);
    if (is<op::full>(e)) return pool<bool>(extent(id, axis), get<op::full>(e).value == 0);
    if (is<op::reshape>(e)) return of_reshaped(e, axis);
    if (is<op::dequantize>(e)) return of_dequantized(e, axis);
    if (is<op::permute>(e)) return of(argument(e), get<op::permute>(e).order[static_cast<std::size_t>(axis)]);
    if (is<op::slice>(e)) return sliced(e, axis, of(argument(e), axis));
    if (is<op::concat>(e)) return of_parts(e, axis);
    if (is<op::binary>(e)) return of_binary(e, id, axis);
    if (is<op::scale>(e)) return of_scale(e, axis);
    if (is<op::bias>(e)) return of_bias(e, axis);
    if (is<op::batch_norm>(e)) return of_norm(e, axis);
    if (is<op::matmul>(e)) return of_product(e, id, axis);
    if (is<op::activation>(e) && keeps_zero(get<op::activation>(e).activation)) return of(argument(e), axis);
    return nothing(id, axis);
  }

 private:
  constexpr expression_id argument(const expression& e, int i = 0) const {
    return g_.arguments(e)[static_cast<std::size_t>(i)];
  }
  constexpr const extents& shape_of(expression_id e) const { return g_.at_expression(e).shape; }
  constexpr std::size_t extent(expression_id e, int axis) const { return static_cast<std::size_t>(shape_of(e)[axis]); }
  constexpr pool<bool> nothing(expression_id e, int axis) const { return pool<bool>(extent(e, axis), false); }

  /// An axis that is the same one before.
  constexpr pool<bool> of_reshaped(const expression& e, int axis) const {
    const extents& from = shape_of(argument(e));
    for (int i = 0; i < from.rank; ++i)
      if (from[i] == e.shape[axis] && from.count(0, i) == e.shape.count(0, axis)) return of(argument(e), i);
    return pool<bool>(static_cast<std::size_t>(e.shape[axis]), false);
  }
  /// Integers whose zero point is 0.
  constexpr pool<bool> of_dequantized(const expression& e, int axis) const {
    pool<bool> zeros = of(argument(e), axis);
    if (g_.arguments(e).size() > 2 || g_.at_expression(argument(e)).element.real.zero != 0)
      zeros = pool<bool>(zeros.size(), false);
    return zeros;
  }
  /// What slice e takes of what is known of its argument.
  constexpr pool<bool> sliced(const expression& e, int axis, const pool<bool>& all) const {
    const op::slice::walk taken = get<op::slice>(e).over(shape_of(argument(e)))[static_cast<std::size_t>(axis)];
    pool<bool> zeros;
    for (int i = 0; i < taken.count; ++i) zeros.push_back(all[static_cast<std::size_t>(taken.first + i * taken.step)]);
    return zeros;
  }
  constexpr pool<bool> of_parts(const expression& e, int axis) const {
    const bool joined = normal_axis(get<op::concat>(e).axis, e.shape.rank) == axis;
    pool<bool> zeros = of(argument(e), axis);
    for (std::size_t i = 1; i < g_.arguments(e).size(); ++i) {
      const pool<bool> more = of(argument(e, static_cast<int>(i)), axis);
      if (joined) zeros.append(more.data(), more.size());
      else keep_both(zeros, more);
    }
    return zeros;
  }
  /// An operand that is broadcast to `axis` of e.
  constexpr pool<bool> broadcast(const expression& e, int i, int axis) const {
    const expression_id a = argument(e, i);
    const int own = axis - (e.shape.rank - shape_of(a).rank);
    const auto size = static_cast<std::size_t>(e.shape[axis]);
    if (own < 0) return pool<bool>(size, false);
    const pool<bool> zeros = of(a, own);
    if (zeros.size() != size) return pool<bool>(size, zeros[0]);
    return zeros;
  }
  constexpr pool<bool> of_binary(const expression& e, expression_id id, int axis) const {
    using enum op::binary_function;
    const auto b = get<op::binary>(e);
    if (b.activation || (b.scalar && b.function != mul && b.function != div)) return nothing(id, axis);
    if (b.scalar && *b.scalar == 0) return nothing(id, axis);
    if (b.function == div || b.scalar) return broadcast(e, 0, axis);
    if (b.function != mul && b.function != add && b.function != sub) return nothing(id, axis);
    pool<bool> zeros = broadcast(e, 0, axis);
    if (b.function == mul) add_either(zeros, broadcast(e, 1, axis));
    else keep_both(zeros, broadcast(e, 1, axis));
    return zeros;
  }
  /// Numbers of channel axis `own`, one each, along `axis`.
  constexpr pool<bool> by_channel(const expression& e, int i, int own, int axis) const {
    if (own != axis) return pool<bool>(static_cast<std::size_t>(e.shape[axis]), false);
    return of(argument(e, i), 0);
  }
  constexpr pool<bool> of_scale(const expression& e, int axis) const {
    const auto s = get<op::scale>(e);
    const int own = channel_axis(shape_of(argument(e)), s.axis);
    pool<bool> zeros = of(argument(e), axis);
    add_either(zeros, by_channel(e, 1, own, axis));
    if (s.bias) keep_both(zeros, by_channel(e, 2, own, axis));
    if (!keeps_zero(s.activation)) return pool<bool>(zeros.size(), false);
    return zeros;
  }
  constexpr pool<bool> of_bias(const expression& e, int axis) const {
    const auto b = get<op::bias>(e);
    pool<bool> zeros = of(argument(e), axis);
    keep_both(zeros, by_channel(e, 1, channel_axis(shape_of(argument(e)), b.axis), axis));
    if (!keeps_zero(b.activation)) return pool<bool>(zeros.size(), false);
    return zeros;
  }
  /// A row of a product is 0 if the first factor's is, a column if the second's is.
  constexpr pool<bool> of_product(const expression& e, expression_id id, int axis) const {
    const auto m = get<op::matmul>(e);
    const expression_id factor = argument(e, axis == 0 ? 0 : 1);
    const bool plain = !m.transpose_a && !m.transpose_b && e.shape.rank == 2 && shape_of(factor).rank == 2;
    if (!plain) return nothing(id, axis);
    return of(factor, axis);
  }
  /// (x - mean) * gamma / root + beta
  constexpr pool<bool> of_norm(const expression& e, int axis) const {
    const int own = channel_axis(shape_of(argument(e)), get<op::batch_norm>(e).axis);
    pool<bool> zeros = of(argument(e), axis);
    keep_both(zeros, by_channel(e, 3, own, axis));
    add_either(zeros, by_channel(e, 1, own, axis));
    keep_both(zeros, by_channel(e, 2, own, axis));
    return zeros;
  }

  graph_view g_;
};

}  // namespace ctnn::ir
