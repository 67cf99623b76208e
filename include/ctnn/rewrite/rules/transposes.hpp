// SPDX-License-Identifier: BSL-1.0
// Permutes move behind what computes and what cuts, where they meet their inverses. No rule here makes two permutes of
// one.
#pragma once

#include "../../graph/operators/interpolate.hpp"
#include "../../graph/operators/pad.hpp"
#include "../../graph/operators/pairwise.hpp"
#include "../../graph/operators/quantized.hpp"
#include "../../graph/operators/reduce.hpp"
#include "../../graph/operators/reduction.hpp"
#include "affine.hpp"
#include "lifting.hpp"

namespace ctnn::rules {

/// A permute that only moves extents of 1 is a reshape, and soon called so.
constexpr reason only_reshapes(const rewriter& r, node_id n) {
  if (moves_only_ones(r.get<op::permute>(n), r.shape(r.input(n)))) return {"it only reshapes", r.name(n)};
  return {};
}
/// Does `back` undo `p`?
constexpr reason undoes(const rewriter& r, node_id back, node_id p) {
  if (!(r.get<op::permute>(back).order == inverse(r.get<op::permute>(p)).order))
    return {"it does not undo the permute before", r.name(p)};
  return only_reshapes(r, p);
}

/// permute > binary with a constant  ->  binary with the constant permuted back > permute
struct constant_first {
  static constexpr rule_info info{"constant_first", "binary(permute(x), constant) -> permute(binary(x, constant))",
                                  lowers::position, numerics::exact};
  struct match {
    node_id last = none, first = none, k = none;
  };
  using pattern = find::either_order<
      op::binary, &match::last, find::alone<find::node<op::permute, &match::first>>,
      find::or_say<"its other operand is not constant", find::alone<find::node<op::constant, &match::k>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.shape(r.output(m.k)).rank > r.shape(r.output(m.first)).rank)
      return {"the result has more axes", r.name(m.first)};
    return only_reshapes(r, m.first);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.first);
    const extents k = r.shape(r.output(m.k));
    const int rank = static_cast<int>(p.order.size());
    expression_id weight = r.weight(m.k, 0);
    if (k.count() > 1) {
      extents whole;
      for (int i = 0; i < rank; ++i) whole.push_back(i < rank - k.rank ? 1 : k[i - (rank - k.rank)]);
      const expression_id of[] = {r.reshaped(weight, whole)};
      weight = r.apply(inverse(p), of);
    }
    r.exchange(m.first, m.k, m.last, weight, unpermuted(p, r.shape(r.output(m.last))));
  }
};

/// An operator of several values, all permuted alike, be it by a reshape  ->  of the values, and one permute behind
struct permute_once {
  static constexpr rule_info info{"permute_once",
                                  "binary|eltwise|compare|logic|remainder|where|concat(permute(a), permute(b), ...) -> "
                                  "permute(binary|...(a, b, ...))",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern =
      edge<op::permute,
           find::any_of<op::binary, op::eltwise, op::compare, op::logic, op::remainder, op::where, op::concat>>;
  /// Does node n what the permute does?
  static constexpr bool permutes(const rewriter& r, node_id n, const op::permute& p) {
    if (r.is<op::permute>(n)) return r.get<op::permute>(n).order == p.order;
    if (!r.is<op::reshape>(n)) return false;
    const extents &x = r.shape(r.input(n)), &y = r.shape(r.output(n));
    return x.rank == static_cast<int>(p.order.size()) && y.rank == x.rank && moves_only_ones(p, x) &&
           unpermuted(p, y) == x;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (const reason no = only_reshapes(r, m.first)) return no;
    const pool<value_id> in = r.inputs_of(m.last);
    bool several = false;
    for (const value_id v : in) {
      const node_id n = r.producer(v);
      if (!permutes(r, n, r.get<op::permute>(m.first))) return {"its operands are permuted differently", r.name(n)};
      several = several || v != in[0];
      int here = 0;
      for (const value_id other : in) here += other == v;
      if (r.readers(v) != here)
        return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer",
                r.name(n), true};
    }
    if (!several) return {"it has no second permuted operand"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.first);
    pool<value_id> in;
    node_id latest = m.first;
    for (const value_id v : r.inputs_of(m.last)) {
      const node_id n = r.producer(v);
      in.push_back(r.input(n));
      latest = n > latest ? n : latest;
    }
    for (const value_id v : r.inputs_of(m.last))
      if (r.producer(v) != latest) r.note(r.name(r.producer(v)), r.name(m.last));
    const value_id of_latest = r.input(latest);
    if (latest != m.first) r.become(latest, p, r.name(latest), {&of_latest, 1}, {});
    if (r.is<op::concat>(m.last)) move_back(r, m.last, p, r.shape(in[0]));
    r.exchange(latest, m.last, in, unpermuted(p, r.shape(r.output(m.last))));
  }
};

/// permute(x) and y > binary > permute back  ->  x and permuted y > binary
struct permute_other {
  static constexpr rule_info info{"permute_other", "binary(permute(x), y) > permute back -> binary(x, permute(y))",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id back = none, both = none, turned = none;
    value_id x = none, y = none;
  };
  using pattern = find::node<
      op::permute, &match::back,
      find::alone<find::either_order<op::binary, &match::both,
                                     find::alone<find::node<op::permute, &match::turned, find::value<&match::x>>>,
                                     find::value<&match::y>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.shape(m.y).rank != r.shape(m.x).rank) return {"its operands have not the same rank", r.name(m.both)};
    return undoes(r, m.back, m.turned);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto back = r.get<op::permute>(m.back);
    const value_id permuted = r.output(m.both);
    const bool x_is_first = r.input(m.both, 0) == r.output(m.turned);
    const value_id in[] = {x_is_first ? m.x : permuted, x_is_first ? permuted : m.x};
    const std::string_view name = r.name(m.both), moves = r.name(m.back);
    r.note(r.name(m.turned), name);
    r.become(m.back, r.get<op::binary>(m.both), name, in, {});
    r.become(m.both, back, moves, {&m.y, 1}, {}, unpermuted(inverse(back), r.shape(m.y)));
    r.retype(permuted, r.type(m.y));
  }
};

/// permute(x) and y > binary, where y permuted back is there anyway  ->  binary of that and x > permute: a skip of a
/// network whose convolutions stand between permutes
struct permute_skip {
  static constexpr rule_info info{"permute_skip",
                                  "binary(permute(x), y) beside permute back(y) -> permute(binary(x, permute back(y)))",
                                  lowers::position, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id both = none, turned = none;
    value_id x = none, y = none, back = none;
  };
  using pattern = find::either_order<op::binary, &match::both,
                                     find::alone<find::node<op::permute, &match::turned, find::value<&match::x>>>,
                                     find::value<&match::y>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = only_reshapes(r, m.turned)) return no;
    const op::permute back = inverse(r.get<op::permute>(m.turned));
    r.refused_reader(m.y, [&](node_id n) -> reason {
      if (n >= m.turned) return {"it comes too late"};  // or it is the permute of x, which is y
      if (r.is<op::permute>(n) && r.get<op::permute>(n).order == back.order) m.back = r.output(n);
      return {};
    });
    if (m.back == none) return {"its other operand is not permuted back", r.name(m.turned)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.turned);
    pool<value_id> in;
    for (const value_id v : r.inputs_of(m.both)) in.push_back(v == m.y ? m.back : m.x);
    r.exchange(m.turned, m.both, in, unpermuted(p, r.shape(r.output(m.both))));
  }
};

/// matmul of two values whose batches are permuted alike  ->  matmul, and one permute of the batches behind. What else
/// the permutes do to rows and columns is the matmul's.
struct permuted_batches {
  static constexpr rule_info info{"permuted_batches", "matmul(permute(a), permute(b)) -> permute(matmul(a, b))",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id product = none, a = none, b = none;
  };
  using pattern = find::node<
      op::matmul, &match::product, find::alone<find::node<op::permute, &match::a>>,
      find::or_say<"its other operand is not permuted for it alone", find::alone<find::node<op::permute, &match::b>>>>;
  static constexpr bool moves_batches_only(const op::permute& p) {
    for (std::size_t i = 0; i + 2 < p.order.size(); ++i)
      if (p.order[i] + 2 >= static_cast<int>(p.order.size())) return false;
    return true;
  }
  static constexpr op::permute of_batches(op::permute p) {
    for (std::size_t i = p.order.size() - 2; i < p.order.size(); ++i) p.order[i] = static_cast<int>(i);
    return p;
  }
  static constexpr bool turns(const op::permute& p) {
    return p.order[p.order.size() - 1] + 1 < static_cast<int>(p.order.size());
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.a), q = r.get<op::permute>(m.b);
    if (p.order.size() < 3 || !moves_batches_only(p) || !(of_batches(p).order == of_batches(q).order))
      return {"the batches of its operands are permuted differently", r.name(m.b)};
    if (turns(p) && r.reads_bytes(m.product)) return {"the left matrix of bytes is read by rows", r.name(m.a)};
    if (moves_only_ones(of_batches(p), unpermuted(of_batches(p), r.shape(r.output(m.product)))))
      return {"it does not permute batches", r.name(m.a)};
    if (r.shape(r.output(m.product)).count() > r.shape(r.output(m.a)).count() + r.shape(r.output(m.b)).count())
      return {"its result has more elements to permute"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.a), q = r.get<op::permute>(m.b);
    auto product = r.get<op::matmul>(m.product);
    product.transpose_a = product.transpose_a != turns(p);
    product.transpose_b = product.transpose_b != turns(q);
    const value_id in[] = {r.input(m.a), r.input(m.b)};
    const node_id earlier = m.a < m.b ? m.a : m.b, later = m.a < m.b ? m.b : m.a;
    r.note(r.name(earlier), r.name(m.product));
    r.exchange(later, m.product, product, in, unpermuted(of_batches(p), r.shape(r.output(m.product))), of_batches(p));
  }
};

/// permute > softmax|log_softmax|reduce  ->  the other way round
struct axes_first {
  static constexpr rule_info info{"axes_first", "permute > softmax|log_softmax|reduce -> the other way round",
                                  lowers::position, numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = chain<op::permute, find::any_of<op::softmax, op::log_softmax, op::reduce>>;
  static constexpr reason guard(const rewriter& r, const match& m) { return only_reshapes(r, m.first); }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.first);
    const value_id x = r.input(m.first);
    const extents &from = r.shape(x), &y = r.shape(r.output(m.last));
    if (r.is<op::reduce>(m.last) && !r.get<op::reduce>(m.last).keep) return reduce_first(r, m, p);
    move_back(r, m.last, p, from);
    r.exchange(m.first, m.last, {&x, 1}, unpermuted(p, y));
  }

 private:
  /// A reduction without the axes that it is over; the permute is one of those that stay.
  static constexpr void reduce_first(rewriter& r, const match& m, const op::permute& p) {
    const value_id x = r.input(m.first);
    const extents from = r.shape(x), y = r.shape(r.output(m.last));
    const unsigned after = r.get<op::reduce>(m.last).reduced(r.shape(r.output(m.first)));
    move_back(r, m.last, p, from);
    const auto by = r.get<op::reduce>(m.last);
    const unsigned before = by.reduced(from);
    op::permute left;  // of the axes that stay
    for (int i = 0; i < from.rank; ++i) {
      const int a = source_axis(p, i);
      if (after >> i & 1u) continue;
      int place = 0;
      for (int b = 0; b < a; ++b) place += (before >> b & 1u) == 0;
      left.order.push_back(place);
    }
    if (!left.order.empty()) return r.exchange(m.first, m.last, by, {&x, 1}, unpermuted(left, y), left);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, by, r.name(m.last), {&x, 1}, {});
  }
};

/// permute > pad > permute back  ->  pad. (It does not go before a permute otherwise: a convolution may take it.)
struct pad_between {
  static constexpr rule_info info{"pad_between", "permute > pad > permute back -> pad", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id back = none, pad = none, turned = none;
  };
  using pattern =
      find::node<op::permute, &match::back,
                 find::alone<find::node<op::pad, &match::pad, find::alone<find::node<op::permute, &match::turned>>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) { return undoes(r, m.back, m.turned); }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto p = r.get<op::permute>(m.turned);
    move_back(r, m.pad, p, r.shape(r.input(m.turned)));
    r.note(r.name(m.turned), r.name(m.pad));
    r.fuse(m.pad, m.back, r.inputs_with(m.pad, 0, r.input(m.turned)));
  }
};

/// permute > interpolate > permute back  ->  interpolate. What keeps its size along an axis is not resized there.
struct resize_between {
  static constexpr rule_info info{"resize_between", "permute > interpolate > permute back -> interpolate",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match {
    node_id back = none, resize = none, turned = none;
    op::interpolate is{};
  };
  using pattern = find::node<
      op::permute, &match::back,
      find::alone<find::node<op::interpolate, &match::resize, find::alone<find::node<op::permute, &match::turned>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = undoes(r, m.back, m.turned)) return no;
    const auto old = r.get<op::interpolate>(m.resize);
    if (old.crops() || old.coordinates == op::coordinates::tf_half_pixel_for_nn)
      return {"its coordinates are not the input's", r.name(m.resize)};
    if (old.fraction_bits > 0) return {"it rounds along one axis, then along the next", r.name(m.resize)};
    const auto p = r.get<op::permute>(m.turned);
    const extents &x = r.shape(r.output(m.turned)), &y = r.shape(r.output(m.resize));
    const int outer = x.rank - old.axes;
    int first = x.rank;
    pool<int> from(static_cast<std::size_t>(x.rank), none);  // by axis of the input, which of the axes of old
    for (int i = 0; i < old.axes; ++i) {
      const int axis = source_axis(p, outer + i);
      from[static_cast<std::size_t>(axis)] = i;
      const bool stays = x[outer + i] == y[outer + i] && (old.scale.at(i) == 1 || !(old.scale.at(i) > 0));
      if (!stays && axis < first) first = axis;
    }
    m.is = old;
    m.is.axes = x.rank - first;
    m.is.size = {};
    m.is.scale = {};
    for (int axis = first; axis < x.rank; ++axis) {
      const int i = from[static_cast<std::size_t>(axis)];
      if (i == none) return {"an axis that it does not resize would be among those", r.name(m.resize)};
      m.is.size.push_back(old.size.at(i));
      m.is.scale.push_back(old.scale.at(i));
    }
    if (m.is.axes == 0) return {"it keeps every size", r.name(m.resize)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.turned), r.name(m.resize));
    r.fuse(m.resize, m.back, m.is, r.inputs_with(m.resize, 0, r.input(m.turned)), {});
  }
};

}  // namespace ctnn::rules
