// SPDX-License-Identifier: BSL-1.0
// Attention spelled out in products and a softmax.
#pragma once

#include <utility>

#include "../../graph/operators/attention.hpp"
#include "../../graph/operators/pairwise.hpp"
#include "../../graph/operators/pointwise.hpp"
#include "kinds.hpp"
#include "movement.hpp"

namespace ctnn::rules {

/// softmax(Q K^T * scale + mask) V, or with a number where booleans hide keys  ->  attention. Of (batch, heads, length,
/// size), or (batches, length, size) as those of one head. Two masks one after the other, as a bias of positions and a
/// mask of windows, are added to each other. Keys that get no weight do not count, whatever their values.
struct spelled_attention {
  static constexpr rule_info info{
      "spelled_attention",
      "matmul(softmax(matmul(q, k) + mask (+ mask) | where(mask, matmul(q, k), number)), v) -> "
      "attention",
      lowers::nodes, numerics::reassociates};
  struct match {
    node_id whole = none, soft = none, masked = none, twice = none, chosen = none, product = none;
    value_id q = none, k = none, v = none, mask = none, second = none, number = none;
    op::attention is{};
  };
  struct over_keys {
    using of = op::softmax;
    static constexpr std::string_view why_not(const rewriter& r, node_id n) {
      const int rank = r.shape(r.input(n)).rank;
      return normal_axis(r.get<op::softmax>(n).axis, rank) == rank - 1 ? "" : "its weights are not of the last axis";
    }
  };
  using product = find::alone<find::node<op::matmul, &match::product, find::value<&match::q>, find::value<&match::k>>>;
  using masked =
      find::either_order<of_two_values<op::binary_function::add>, &match::masked, product, find::value<&match::mask>>;
  using twice = find::either_order<of_two_values<op::binary_function::add>, &match::twice, find::alone<masked>,
                                   find::value<&match::second>>;
  using kept = find::node<op::where, &match::chosen, find::value<&match::mask>, product, find::value<&match::number>>;
  using hidden = find::node<op::where, &match::chosen, find::value<&match::mask>, find::value<&match::number>, product>;
  using chosen = find::one_of<find::alone<kept>, find::one_of<find::alone<hidden>, product>>;
  using scores = find::one_of<find::alone<twice>, find::one_of<find::alone<masked>, chosen>>;
  using pattern =
      find::node<op::matmul, &match::whole, find::alone<find::node<over_keys, &match::soft, find::silently<scores>>>,
                 find::value<&match::v>>;

 private:
  /// The one number of a value, where it is known.
  static constexpr optional_number number_of(const rewriter& r, value_id v) {
    const node_id n = r.producer(v);
    if (r.is<op::full>(n)) return r.get<op::full>(n).value;
    return r.is<op::constant>(n) ? r.number_of(r.weight(n, 0)) : optional_number{};
  }
  /// Whether keys are those that the mask's booleans hide.
  static constexpr bool hides(const rewriter& r, const match& m) {
    return m.chosen != none && r.input(m.chosen, 2) == r.output(m.product);
  }
  /// Batches and heads are one axis, each of which has a mask of its own for all queries: it needs an axis for heads.
  static constexpr bool is_by_batch(const rewriter& r, const match& m) {
    if (m.mask == none || r.shape(m.q).rank != 3) return false;
    const extents own = of_masks(r, m);
    return own.rank == 3 && own[0] != 1 && own[1] == 1;
  }
  /// The shape of the mask, or of both in one.
  static constexpr extents of_masks(const rewriter& r, const match& m) {
    if (m.second == none) return r.shape(m.mask);
    const extents both[] = {r.shape(m.mask), r.shape(m.second)};
    extents sum;
    return broadcast_shapes(both, sum) ? r.shape(r.output(m.twice)) : sum;
  }
  static constexpr extents mask_shape(const rewriter& r, const match& m) {
    if (m.mask == none) return {};
    const extents own = of_masks(r, m);
    return is_by_batch(r, m) ? own.with_axis(1, 1) : own;
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    const auto product = r.get<op::matmul>(m.product), whole = r.get<op::matmul>(m.whole);
    if (product.transpose_a) return {"its queries are columns", r.name(m.product)};
    if (whole.transpose_a || whole.transpose_b) return {"its values are columns"};
    if (whole.scale != 1) return {"its result is scaled"};
    if (product.scale == 0) return {"its scores are all 0", r.name(m.product)};
    const extents &q = r.shape(m.q), &v = r.shape(m.v);
    const extents k = op::matmul::turned(r.shape(m.k), !product.transpose_b);
    if (q.rank != k.rank || q.rank != v.rank || (q.rank != 3 && q.rank != 4))
      return {"its operands are not all of 3 or 4 axes", r.name(m.product)};
    m.is = {};
    m.is.scale = product.scale;
    m.is.mask = m.mask != none;
    if (q.rank == 3) m.is.heads = m.is.kv_heads = 1;
    if (m.chosen != none) {
      const optional_number number = number_of(r, m.number);
      if (!number || r.shape(m.number).count() != 1) return {"what hides keys is no known number", r.name(m.chosen)};
      if (math::is_nan(*number)) return {"what hides keys is not a number", r.name(m.chosen)};
      m.is.hidden_score = *number;
      if (hides(r, m) && is_by_batch(r, m)) return {"its mask is of batches and hides keys", r.name(m.chosen)};
    }
    if (m.twice != none && is_by_batch(r, m)) return {"its two masks are of batches", r.name(m.twice)};
    pool<extents> in;
    for (const extents& x : {q, k, v}) in.push_back(x);
    if (m.is.mask) in.push_back(mask_shape(r, m));
    extents y;
    if (m.is.infer(inputs(in.data(), in.size()), outputs(&y, 1)) || !(y == r.shape(r.output(m.whole))))
      return {"its operands are broadcast otherwise than heads are", r.name(m.product)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    for (const node_id n : {m.product, m.soft, m.masked, m.chosen})
      if (n != none) r.note(r.name(n), r.name(m.whole));
    // The attention reads what the others will make before they become it: so nothing that it reads is gone.
    const bool turns = !r.get<op::matmul>(m.product).transpose_b, negates = hides(r, m), reshapes = is_by_batch(r, m);
    const bool adds = m.twice != none;
    const node_id spare = adds ? m.twice : m.masked != none ? m.masked : m.chosen;
    pool<value_id> in;
    for (const value_id v : {m.q, turns ? r.output(m.product) : m.k, m.v}) in.push_back(v);
    if (m.mask != none) in.push_back(adds || negates || reshapes ? r.output(spare) : m.mask);
    const extents shape = mask_shape(r, m);
    r.become(m.whole, m.is, r.name(m.whole), in, {});
    const value_id masks[] = {m.mask, m.second};
    if (adds) r.become(spare, op::binary{op::binary_function::add}, r.name(spare), masks, {}, shape);
    if (negates) r.become(spare, op::bitwise_not{}, r.name(spare), {&m.mask, 1}, {}, shape);
    else if (reshapes) r.become(spare, reshape_to(shape), r.name(spare), {&m.mask, 1}, {}, shape);
    if (negates || reshapes) r.retype(r.output(spare), r.type(m.mask));
    if (!turns) return;
    op::permute turn;
    const extents rows = op::matmul::turned(r.shape(m.k), true);
    for (int i = 0; i < rows.rank; ++i) turn.order.push_back(i);
    std::swap(turn.order[turn.order.size() - 1], turn.order[turn.order.size() - 2]);
    r.become(m.product, turn, r.name(m.product), {&m.k, 1}, {}, rows);
  }
};

}  // namespace ctnn::rules
