// SPDX-License-Identifier: BSL-1.0
// Modules of torch.nn that are a few layers, or that own weights: functions that call layers, as a user's own would.
#pragma once

#include "tensor_calls.hpp"

namespace ctnn {

/// What recurrent modules give: the steps, and the state after the last one. auto [y, h] = m.gru("cell", x, {...});
struct recurrent_values {
  value output, h;
};
struct lstm_values {
  value output, h, c;
};

struct embedding_options {
  int num_embeddings = 0;  ///< rows of the table
  int embedding_dim = 0;   ///< numbers of a row
};
struct layer_norm_options {
  setting normalized_shape{};  ///< the extents of the last axes; by itself that of the last one
  double eps = 1e-5;
  bool elementwise_affine = true;
  bool bias = true;
};
struct rms_norm_options {
  setting normalized_shape{};
  double eps = 1e-5;
  bool elementwise_affine = true;
};
struct group_norm_options {
  int num_groups = 1;
  double eps = 1e-5;
  bool affine = true;
};
struct instance_norm_options {
  double eps = 1e-5;
  bool affine = false;
};
struct multihead_attention_options {
  int num_heads = 1;
  bool bias = true;
  bool batch_first = false;  ///< of three axes: (N, L, E) instead of (L, N, E)
  bool is_causal = false;    ///< nothing later than itself is attended to
  value attn_mask{};         ///< booleans: true hides, as PyTorch has it; floats are added. (L, S)
};
struct transformer_layer_options {
  int nhead = 1;
  int dim_feedforward = 2048;
  ir::function activation = ir::function::relu;
  double layer_norm_eps = 1e-5;
  bool norm_first = false;
  bool batch_first = false;
  bool is_causal = false;  ///< of a decoder's own attention, too
  value src_mask{};        ///< see multihead_attention_options::attn_mask; of a decoder's own attention, too
};
struct pad_options {
  op::pad_mode mode = op::pad_mode::constant;
  double value = 0;
};

}  // namespace ctnn

namespace ctnn::detail {

template <class = void>
class module_calls : public tensor_calls<> {
 public:
  // Functions with numbers of their own, which have PyTorch's defaults.
  constexpr value leaky_relu(value x, double negative_slope = 0.01, source_line at = source_line::here()) {
    return function_of("leaky_relu", x, ir::function::leaky_relu, {negative_slope}, at);
  }
  constexpr value elu(value x, double alpha = 1, source_line at = source_line::here()) {
    return function_of("elu", x, ir::function::elu, {alpha}, at);
  }
  constexpr value celu(value x, double alpha = 1, source_line at = source_line::here()) {
    return function_of("celu", x, ir::function::celu, {alpha}, at);
  }
  constexpr value hardtanh(value x, double min_val = -1, double max_val = 1, source_line at = source_line::here()) {
    return function_of("hardtanh", x, ir::function::clip, {min_val, max_val}, at);
  }
  constexpr value hardshrink(value x, double lambd = 0.5, source_line at = source_line::here()) {
    return function_of("hardshrink", x, ir::function::shrink, {lambd}, at);
  }
  constexpr value softshrink(value x, double lambd = 0.5, source_line at = source_line::here()) {
    return function_of("softshrink", x, ir::function::shrink, {lambd, lambd}, at);
  }
  /// torch.nn.GELU: `approximate` is "none" or "tanh".
  constexpr value gelu(value x, std::string_view approximate = "none", source_line at = source_line::here()) {
    return function_of("gelu", x, approximate == "tanh" ? ir::function::gelu_tanh : ir::function::gelu, {}, at);
  }
  constexpr value softplus(value x, double beta = 1, source_line at = source_line::here()) {
    if (beta == 1) return function_of("softplus", x, ir::function::softplus, {}, at);
    return div(function_of("softplus", mul(x, beta, at), ir::function::softplus, {}, at), beta, at);
  }
  constexpr value logsigmoid(value x, source_line at = source_line::here()) {
    return neg(softplus(neg(x, at), 1, at), at);
  }
  constexpr value tanhshrink(value x, source_line at = source_line::here()) { return sub(x, tanh(x, at), {}, at); }
  /// torch.nn.Threshold: x above the threshold, else `value_below`.
  constexpr value threshold(value x, double above, double value_below, source_line at = source_line::here()) {
    const value bound = full({1}, above, at), filling = full({1}, value_below, at);
    return where(gt(x, bound, {}, at), x, filling, {}, at);
  }
  constexpr value softmin(value x, int dim, source_line at = source_line::here()) {
    return softmax(neg(x, at), {.dim = dim}, at);
  }
  /// torch.nn.GLU: the first half along an axis, by the sigmoid of the second.
  constexpr value glu(value x, int dim = -1, source_line at = source_line::here()) {
    const auto halves = chunk<2>(x, dim, at);
    return mul(halves[0], sigmoid(halves[1], {}, at), {}, at);
  }

  /// torch.nn.functional.pad: numbers for the last axis, before and after, then for the one before it, and so on.
  constexpr value pad(value x, const setting& padding, const pad_options& o = {},
                      source_line at = source_line::here()) {
    const int rank = shape(x).rank;
    setting before, after;
    for (int i = 0; i < rank; ++i) {
      const auto k = static_cast<std::size_t>(2 * (rank - 1 - i));
      before.append(k < padding.size() ? static_cast<int>(padding[k]) : 0);
      after.append(k + 1 < padding.size() ? static_cast<int>(padding[k + 1]) : 0);
    }
    begin(ctnn::constant_pad<"">::record, "pad", {}, x, at, 1);
    if (o.mode != op::pad_mode::constant) say("mode", setting(o.mode));
    say("before", before);
    say("after", after);
    if (o.value != 0) say("value", setting(o.value));
    return last();
  }

  /// torch.nn.Embedding: rows of a table by integer indices. Weight "weight" (num_embeddings, embedding_dim).
  constexpr value embedding(std::string_view name, value ids, const embedding_options& o,
                            source_line at = source_line::here()) {
    const auto scope = inside(name, "embedding");
    const value table = parameter("weight", {o.num_embeddings, o.embedding_dim}, {}, at);
    return named("rows", gather(table, ids, {}, at));
  }

  /// torch.nn.LayerNorm over the last axes. Weights "weight" and "bias" of their extents.
  constexpr value layer_norm(std::string_view name, value x, const layer_norm_options& o = {},
                             source_line at = source_line::here()) {
    return normalized(ctnn::layer_norm<"">::record, "layer_norm", name, x, o.normalized_shape, o.eps,
                      o.elementwise_affine, o.elementwise_affine && o.bias, at);
  }
  /// torch.nn.RMSNorm over the last axes. Weight "weight" of their extents.
  constexpr value rms_norm(std::string_view name, value x, const rms_norm_options& o = {},
                           source_line at = source_line::here()) {
    return normalized(ctnn::rms_norm<"">::record, "rms_norm", name, x, o.normalized_shape, o.eps, o.elementwise_affine,
                      false, at);
  }

  /// torch.nn.RNN, GRU and LSTM of x, or of x and the states before the first step, {x, h0}. Weights as PyTorch calls
  /// them, "weight_ih_l0".
  constexpr recurrent_values rnn(std::string_view name, values in, const recurrent_options& o,
                                 source_line at = source_line::here()) {
    const value y = call(ctnn::rnn<"">::record, "rnn", name, in, o, at, 2);
    return {y, output_of(y, 1)};
  }
  constexpr recurrent_values gru(std::string_view name, values in, const recurrent_options& o,
                                 source_line at = source_line::here()) {
    const value y = call(ctnn::gru<"">::record, "gru", name, in, o, at, 2);
    return {y, output_of(y, 1)};
  }
  constexpr lstm_values lstm(std::string_view name, values in, const lstm_options& o,
                             source_line at = source_line::here()) {
    const value y = call(ctnn::lstm<"">::record, "lstm", name, in, o, at, 3);
    return {y, output_of(y, 1), output_of(y, 2)};
  }

  /// torch.nn.functional.scaled_dot_product_attention of (..., heads, length, size), or of (heads, length, size).
  constexpr value scaled_dot_product_attention(value query, value key, value values_, bool is_causal = false,
                                               source_line at = source_line::here()) {
    const int rank = shape(query).rank;
    if (rank == 3) {
      query = unsqueeze(query, 0, at);
      key = unsqueeze(key, 0, at);
      values_ = unsqueeze(values_, 0, at);
    }
    const value y = attention({query, key, values_}, {.causal = is_causal}, at);
    return rank == 3 ? squeeze(y, 0, at) : y;
  }
  /// torch.nn.MultiheadAttention of a value with itself, or of {query, key, value}: (L, E), or with a batch. Weights as
  /// PyTorch calls them: in_proj_weight, or q_proj_weight and its kin where keys or values have another size, ...
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
    const bool masks = o.attn_mask.recorder != nullptr;
    if (masks) of.push_back(is_boolean(o.attn_mask) ? kept_where(o.attn_mask, at) : o.attn_mask);
    value y = attention(of, {.heads = o.num_heads, .kv_heads = o.num_heads, .causal = o.is_causal, .mask = masks}, at);
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
                                 {.num_heads = o.nhead, .batch_first = o.batch_first}, at);
    });
    return around("norm3", x, o, at, [&](value v) { return feed_forward(v, o, at); });
  }

  /// op::attention with all its options: queries, keys, values, and what its flags add.
  constexpr value attention(values in, const attention_options& o = {}, source_line at = source_line::here()) {
    return call(ctnn::attention<"">::record, "attention", {}, in, o, at);
  }

 protected:
  constexpr bool is_boolean(value x) { return described(x).type.type == dtype::boolean; }
  /// PyTorch's masks say what is hidden, op::attention's what is not.
  constexpr value kept_where(value hidden, source_line at) {
    const value off = layer<op::cast>({}, hidden, {{"to", dtype::f32}}, 1, at);
    return eq(off, full({1}, 0, at), {}, at);
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
  /// A linear layer by values: x, weight, and a bias if there is one.
  constexpr value given_linear(std::string_view name, values in, int out, source_line at) {
    begin(ctnn::linear<"">::record, "linear", name, in, at, 1);
    say("out", setting(out));
    if (in.size() == 2) say("bias", setting(false));
    say("given", setting(in.size() == 2 ? 1 : 3));
    return last();
  }

  /// x + f(x), normalised before or behind.
  template <class Function>
  constexpr value around(std::string_view norm, value x, const transformer_layer_options& o, source_line at,
                         Function f) {
    const layer_norm_options how{.eps = o.layer_norm_eps};
    if (o.norm_first) return add(f(layer_norm(norm, x, how, at)), x, {}, at);
    return layer_norm(norm, add(f(x), x, {}, at), how, at);
  }
  constexpr value self_attention(value x, const transformer_layer_options& o, source_line at) {
    return multihead_attention(
        "self_attn", x,
        {.num_heads = o.nhead, .batch_first = o.batch_first, .is_causal = o.is_causal, .attn_mask = o.src_mask}, at);
  }
  constexpr value feed_forward(value x, const transformer_layer_options& o, source_line at) {
    const value h = linear("linear1", x, {.out = o.dim_feedforward}, at);
    return linear("linear2", function_of("activation", h, o.activation, {}, at), {.out = size(x, -1)}, at);
  }

  /// Affine over the axes of `normalized`, with "weight" and "bias".
  constexpr value normalized(const layer_record& norm, std::string_view word, std::string_view name, value x,
                             const setting& normalized_shape, double eps, bool weight, bool bias, source_line at) {
    const extents s = shape(x);
    const int axes = normalized_shape.is_set() ? static_cast<int>(normalized_shape.size()) : 1;
    const extents own = s.from(s.rank > axes ? s.rank - axes : 0);
    const auto scope = inside(name, word);
    ir::pool<value> in;
    in.push_back(x);
    if (weight) in.push_back(parameter("weight", own, {}, at));
    if (bias) in.push_back(parameter("bias", own, {}, at));
    begin(norm, word, "norm", in, at, 1);
    if (axes != 1) say("axis", setting(-axes));
    say("eps", setting(eps));
    return last();
  }
};

}  // namespace ctnn::detail
