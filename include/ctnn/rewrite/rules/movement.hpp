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

/// flatten|reshape > flatten|reshape  ->  reshape, straight from the first one's input; a shared first one stays for
/// the others
struct reshape_chain {
  static constexpr rule_info info{"reshape_chain", "flatten|reshape > flatten|reshape -> reshape", lowers::movable,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<reshapes, reshapes>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.shape(r.output(m.first)) == r.shape(r.output(m.last))) return {"it changes nothing"};  // same_shape's
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    if (r.readers(r.output(m.first)) == 1) r.note(r.name(m.first), r.name(m.last));
    become_reshape(r, m.last, x);
  }
};

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

/// permute that moves only extents of 1  ->  reshape
struct permute_ones {
  static constexpr rule_info info{"permute_ones", "permute(ones) -> reshape", lowers::tier, numerics::exact};
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

/// What shuffles are spelled with.
struct shuffle_match {
  node_id back = none, turned = none, cut = none;
  value_id x = none;
};
template <fixed_string Otherwise>
using spelled_shuffle = find::node<
    op::reshape, &shuffle_match::back,
    find::alone<find::node<
        op::permute, &shuffle_match::turned,
        find::or_say<Otherwise, find::node<op::reshape, &shuffle_match::cut, find::value<&shuffle_match::x>>>>>>;
/// The shuffle takes the place of all three.
template <class Shuffle>
constexpr void become_shuffle(rewriter& r, const shuffle_match& m, const Shuffle& shuffle) {
  r.note(r.name(m.cut), r.name(m.back));
  r.note(r.name(m.turned), r.name(m.back));
  r.become(m.back, shuffle, r.name(m.back), {&m.x, 1}, {});
}

/// reshape (groups, columns, ...) > permute (columns, groups, ...) > reshape back  ->  channel_shuffle
struct shuffle_channels {
  static constexpr rule_info info{"shuffle_channels", "reshape > permute > reshape -> channel_shuffle", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  struct match : shuffle_match {
    int groups = 0;
  };
  using pattern = spelled_shuffle<"no reshape makes the groups">;
  /// The axis that permute exchanges with the next one, if it does nothing else.
  static constexpr int exchanged(const op::permute& p) {
    int at = none;
    for (int i = 0; i < static_cast<int>(p.order.size()); ++i) {
      const int axis = p.order[static_cast<std::size_t>(i)];
      if (axis == i || (at != none && i == at + 1 && axis == at)) continue;
      if (at != none) return none;
      at = i;
    }
    return at;
  }
  static constexpr reason guard(const rewriter& r, match& m) {
    const extents &x = r.shape(m.x), &table = r.shape(r.output(m.cut));
    const int at = exchanged(r.get<op::permute>(m.turned)), c = x.rank - 3;
    if (at == none) return {"it does not exchange two neighbouring axes", r.name(m.turned)};
    if (c < 0 || c > 1 || !(x == r.shape(r.output(m.back)))) return {"it does not restore the shape", r.name(m.cut)};
    if (table.count(0, at) != x.count(0, c) || table.count(at, at + 2) != x[c])
      return {"it groups more than channels", r.name(m.cut)};
    m.groups = table[at];
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { become_shuffle(r, m, op::channel_shuffle{m.groups}); }
};

/// reshape (C, fy, fx, H, W) > permute (C, H, fy, W, fx) > reshape (C, H fy, W fx)  ->  pixel_shuffle
struct shuffle_pixels {
  static constexpr rule_info info{"shuffle_pixels", "reshape > permute > reshape -> pixel_shuffle", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using match = shuffle_match;
  using pattern = spelled_shuffle<"no reshape makes the blocks">;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents &x = r.shape(m.x), &s = r.shape(r.output(m.cut)), &y = r.shape(r.output(m.back));
    const int n = x.rank - 3;  // axes of a batch
    if (n < 0 || n > 1 || s.rank != n + 5 || y.rank != x.rank)
      return {"it has not the axes of a pixel shuffle", r.name(m.cut)};
    constexpr int turned[] = {0, 3, 1, 4, 2};
    const op::permute p = r.get<op::permute>(m.turned);
    for (int i = 0; i < s.rank; ++i)
      if (p.order[static_cast<std::size_t>(i)] != (i < n ? i : turned[i - n] + n))
        return {"it moves other axes", r.name(m.turned)};
    const bool from_channels = s[n + 3] == x[n + 1] && s[n + 4] == x[n + 2] && (n == 0 || s[0] == x[0]);
    const bool to_pixels = y[n] == s[n] && y[n + 1] == s[n + 3] * s[n + 1] && y[n + 2] == s[n + 4] * s[n + 2];
    if (!from_channels || !to_pixels) return {"it makes other blocks", r.name(m.cut)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const extents& s = r.shape(r.output(m.cut));
    become_shuffle(r, m, op::pixel_shuffle{{s.back(3), s.back(2)}});
  }
};

/// channel_shuffle of one group or one channel a group, pixel_shuffle of single pixels  ->  x
struct shuffle_nothing {
  static constexpr rule_info info{"shuffle_nothing", "channel_shuffle|pixel_shuffle(x) -> x", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<find::any_of<op::channel_shuffle, op::pixel_shuffle>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.is<op::pixel_shuffle>(m.last))
      return r.get<op::pixel_shuffle>(m.last).factor == pair{1, 1} ? reason{}
                                                                   : reason{"its blocks have several pixels"};
    const int groups = r.get<op::channel_shuffle>(m.last).groups;
    return groups == 1 || groups == r.shape(r.output(m.last)).back(2) ? reason{} : reason{"it moves channels"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

}  // namespace ctnn::rules
