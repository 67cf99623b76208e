// SPDX-License-Identifier: BSL-1.0
// Scales and shifts go before pooling, into the layer that they find there.
#pragma once

#include "../ranges.hpp"
#include "affine.hpp"

namespace ctnn::rules {

/// conv|conv_transpose|linear > pool|adaptive_pool of maxima or averages > scale|bias|binary(scalar|constant)  ->  the
/// first, with it, > pool. Of maxima the slopes must be above 0.
struct affine_before_pool {
  static constexpr rule_info info{
      "affine_before_pool", "conv|linear > pool|adaptive_pool > scale|bias|binary(scalar|constant) -> the first two",
      lowers::nodes, numerics::rescales, proved_by::order};
  struct match {
    node_id first = none, pool = none, last = none;
    affine_map map{};
  };
  using pools = find::any_of<op::pool, op::adaptive_pool>;
  using pattern =
      find::node<affine_layer, &match::last,
                 find::alone<find::node<pools, &match::pool, find::alone<find::node<weighted_layer, &match::first>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_bare_affine(r, m.last, m.map)) return no;
    if (m.map.x != r.output(m.pool)) return {"it is the constant's", r.name(m.pool)};
    if (const reason no = is_complete(r, m.first)) return no;
    const extents &y = r.shape(r.output(m.first)), &pooled = r.shape(m.map.x);
    const int outputs = output_axis(r, m.first);
    if (!m.map.numbers.is_along(outputs)) return {"its channels are not the outputs of the layer", r.name(m.first)};
    reason no;
    pools::visit(r, m.pool, [&]<class Pool>(const Pool& p) {
      const bool maxima = p.function == op::pooling::max, averages = p.function == op::pooling::average;
      if (!maxima && !averages) no = {"it takes neither maxima nor averages", r.name(m.pool)};
      else if (outputs >= y.rank - p.axes || outputs >= pooled.rank) no = {"it goes over the outputs", r.name(m.pool)};
      else if (maxima && has_slopes(r, m.map) && !are_positive(slopes(r, m.map))) no = {"its slopes may be below 0"};
      if constexpr (std::is_same_v<Pool, op::pool>) {
        if (p.indices) no = {"it tells where the maximum was", r.name(m.pool)};
        else if (averages && has_shifts(r, m.map) && !every_window_is_inside(p))
          no = {"its windows see padding", r.name(m.pool)};
        else if (maxima && !every_window_has_numbers(p)) no = {"a window may hold nothing but padding", r.name(m.pool)};
      }
    });
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const int outputs = r.shape(r.output(m.first))[output_axis(r, m.first)];
    with_map(r, m.first, numbers_of(r, m.map, outputs), {},
             [&](const auto& layer, std::span<const expression_id> weights) {
               r.become(m.first, layer, r.name(m.first), r.inputs_of(m.first), weights, r.shape(r.output(m.first)));
             });
    r.note(r.name(m.last), r.name(m.first));
    pools::visit(r, m.pool, [&](const auto& p) { r.become(m.last, p, r.name(m.pool), r.inputs_of(m.pool), {}); });
  }

 private:
  /// What is known of the slopes of a map that multiplies.
  static constexpr numbers_are slopes(const rewriter& r, const affine_map& m) {
    if (r.is<op::scale>(m.layer)) return r.known_of_weight(r.weight(m.layer, 0));
    if (m.constant != none) return r.known_numbers(r.input(m.layer, m.constant));
    return *r.get<op::binary>(m.layer).scalar > 0 ? numbers_are::positive : numbers_are::anything;
  }
};

}  // namespace ctnn::rules
