// SPDX-License-Identifier: BSL-1.0
// rules/heads.hpp: attention reads heads where they lie in rows.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// 2 batches of 4 queries and 5 keys, 3 heads of 8.
struct operands {
  value_id q, k, v;
};
constexpr operands rows(builder& b, int keys_wide = 24) {
  const value_id q = b.input("q", {2, 4, 24}), k = b.input("k", {2, 5, keys_wide}), v = b.input("v", {2, 5, keys_wide});
  return {q, k, v};
}
constexpr op::attention of_rows(int heads, int kv_heads) {
  op::attention a;
  a.heads = heads;
  a.kv_heads = kv_heads;
  return a;
}
/// (2, length, heads * 8) to (2, heads, length, 8).
constexpr value_id apart(builder& b, std::string_view name, value_id x, int length, int heads = 3) {
  return b.permute(name, b.reshape("", x, {2, length, heads, 8}), {0, 2, 1, 3});
}

template <int KeyHeads = 3>
constexpr auto moved = [](builder& b) {
  const operands o = rows(b, KeyHeads * 8);
  const value_id q = apart(b, "", o.q, 4), k = apart(b, "", o.k, 5, KeyHeads), v = apart(b, "", o.v, 5, KeyHeads);
  b.output("", b.permute("back", b.add(op::attention{}, "it", {q, k, v}), {0, 2, 1, 3}));
};
template <int KeyHeads = 3>
constexpr auto in_place = [](builder& b) {
  const operands o = rows(b, KeyHeads * 8);
  b.output("", b.reshape("back", b.add(of_rows(3, KeyHeads), "it", {o.q, o.k, o.v}), {2, 4, 3, 8}));
};

/// Queries come by heads, keys and values are what a permute alone makes of rows.
constexpr auto moved_by_permutes = [](builder& b) {
  const value_id q = b.input("q", {2, 4, 3, 8}), k = b.input("k", {2, 5, 3, 8});
  const value_id y = b.add(op::attention{}, "it",
                           {b.permute("p", q, {0, 2, 1, 3}), b.permute("r", k, {0, 2, 1, 3}),
                            b.permute("s", b.add(op::activation{{function::tanh}}, "", {k}), {0, 2, 1, 3})});
  b.output("", b.flatten("rows", b.permute("back", y, {0, 2, 1, 3}), 2));
};
constexpr auto reshaped_rows = [](builder& b) {
  const value_id q = b.input("q", {2, 4, 3, 8}), k = b.input("k", {2, 5, 3, 8});
  const value_id p = b.reshape("p", q, {2, 4, 24}), r = b.reshape("r", k, {2, 5, 24});
  const value_id s = b.reshape("s", b.add(op::activation{{function::tanh}}, "", {k}), {2, 5, 24});
  b.output("", b.flatten("rows", b.reshape("back", b.add(of_rows(3, 3), "it", {p, r, s}), {2, 4, 3, 8}), 2));
};

/// Batches and heads are one axis.
template <bool Masked = false>
constexpr auto moved_to_batches = [](builder& b) {
  const operands o = rows(b);
  const value_id q = b.reshape("", apart(b, "", o.q, 4), {6, 4, 8}), k = b.reshape("", apart(b, "", o.k, 5), {6, 5, 8}),
                 v = b.reshape("", apart(b, "", o.v, 5), {6, 5, 8});
  op::attention a = of_rows(1, 1);
  a.mask = Masked;
  const value_id y = Masked ? b.add(a, "it", {q, k, v, b.reshape("m", b.input("mask", {6, 1, 5}), {6, 1, 1, 5})})
                            : b.add(a, "it", {q, k, v});
  b.output("", b.permute("back", b.reshape("", y, {2, 3, 4, 8}), {0, 2, 1, 3}));
};
constexpr auto in_place_masked = [](builder& b) {
  const operands o = rows(b);
  op::attention a = of_rows(3, 3);
  a.mask = true;
  const value_id mask = b.reshape("m", b.input("mask", {6, 1, 5}), {2, 3, 1, 5});
  b.output("", b.reshape("back", b.add(a, "it", {o.q, o.k, o.v, mask}), {2, 4, 3, 8}));
};

/// The length comes first, as in PyTorch's module.
struct by_length {
  value_id q, k, v;
};
constexpr by_length lengths_first(builder& b) {
  const value_id q = b.input("q", {4, 1, 48}), k = b.input("k", {5, 1, 48}), v = b.input("v", {5, 1, 48});
  return {q, k, v};
}
constexpr value_id heads_first(builder& b, value_id x, int length) {
  return b.permute("", b.reshape("", x, {length, 6, 8}), {1, 0, 2});
}
constexpr auto length_first = [](builder& b) {
  const by_length o = lengths_first(b);
  const value_id q = heads_first(b, o.q, 4), k = heads_first(b, o.k, 5), v = heads_first(b, o.v, 5);
  b.output("", b.permute("back", b.add(of_rows(1, 1), "it", {q, k, v}), {1, 0, 2}));
};
constexpr auto length_first_by_heads = [](builder& b) {
  const by_length o = lengths_first(b);
  const value_id q = b.reshape("", heads_first(b, o.q, 4), {1, 6, 4, 8}),
                 k = b.reshape("", heads_first(b, o.k, 5), {1, 6, 5, 8}),
                 v = b.reshape("", heads_first(b, o.v, 5), {1, 6, 5, 8});
  b.output("", b.permute("back", b.add(op::attention{}, "it", {q, k, v}), {2, 0, 1, 3}));
};
template <int... Back>
constexpr auto one_batch_of_all = [](builder& b) {
  const by_length o = lengths_first(b);
  const value_id q = b.reshape("", o.q, {1, 4, 48}), k = b.reshape("", o.k, {1, 5, 48}),
                 v = b.reshape("", o.v, {1, 5, 48});
  b.output("", b.reshape("back", b.add(of_rows(6, 6), "it", {q, k, v}), {Back...}));
};

/// One query: its heads are where they were.
constexpr auto one_query = [](builder& b) {
  const value_id q = b.input("q", {2, 1, 24}), k = b.input("k", {2, 5, 24}), v = b.input("v", {2, 5, 24});
  const value_id y =
      b.add(op::attention{}, "it", {b.reshape("", q, {2, 3, 1, 8}), apart(b, "", k, 5), apart(b, "", v, 5)});
  b.output("", b.reshape("back", y, {2, 24}));
};
constexpr auto row_of_one_query = [](builder& b) {
  const value_id q = b.input("q", {2, 1, 24}), k = b.input("k", {2, 5, 24}), v = b.input("v", {2, 5, 24});
  b.output("", b.reshape("back", b.add(of_rows(3, 3), "it", {q, k, v}), {2, 24}));
};

}  // namespace

FIRES_LOADED("heads moved apart and back", (rules::heads_in_rows), moved<>, in_place<>)
FIRES_LOADED("fewer heads of keys moved apart", (rules::heads_in_rows), moved<1>, in_place<1>)
FIRES_LOADED("heads moved by permutes alone", (rules::heads_in_rows), moved_by_permutes, reshaped_rows)
FIRES_LOADED("heads that are batches", (rules::heads_in_rows), moved_to_batches<>, in_place<>)
FIRES_LOADED("heads that are batches, with a mask of each", (rules::heads_in_rows), moved_to_batches<true>,
             in_place_masked)
FIRES_LOADED("heads behind a length", (rules::heads_in_rows), length_first, (one_batch_of_all<4, 6, 8>))
FIRES_LOADED("heads behind a length, in batches", (rules::heads_in_rows), length_first_by_heads,
             (one_batch_of_all<4, 1, 6, 8>))
FIRES_LOADED("heads of one query", (rules::heads_in_rows), one_query, row_of_one_query)

namespace {

enum class slip { keys_read, keys_seen, keys_flipped, result_flipped, result_seen, mask_of_heads, other_batch };
/// The same, but not quite.
template <slip S>
constexpr auto near = [](builder& b) {
  const operands o = rows(b);
  const value_id q = apart(b, "", o.q, 4), r = b.permute("k", b.input("r", {2, 5, 3, 8}), {0, 2, 1, 3}),
                 v = apart(b, "", o.v, 5);
  const value_id k =
      S == slip::keys_flipped
          ? b.add(op::slice::of({2, 3, 5, 8}, op::slice::walks{{{0, 2, 1}, {2, 3, -1}, {0, 5, 1}, {0, 8, 1}}}),
                  "flipped", {r})
          : r;
  if (S == slip::keys_read) b.output("", b.relu("", r));
  if (S == slip::keys_seen) b.output("", r);
  op::attention a;
  a.mask = S == slip::mask_of_heads;
  const value_id y = a.mask ? b.add(a, "it", {q, k, v, b.input("mask", {2, 3, 4, 5})}) : b.add(a, "it", {q, k, v});
  if (S == slip::result_seen) b.output("", y);
  b.output("", S == slip::result_flipped ? b.permute("back", y, {0, 1, 2, 3}) : b.permute("back", y, {0, 2, 1, 3}));
};
constexpr auto batches_behind_a_length = [](builder& b) {
  const value_id x = b.input("x", {4, 2, 24}), y = heads_first(b, x, 4), k = heads_first(b, b.relu("", x), 4);
  b.output("", b.permute("back", b.add(of_rows(1, 1), "it", {y, k, k}), {1, 0, 2}));
};
/// Queries, keys and values of one step are columns of one value, of which a part is read elsewhere.
constexpr auto columns_are_seen = [](builder& b) {
  const value_id x = b.reshape("", b.input("x", {2, 1, 72}), {2, 1, 3, 24});
  const value_id q = b.add(op::split{{1, 1, 1}, 2}, "cut", {x});
  const auto apart = [&](value_id v) { return b.reshape("", v, {2, 3, 1, 8}); };
  b.output("q", q);
  const value_id y = b.add(op::attention{}, "it", {apart(q), apart(q + 1), apart(q + 2)});
  b.output("", b.reshape("back", y, {2, 24}));
};
constexpr auto never_moved = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4, 8});
  b.output("", b.permute("back", b.add(op::attention{}, "it", {x, x, x}), {0, 2, 1, 3}));
};
constexpr auto in_rows_already = [](builder& b) {
  const operands o = rows(b);
  b.output("", b.reshape("back", b.add(of_rows(3, 3), "it", {o.q, o.k, o.v}), {2, 4, 3, 8}));
};
constexpr auto heads_of_one = [](builder& b) {
  const value_id q = b.input("q", {2, 4, 8});
  b.output("", b.reshape("back", b.add(of_rows(1, 1), "it", {q, q, q}), {8, 8}));
};

}  // namespace

DECLINES_LOADED("heads of keys that another layer reads", (rules::heads_in_rows), near<slip::keys_read>,
                "its input is also read by another layer")
DECLINES_LOADED("heads of keys that are an output", (rules::heads_in_rows), near<slip::keys_seen>,
                "its input is a network output too")
DECLINES_LOADED("heads of keys that something computes", (rules::heads_in_rows), near<slip::keys_flipped>,
                "no rows are moved to its heads")
DECLINES_LOADED("columns that another layer reads", (rules::heads_in_rows), columns_are_seen,
                "what cuts its rows is also read by another layer")
DECLINES_LOADED("heads that stay apart", (rules::heads_in_rows), near<slip::result_flipped>,
                "its heads are not moved back")
DECLINES_LOADED("heads that are an output", (rules::heads_in_rows), near<slip::result_seen>,
                "its input is a network output too")
DECLINES_LOADED("heads that nothing moves apart", (rules::heads_in_rows), never_moved, "no rows are moved to its heads")
DECLINES_LOADED("heads of several batches behind a length", (rules::heads_in_rows), batches_behind_a_length,
                "no rows are moved to its heads")
DECLINES_LOADED("heads in rows", (rules::heads_in_rows), in_rows_already, "")
DECLINES_LOADED("rows of one head", (rules::heads_in_rows), heads_of_one, "no rows are moved to its heads")
