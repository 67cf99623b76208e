// SPDX-License-Identifier: BSL-1.0
// rules/attention.hpp: products and a softmax that spell attention.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr auto plus = op::binary_function::add;
constexpr float least = -std::numeric_limits<float>::infinity();

/// softmax(q k) v by parts that a case may exchange.
struct spelling {
  op::matmul scores{false, true, 0.5f}, sums{};
  int axis = -1;
};
constexpr value_id weigh(builder& b, const spelling& s, value_id scores, value_id v) {
  return b.add(s.sums, "sums", {b.add(op::softmax{s.axis}, "weights", {scores}), v});
}
constexpr value_id boolean(builder& b, std::string_view name, std::initializer_list<int> shape) {
  return b.add(op::input{list<int>(shape), dtype::boolean}, name, {});
}

/// Of values of these shapes, in the order in which a case names them.
struct operands {
  value_id q, k, v;
};
constexpr operands heads(builder& b) {
  const value_id q = b.relu("", b.input("q", {2, 3, 4, 8})), k = b.input("k", {2, 3, 5, 8}),
                 v = b.input("v", {2, 3, 5, 6});
  return {q, k, v};
}
constexpr operands batches(builder& b) {
  const value_id q = b.input("q", {6, 4, 8}), k = b.input("k", {6, 5, 8}), v = b.input("v", {6, 5, 6});
  return {q, k, v};
}
constexpr op::attention scaled(float scale, int heads = 0) {
  op::attention a;
  a.scale = scale;
  a.heads = a.kv_heads = heads;
  return a;
}

template <operands (*Of)(builder&), spelling S = spelling{}>
constexpr auto spelled = [](builder& b) {
  const operands o = Of(b);
  b.output("", weigh(b, S, b.add(S.scores, "scores", {o.q, o.k}), o.v));
};
template <operands (*Of)(builder&), int Heads>
constexpr auto as_attention = [](builder& b) {
  const operands o = Of(b);
  b.output("", b.add(scaled(0.5f, Heads), "sums", {o.q, o.k, o.v}));
};

/// Keys are columns, as a permute of theirs leaves them.
constexpr auto columns = [](builder& b) {
  const value_id q = b.relu("", b.input("q", {2, 3, 4, 8})), k = b.input("k", {2, 3, 8, 5}),
                 v = b.input("v", {2, 3, 5, 6});
  b.output("", weigh(b, {}, b.add(op::matmul{false, false, 0.5f}, "scores", {q, k}), v));
};
constexpr auto turned = [](builder& b) {
  const value_id q = b.relu("", b.input("q", {2, 3, 4, 8})), k = b.input("k", {2, 3, 8, 5}),
                 v = b.input("v", {2, 3, 5, 6});
  b.output("", b.add(scaled(0.5f), "sums", {q, b.permute("scores", k, {0, 1, 3, 2}), v}));
};
/// Keys and values of one head for all queries.
constexpr operands one_head_of_keys(builder& b) {
  const value_id q = b.input("q", {2, 3, 4, 8}), k = b.input("k", {2, 1, 5, 8}), v = b.input("v", {2, 1, 5, 6});
  return {q, k, v};
}

template <operands (*Of)(builder&), int... Mask>
constexpr auto added = [](builder& b) {
  const operands o = Of(b);
  const value_id mask = b.relu("", b.input("mask", {Mask...})), scores = b.add(spelling{}.scores, "scores", {o.q, o.k});
  b.output("", weigh(b, {}, b.binary("masked", plus, mask, scores), o.v));
};
template <operands (*Of)(builder&), int Heads, int... Mask>
constexpr auto with_mask = [](builder& b) {
  const operands o = Of(b);
  const value_id mask = b.relu("", b.input("mask", {Mask...}));
  op::attention a = scaled(0.5f, Heads);
  a.mask = true;
  b.output("", b.add(a, "sums", {o.q, o.k, o.v, mask}));
};
constexpr auto with_mask_of_batches = [](builder& b) {
  const operands o = batches(b);
  const value_id mask = b.relu("", b.input("mask", {6, 1, 5}));
  op::attention a = scaled(0.5f, 1);
  a.mask = true;
  b.output("", b.add(a, "sums", {o.q, o.k, o.v, b.reshape("masked", mask, {6, 1, 1, 5})}));
};

/// A bias of positions, and a mask of windows behind it: of q k^T both are added.
template <operands (*Of)(builder&), int Rows, int... Bias>
constexpr auto added_twice = [](builder& b) {
  const operands o = Of(b);
  const value_id bias = b.relu("", b.input("bias", {Bias...})), scores = b.add(spelling{}.scores, "scores", {o.q, o.k});
  const value_id mask = b.relu("", b.input("mask", {2, 1, Rows, 5}));
  b.output("", weigh(b, {}, b.binary("again", plus, b.binary("masked", plus, scores, bias), mask), o.v));
};
template <operands (*Of)(builder&), int Rows, int... Bias>
constexpr auto with_both_masks = [](builder& b) {
  const operands o = Of(b);
  const value_id bias = b.relu("", b.input("bias", {Bias...})), mask = b.relu("", b.input("mask", {2, 1, Rows, 5}));
  op::attention a = scaled(0.5f);
  a.mask = true;
  b.output("", b.add(a, "sums", {o.q, o.k, o.v, b.binary("again", plus, bias, mask)}));
};
constexpr auto masks_of_batches = [](builder& b) {
  const operands o = batches(b);
  const value_id bias = b.input("bias", {6, 1, 5}), mask = b.input("mask", {1, 1, 5}),
                 scores = b.add(spelling{}.scores, "scores", {o.q, o.k});
  b.output("", weigh(b, {}, b.binary("again", plus, b.binary("masked", plus, scores, bias), mask), o.v));
};
constexpr auto masked_scores_are_seen = [](builder& b) {
  const operands o = heads(b);
  const value_id scores = b.add(spelling{}.scores, "scores", {o.q, o.k}),
                 masked = b.binary("masked", plus, scores, b.input("bias", {3, 4, 5}));
  b.output("seen", masked);
  b.output("", weigh(b, {}, b.binary("again", plus, masked, b.input("mask", {2, 1, 4, 5})), o.v));
};

/// where(mask, scores, number) or where(mask, number, scores).
template <operands (*Of)(builder&), bool Keeps, int Number, int... Mask>
constexpr auto chosen = [](builder& b) {
  const operands o = Of(b);
  const value_id mask = boolean(b, "mask", {Mask...}),
                 number = b.full("number", {1}, Number == 0 ? least : static_cast<float>(Number)),
                 scores = b.add(spelling{}.scores, "scores", {o.q, o.k});
  const value_id kept = Keeps ? b.add(op::where{}, "chosen", {mask, scores, number})
                              : b.add(op::where{}, "chosen", {mask, number, scores});
  b.output("", weigh(b, {}, kept, o.v));
};
template <operands (*Of)(builder&), bool Keeps, int Number, int Heads, int... Mask>
constexpr auto with_choice = [](builder& b) {
  const operands o = Of(b);
  const value_id mask = boolean(b, "mask", {Mask...}), keep = Keeps ? mask : b.add(op::bitwise_not{}, "chosen", {mask});
  op::attention a = scaled(0.5f, Heads);
  a.mask = true;
  if (Number != 0) a.hidden_score = static_cast<float>(Number);
  b.output("", b.add(a, "sums", {o.q, o.k, o.v, keep}));
};

}  // namespace

FIRES_LOADED("attention of heads", (rules::spelled_attention), spelled<heads>, (as_attention<heads, 0>))
FIRES_LOADED("attention of batches", (rules::spelled_attention), spelled<batches>, (as_attention<batches, 1>))
FIRES_LOADED("attention of keys in columns", (rules::spelled_attention), columns, turned)
FIRES_LOADED("attention of one head of keys", (rules::spelled_attention), spelled<one_head_of_keys>,
             (as_attention<one_head_of_keys, 0>))
FIRES_LOADED("attention with a mask of keys", (rules::spelled_attention), (added<heads, 2, 1, 1, 5>),
             (with_mask<heads, 0, 2, 1, 1, 5>))
FIRES_LOADED("attention with a mask of keys and queries", (rules::spelled_attention), (added<batches, 4, 5>),
             (with_mask<batches, 1, 4, 5>))
FIRES_LOADED("attention of batches with a mask of each", (rules::spelled_attention), (added<batches, 6, 1, 5>),
             with_mask_of_batches)
FIRES_LOADED("attention with two masks", (rules::spelled_attention), (added_twice<heads, 4, 3, 4, 5>),
             (with_both_masks<heads, 4, 3, 4, 5>))
FIRES_LOADED("attention with a bias of queries and a mask of keys", (rules::spelled_attention),
             (added_twice<heads, 1, 1, 4, 5>), (with_both_masks<heads, 1, 1, 4, 5>))
DECLINES_LOADED("two masks of batches", (rules::spelled_attention), masks_of_batches, "its two masks are of batches")
DECLINES_LOADED("scores with the first mask are an output", (rules::spelled_attention), masked_scores_are_seen, "")
FIRES_LOADED("attention that keeps keys", (rules::spelled_attention), (chosen<heads, true, 0, 4, 5>),
             (with_choice<heads, true, 0, 0, 4, 5>))
FIRES_LOADED("attention that hides keys", (rules::spelled_attention), (chosen<heads, false, 0, 2, 1, 1, 5>),
             (with_choice<heads, false, 0, 0, 2, 1, 1, 5>))
FIRES_LOADED("attention that keeps keys, for batches", (rules::spelled_attention), (chosen<batches, true, 0, 1, 5>),
             (with_choice<batches, true, 0, 1, 1, 5>))
FIRES_LOADED("attention that gives hidden keys a score", (rules::spelled_attention),
             (chosen<heads, true, -10000, 2, 1, 1, 5>), (with_choice<heads, true, -10000, 0, 2, 1, 1, 5>))

namespace {

constexpr spelling over_queries{{false, true, 0.5f}, {}, 2}, of_scaled_values{{false, true, 0.5f}, {false, false, 2}},
    of_no_scores{{false, true, 0}};
constexpr auto queries_in_columns = [](builder& b) {
  const value_id q = b.input("q", {2, 3, 8, 4}), k = b.input("k", {2, 3, 5, 8}), v = b.input("v", {2, 3, 5, 6});
  b.output("", weigh(b, {}, b.add(op::matmul{true, true}, "scores", {q, k}), v));
};
constexpr auto values_in_columns = [](builder& b) {
  const value_id q = b.input("q", {2, 3, 4, 8}), k = b.input("k", {2, 3, 5, 8}), v = b.input("v", {2, 3, 6, 5});
  constexpr spelling turned_values{{false, true, 0.5f}, {false, true}};
  b.output("", weigh(b, turned_values, b.add(op::matmul{false, true}, "scores", {q, k}), v));
};
constexpr operands matrices(builder& b) {
  const value_id q = b.input("q", {4, 8}), k = b.input("k", {5, 8}), v = b.input("v", {5, 6});
  return {q, k, v};
}
constexpr operands one_head_of_queries(builder& b) {
  const value_id q = b.input("q", {2, 1, 4, 8}), k = b.input("k", {2, 3, 5, 8}), v = b.input("v", {2, 3, 5, 6});
  return {q, k, v};
}
constexpr operands keys_of_one_batch(builder& b) {
  const value_id q = b.input("q", {2, 3, 4, 8}), k = b.input("k", {1, 3, 5, 8}), v = b.input("v", {1, 3, 5, 6});
  return {q, k, v};
}
template <bool Scores>
constexpr auto seen = [](builder& b) {
  const operands o = heads(b);
  const value_id scores = b.add(spelling{}.scores, "scores", {o.q, o.k}),
                 weights = b.add(op::softmax{}, "weights", {scores});
  b.output("seen", Scores ? scores : weights);
  b.output("", b.add(op::matmul{}, "sums", {weights, o.v}));
};
template <int... Shape>
constexpr auto unknown_number = [](builder& b) {
  const operands o = heads(b);
  const value_id mask = boolean(b, "mask", {4, 5}), number = b.input("number", {Shape...}),
                 scores = b.add(spelling{}.scores, "scores", {o.q, o.k});
  b.output("", weigh(b, {}, b.add(op::where{}, "chosen", {mask, scores, number}), o.v));
};
constexpr auto no_number = [](builder& b) {
  const operands o = heads(b);
  const value_id mask = boolean(b, "mask", {4, 5}),
                 number = b.full("number", {}, std::numeric_limits<float>::quiet_NaN()),
                 scores = b.add(spelling{}.scores, "scores", {o.q, o.k});
  b.output("", weigh(b, {}, b.add(op::where{}, "chosen", {mask, scores, number}), o.v));
};

}  // namespace

DECLINES_LOADED("weights of the queries", (rules::spelled_attention), (spelled<heads, over_queries>),
                "its weights are not of the last axis")
DECLINES_LOADED("queries in columns", (rules::spelled_attention), queries_in_columns, "its queries are columns")
DECLINES_LOADED("values in columns", (rules::spelled_attention), values_in_columns, "its values are columns")
DECLINES_LOADED("a scaled result", (rules::spelled_attention), (spelled<heads, of_scaled_values>),
                "its result is scaled")
DECLINES_LOADED("scores of 0", (rules::spelled_attention), (spelled<heads, of_no_scores>), "its scores are all 0")
DECLINES_LOADED("matrices without a batch", (rules::spelled_attention), spelled<matrices>,
                "its operands are not all of 3 or 4 axes")
DECLINES_LOADED("fewer heads of queries than of keys", (rules::spelled_attention), spelled<one_head_of_queries>,
                "its operands are broadcast otherwise than heads are")
DECLINES_LOADED("keys of one batch for all", (rules::spelled_attention), spelled<keys_of_one_batch>,
                "its operands are broadcast otherwise than heads are")
DECLINES_LOADED("a mask that makes the scores more", (rules::spelled_attention),
                (added<one_head_of_queries, 2, 3, 4, 5>), "its operands are broadcast otherwise than heads are")
DECLINES_LOADED("scores that are an output", (rules::spelled_attention), seen<true>,
                "its input is a network output too")
DECLINES_LOADED("weights that are an output", (rules::spelled_attention), seen<false>,
                "its input is a network output too")
DECLINES_LOADED("hidden keys get a number that is an input", (rules::spelled_attention), unknown_number<1>,
                "what hides keys is no known number")
DECLINES_LOADED("hidden keys get no number", (rules::spelled_attention), no_number, "what hides keys is not a number")
DECLINES_LOADED("keys hidden from batches by a mask of each", (rules::spelled_attention),
                (chosen<batches, false, 0, 6, 1, 5>), "its mask is of batches and hides keys")

namespace {

/// Operators that all rules leave of a network, without its inputs.
constexpr std::size_t left_of(recipe before) {
  builder b;
  before(b);
  const optimization o = optimize(static_cast<ir::graph&&>(b.g), default_rules::records);
  std::size_t count = 0;
  for (const node& n : o.g.nodes) count += n.type != &type_of<op::input>;
  return o.broken_rule.empty() ? count : 0;
}
constexpr value_id heads_of(builder& b, std::string_view name, value_id x, int length, int heads = 3) {
  const int batch = b.g.view().shape(x)[0];
  const value_id rows = b.reshape("", b.linear(name, x, heads * 8), {batch, length, heads, 8});
  return b.permute("", rows, {0, 2, 1, 3});
}
constexpr value_id result_of(builder& b, value_id scores, value_id v, int batch, int length) {
  const value_id y = b.add(op::matmul{}, "", {b.add(op::softmax{}, "", {scores}), v});
  return b.linear("o", b.reshape("", b.permute("", y, {0, 2, 1, 3}), {batch, length, 24}), 24);
}
/// As Hugging Face writes BERT.
constexpr auto encoder = [](builder& b) {
  const value_id x = b.input("x", {2, 5, 24}), mask = b.input("mask", {2, 1, 1, 5});
  const value_id q = heads_of(b, "q", x, 5), k = b.reshape("", b.linear("k", x, 24), {2, 5, 3, 8}),
                 v = heads_of(b, "v", x, 5);
  const value_id scores = b.add(op::matmul{}, "", {q, b.permute("", k, {0, 2, 3, 1})});
  const value_id scaled = b.scalar("", op::binary_function::div, scores, 2.8284f);
  b.output("y", result_of(b, b.sum("", scaled, mask), v, 2, 5));
};
/// One token behind a cache, which the network gives.
constexpr auto decoder_step = [](builder& b) {
  const value_id x = b.input("x", {1, 1, 24}), past_k = b.input("past k", {1, 3, 7, 8}),
                 past_v = b.input("past v", {1, 3, 7, 8});
  const value_id q = heads_of(b, "q", x, 1), k = b.concat("", {past_k, heads_of(b, "k", x, 1)}, 2),
                 v = b.concat("", {past_v, heads_of(b, "v", x, 1)}, 2);
  const value_id scores = b.add(op::matmul{}, "", {q, b.permute("", k, {0, 1, 3, 2})});
  b.output("y", result_of(b, b.scalar("", op::binary_function::mul, scores, 0.354f), v, 1, 1));
  b.output("k", k);
  b.output("v", v);
};
/// One head of keys for three of queries, root of the scale on both.
constexpr auto shared_head = [](builder& b) {
  constexpr auto times = op::binary_function::mul;
  const value_id x = b.input("x", {2, 5, 24}), q = b.scalar("", times, heads_of(b, "q", x, 5), 0.6f);
  const auto again = [&](value_id k) {
    const value_id wide = b.add(op::expand{{2, 1, 3, 5, 8}}, "", {b.reshape("", k, {2, 1, 1, 5, 8})});
    return b.reshape("", wide, {2, 3, 5, 8});
  };
  const value_id k = again(heads_of(b, "k", x, 5, 1)), v = again(heads_of(b, "v", x, 5, 1));
  const value_id turned = b.scalar("", times, b.permute("", k, {0, 1, 3, 2}), 0.6f);
  b.output("y", result_of(b, b.add(op::matmul{}, "", {q, turned}), v, 2, 5));
};
/// Windows of an image: a bias of positions for each head, a mask of each window between reshapes, as Swin has them.
constexpr auto windows = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 24});
  const value_id q = heads_of(b, "q", x, 5), k = heads_of(b, "k", x, 5), v = heads_of(b, "v", x, 5);
  const value_id scores =
      b.add(op::matmul{}, "", {b.scalar("", op::binary_function::mul, q, 0.354f), b.permute("", k, {0, 1, 3, 2})});
  const value_id biased = b.sum("", scores, b.constant("bias", {1, 3, 5, 5}));
  const value_id apart = b.reshape("", biased, {1, 4, 3, 5, 5}), mask = b.constant("mask", {1, 4, 1, 5, 5});
  b.output("y", result_of(b, b.reshape("", b.sum("", apart, mask), {4, 3, 5, 5}), v, 4, 5));
};
/// Length first, batches and heads as one axis, as PyTorch's module has them.
constexpr auto module = [](builder& b) {
  const value_id x = b.input("x", {5, 1, 24});
  const auto apart = [&](std::string_view name) {
    return b.permute("", b.reshape("", b.linear(name, x, 24), {5, 3, 8}), {1, 0, 2});
  };
  const value_id q = apart("q"), k = apart("k"), v = apart("v");
  const value_id scores =
      b.add(op::matmul{}, "", {b.scalar("", op::binary_function::mul, q, 0.354f), b.permute("", k, {0, 2, 1})});
  const value_id y = b.add(op::matmul{}, "", {b.add(op::softmax{2}, "", {scores}), v});
  b.output("y", b.linear("o", b.reshape("", b.permute("", y, {1, 0, 2}), {5, 1, 24}), 24));
};

}  // namespace

TEST_CASE("attention of whole layers") {
  static_assert(left_of(encoder) == 5);       // three layers, attention, a layer
  static_assert(left_of(decoder_step) == 4);  // three layers as one, its parts, attention, a layer
  static_assert(left_of(shared_head) == 5);
  static_assert(left_of(windows) == 6);  // with the sum of both masks
  static_assert(left_of(module) == 9);  // and reshapes, which move nothing
}
