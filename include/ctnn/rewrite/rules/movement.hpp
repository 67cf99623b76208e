// SPDX-License-Identifier: BSL-1.0
// Layers that only rearrange: flatten, reshape, permute.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

constexpr op::reshape reshape_to(const extents& shape) {
  op::reshape to;
  for (int i = 0; i < shape.rank; ++i) to.shape.push_back(shape[i]);
  return to;
}

/// flatten(x) or reshape(x) to the shape x has  ->  x
template <class Op>
struct same_shape {
  static constexpr rule_info info{"same_shape", "flatten|reshape(x) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<Op>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(r.input(m.last)) == r.shape(r.output(m.last)))) return {"it changes the shape"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// flatten|reshape > flatten|reshape  ->  reshape, straight from the first one's input; a shared first one stays for the others
template <class First, class Last>
struct reshape_chain {
  static constexpr rule_info info{"reshape_chain", "flatten|reshape > flatten|reshape -> reshape", lowers::movable, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<First, Last>;
  static constexpr reason guard(const rewriter&, const match&) { return {}; }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    if (r.readers(r.output(m.first)) == 1) r.note(r.name(m.first), r.name(m.last));
    const extents& shape = r.shape(r.output(m.last));
    if (shape.rank == 1) r.become(m.last, op::flatten{}, r.name(m.last), {&x, 1}, {});
    else r.become(m.last, reshape_to(shape), r.name(m.last), {&x, 1}, {});
  }
};

/// global pooling > flatten|reshape to (C)  ->  global pooling that gives (C)
template <class Last>
struct global_pool_flatten {
  static constexpr rule_info info{"global_pool_flatten", "adaptive_pool2d(1x1) > flatten|reshape -> adaptive_pool2d", lowers::nodes,
                                  numerics::exact};
  using pattern = chain<op::adaptive_pool2d, Last>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::adaptive_pool2d>(m.first);
    if (p.flatten || p.size != pair{1, 1}) return {"the pooling is not global", r.name(m.first)};
    extents flat = r.shape(r.output(m.first));
    flat.rank -= 2;
    if (!(r.shape(r.output(m.last)) == flat)) return {"it gives another shape than one number a channel"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto p = r.get<op::adaptive_pool2d>(m.first);
    p.flatten = true;
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, p, {&x, 1}, {});
  }
};

/// permute that keeps every axis  ->  x
struct permute_none {
  static constexpr rule_info info{"permute_none", "permute(x) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::permute>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    int next = 0;
    for (int axis : r.get<op::permute>(m.last).order)
      if (axis != next++) return {"it moves an axis"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// permute > permute  ->  permute
struct permute_chain {
  static constexpr rule_info info{"permute_chain", "permute > permute -> permute", lowers::movable, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::permute, op::permute>;
  static constexpr reason guard(const rewriter&, const match&) { return {}; }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto inner = r.get<op::permute>(m.first), outer = r.get<op::permute>(m.last);
    op::permute both;
    for (int axis : outer.order) both.order.push_back(inner.order[static_cast<std::size_t>(axis)]);
    if (r.readers(r.output(m.first)) == 1) r.note(r.name(m.first), r.name(m.last));
    const value_id x = r.input(m.first);
    r.become(m.last, both, r.name(m.last), {&x, 1}, {});
  }
};

/// reshape that only puts 1s in front > binary, which broadcasts anyway  ->  binary
struct leading_ones {
  static constexpr rule_info info{"leading_ones", "reshape(1, ..., x) > binary -> binary", lowers::movable, numerics::exact};
  using pattern = edge<op::reshape, op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents &from = r.shape(r.input(m.first)), &to = r.shape(r.output(m.first));
    const int added = to.rank - from.rank;
    if (added <= 0) return {"it does not put ones in front", r.name(m.first)};
    for (int i = 0; i < to.rank; ++i)
      if (to[i] != (i < added ? 1 : from[i - added])) return {"it does more than putting ones in front", r.name(m.first)};
    if (r.inputs_count(m.last) != 2) return {"the result would have another rank"};
    const extents &other = r.shape(r.input(m.last, 1 - m.input));
    if (other.rank < to.rank) return {"the result would have another rank"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    value_id in[] = {r.input(m.last, 0), r.input(m.last, 1)};
    in[m.input] = r.input(m.first);
    if (r.readers(r.output(m.first)) == 1) r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, r.get<op::binary>(m.last), r.name(m.last), in, {});
  }
};

}  // namespace ctnn::rules
