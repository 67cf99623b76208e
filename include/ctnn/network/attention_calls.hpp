// SPDX-License-Identifier: BSL-1.0
// Attention, and torch.nn's modules that are built on it.
#pragma once

#include "recurrent_calls.hpp"

namespace ctnn::detail {

template <class = void>
class attention_calls : public recurrent_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  static constexpr bool is_there(value v) { return v.recorder != nullptr; }
  /// Numbers to be added, of a mask that says what is hidden.
  constexpr value as_scores(value mask, source_line at) {
    return is_boolean(mask) ? where(mask, -std::numeric_limits<double>::infinity(), 0, at) : mask;
  }
  /// op::attention's mask of PyTorch's two: booleans that keep, or numbers to be added; nothing if there is neither.
  constexpr value mask_of(value mask, value of_keys, int heads, source_line at) {
    if (is_there(mask) && shape(mask).rank == 3) {
      const extents s = shape(mask);
      mask = in_shape("reshape", mask, {-1, heads, s[1], s[2]}, at);
    }
    if (is_there(of_keys)) {
      const extents s = shape(of_keys);
      of_keys = in_shape("reshape", of_keys, {-1, 1, 1, s.back(0)}, at);
      if (!is_there(mask)) mask = of_keys;
      else if (is_boolean(mask) && is_boolean(of_keys)) mask = logical_or(mask, of_keys, at);
      else mask = add(as_scores(mask, at), as_scores(of_keys, at), {}, at);
    }
    return is_there(mask) && is_boolean(mask) ? bitwise_not(mask, at) : mask;
  }
  /// Queries, keys and values from one weight, or from three.
  constexpr void project(values in, int size_, bool bias, value* to, source_line at) {
    const bool of_one = in.size() == 1;
    const int of_keys = size(in[of_one ? 0 : 1], -1), of_values = size(in[of_one ? 0 : 2], -1);
    const bool apart = of_keys != size_ || of_values != size_;
    value weights[3], biases[3], weight, all_biases;
    const std::string_view names[] = {"q_proj", "k_proj", "v_proj"};
    if (apart) {
      const std::string_view weight_names[] = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
      const int read[] = {size_, of_keys, of_values};
      for (int k = 0; k < 3; ++k) weights[k] = parameter(weight_names[k], {size_, read[k]}, {}, at);
    } else {
      weight = parameter("in_proj_weight", {3 * size_, size_}, {}, at);
    }
    if (bias) all_biases = parameter("in_proj_bias", {3 * size_}, {}, at);
    if (of_one && !apart) {
      ir::pool<value> read({in[0], weight});
      if (bias) read.push_back(all_biases);
      const value y = given_linear("in_proj", read, 3 * size_, at);
      const auto three = split<3>(y, {size_, size_, size_}, -1, at);
      for (std::size_t k = 0; k < 3; ++k) to[k] = three[k];
      return;
    }
    if (!apart) copy_three(split<3>(weight, {size_, size_, size_}, 0, at), weights);
    if (bias) copy_three(split<3>(all_biases, {size_, size_, size_}, 0, at), biases);
    for (std::size_t k = 0; k < 3; ++k) {
      ir::pool<value> read({in[of_one ? 0 : k], weights[k]});
      if (bias) read.push_back(biases[k]);
      to[k] = given_linear(names[k], read, size_, at);
    }
  }
  static constexpr void copy_three(const std::array<value, 3>& from, value* to) {
    for (std::size_t k = 0; k < 3; ++k) to[k] = from[k];
  }

  /// x + f(x), normalised before or behind.
  template <class Function>
  constexpr value around(std::string_view norm, value x, const transformer_layer_options& o, source_line at,
                         Function f) {
    const layer_norm_options how{.eps = o.layer_norm_eps, .bias = o.bias};
    if (o.norm_first) return add(f(layer_norm(norm, x, how, at)), x, {}, at);
    return layer_norm(norm, add(f(x), x, {}, at), how, at);
  }
  constexpr value self_attention(value x, const transformer_layer_options& o, source_line at) {
    return multihead_attention("self_attn", x,
                               {.num_heads = o.nhead,
                                .bias = o.bias,
                                .batch_first = o.batch_first,
                                .is_causal = o.is_causal,
                                .attn_mask = o.src_mask,
                                .key_padding_mask = o.src_key_padding_mask,
                                .sliding_window = o.sliding_window},
                               at);
  }
  constexpr value feed_forward(value x, const transformer_layer_options& o, source_line at) {
    const value h = linear("linear1", x, {.out = o.dim_feedforward, .bias = o.bias}, at);
    return linear("linear2", function_of("activation", h, o.activation, {}, at), {.out = size(x, -1), .bias = o.bias},
                  at);
  }
  constexpr name_scope_guard layer_of_stack(int i) { return {*this, open_scope("layers", i)}; }

 public:
  /// torch.nn.functional.scaled_dot_product_attention of (..., heads, length, size), (heads, length, size) or
  /// (length, size).
  constexpr value scaled_dot_product_attention(value query, value key, value value_,
                                               const scaled_dot_product_attention_options& o = {},
                                               source_line at = source_line::here()) {
    const int rank = shape(query).rank;
    ir::pool<value> of({query, key, value_});
    for (value& v : of) v = with_rank(v, 4, at);
    if (is_there(o.attn_mask)) of.push_back(o.attn_mask);
    const value y = attention(of, {.causal = o.is_causal, .mask = is_there(o.attn_mask)}, at);
    if (o.scale != 0) say("scale", setting(o.scale));
    if (o.sliding_window != 0) say("sliding_window", setting(o.sliding_window));
    if (rank >= 4) return y;
    const extents s = shape(y);
    return in_shape("squeeze", y, s.from(4 - rank), at);
  }
  /// torch.nn.MultiheadAttention of a value with itself, or of {query, key, value}: (L, E), or with a batch. Weights as
  /// PyTorch calls them: in_proj_weight, or q_proj_weight and its kin where keys or values have another size (kdim,
  /// vdim), in_proj_bias, out_proj.weight ... It gives what PyTorch's first result is.
  constexpr value multihead_attention(std::string_view name, values in, const multihead_attention_options& o,
                                      source_line at = source_line::here()) {
    const auto scope = inside(name, "multihead_attention");
    const int size_ = size(in[0], -1);
    value parts_[3];
    project(in, size_, o.bias, parts_, at);
    const int rank = shape(in[0]).rank;
    for (value& v : parts_) {
      if (rank == 2) v = reshape(v, {1, -1, size_}, at);
      else if (!o.batch_first) v = transpose(v, 0, 1, at);
    }
    ir::pool<value> of({parts_[0], parts_[1], parts_[2]});
    const value mask = mask_of(o.attn_mask, o.key_padding_mask, o.num_heads, at);
    if (is_there(mask)) of.push_back(mask);
    value y = attention(
        of, {.heads = o.num_heads, .kv_heads = o.num_heads, .causal = o.is_causal, .mask = is_there(mask)}, at);
    if (o.sliding_window != 0) say("sliding_window", setting(o.sliding_window));
    if (rank == 2) y = reshape(y, {-1, size_}, at);
    else if (!o.batch_first) y = transpose(y, 0, 1, at);
    return linear("out_proj", y, {.out = size_, .bias = o.bias}, at);
  }

  /// torch.nn.TransformerEncoderLayer at inference. Weights as PyTorch calls them.
  constexpr value transformer_encoder_layer(std::string_view name, value x, const transformer_layer_options& o,
                                            source_line at = source_line::here()) {
    const auto scope = inside(name, "transformer_encoder_layer");
    x = around("norm1", x, o, at, [&](value v) { return self_attention(v, o, at); });
    return around("norm2", x, o, at, [&](value v) { return feed_forward(v, o, at); });
  }
  /// torch.nn.TransformerDecoderLayer at inference, of x and what an encoder gave.
  constexpr value transformer_decoder_layer(std::string_view name, value x, value memory,
                                            const transformer_layer_options& o, source_line at = source_line::here()) {
    const auto scope = inside(name, "transformer_decoder_layer");
    x = around("norm1", x, o, at, [&](value v) { return self_attention(v, o, at); });
    x = around("norm2", x, o, at, [&](value v) {
      return multihead_attention("multihead_attn", {v, memory, memory},
                                 {.num_heads = o.nhead,
                                  .bias = o.bias,
                                  .batch_first = o.batch_first,
                                  .attn_mask = o.memory_mask,
                                  .key_padding_mask = o.memory_key_padding_mask},
                                 at);
    });
    return around("norm3", x, o, at, [&](value v) { return feed_forward(v, o, at); });
  }
  /// torch.nn.TransformerEncoder: layers "layers.0" ..., and "norm" if there is one.
  constexpr value transformer_encoder(std::string_view name, value x, const transformer_stack_options& o,
                                      source_line at = source_line::here()) {
    const auto scope = inside(name, "transformer_encoder");
    for (int i = 0; i < o.num_layers; ++i) {
      const auto layer = layer_of_stack(i);
      x = transformer_encoder_layer("", x, o.layer, at);
    }
    return o.norm ? layer_norm("norm", x, {.eps = o.layer.layer_norm_eps, .bias = o.layer.bias}, at) : x;
  }
  /// torch.nn.TransformerDecoder, see transformer_encoder.
  constexpr value transformer_decoder(std::string_view name, value x, value memory, const transformer_stack_options& o,
                                      source_line at = source_line::here()) {
    const auto scope = inside(name, "transformer_decoder");
    for (int i = 0; i < o.num_layers; ++i) {
      const auto layer = layer_of_stack(i);
      x = transformer_decoder_layer("", x, memory, o.layer, at);
    }
    return o.norm ? layer_norm("norm", x, {.eps = o.layer.layer_norm_eps, .bias = o.layer.bias}, at) : x;
  }
  /// torch.nn.Transformer: an "encoder" of `source` and a "decoder" of `target`, each with a norm behind it.
  constexpr value transformer(std::string_view name, value source, value target, const transformer_options& o = {},
                              source_line at = source_line::here()) {
    const auto scope = inside(name, "transformer");
    transformer_stack_options first{.layer = o.layer, .num_layers = o.num_encoder_layers, .norm = true};
    first.layer.is_causal = false;
    first.layer.sliding_window = 0;
    first.layer.src_mask = o.encoder_mask;
    first.layer.src_key_padding_mask = o.layer.memory_key_padding_mask;
    const value memory = transformer_encoder("encoder", source, first, at);
    return transformer_decoder("decoder", target, memory,
                               {.layer = o.layer, .num_layers = o.num_decoder_layers, .norm = true}, at);
  }

  /// Rotary position embedding of (..., length, size): pairs of numbers of a row turn by its position times
  /// base^(-2 i / size). Pairs are i and i + size / 2, or, `interleaved`, neighbours.
  constexpr value rotary_embedding(value x, const rotary_embedding_options& o = {},
                                   source_line at = source_line::here()) {
    const extents s = shape(x);
    const int length = s.rank > 1 ? s.back(1) : 1, last_axis = s.back(0);
    const value powers = counted("arange", 0, -2.0 / last_axis, last_axis / 2, dtype::f32, at);
    const value rates = by_number("pow", op::binary_function::rpow, powers, o.base, at);
    const value angles = outer(counted("arange", o.offset, 1, length, dtype::f32, at), rates, at);
    const value flat = in_shape("reshape", x, {1, -1, length, last_axis}, at);
    const value turns[] = {unsqueeze(cos(angles, at), 0, at), unsqueeze(sin(angles, at), 0, at)};
    begin(ctnn::layer<op::rotary_embedding, "">::record, "rotary_embedding", {}, {flat, turns[0], turns[1]}, at, 1);
    if (o.interleaved) say("interleaved", setting(true));
    return in_shape("reshape", last(), s, at);
  }

  /// op::attention with all its options: queries, keys, values, and what its flags add.
  constexpr value attention(values in, const attention_options& o = {}, source_line at = source_line::here()) {
    return call(ctnn::attention<"">::record, "attention", {}, in, o, at);
  }
};

}  // namespace ctnn::detail
