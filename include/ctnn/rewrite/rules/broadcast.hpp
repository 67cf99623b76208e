// SPDX-License-Identifier: BSL-1.0
// Copies, choices and sums over labels that a simpler operator says as well.
#pragma once

#include "../../graph/operators/matrix.hpp"
#include "../../graph/operators/pairwise.hpp"
#include "../../graph/operators/pointwise.hpp"
#include "../../graph/operators/rearranging.hpp"
#include "kinds.hpp"

namespace ctnn::rules {

/// expand > binary whose other operand has the shape  ->  binary, which broadcasts by itself
struct expanded_operand {
  static constexpr rule_info info{"expanded_operand", "expand > binary -> binary", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::expand, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 2) return {"it has no second operand"};
    const extents in[] = {r.shape(r.input(m.first)), r.shape(r.input(m.last, 1 - m.input))};
    extents alone;
    if (broadcast_shapes(in, alone) || !(alone == r.shape(r.output(m.last))))
      return {"the result would be smaller", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.first), r.name(m.last));
    r.read_instead(m.last, r.inputs_with(m.last, m.input, r.input(m.first)));
  }
};

/// not > where  ->  where with its choices exchanged
struct where_not {
  static constexpr rule_info info{"where_not", "not > where(a, b) -> where(b, a)", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::bitwise_not, op::where>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (m.input != 0) return {"it is a choice, not the condition", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id in[] = {r.input(m.first), r.input(m.last, 2), r.input(m.last, 1)};
    r.note(r.name(m.first), r.name(m.last));
    r.read_instead(m.last, in);
  }
};

/// where of a constant condition that is all true, or all false  ->  that choice
struct where_constant {
  static constexpr rule_info info{"where_constant", "where(true|false, a, b) -> a|b", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id whole = none, condition = none;
    value_id choice = none;
  };
  using pattern =
      find::node<op::where, &match::whole,
                 find::or_say<"its condition is not constant", find::node<op::constant, &match::condition>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    const numbers_are all = r.known_numbers(r.output(m.condition));
    if (all != numbers_are::zeros && all != numbers_are::ones)
      return {"its condition is not known to be all true or all false", r.name(m.condition)};
    m.choice = r.input(m.whole, all == numbers_are::ones ? 1 : 2);
    if (!(r.shape(m.choice) == r.shape(r.output(m.whole))))
      return {"the result would be smaller", r.name(r.producer(m.choice))};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.whole, m.choice); }
};

/// einsum that changes nothing  ->  x. It adds to 0, and -0 + 0 is 0.
struct einsum_nothing {
  static constexpr rule_info info{"einsum_nothing", "einsum(ij -> ij) -> x", lowers::nodes,
                                  numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = single<op::einsum>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 1) return {"it has several operands"};
    op::einsum::loops l;
    const extents in[] = {r.shape(r.input(m.last))};
    if (r.get<op::einsum>(m.last).plan(in, l)) return {"its equation is wrong"};
    if (!(l.axes[0] == l.axes[1])) return {"it sums or moves elements"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// einsum of two matrices in equal batches  ->  matmul
struct einsum_product {
  static constexpr rule_info info{"einsum_product", "einsum(bik, bkj -> bij) -> matmul", lowers::tier,
                                  numerics::reassociates};
  static constexpr bool any_type = true;
  struct match {
    node_id sum = none;
    op::matmul product{};
    bool exchanged = false;  ///< the second operand is the left one
  };
  using pattern = find::node<op::einsum, &match::sum>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.inputs_count(m.sum) != 2) return {"it has not two operands"};
    const extents in[] = {r.shape(r.input(m.sum, 0)), r.shape(r.input(m.sum, 1))};
    op::einsum::loops l;
    if (r.get<op::einsum>(m.sum).plan(in, l)) return {"its equation is wrong"};
    const auto &a = l.axes[0], &b = l.axes[1], &y = l.axes[2];
    const std::size_t rank = y.size();
    if (rank < 2 || a.size() != rank || b.size() != rank || l.labels != l.output_labels + 1)
      return {"it is not a product of matrices"};
    for (std::size_t i = 0; i < rank; ++i) {
      if (i + 2 < rank && (a[i] != y[i] || b[i] != y[i])) return {"its batches are in another order"};
      const int axis = static_cast<int>(i);
      if (in[0][axis] != l.extent[a[i]] || in[1][axis] != l.extent[b[i]]) return {"it broadcasts"};
    }
    const int row = y[rank - 2], column = y[rank - 1], depth = l.labels - 1;
    const auto has = [&](const auto& axes, int p, int q) { return axes[rank - 2] == p && axes[rank - 1] == q; };
    for (const bool exchanged : {false, true}) {
      const auto &left = exchanged ? b : a, &right = exchanged ? a : b;
      const bool left_fits = has(left, row, depth) || has(left, depth, row),
                 right_fits = has(right, depth, column) || has(right, column, depth);
      if (!left_fits || !right_fits) continue;
      m.product = {has(left, depth, row), has(right, column, depth)};
      m.exchanged = exchanged;
      return {};
    }
    return {"it is not a product of matrices"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id in[] = {r.input(m.sum, m.exchanged ? 1 : 0), r.input(m.sum, m.exchanged ? 0 : 1)};
    r.become(m.sum, m.product, r.name(m.sum), in, {});
  }
};

}  // namespace ctnn::rules
