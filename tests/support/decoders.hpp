// SPDX-License-Identifier: BSL-1.0
// Decoders of words, small: a layer of attention with positions of either kind, for so many words at once.
#pragma once

#include <ctnn/ctnn.hpp>

namespace ctnn::ir::test {

inline constexpr int vocabulary = 11, features = 12;

/// As Mistral: rotated queries and keys of two heads, and a window.
template <int Length>
struct rotated : ctnn::declared<rotated<Length>> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto x = m.embedding("embed_tokens", m.input("ids", {Length}, {.dtype = ctnn::dtype::i64}),
                               {.num_embeddings = vocabulary, .embedding_dim = features});
    const auto h = m.rms_norm("input_layernorm", x);
    const auto heads = [&](auto name) {
      const auto y = m.linear(name, h, {.out = features, .bias = false});
      return m.transpose(m.reshape(y, {Length, 2, features / 2}), 0, 1);
    };
    const auto q = m.rotary_embedding(heads("q_proj")), k = m.rotary_embedding(heads("k_proj"));
    const auto y = m.scaled_dot_product_attention(q, k, heads("v_proj"), {.is_causal = true, .sliding_window = 5});
    const auto rows = m.reshape(m.transpose(y, 0, 1), {Length, features});
    return m.linear("lm_head", m.add(x, m.linear("o_proj", rows, {.out = features, .bias = false})),
                    {.out = vocabulary});
  }
};
/// As GPT: a table of positions, which is longer than the sequence.
template <int Length>
struct learned : ctnn::declared<learned<Length>> {
  static constexpr auto forward(ctnn::graph& m) {
    const auto ids = m.input("ids", {Length}, {.dtype = ctnn::dtype::i32});
    const ctnn::embedding_options table{.num_embeddings = 16, .embedding_dim = features};
    auto x = m.add(m.embedding("wte", ids, table), m.embedding("wpe", m.arange(Length), table));
    x = m.transformer_encoder_layer("h", x, {.nhead = 2, .dim_feedforward = 16, .norm_first = true, .is_causal = true});
    return m.linear("lm_head", x, {.out = vocabulary});
  }
};
/// So many words, by their indices.
template <class Index>
std::vector<Index> some_words(int n) {
  std::vector<Index> ids;
  for (int i = 0; i < n; ++i) ids.push_back(static_cast<Index>((7 * i + i * i) % vocabulary));
  return ids;
}

}  // namespace ctnn::ir::test
