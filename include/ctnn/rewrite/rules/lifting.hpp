// SPDX-License-Identifier: BSL-1.0
// Arithmetic moves before what only rearranges, towards the convolution it may become part of. (A 1-D convolution is one
// over rows of height 1 between two reshapes.)
#pragma once

#include "movement.hpp"

namespace ctnn::rules {

/// reshape|flatten|permute > activation|binary(scalar)  ->  the other way round
/// reshape|flatten that keeps the channels > scale|bias|prelu  ->  the other way round
template <class First, class Last>
struct function_first {
  static constexpr bool by_channel = !std::is_same_v<Last, op::activation> && !std::is_same_v<Last, op::binary>;
  static constexpr rule_info info{"function_first", by_channel ? "reshape|flatten > scale|bias|prelu -> the other way round"
                                                               : "reshape|flatten|permute > activation|binary(scalar) -> the other way round",
                                  lowers::position, numerics::exact};
  using pattern = chain<First, Last>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 1) return {"it has no scalar operand"};
    if constexpr (std::is_same_v<First, op::permute>) {
      if (moves_only_ones(r.get<op::permute>(m.first), r.shape(r.input(m.first)))) return {"there is nothing to go before", r.name(m.first)};
    } else {
      if (r.shape(r.input(m.first)) == r.shape(r.output(m.first))) return {"there is nothing to go before", r.name(m.first)};
    }
    if constexpr (by_channel) {
      const extents &x = r.shape(r.input(m.first)), &y = r.shape(r.output(m.first));
      if (x.rank == 0) return {"it moves channels", r.name(m.first)};
      const int from = channel_axis(x), to = channel_axis(y);
      if (x[from] != y[to] || x.count(0, from) != y.count(0, to)) return {"it moves channels", r.name(m.first)};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.exchange(m.first, m.last, r.get<Last>(m.last), {&x, 1}, r.shape(x), r.get<First>(m.first));
  }
};

/// reshape that adds or takes away extents of 1 > slice  ->  slice > reshape
struct slice_first {
  static constexpr rule_info info{"slice_first", "reshape(ones) > slice -> slice > reshape", lowers::position, numerics::exact};
  using pattern = chain<op::reshape, op::slice>;
  /// The axis of x that is `axis` of the reshaped value, if all extents but ones stay as they are.
  static constexpr int same_axis(const extents& x, const extents& y, int axis) {
    int i = 0, found = none;
    for (int k = 0; k < y.rank; ++k) {
      if (y[k] == 1) continue;
      while (i < x.rank && x[i] == 1) ++i;
      if (i == x.rank || x[i] != y[k]) return none;
      if (k == axis) found = i;
      ++i;
    }
    for (; i < x.rank; ++i)
      if (x[i] != 1) return none;
    return found;
  }
  static constexpr int axis_before(const rewriter& r, const match& m) {
    const extents& y = r.shape(r.output(m.first));
    return same_axis(r.shape(r.input(m.first)), y, normal_axis(r.get<op::slice>(m.last).axis, y.rank));
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.shape(r.output(m.last)) == r.shape(r.output(m.first)) || r.shape(r.input(m.first)) == r.shape(r.output(m.first)))
      return {"there is nothing to go before", r.name(m.first)};
    if (axis_before(r, m) == none) return {"it does more than adding or removing ones", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    auto cut = r.get<op::slice>(m.last);
    const extents y = r.shape(r.output(m.last));
    extents between = r.shape(x);
    const int axis = axis_before(r, m);
    between[axis] = y[normal_axis(cut.axis, y.rank)];
    cut.axis = axis;
    r.exchange(m.first, m.last, cut, {&x, 1}, between, reshape_to(y));
  }
};

/// binary(reshape(a), reshape(b)), a and b of one shape  ->  reshape(binary(a, b))
struct reshape_once {
  static constexpr rule_info info{"reshape_once", "binary(reshape(a), reshape(b)) -> reshape(binary(a, b))", lowers::nodes, numerics::exact};
  using pattern = chain<op::reshape, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 2) return {"it has a scalar operand"};
    const value_id other = r.input(m.last, 1 - m.input);
    const node_id second = r.producer(other);
    if (!r.is<op::reshape>(second) || r.readers(other) != 1) return {"its other operand is not reshaped for it alone", r.name(second)};
    if (!(r.shape(r.input(m.first)) == r.shape(r.input(second))) || !(r.shape(r.output(m.first)) == r.shape(other)))
      return {"its operands are reshaped differently", r.name(second)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const node_id second = r.producer(r.input(m.last, 1 - m.input)), later = second > m.first ? second : m.first;
    value_id in[2];
    in[m.input] = r.input(m.first);
    in[1 - m.input] = r.input(second);
    r.note(r.name(later == second ? m.first : second), r.name(m.last));
    r.exchange(later, m.last, r.get<op::binary>(m.last), in, r.shape(in[0]), reshape_to(r.shape(r.output(m.last))));
  }
};

}  // namespace ctnn::rules
