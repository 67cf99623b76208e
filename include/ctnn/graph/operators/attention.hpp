// SPDX-License-Identifier: BSL-1.0
// Attention as one operator (ONNX Attention) and the rotation of positions.
#pragma once

#include <limits>

#include "typing.hpp"

namespace ctnn::op {

/// Which step of the scores the fourth output is, in their order.
enum class attention_scores { product, with_softcap, with_mask, probabilities };

/// softmax(scale Q K^T + mask) V by heads. Inputs Q, K, V of shape (batch, heads, length, size), or (batch, length,
/// heads * size) with heads and kv_heads given; then, as flagged, mask (broadcast to (batch, heads, length, total);
/// booleans keep, floats are added), past K and past V (batch, kv_heads, past, size), lengths of the keys (batch, i64).
/// `causal` query i sees keys up to i + past ones (PyTorch's causal_upper_left), or, `lower_right`, the last query all
/// and each before it one less (causal_lower_right); of these, if there is a `sliding_window`, only the last so many
/// (Hugging Face's sliding_window: query i sees key i and window - 1 before it). Outputs the result in Q's form and, as
/// flagged, present K and V (past and new ones), scores. heads must be a multiple of kv_heads.
struct attention {
  static constexpr std::string_view name = "attention";
  static constexpr traits is{.divisible = true, .divides_scratch = true, .takes_indices = true};
  static constexpr int min_inputs = 3, max_inputs = 7;

  int heads = 0;
  int kv_heads = 0;
  bool causal = false;
  float scale = 0;  ///< 0: 1 / sqrt(size)
  float softcap = 0;
  bool mask = false;
  bool past = false;
  bool lengths = false;
  bool present = false;
  bool scores = false;
  attention_scores which = attention_scores::product;
  float hidden_score = -std::numeric_limits<float>::infinity();  ///< the score of a key that a boolean does not keep
  int sliding_window = 0;                                        ///< keys that a causal query sees; 0: all
  bool lower_right = false;

  static constexpr void fields(auto& self, auto&& field) {
    field("heads", self.heads);
    field("kv_heads", self.kv_heads);
    field("causal", self.causal);
    field("scale", self.scale);
    field("softcap", self.softcap);
    field("mask", self.mask);
    field("past", self.past);
    field("lengths", self.lengths);
    field("present", self.present);
    field("scores", self.scores);
    field("which", self.which);
    field("hidden_score", self.hidden_score);
    field("sliding_window", self.sliding_window);
    field("lower_right", self.lower_right);
  }
  constexpr bool refuses() const { return lengths; }
  /// Sequences, where nothing but what they attend to is read and made; queries that do not care for their places.
  constexpr int passes(int i, int back, inputs in) const {
    if (past || lengths || output_count() > 1) return -1;
    const bool by_row = mask && in[3].rank > 1 && in[3].back(1) > 1;
    if (i == 0 && back == 1) return causal || by_row ? -1 : back;
    const bool apart = !mask || in[0].rank == 4 || in[3].rank != 3;  // no axis of heads in a batch's place
    return apart && back == in[0].rank - 1 ? back : -1;
  }
  constexpr int output_count() const { return 1 + (present ? 2 : 0) + (scores ? 1 : 0); }
  /// (batch, heads, length, size) of an input.
  static constexpr extents by_heads(const extents& x, int heads) {
    if (x.rank == 4) return x;
    return {x[0], heads, x[1], x[2] / heads};
  }
  /// Past ones and new ones.
  constexpr std::int64_t keys(inputs in) const {
    return by_heads(in[1], kv_heads)[2] + (past ? std::int64_t{in[mask ? 4 : 3][2]} : 0);
  }
  /// Multiply-adds of both products.
  constexpr std::int64_t macs(inputs in, span<const extents>) const {
    const extents q = by_heads(in[0], heads), v = by_heads(in[2], kv_heads);
    return std::int64_t{q[0]} * q[1] * q[2] * keys(in) * (std::int64_t{q[3]} + v[3]);
  }
  /// What a vector kernel takes at a time: rows of Q, keys or columns of V side by side, parts of the work.
  static constexpr int row_block = 24, key_block = 16, most_parts = 4;
  static constexpr std::int64_t whole_blocks(std::int64_t n) { return (n + key_block - 1) / key_block * key_block; }
  constexpr int parts(inputs in) const {
    const extents q = by_heads(in[0], heads), k = by_heads(in[1], kv_heads);
    const std::int64_t rows = (q[2] + row_block - 1) / row_block, units = std::int64_t{k[0]} * k[1];
    const std::int64_t most = rows > units ? rows : units;
    return static_cast<int>(most < most_parts ? most : most_parts);
  }
  /// Of a part in vectors: packed keys and values of a head, scores of some rows.
  constexpr std::int64_t scratch_of_part(inputs in) const {
    const std::int64_t total = keys(in), size = by_heads(in[0], heads)[3], width = by_heads(in[2], kv_heads)[3];
    return scratch_for(whole_blocks(total) * size, sizeof(float)) +
           scratch_for(total * whole_blocks(width), sizeof(float)) + scratch_for(row_block * total, sizeof(float));
  }
  /// In plain loops: scores of a row, keys of a head.
  constexpr std::int64_t scratch_of_parts(int n, inputs in) const {
    const std::int64_t total = keys(in), size = by_heads(in[0], heads)[3], vectors = n * scratch_of_part(in);
    const std::int64_t plain = scratch_for(total) + scratch_for(total * size);
    return vectors > plain ? vectors : plain;
  }
  constexpr std::int64_t scratch(inputs in, span<const extents>) const { return scratch_of_parts(parts(in), in); }
  constexpr std::int64_t least_scratch(inputs in, span<const extents>) const { return scratch_of_parts(1, in); }
  constexpr problem infer(inputs in, outputs result) const {
    const int needed = 3 + (mask ? 1 : 0) + (past ? 2 : 0) + (lengths ? 1 : 0);
    if (static_cast<int>(in.size()) != needed)
      return {mistake::wrong_number_of_inputs, name, {static_cast<int>(in.size())}, {needed, needed}};
    if (sliding_window < 0 || (sliding_window > 0 && !causal))
      return {mistake::option_out_of_range, "sliding_window", {sliding_window}, {0}};
    if (lower_right && !causal) return {mistake::option_out_of_range, "lower_right", {1}, {0}};
    for (std::size_t i = 0; i < 3; ++i) {
      if (in[i].rank != in[0].rank || (in[i].rank != 3 && in[i].rank != 4))
        return {mistake::rank_mismatch, name, in[i], {4}};
      const int h = i == 0 ? heads : kv_heads;
      if (in[i].rank == 3 && (h < 1 || in[i][2] % h != 0))
        return {mistake::groups_do_not_divide_channels, "heads", {in[i][2]}, {h}};
    }
    const extents q = by_heads(in[0], heads), k = by_heads(in[1], kv_heads), v = by_heads(in[2], kv_heads);
    if (k[0] != q[0] || k[3] != q[3] || k[1] < 1 || q[1] % k[1] != 0)
      return {mistake::shape_mismatch, "K", in[1], in[0]};
    if (v[0] != q[0] || v[1] != k[1] || v[2] != k[2]) return {mistake::shape_mismatch, "V", in[2], in[1]};
    int total = k[2];
    std::size_t next = 3 + (mask ? 1u : 0u);
    if (past) {
      const extents &pk = in[next], &pv = in[next + 1];
      if (pk.rank != 4 || pk[0] != k[0] || pk[1] != k[1] || pk[3] != k[3] || pk[2] > 2147483647 - total)
        return {mistake::shape_mismatch, "past K", pk, k};
      if (pv.rank != 4 || pv[0] != v[0] || pv[1] != v[1] || pv[2] != pk[2] || pv[3] != v[3])
        return {mistake::shape_mismatch, "past V", pv, v};
      total += pk[2];
      next += 2;
    }
    const extents products{q[0], q[1], q[2], total};
    if (mask) {
      const extents& m = in[3];
      // A mask may be shorter than the keys: what is beyond it is masked.
      extents short_mask = m;
      if (m.rank >= 1 && m.back(0) > 1 && m.back(0) < total) short_mask.back(0) = total;
      extents y;
      const extents both[] = {products, short_mask};
      if (const problem p = broadcast_shapes(both, y)) return p;
      if (!(y == products)) return {mistake::shape_mismatch, "mask", m, products};
    }
    if (lengths && !(in[next] == extents{q[0]})) return {mistake::shape_mismatch, "lengths", in[next], {q[0]}};
    result[0] = in[0].rank == 4 ? extents{q[0], q[1], q[2], v[3]} : extents{q[0], q[2], q[1] * v[3]};
    std::size_t out = 1;
    if (present) {
      result[out++] = {k[0], k[1], total, k[3]};
      result[out++] = {v[0], v[1], total, v[3]};
    }
    if (scores) result[out] = products;
    return countable(products);
  }
  constexpr problem infer_types(types in, span<element> out) const {
    for (element& t : out) t = type_at(in, 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (mask && i == 3 && in[i] == dtype::boolean) continue;
      if (lengths && i + 1 == in.size() && is_index(in[i])) continue;
      if (!is_floating(in[i]) || in[i] != in[0]) return wrong_type(name, in[i]);
    }
    return {};
  }
};

/// ONNX RotaryEmbedding: inputs x (batch, heads, length, size) or (batch, length, heads * size), cosines and sines
/// (positions, part / 2), or (batch, length, part / 2) if there are no positions (batch, length, i64) as a fourth
/// input.
struct rotary_embedding {
  static constexpr std::string_view name = "rotary_embedding";
  static constexpr traits is{.vectors = vectors_of::none};
  static constexpr int min_inputs = 3, max_inputs = 4;

  bool interleaved = false;
  int heads = 0;
  int part = 0;  ///< of each head that is rotated; 0: all

  static constexpr void fields(auto& self, auto&& field) {
    field("interleaved", self.interleaved);
    field("heads", self.heads);
    field("part", self.part);
  }
  /// All axes but that of the numbers of a head, which with rows of heads is theirs, too.
  constexpr int passes(int i, int back, inputs in) const {
    const int last = in[0].rank - 1;
    if (i == 0) return back == 0 ? -1 : back;
    const int of_length = i == 3 ? 0 : 1;  // in tables, or in positions, which are behind the batch
    if (i < 3 && in.size() == 4) return -1;
    return back == of_length ? 1 : back == of_length + 1 ? last : -1;
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (x.rank != 3 && x.rank != 4) return {mistake::rank_mismatch, name, x, {4}};
    if (x.rank == 3 && (heads < 1 || x[2] % heads != 0))
      return {mistake::groups_do_not_divide_channels, "heads", {x[2]}, {heads}};
    const extents by = attention::by_heads(x, heads);
    const int rotated = part ? part : by[3];
    if (rotated < 0 || rotated > by[3] || rotated % 2 != 0)
      return {mistake::option_out_of_range, "part", {rotated}, {2}};
    const bool positions = in.size() == 4;
    for (std::size_t i = 1; i < 3; ++i) {
      const extents wanted =
          positions ? extents{in[1].rank ? in[1][0] : 0, rotated / 2} : extents{by[0], by[2], rotated / 2};
      if (!(in[i] == wanted)) return {mistake::shape_mismatch, "cosines", in[i], wanted};
    }
    if (positions && !(in[3] == extents{by[0], by[2]}))
      return {mistake::shape_mismatch, "positions", in[3], {by[0], by[2]}};
    result[0] = x;
    return {};
  }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = type_at(in, 0);
    for (std::size_t i = 0; i < 3; ++i)
      if (!is_floating(type_at(in, i)) || type_at(in, i) != out[0]) return wrong_type(name, type_at(in, i));
    return in.size() == 4 ? require_type(in, 3, is_index, "positions") : problem{};
  }
};

}  // namespace ctnn::op
