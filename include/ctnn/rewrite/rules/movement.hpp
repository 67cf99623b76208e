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

/// reshape > binary with a constant > reshape back, or where ones in front come with the constant  ->  binary with the
/// constant reshaped: masks of windows between those of batches and heads, as Swin has them
struct reshaped_constant {
  static constexpr rule_info info{"reshaped_constant", "reshape > binary(constant) > reshape back -> binary",
                                  lowers::nodes, numerics::exact};
  struct match {
    node_id back = none, whole = none, apart = none, k = none;
    value_id x = none;
    extents shape{};  ///< of the constant as x has its axes
  };
  using apart = find::silently<find::node<reshapes, &match::apart, find::value<&match::x>>>;
  using pattern =
      find::node<reshapes, &match::back,
                 find::alone<find::silently<find::either_order<op::binary, &match::whole,
                                                               find::one_of<find::alone<apart>, find::value<&match::x>>,
                                                               find::node<op::constant, &match::k>>>>>;

  /// What lies along axes of y that are one or several of x is one number or has all of these axes.
  static constexpr bool find_shape(const extents& x, const extents& y, const extents& k, extents& found) {
    found = x;
    for (int i = 0, j = 0; i < x.rank || j < y.rank;) {
      const int first = i;
      std::int64_t of_x = 1, of_y = 1;
      bool all = true, one = true;
      const auto take_y = [&] {
        const int at = j - (y.rank - k.rank), extent = at < 0 ? 1 : k[at];
        all = all && extent == y[j];
        one = one && extent == 1;
        of_y *= y[j++];
      };
      if (i < x.rank) of_x *= x[i++];
      else take_y();
      while (of_x != of_y) {
        if (of_x < of_y && i < x.rank) of_x *= x[i++];
        else if (of_y < of_x && j < y.rank) take_y();
        else return false;
      }
      if (!all && !one) return false;
      for (int a = first; a < i && !all; ++a) found[a] = 1;
    }
    return true;
  }
  static constexpr reason guard(const rewriter& r, match& m) {
    const extents &y = r.shape(r.output(m.whole)), &k = r.shape(r.output(m.k));
    if (m.apart != none && !(r.shape(r.output(m.back)) == r.shape(m.x))) {
      m.x = r.output(m.apart);
      m.apart = none;
    }
    const extents& x = r.shape(m.x);
    if (!(r.shape(r.output(m.back)) == x)) return {"it does not give its shape back", r.name(m.whole)};
    if (!find_shape(x, y, k, m.shape)) return {"the constant lies along parts of axes", r.name(m.k)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    // The constant may be read elsewhere: another one takes the place of the binary, which moves behind it.
    const auto function = r.get<op::binary>(m.whole);
    const bool first = r.input(m.whole, 0) == r.output(m.k);
    const expression_id weight = r.reshaped(r.weight(m.k, 0), m.shape);
    const value_id v = r.output(m.whole), in[] = {first ? v : m.x, first ? m.x : v};
    const std::string_view name = r.name(m.whole), back = r.name(m.back);
    if (m.apart != none) r.note(r.name(m.apart), name);
    r.note(back, name);
    r.become(m.back, function, name, in, {});
    r.become(m.whole, op::constant{as_list(m.shape)}, back, {}, {&weight, 1}, m.shape);
  }
};

}  // namespace ctnn::rules
