// SPDX-License-Identifier: BSL-1.0
// rules/key_values.hpp: a cache before keys and values, and heads of them that queries share.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// 3 heads of 4 queries, 7 past keys and 2 new ones.
struct operands {
  value_id q, k, v, past_k, past_v;
};
constexpr operands cached(builder& b) {
  const value_id q = b.input("q", {2, 3, 4, 8}), k = b.input("k", {2, 3, 2, 8}), v = b.input("v", {2, 3, 2, 6});
  return {q, k, v, b.input("past k", {2, 3, 7, 8}), b.input("past v", {2, 3, 7, 6})};
}
enum class seen { nothing, all, keys, early };
template <seen S, bool Masked = false>
constexpr auto joined = [](builder& b) {
  const operands o = cached(b);
  op::attention a;
  a.mask = Masked;
  const value_id mask = Masked ? b.input("mask", {2, 1, 4, 9}) : none;
  const value_id k = b.concat("keys", {o.past_k, o.k}, 2), v = b.concat("values", {o.past_v, o.v}, -2);
  if (S == seen::early) b.output("early", b.relu("relu", k));
  b.output("", Masked ? b.add(a, "it", {o.q, k, v, mask}) : b.add(a, "it", {o.q, k, v}));
  if (S == seen::all || S == seen::keys) b.output("k", k);
  if (S == seen::all) b.output("v", v);
};
template <seen S, bool Masked = false>
constexpr auto with_cache = [](builder& b) {
  const operands o = cached(b);
  op::attention a;
  a.mask = Masked;
  a.past = true;
  a.present = S != seen::nothing;
  const value_id mask = Masked ? b.input("mask", {2, 1, 4, 9}) : none;
  const value_id y = Masked ? b.add(a, "it", {o.q, o.k, o.v, mask, o.past_k, o.past_v})
                            : b.add(a, "it", {o.q, o.k, o.v, o.past_k, o.past_v});
  b.output("", y);
  if (S == seen::all || S == seen::keys) b.output("k", y + 1);
  if (S == seen::all) b.output("v", y + 2);
};

enum class slip { three, other_axis, causal, same, uneven, query, present };
template <slip S>
constexpr auto other_cache = [](builder& b) {
  const value_id q = S == slip::query ? none : b.input("q", {2, 3, 9, 8}), k = b.input("k", {2, 3, 2, 8}),
                 past = b.input("past", {2, 3, 7, 8});
  op::attention a;
  a.causal = S == slip::causal;
  a.present = S == slip::present;
  value_id keys = none;
  if (S == slip::three) keys = b.concat("keys", {past, k, b.input("one", {2, 3, 1, 8})}, 2);
  else if (S == slip::other_axis) keys = b.concat("keys", {b.input("a", {2, 1, 9, 8}), b.input("c", {2, 2, 9, 8})}, 1);
  else keys = b.concat("keys", {past, k}, 2);
  value_id values = keys;
  if (S == slip::other_axis) values = b.concat("values", {k, past}, 2);
  else if (S == slip::uneven) values = b.concat("values", {k, past}, 2);
  else if (S != slip::same) values = b.concat("values", {past, b.relu("relu", k)}, 2);
  if (S == slip::three) values = b.concat("more values", {values, b.input("last", {2, 3, 1, 8})}, 2);
  b.output("", b.add(a, "it", {S == slip::query ? keys : q, keys, values}));
};

/// 6 heads of queries, 2 of keys and values.
struct shared {
  value_id q, k, v;
};
constexpr shared few_heads(builder& b) {
  const value_id q = b.input("q", {2, 6, 4, 8}), k = b.input("k", {2, 2, 5, 8}), v = b.input("v", {2, 2, 5, 6});
  return {q, k, v};
}
constexpr value_id repeated(builder& b, value_id x, int size, bool seen = false) {
  const value_id wide = b.add(op::expand{{2, 2, 3, 5, size}}, "", {b.reshape("", x, {2, 2, 1, 5, size})});
  const value_id joined = b.reshape("joined", wide, {2, 6, 5, size});
  if (seen) b.output("seen", joined);
  return joined;
}
template <bool Seen = false>
constexpr auto repeats = [](builder& b) {
  const shared o = few_heads(b);
  const value_id k = repeated(b, o.k, 8, Seen), v = repeated(b, o.v, 6);
  b.output("", b.add(op::attention{}, "it", {o.q, k, v}));
};
constexpr auto fewer_heads = [](builder& b) {
  const shared o = few_heads(b);
  const value_id k = b.reshape("joined", b.reshape("", o.k, {2, 2, 1, 5, 8}), {2, 2, 5, 8});
  const value_id v = b.reshape("joined", b.reshape("", o.v, {2, 2, 1, 5, 6}), {2, 2, 5, 6});
  b.output("", b.add(op::attention{}, "it", {o.q, k, v}));
};
/// Heads one after the other and again, or also more keys.
template <bool Keys>
constexpr auto repeats_otherwise = [](builder& b) {
  const shared o = few_heads(b);
  const auto again = [&](value_id x, int size) {
    if (!Keys)
      return b.reshape("", b.add(op::expand{{2, 3, 2, 5, size}}, "", {b.reshape("", x, {2, 1, 2, 5, size})}),
                       {2, 6, 5, size});
    const value_id row =
        b.add(op::slice::of({2, 2, 5, size}, {{{0, 2, 1}, {0, 2, 1}, {0, 1, 1}, {0, size, 1}}}), "", {x});
    return b.reshape("", b.add(op::expand{{2, 2, 3, 5, size}}, "", {b.reshape("", row, {2, 2, 1, 1, size})}),
                     {2, 6, 5, size});
  };
  const value_id k = again(o.k, 8), v = again(o.v, 6);
  b.output("", b.add(op::attention{}, "it", {o.q, k, v}));
};

}  // namespace

FIRES_LOADED("keys and values behind a cache", (rules::cached_keys), joined<seen::nothing>, with_cache<seen::nothing>)
FIRES_LOADED("keys and values behind a cache, which are outputs", (rules::cached_keys), joined<seen::all>,
             with_cache<seen::all>)
FIRES_LOADED("keys behind a cache, which are an output, and values", (rules::cached_keys), (joined<seen::keys, true>),
             (with_cache<seen::keys, true>))
DECLINES_LOADED("all keys are read before", (rules::cached_keys), joined<seen::early>, "all keys are read before it")
DECLINES_LOADED("keys in three parts", (rules::cached_keys), other_cache<slip::three>,
                "it joins more than past keys and new ones")
DECLINES_LOADED("heads of keys in two parts", (rules::cached_keys), other_cache<slip::other_axis>,
                "it does not join keys")
DECLINES_LOADED("a cache of causal attention", (rules::cached_keys), other_cache<slip::causal>,
                "it counts queries from the first key")
DECLINES_LOADED("a cache of values that are the keys", (rules::cached_keys), other_cache<slip::same>,
                "its keys are its values")
DECLINES_LOADED("past keys and new values", (rules::cached_keys), other_cache<slip::uneven>,
                "its past keys are not as many as past values")
DECLINES_LOADED("all keys are queries", (rules::cached_keys), other_cache<slip::query>,
                "it reads all keys in another place, too")
DECLINES_LOADED("a cache that gives all keys", (rules::cached_keys), other_cache<slip::present>,
                "it has several outputs")

FIRES_LOADED("keys and values repeated for heads of queries", (rules::shared_keys), repeats<>, fewer_heads)
DECLINES_LOADED("repeated keys that are an output", (rules::shared_keys), repeats<true>,
                "its input is a network output too")
DECLINES_LOADED("heads one after the other again", (rules::shared_keys), repeats_otherwise<false>,
                "its heads are not repeated")
DECLINES_LOADED("keys repeated, too", (rules::shared_keys), repeats_otherwise<true>, "its heads are not repeated")
