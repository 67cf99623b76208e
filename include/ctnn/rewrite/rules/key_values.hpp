// SPDX-License-Identifier: BSL-1.0
// Keys and values as attention takes them itself: behind a cache of those before, and of fewer heads than queries.
#pragma once

#include "../../graph/operators/attention.hpp"
#include "../../graph/operators/rearranging.hpp"
#include "movement.hpp"

namespace ctnn::rules {

/// concat(past, keys), concat(past, values) > attention  ->  attention with a cache, which gives all of them to whoever
/// else reads them
struct cached_keys {
  static constexpr rule_info info{"cached_keys", "concat(past, keys), concat(past, values) > attention -> attention",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match {
    node_id whole = none, keys = none, values = none;
    value_id q = none;
  };
  struct two_along_keys {
    using of = op::concat;
    static constexpr std::string_view why_not(const rewriter& r, node_id n) {
      if (r.inputs_count(n) != 2) return "it joins more than past keys and new ones";
      return normal_axis(r.get<op::concat>(n).axis, r.shape(r.output(n)).rank) == 2 ? "" : "it does not join keys";
    }
  };
  using pattern = find::node<op::attention, &match::whole, find::value<&match::q>,
                             find::node<two_along_keys, &match::keys>, find::node<two_along_keys, &match::values>>;

  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto op = r.get<op::attention>(m.whole);
    if (r.shape(m.q).rank != 4) return {"its heads are in rows"};
    if (op.past || op.lengths) return {"it has a cache"};
    if (op.causal) return {"it counts queries from the first key"};
    if (op.present || op.scores) return {"it has several outputs"};
    if (r.shape(r.input(m.keys, 0))[2] != r.shape(r.input(m.values, 0))[2])
      return {"its past keys are not as many as past values", r.name(m.values)};
    if (m.keys == m.values) return {"its keys are its values", r.name(m.keys)};
    for (const node_id n : {m.keys, m.values}) {
      if (r.reads(m.whole, r.output(n)) != 1) return {"it reads all keys in another place, too", r.name(n)};
      for (node_id k = n + 1; k < m.whole; ++k)
        if (r.live(k) && r.reads(k, r.output(n))) return {"all keys are read before it", r.name(k)};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto op = r.get<op::attention>(m.whole);
    pool<value_id> in = r.inputs_of(m.whole);
    in[1] = r.input(m.keys, 1);
    in[2] = r.input(m.values, 1);
    for (const node_id n : {m.keys, m.values}) in.push_back(r.input(n, 0));
    op.past = true;
    for (const node_id n : {m.keys, m.values}) {
      op.present = op.present || r.readers(r.output(n)) > 1;
      r.note(r.name(n), r.name(m.whole));
    }
    const value_id all[] = {r.output(m.keys), r.output(m.values)};
    r.become_all(m.whole, op, in, {all, op.present ? std::size_t{2} : std::size_t{0}});
  }
};

/// Keys and values repeated for the queries that share them, as reshape, expand and reshape do  ->  attention of fewer
/// heads of them
struct shared_keys {
  static constexpr rule_info info{"shared_keys",
                                  "reshape > expand > reshape of keys and values > attention -> attention",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match {
    node_id whole = none, keys_joined = none, keys_repeated = none, values_joined = none, values_repeated = none;
    value_id q = none, keys = none, values = none;
  };
  template <auto Joined, auto Repeated, auto From>
  using repeated =
      find::alone<find::node<reshapes, Joined, find::alone<find::node<op::expand, Repeated, find::value<From>>>>>;
  using pattern = find::node<op::attention, &match::whole, find::value<&match::q>,
                             repeated<&match::keys_joined, &match::keys_repeated, &match::keys>,
                             repeated<&match::values_joined, &match::values_repeated, &match::values>>;

  /// (batch, heads, length, size) of (batch, heads, 1, length, size) that are repeated along their third axis.
  static constexpr reason refused(const rewriter& r, value_id from, node_id repeats, node_id joins) {
    const extents &x = r.shape(from), &y = r.shape(r.output(repeats)), &z = r.shape(r.output(joins));
    if (x.rank != 5 || y.rank != 5 || x[2] != 1 || z.rank != 4) return {"its heads are not repeated", r.name(repeats)};
    for (int i = 0; i < 5; ++i)
      if (i != 2 && x[i] != y[i]) return {"more than its heads is repeated", r.name(repeats)};
    const extents joined{y[0], y[1] * y[2], y[3], y[4]};
    return joined == z ? reason{} : reason{"its heads are joined otherwise", r.name(joins)};
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto op = r.get<op::attention>(m.whole);
    if (op.past || op.present) return {"it has a cache"};
    if (const reason no = refused(r, m.keys, m.keys_repeated, m.keys_joined)) return no;
    if (const reason no = refused(r, m.values, m.values_repeated, m.values_joined)) return no;
    if (r.shape(m.keys)[1] != r.shape(m.values)[1]) return {"its keys have other heads than its values"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in = r.inputs_of(m.whole);
    r.note(r.name(m.keys_repeated), r.name(m.whole));
    r.note(r.name(m.values_repeated), r.name(m.whole));
    const auto join = [&](node_id joins, value_id from) {
      extents shape = r.shape(from).without_axis(2);
      r.become(joins, reshape_to(shape), r.name(joins), {&from, 1}, {}, shape);
    };
    join(m.keys_joined, m.keys);
    join(m.values_joined, m.values);
    r.become(m.whole, r.get<op::attention>(m.whole), r.name(m.whole), in, {});
  }
};

}  // namespace ctnn::rules
