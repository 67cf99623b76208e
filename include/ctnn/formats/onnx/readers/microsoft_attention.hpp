// SPDX-License-Identifier: BSL-1.0
// com.microsoft's attention: one operator of ctnn's, with the projection, the masks, the caches and the rotation that
// each of them brings along.
#pragma once

#include <algorithm>

#include "quantized_cache.hpp"

namespace ctnn::onnx::readers {

/// 0, 1, ...
inline term counting(node_reader& n, int count, dtype type) { return n.add(op::arange{0, 1, count, type}, {}); }
/// Zeros behind what an axis has.
inline term longer(node_reader& n, term x, int axis, int more) {
  op::pad op;
  for (int i = 0; i < n.rank(x); ++i) {
    op.before.push_back(0);
    op.after.push_back(i == axis ? more : 0);
  }
  return n.add(op, {x});
}
inline term both(node_reader& n, term a, term b) {
  return a == none ? b : n.add(op::logic{op::logic_function::logical_and}, {a, b});
}
/// What is added to the scores: 0 where booleans are true, a number elsewhere.
inline term added_where_not(node_reader& n, term keep, double number, dtype type) {
  return n.add(op::where{}, {keep, n.number(0, type), n.number(number, type)});
}

/// Which keys count, of the forms that a mask has: (batch, total) or (batch, length, total) of 0 and others, or the
/// number of keys of each, (batch), with where they begin, (2 batch), or with sums that are not needed, (3 batch + 2).
/// As what is added to scores (batch, heads, length, total).
inline term padding_mask(node_reader& n, std::size_t i, int batch, int length, int total, dtype type) {
  using enum op::comparison;
  const term mask = n.input(i);
  const extents s = n.shape(mask);
  const dtype of = n.type(mask);
  extents to{batch, 1, 1, total};
  term keep = none;
  if (s == extents{batch} || s == extents{2 * batch} || s == extents{3 * batch + 2}) {
    const term at = counting(n, total, of);
    const auto bounds = [&](int from) { return n.reshaped(part_of(n, mask, 0, from, from + batch), {batch, 1}); };
    keep = compared(n, less, at, bounds(0));
    if (s[0] == 2 * batch) keep = both(n, keep, compared(n, greater_equal, at, bounds(batch)));
  } else if (s == extents{batch, total} || s == extents{batch, length, total}) {
    if (s.rank == 3) to[2] = length;
    keep = of == dtype::boolean ? mask : compared(n, greater, mask, n.number(0, of));
  } else {
    node_reader::refuse("a mask of " + describe(s) + " for " + std::to_string(batch) + " x " + std::to_string(length) +
                        " queries and " + std::to_string(total) + " keys");
  }
  const auto filter = static_cast<double>(n.real("mask_filter_value", -10000));
  return added_where_not(n, n.reshaped(keep, to), filter, type);
}

/// Heads and scale as all of them have.
inline op::attention attention_of(node_reader& n) {
  op::attention op;
  op.heads = op.kv_heads = n.small("num_heads", 0);
  op.scale = n.real("scale", 0);
  if (op.heads < 1) n.fail("num_heads is " + std::to_string(op.heads));
  return op;
}
/// Every token sees those before it: with one query there are no others.
inline void set_causal(node_reader& n, op::attention& op, int length, int keys) {
  if (!n.flag("unidirectional", false) || length == 1) return;
  if (keys != length) node_reader::refuse("attribute 'unidirectional' (1) for keys of other tokens");
  op.causal = true;
}
/// `more` are mask and past K and V, as far as the operator has them.
inline std::vector<term> attended(node_reader& n, op::attention op, std::vector<term> in, term mask, term past_k,
                                  term past_v) {
  op.mask = mask != none;
  if (op.mask) in.push_back(mask);
  op.past = past_k != none;
  if (op.past) in.insert(in.end(), {past_k, past_v});
  return n.nodes(op, in);
}

/// The matrix of Q, K and V together is a part of the operator; so is the cache of K and V, (2, batch, heads, ...).
inline void microsoft_attention(node_reader& n) {
  n.expect(2, 7);
  for (const char* key : {"do_rotary", "past_present_share_buffer"})
    if (n.flag(key, false)) node_reader::refuse("attribute '" + std::string(key) + "' (1)");
  n.ignore("rotary_embedding_dim");
  if (n.has(6)) node_reader::refuse("input 'past_sequence_length'");
  op::attention op = attention_of(n);
  const extents x = shape_of_rank(n, 0, 3), w = shape_of_rank(n, 1, 2);
  integers sizes = n.list_of("qkv_hidden_sizes");
  if (sizes.empty()) sizes.assign(3, w[1] / 3);
  if (sizes.size() != 3 || *std::ranges::min_element(sizes) < 1 || *std::ranges::max_element(sizes) > w[1] ||
      sizes[0] + sizes[1] + sizes[2] != w[1])
    n.fail("weights are " + describe(w) + ", which are not those of Q, K and V");
  n.only_helping(true);
  const term y = plus_input(n, n.add(op::matmul{}, {n.input(0), n.input(1)}), 2);
  std::vector<term> in;
  for (int from = 0; const std::int64_t size : sizes) {
    const int to = from + static_cast<int>(size);
    in.push_back(part_of(n, y, 2, from, to));
    from = to;
  }
  const int batch = x[0], length = x[1];
  term past[2] = {none, none};
  int total = length;
  if (n.has(4)) {
    const extents s = shape_of_rank(n, 4, 5);
    if (s[0] != 2) n.fail("past is " + describe(s) + ", expected 2 in front");
    total = n.to_int(std::int64_t{s[3]} + length, "past");
    for (int i : {0, 1}) past[i] = n.reshaped(part_of(n, n.input(4), 0, i, i + 1), {s[1], s[2], s[3], s[4]});
  }
  const dtype type = n.type(in[0]);
  set_causal(n, op, length, length);
  term mask = n.has(3) ? padding_mask(n, 3, batch, length, total, type) : none;
  n.ignore("mask_filter_value");
  if (n.has(5)) mask = mask == none ? n.input(5) : sum_of(n, n.input(5), mask);
  op.present = n.wants(1);
  n.only_helping(false);
  const std::vector<term> out = attended(n, op, in, mask, past[0], past[1]);
  n.result(0, out[0]);
  if (!op.present) return;
  std::vector<term> present;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const extents s = n.shape(out[i]);
    present.push_back(n.reshaped(out[i], {1, s[0], s[1], s[2], s[3]}));
  }
  n.result(1, n.add(op::concat{0}, present));
}

/// (batch, length, heads, many, size): part `i` of many as (batch, length, heads * size).
inline term unpacked_heads(node_reader& n, term packed, int i) {
  const extents s = n.shape(packed);
  return n.reshaped(part_of(n, packed, 3, i, i + 1), {s[0], s[1], n.to_int(std::int64_t{s[2]} * s[4], "heads")});
}

/// Q, K and V come separately, or packed, or K and V by heads as another node's cache has them.
inline void multi_head_attention(node_reader& n) {
  n.expect(1, 10);
  op::attention op = attention_of(n);
  if (n.has(8) || n.has(9)) node_reader::refuse("caches that are written in place");
  if (n.has(6) != n.has(7)) n.fail("has one of past_key and past_value");
  n.only_helping(true);
  std::vector<term> in;
  if (!n.has(1)) {
    const extents s = shape_of_rank(n, 0, 5);
    if (s[2] != op.heads || s[3] != 3 || n.has(2)) n.fail("query is " + describe(s) + ", which is not Q, K and V");
    for (int i : {0, 1, 2}) in.push_back(unpacked_heads(n, n.input(0), i));
  } else if (!n.has(2)) {
    const extents s = shape_of_rank(n, 1, 5);
    if (s[2] != op.heads || s[3] != 2) n.fail("key is " + describe(s) + ", which is not K and V");
    in = {n.input(0), unpacked_heads(n, n.input(1), 0), unpacked_heads(n, n.input(1), 1)};
  } else {
    in = {n.input(0), n.input(1), n.input(2)};
  }
  const extents q = n.shape(in[0]), k = n.shape(in[1]), v = n.shape(in[2]);
  const bool by_heads = k.rank == 4;
  if (q.rank != 3 || (k.rank != 3 && k.rank != 4) || v.rank != k.rank || q[2] % op.heads != 0)
    n.fail("Q, K and V are " + describe(q) + ", " + describe(k) + " and " + describe(v));
  if (n.has(3)) {  // that of K and V is in a cache already
    const int width[] = {q[2], by_heads ? q[2] : k[2], by_heads ? v[1] * v[3] : v[2]};
    const extents bias = shape_of_rank(n, 3, 1);
    if (std::int64_t{width[0]} + width[1] + width[2] != bias[0])
      n.fail("bias is " + describe(bias) + " for Q, K and V of " + describe(q) + ", " + describe(k) + " and " +
             describe(v));
    for (int from = 0, i = 0; i < (by_heads ? 1 : 3); from += width[i++]) {
      term& x = in[static_cast<std::size_t>(i)];
      x = sum_of(n, x, part_of(n, n.input(3), 0, from, from + width[i]));
    }
  }
  if (by_heads) in[0] = n.permuted(n.reshaped(in[0], {q[0], q[1], op.heads, q[2] / op.heads}), {0, 2, 1, 3});
  const int keys = by_heads ? k[2] : k[1];
  const term past_k = n.has(6) ? n.input(6) : none, past_v = n.has(7) ? n.input(7) : none;
  const int total = past_k == none ? keys : n.to_int(std::int64_t{shape_of_rank(n, 6, 4)[2]} + keys, "past_key");
  set_causal(n, op, q[1], keys);
  const dtype type = n.type(in[0]);
  term mask = n.has(4) ? padding_mask(n, 4, q[0], q[1], total, type) : none;
  n.ignore("mask_filter_value");
  if (n.has(5)) mask = mask == none ? n.input(5) : sum_of(n, n.input(5), mask);
  op.present = n.wants(1) || n.wants(2);
  op.scores = n.wants(3);
  op.which = op::attention_scores::with_mask;
  n.only_helping(false);
  const std::vector<term> out = attended(n, op, in, mask, past_k, past_v);
  term y = out[0];
  if (by_heads) {
    const extents s = n.shape(y);
    y = n.reshaped(n.permuted(y, {0, 2, 1, 3}), {s[0], s[2], n.to_int(std::int64_t{s[1]} * s[3], "heads")});
  }
  n.result(0, y);
  if (op.present) {
    n.result(1, out[1]);
    n.result(2, out[2]);
  }
  if (op.scores) n.result(3, out.back());
}

/// Positions (batch, length) from the first of them.
inline term positions_from(node_reader& n, term first, int batch, int length) {
  const term at = sum_of(n, n.reshaped(first, {1, 1}), n.reshaped(counting(n, length, n.type(first)), {1, length}));
  return batch == 1 ? at : n.add(op::expand{{batch, length}}, {at});
}

inline void microsoft_rotary_embedding(node_reader& n) {
  n.expect(4, 4);
  n.ignore("scale");  // no runtime's kernel reads it
  if (n.flag("is_packed_batching", false)) node_reader::refuse("attribute 'is_packed_batching' (1)");
  const extents x = n.shape(n.input(0)), table = shape_of_rank(n, 2, 2);
  if (x.rank != 3 && x.rank != 4) n.fail("input is " + describe(x) + ", expected 3 or 4 dimensions");
  op::rotary_embedding op{n.flag("interleaved", false), n.small("num_heads", 0), n.small("rotary_embedding_dim", 0)};
  if (table[1] < 1 || table[1] > 1 << 24) n.fail("cos_cache is " + describe(table));
  if (op.part == 0 && op.heads == 0 && x.rank == 3) op.heads = std::max(x[2] / (2 * table[1]), 1);
  if (op.part == 0) op.part = 2 * table[1];
  const int length = x.rank == 4 ? x[2] : x[1];
  n.only_helping(true);
  term positions = n.input(1);
  if (n.shape(positions).count() == 1) positions = positions_from(n, positions, x[0], length);
  n.only_helping(false);
  n.result(n.add(op, {n.input(0), n.input(2), n.input(3), positions}));
}

/// A sink takes its share of attention and gives nothing: a first key of zeros, to whose score the mask adds the sink
/// of each head, and a first value of zeros.
struct attention_sink {
  term of_heads = none;  ///< (1, heads, 1, 1)

  attention_sink(node_reader& n, std::size_t input, int heads) {
    const bool smooth = n.flag("smooth_softmax", false);
    if (n.has(input) && smooth) n.fail("has a sink and smooth_softmax");
    if (n.has(input)) require_shape(n, n.input(input), "head_sink", {heads});
    const dtype type = n.type(n.input(0));
    if (n.has(input)) of_heads = n.reshaped(n.input(input), {1, heads, 1, 1});
    else if (smooth) of_heads = n.constant(filled({1, heads, 1, 1}, type, 0));
  }
  explicit operator bool() const { return of_heads != none; }
  /// In front of the mask, which may be none, for so many keys.
  term before_mask(node_reader& n, term mask, int keys) const {
    const int heads = n.shape(of_heads)[1];
    const extents given = mask == none ? extents{1, 1, 1, keys} : n.shape(mask);
    const auto spread = [&](term t, int columns) {
      const extents to{given[0], heads, given[2], columns};
      return n.shape(t) == to ? t : n.add(op::expand{{to[0], to[1], to[2], to[3]}}, {t});
    };
    if (mask == none) mask = n.constant(filled(given, n.type(of_heads), 0));
    return n.add(op::concat{3}, {spread(of_heads, 1), spread(mask, keys)});
  }
  /// In front of keys or values (batch, heads, count, size), or in their place if there are none.
  term before_keys(node_reader& n, term keys, const extents& one) const {
    const term row = n.constant(filled({one[0], one[1], 1, one[3]}, n.type(of_heads), 0));
    return keys == none ? row : n.add(op::concat{2}, {row, keys});
  }
  /// The rest.
  term behind(node_reader& n, term all, int axis) const {
    return of_heads == none ? all : part_of(n, all, axis, 1, n.shape(all)[axis]);
  }
};

/// GroupQueryAttention's scores, by its attribute: none, before or after the softmax, of `total` keys. What no query
/// sees is 0.
inline void give_scores(node_reader& n, term scores, const attention_sink& sink, bool before_softmax, int total) {
  term out = part_of(n, sink.behind(n, scores, 3), 3, 0, total);
  if (before_softmax) {
    const double least = -std::numeric_limits<double>::infinity();
    const term hidden = compared(n, op::comparison::equal, out, n.number(least, n.type(out)));
    out = n.add(op::where{}, {hidden, n.number(0, n.type(out)), out});
  }
  n.result(3, out);
}

/// Causal attention, fewer heads of K and V than of Q. Every row of the batch has keys of its own number, which may
/// only be known when the model runs; the length of the caches that come out must be known before.
inline void group_query_attention(node_reader& n) {
  expect_these(n, 14, {0, 5, 6});
  using enum op::comparison;
  op::attention op = attention_of(n);
  op.kv_heads = n.small("kv_num_heads", 0);
  op.softcap = n.real("softcap", 0);
  const std::int64_t scores = n.integer("qk_output", 0);  // before or after the softmax
  op.scores = scores != 0 && n.wants(3);
  if (scores < 0 || scores > 2 || n.wants(3) != op.scores) n.fail("qk_output is " + std::to_string(scores));
  if (scores == 1 && n.has(10)) node_reader::refuse("output 'output_qk' before the softmax, with 'attention_bias'");
  op.which = scores == 1 ? op::attention_scores::with_mask : op::attention_scores::probabilities;
  if (op.kv_heads < 1) n.fail("kv_num_heads is " + std::to_string(op.kv_heads));
  n.only_helping(true);
  const extents q = shape_of_rank(n, 0, 3);
  std::vector<term> in{n.input(0)};
  if (n.has(1) != n.has(2)) n.fail("has one of key and value");
  if (n.has(1)) {
    in.push_back(n.input(1));
    in.push_back(n.input(2));
  } else {
    const std::int64_t heads = std::int64_t{op.heads} + 2 * std::int64_t{op.kv_heads};
    if (q[2] % heads != 0) n.fail("query is " + describe(q) + " for " + std::to_string(heads) + " heads");
    const int size = static_cast<int>(q[2] / heads), k_at = op.heads * size, v_at = k_at + op.kv_heads * size;
    in = {part_of(n, n.input(0), 2, 0, k_at), part_of(n, n.input(0), 2, k_at, v_at),
          part_of(n, n.input(0), 2, v_at, q[2])};
  }
  const int batch = q[0], length = q[1];
  if (n.shape(in[0])[2] % op.heads != 0)
    n.fail("query is " + describe(q) + " for " + std::to_string(op.heads) + " heads");
  const int size = n.shape(in[0])[2] / op.heads;
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
    require_shape(n, in[i], i == 1 ? "key" : "value",
                  {batch, length, n.to_int(std::int64_t{op.kv_heads} * size, "kv_num_heads")});
  const quantized_cache kept(n, op.kv_heads, size);
  if (n.has(3) != n.has(4)) n.fail("has one of past_key and past_value");
  const int room = n.has(3) ? shape_of_rank(n, 3, 4)[2] : 0;
  for (const std::size_t i : {std::size_t{3}, std::size_t{4}})
    if (n.has(i))
      require_shape(n, n.input(i), i == 3 ? "past_key" : "past_value", {batch, op.kv_heads, room, kept.stored()});
  if (n.shape(n.input(5)).count() != batch) n.fail("seqlens_k is " + describe(n.shape(n.input(5))));
  const std::int64_t stated = n.whole_scalar(6);
  if (stated < length || stated > 1 << 28) n.fail("total_sequence_length is " + std::to_string(stated));
  const int total = static_cast<int>(stated), present = std::max(total, room);
  const bool first = total == length;  // of a prompt; further tokens come one by one, or for a batch of 1
  if (!first && length > 1 && batch > 1)
    node_reader::refuse("further tokens, several at once, for a batch of " + std::to_string(batch));
  // Keys that each row of the batch has before these: the same number if there is one row.
  const bool same = first || batch == 1;
  const int past = first ? 0 : total - length;
  if (past > room) n.fail("past_key has " + std::to_string(room) + " keys, " + std::to_string(past) + " are needed");
  const term valid = sum_of(n, n.reshaped(n.cast(n.input(5), dtype::i64), {batch}), n.number(1, dtype::i64));
  const term before = same ? n.whole_constant({past}) : sum_of(n, valid, n.number(-length, dtype::i64));

  if (n.flag("do_rotary", false)) {
    const extents table = shape_of_rank(n, 7, 2);
    term positions = none;
    const int given = n.has(9) ? n.to_int(n.shape(n.input(9)).count(), "position_ids") : 0;
    if (given > 0 && first)  // of a prompt, the first position alone
      positions = positions_from(n, part_of(n, n.reshaped(n.input(9), {given}), 0, 0, 1), batch, length);
    else if (given > 0) positions = n.input(9);
    else if (same) positions = positions_from(n, before, batch, length);
    else positions = n.reshaped(before, {batch, 1});
    op::rotary_embedding turn{n.flag("rotary_interleaved", false), op.heads,
                              n.to_int(2 * std::int64_t{table[1]}, "cos_cache")};
    in[0] = n.add(turn, {in[0], n.input(7), n.input(8), positions});
    turn.heads = op.kv_heads;
    in[1] = n.add(turn, {in[1], n.input(7), n.input(8), positions});
  } else {
    n.ignore("rotary_interleaved");
  }
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) in[1 + i] = kept.as_kept(i, in[1 + i]);

  // What is added to the scores.
  const dtype type = n.type(in[0]);
  const int window = n.small("local_window_size", -1);  // with the token itself
  const int keys = same ? total : present;
  term mask = n.has(10) ? n.input(10) : none;
  if (mask != none) {
    const extents s = shape_of_rank(n, 10, 4);
    if (s[2] != length || s[3] != total) n.fail("attention_bias is " + describe(s));
    if (keys > total) mask = longer(n, mask, 3, keys - total);
  }
  if (window == 0 || window < -1) n.fail("local_window_size is " + std::to_string(window));
  if (window > 0) {
    const term at = n.reshaped(counting(n, length, dtype::i64), {1, 1, length, 1});
    const term query = sum_of(n, n.reshaped(before, {same ? 1 : batch, 1, 1, 1}), at);
    const term oldest = sum_of(n, query, n.number(1 - window, dtype::i64));
    const term keep = compared(n, greater_equal, n.reshaped(counting(n, keys, dtype::i64), {1, 1, 1, keys}), oldest);
    const term add = added_where_not(n, keep, -std::numeric_limits<double>::infinity(), type);
    mask = mask == none ? add : sum_of(n, mask, add);
  }

  const attention_sink sink(n, 11, op.heads);
  if (sink) mask = sink.before_mask(n, mask, keys);

  op.causal = true;
  const extents all_keys{batch, op.kv_heads, keys, size};
  if (same) {
    term cache[2] = {none, none};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
      if (past > 0) cache[i] = kept.numbers(i, part_of(n, n.input(3 + i), 2, 0, past));
      if (sink) cache[i] = sink.before_keys(n, cache[i], all_keys);
    }
    op.present = true;
    n.only_helping(false);
    const std::vector<term> out = attended(n, op, in, mask, cache[0], cache[1]);
    n.only_helping(true);
    n.result(0, out[0]);
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      term made = sink.behind(n, out[i], 2);
      if (kept) {  // what was kept before stays as it is
        made = kept.of(i - 1, part_of(n, made, 2, past, total));
        if (past > 0) made = n.add(op::concat{2}, {part_of(n, n.input(2 + i), 2, 0, past), made});
      }
      n.result(i, present == total ? made : longer(n, made, 2, present - total));
    }
    if (op.scores) give_scores(n, out[3], sink, scores == 1, total);
    return;
  }
  // The new key of each row goes behind those it has: element j of a cache is the past's, the new one, or 0.
  const term j = n.reshaped(counting(n, present, dtype::i64), {1, 1, present, 1});
  const term where_old = n.reshaped(before, {batch, 1, 1, 1});
  const term is_old = compared(n, less, j, where_old), is_new = compared(n, equal, j, where_old);
  const auto behind = [&](term old, term now) {
    const term zero = n.number(0, n.type(now));
    return n.add(op::where{}, {is_old, old, n.add(op::where{}, {is_new, now, zero})});
  };
  for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
    const term old = present > room ? longer(n, n.input(2 + i), 2, present - room) : n.input(2 + i);
    const term now = n.reshaped(in[i], {batch, op.kv_heads, 1, size});
    in[i] = behind(kept.numbers(i - 1, old), now);
    n.result(i, kept ? behind(old, kept.of(i - 1, now)) : in[i]);
    if (sink) in[i] = sink.before_keys(n, in[i], all_keys);
  }
  in[0] = n.reshaped(in[0], {batch, op.heads, 1, size});
  op.mask = mask != none;
  if (op.mask) in.push_back(mask);
  op.lengths = true;
  in.push_back(sink ? sum_of(n, valid, n.number(1, dtype::i64)) : valid);
  n.only_helping(false);
  const std::vector<term> out = n.nodes(op, in);
  n.only_helping(true);
  n.result(0, n.reshaped(out[0], {batch, 1, op.heads * size}));
  if (op.scores) give_scores(n, out[1], sink, scores == 1, total);
}

}  // namespace ctnn::onnx::readers
