// SPDX-License-Identifier: BSL-1.0
// Layers that only rearrange: flatten, reshape, permute.
#pragma once

#include "../axes.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

constexpr op::reshape reshape_to(const extents& shape) { return {as_list(shape)}; }

using reshapes = find::any_of<op::flatten, op::reshape>;

/// Node n gives x its own result's shape.
constexpr void become_reshape(rewriter& r, node_id n, value_id x) {
  const extents& shape = r.shape(r.output(n));
  if (shape.rank == 1) r.become(n, op::flatten{}, r.name(n), {&x, 1}, {});
  else r.become(n, reshape_to(shape), r.name(n), {&x, 1}, {});
}

/// global pooling > flatten|reshape to (C)  ->  global pooling that gives (C)
struct global_pool_flatten {
  static constexpr rule_info info{"global_pool_flatten", "adaptive_pool(1) > flatten|reshape -> adaptive_pool",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::adaptive_pool, reshapes>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::adaptive_pool>(m.first);
    if (p.flatten || !p.is_global()) return {"the pooling is not global", r.name(m.first)};
    extents flat = r.shape(r.output(m.first));
    flat.rank -= p.axes;
    if (!(r.shape(r.output(m.last)) == flat)) return {"it gives another shape than one number a channel"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto p = r.get<op::adaptive_pool>(m.first);
    p.flatten = true;
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, p, {&x, 1}, {});
  }
};

/// flatten|reshape that makes the last axes one > linear over it  ->  linear over them, where all readers are such
struct flatten_linear {
  static constexpr rule_info info{"flatten_linear", "flatten|reshape > linear -> linear", lowers::movable,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<reshapes, op::linear>;
  /// Why node n, which reads what `first` makes, does not read what it is made of.
  static constexpr reason unless_it_takes(const rewriter& r, node_id first, node_id n) {
    const value_id v = r.output(first);
    if (!r.is<op::linear>(n)) return {"another layer needs it reshaped", r.name(n)};
    if (r.input(n) != v || (r.inputs_count(n) == 2 && r.input(n, 1) == v)) return {"it is the residual", r.name(first)};
    const extents &x = r.shape(r.input(first)), &y = r.shape(v);
    const int rows = y.rank - r.get<op::linear>(n).axes;  // axes that stay
    if (rows >= x.rank) return {"it makes more than one of the last axes", r.name(first)};
    for (int i = 0; i < rows; ++i)
      if (x[i] != y[i]) return {"it changes other axes than the last", r.name(first)};
    return {};
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.is_output(r.output(m.first))) return {"its input is a network output too", r.name(m.first), true};
    return r.refused_reader(r.output(m.first), [&](node_id n) { return unless_it_takes(r, m.first, n); });
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto last = r.get<op::linear>(m.last);
    const value_id x = r.input(m.first);
    last.axes += r.shape(x).rank - r.shape(r.output(m.first)).rank;
    if (r.readers(r.output(m.first)) == 1) r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, last, r.name(m.last), r.inputs_with(m.last, 0, x), r.weights_of(m.last));
  }
};

/// linear > reshape that puts extents of 1 behind the outputs, or takes some away  ->  linear that does
struct linear_ones {
  static constexpr rule_info info{"linear_ones", "linear > flatten|reshape(x, 1, ...) -> linear", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::linear, reshapes>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents &from = r.shape(r.output(m.first)), &to = r.shape(r.output(m.last));
    const int rank = from.rank - r.get<op::linear>(m.first).ones;  // up to the outputs
    if (r.inputs_count(m.first) != 1) return {"its input adds a residual", r.name(m.first)};
    if (to.rank < rank) return {"it does more than putting ones behind", r.name(m.first)};
    for (int i = 0; i < to.rank; ++i)
      if (to[i] != (i < rank ? from[i] : 1)) return {"it does more than putting ones behind", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto first = r.get<op::linear>(m.first);
    first.ones += r.shape(r.output(m.last)).rank - r.shape(r.output(m.first)).rank;
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, first, {&x, 1}, r.weights_of(m.first));
  }
};

/// reshape that only puts 1s in front > binary, which broadcasts anyway  ->  binary
struct leading_ones {
  static constexpr rule_info info{"leading_ones", "reshape(1, ..., x) > binary -> binary", lowers::movable,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::reshape, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const value_id v = r.output(m.first);
    const extents &from = r.shape(r.input(m.first)), &to = r.shape(v);
    const int added = to.rank - from.rank;
    const auto needs_it = [&](node_id n) {
      return r.is<op::binary>(n) ? reason{} : reason{"another layer needs it reshaped", r.name(n)};
    };
    if (added <= 0) return {"it does not put ones in front", r.name(m.first)};
    for (int i = 0; i < to.rank; ++i)
      if (to[i] != (i < added ? 1 : from[i - added]))
        return {"it does more than putting ones in front", r.name(m.first)};
    if (r.inputs_count(m.last) != 2) return {"the result would have another rank"};
    const extents &other = r.shape(r.input(m.last, 1 - m.input));
    if (other.rank < to.rank) return {"the result would have another rank"};
    if (r.reads_bytes(m.last) && other == to) return {"bytes of one shape are combined as they lie"};
    if (r.is_output(v)) return {"its input is a network output too", r.name(m.first)};
    return r.refused_reader(v, needs_it);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    if (r.readers(r.output(m.first)) == 1) r.note(r.name(m.first), r.name(m.last));
    r.read_instead(m.last, r.inputs_with(m.last, m.input, r.input(m.first)));
  }
};

}  // namespace ctnn::rules
