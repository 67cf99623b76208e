// SPDX-License-Identifier: BSL-1.0
// Keys and values as attention takes them itself: behind a cache of those before, and of fewer heads than queries.
#pragma once

#include "../../graph/operators/attention.hpp"
#include "../../graph/operators/rearranging.hpp"
#include "../view_chain.hpp"
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

/// Keys and values repeated for the queries that share them, by whatever views  ->  attention of fewer heads of them
struct shared_keys {
  static constexpr rule_info info{"shared_keys",
                                  "reshape > expand > reshape of keys and values > attention -> attention",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  /// Keys or values with fewer heads, `shape`, lie in `from`.
  struct source {
    value_id from = none;
    extents shape{};
  };
  struct match {
    node_id whole = none;
    source of[2];
  };
  using pattern = find::node<op::attention, &match::whole>;

  static constexpr reason refused(const rewriter& r, value_id v, source& found) {
    const extents z = r.shape(v);
    const view_chain chain(r, v);
    if (z.rank != 4 || chain.own() == 0) return find::detail::another_operator;
    const std::string_view last = r.name(chain.layer(0));
    for (std::size_t of = 1; of <= chain.own(); ++of) {
      const value_id from = chain.source(of);
      const std::int64_t once = r.shape(from).count(), times = once > 0 ? z.count() / once : 0;
      if (times < 2 || times * once != z.count() || z[1] % times != 0) continue;
      const int by = static_cast<int>(times), heads = z[1] / by;
      index_map now(r.shape(from)), wanted({z[0], heads, 1, z[2], z[3]});
      wanted.repeat({z[0], heads, by, z[2], z[3]});
      wanted.reshape(z);
      if (!chain.map(of, now) || !(now == wanted)) continue;
      found = {from, {z[0], heads, z[2], z[3]}};
      if (r.readers(v) == 1) return {};
      return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer", last,
              true};
    }
    return {"its heads are not repeated", last};
  }
  static constexpr reason guard(const rewriter& r, match& m) {
    const auto op = r.get<op::attention>(m.whole);
    for (int i = 0; i < 2; ++i)
      if (const reason no = refused(r, r.input(m.whole, i + 1), m.of[i])) return no;
    if (op.past || op.present) return {"it has a cache"};
    if (m.of[0].shape[1] != m.of[1].shape[1]) return {"its keys have other heads than its values"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<value_id> in = r.inputs_of(m.whole);
    for (std::size_t i = 0; i < 2; ++i) {
      const source& s = m.of[i];
      const node_id joins = r.producer(in[i + 1]);
      if (!(r.shape(s.from) == s.shape)) {
        r.become(joins, reshape_to(s.shape), r.name(joins), {&s.from, 1}, {}, s.shape);
        continue;
      }
      in[i + 1] = s.from;
      r.note(r.name(joins), r.name(m.whole));
    }
    r.become(m.whole, r.get<op::attention>(m.whole), r.name(m.whole), in, {});
  }
};

}  // namespace ctnn::rules
