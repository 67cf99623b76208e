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
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.shape(r.output(m.first)) == r.shape(r.output(m.last))) return {"it changes nothing"};  // same_shape's
    return {};
  }
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

/// flatten|reshape that makes the last axes one > linear over it  ->  linear over them
template <class First>
struct flatten_linear {
  static constexpr rule_info info{"flatten_linear", "flatten|reshape > linear -> linear", lowers::nodes, numerics::exact};
  using pattern = chain<First, op::linear>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents &x = r.shape(r.input(m.first)), &y = r.shape(r.output(m.first));
    const int rows = y.rank - r.get<op::linear>(m.last).axes;  // axes that stay
    if (rows >= x.rank) return {"it makes more than one of the last axes", r.name(m.first)};
    for (int i = 0; i < rows; ++i)
      if (x[i] != y[i]) return {"it changes other axes than the last", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto last = r.get<op::linear>(m.last);
    const value_id x = r.input(m.first);
    last.axes += r.shape(x).rank - r.shape(r.output(m.first)).rank;
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, last, r.name(m.last), {&x, 1}, pool<expression_id>(r.view().weights(r.at(m.last))));
  }
};

/// linear > reshape that puts extents of 1 behind the outputs  ->  linear that does
struct linear_ones {
  static constexpr rule_info info{"linear_ones", "linear > reshape(x, 1, ...) -> linear", lowers::nodes, numerics::exact};
  using pattern = chain<op::linear, op::reshape>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents &from = r.shape(r.output(m.first)), &to = r.shape(r.output(m.last));
    if (to.rank <= from.rank) return {"it adds no axis", r.name(m.first)};
    for (int i = 0; i < to.rank; ++i)
      if (to[i] != (i < from.rank ? from[i] : 1)) return {"it does more than putting ones behind", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto first = r.get<op::linear>(m.first);
    first.ones += r.shape(r.output(m.last)).rank - r.shape(r.output(m.first)).rank;
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, first, {&x, 1}, pool<expression_id>(r.view().weights(r.at(m.first))));
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

/// Does a permutation leave the axes that are longer than 1 in their order?
constexpr bool moves_only_ones(const op::permute& p, const extents& x) {
  int last = -1;
  for (int axis : p.order) {
    if (x[axis] == 1) continue;
    if (axis < last) return false;
    last = axis;
  }
  return true;
}

/// permute that moves only extents of 1  ->  reshape
struct permute_ones {
  static constexpr rule_info info{"permute_ones", "permute(ones) -> reshape", lowers::rank, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::permute>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!moves_only_ones(r.get<op::permute>(m.last), r.shape(r.input(m.last)))) return {"it moves elements"};
    const node_id p = r.producer(r.input(m.last));
    if (r.is<op::permute>(p)) return {"the permute before it takes it", r.name(p)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.last);
    r.become(m.last, reshape_to(r.shape(r.output(m.last))), r.name(m.last), {&x, 1}, {});
  }
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

/// reshape (groups, columns, ...) > permute (columns, groups, ...) > reshape back  ->  channel_shuffle
struct shuffle_channels {
  static constexpr rule_info info{"shuffle_channels", "reshape > permute > reshape -> channel_shuffle", lowers::nodes, numerics::exact};
  using pattern = chain<op::permute, op::reshape>;
  /// The axis that permute exchanges with the next one, if it does nothing else.
  static constexpr int exchanged(const op::permute& p) {
    int at = none;
    for (int i = 0; i < static_cast<int>(p.order.size()); ++i) {
      const int axis = p.order[static_cast<std::size_t>(i)];
      if (axis == i || (at != none && i == at + 1 && axis == at)) continue;
      if (at != none || axis != i + 1) return none;
      at = i;
    }
    return at;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    const node_id rows = r.producer(r.input(m.first));
    if (!r.is<op::reshape>(rows)) return {"no reshape makes the groups", r.name(m.first)};
    const extents &x = r.shape(r.input(rows)), &table = r.shape(r.output(rows));
    const int at = exchanged(r.get<op::permute>(m.first)), c = x.rank - 3;
    if (at == none) return {"it does not exchange two neighbouring axes", r.name(m.first)};
    if (c < 0 || c > 1 || !(x == r.shape(r.output(m.last)))) return {"it does not restore the shape", r.name(rows)};
    if (table.count(0, at) != x.count(0, c) || table.count(at, at + 2) != x[c]) return {"it groups more than channels", r.name(rows)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const node_id rows = r.producer(r.input(m.first));
    const extents& table = r.shape(r.output(rows));
    const op::channel_shuffle shuffle{table[exchanged(r.get<op::permute>(m.first))]};
    const value_id x = r.input(rows);
    r.note(r.name(rows), r.name(m.last));
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, shuffle, r.name(m.last), {&x, 1}, {});
  }
};

/// reshape (C, fy, fx, H, W) > permute (C, H, fy, W, fx) > reshape (C, H fy, W fx)  ->  pixel_shuffle
struct shuffle_pixels {
  static constexpr rule_info info{"shuffle_pixels", "reshape > permute > reshape -> pixel_shuffle", lowers::nodes, numerics::exact};
  using pattern = chain<op::permute, op::reshape>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const node_id blocks = r.producer(r.input(m.first));
    if (!r.is<op::reshape>(blocks)) return {"no reshape makes the blocks", r.name(m.first)};
    const extents &x = r.shape(r.input(blocks)), &s = r.shape(r.output(blocks)), &y = r.shape(r.output(m.last));
    const int n = x.rank - 3;  // axes of a batch
    if (n < 0 || n > 1 || s.rank != n + 5 || y.rank != x.rank) return {"it has not the axes of a pixel shuffle", r.name(blocks)};
    constexpr int turned[] = {0, 3, 1, 4, 2};
    const op::permute p = r.get<op::permute>(m.first);
    for (int i = 0; i < s.rank; ++i)
      if (p.order[static_cast<std::size_t>(i)] != (i < n ? i : turned[i - n] + n)) return {"it moves other axes", r.name(m.first)};
    const bool from_channels = s[n + 3] == x[n + 1] && s[n + 4] == x[n + 2] && (n == 0 || s[0] == x[0]);
    const bool to_pixels = y[n] == s[n] && y[n + 1] == s[n + 3] * s[n + 1] && y[n + 2] == s[n + 4] * s[n + 2];
    if (!from_channels || !to_pixels) return {"it makes other blocks", r.name(blocks)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const node_id blocks = r.producer(r.input(m.first));
    const extents& s = r.shape(r.output(blocks));
    const op::pixel_shuffle shuffle{{s.back(3), s.back(2)}};
    const value_id x = r.input(blocks);
    r.note(r.name(blocks), r.name(m.last));
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, shuffle, r.name(m.last), {&x, 1}, {});
  }
};

/// channel_shuffle of one group or one channel a group, pixel_shuffle of single pixels  ->  x
template <class Op>
struct shuffle_nothing {
  static constexpr rule_info info{"shuffle_nothing", "channel_shuffle|pixel_shuffle(x) -> x", lowers::nodes, numerics::exact};
  using pattern = single<Op>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto shuffle = r.get<Op>(m.last);
    if constexpr (std::is_same_v<Op, op::pixel_shuffle>) {
      if (shuffle.factor != pair{1, 1}) return {"its blocks have several pixels"};
    } else {
      if (shuffle.groups != 1 && shuffle.groups != r.shape(r.output(m.last)).back(2)) return {"it moves channels"};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

}  // namespace ctnn::rules
