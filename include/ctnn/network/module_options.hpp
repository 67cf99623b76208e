// SPDX-License-Identifier: BSL-1.0
// Options of PyTorch's modules that are several layers: structs whose members have PyTorch's names and defaults.
#pragma once

#include "call_recorder.hpp"

namespace ctnn {

struct pad_options {
  word_setting mode{};  ///< "constant", "reflect", "replicate" or "circular"
  double value = 0;
};
struct upsample_options {
  setting size{};                     ///< of the last axes
  setting scale_factor{};             ///< instead of it
  std::string_view mode = "nearest";  ///< or "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area"
  bool align_corners = false;
  bool antialias = false;
};
struct unfold_options {
  setting kernel_size{};
  setting dilation{};
  setting padding{};
  setting stride{};
};
struct fold_options {
  setting output_size{};  ///< of the image
  setting kernel_size{};
  setting dilation{};
  setting padding{};
  setting stride{};
};
struct max_unpool_options {
  setting kernel_size{};
  setting stride{};  ///< by itself the kernel's size
  setting padding{};
  setting output_size{};  ///< by itself the least that kernel and stride lead to
};

struct embedding_options {
  int num_embeddings = 0;  ///< rows of the table
  int embedding_dim = 0;   ///< numbers of a row
};
struct embedding_bag_options {
  int num_embeddings = 0;
  int embedding_dim = 0;
  std::string_view mode = "mean";  ///< or "sum", "max"
};
struct bilinear_options {
  int out_features = 0;
  bool bias = true;
};
struct cosine_similarity_options {
  int dim = 1;
  double eps = 1e-8;
};
struct pairwise_distance_options {
  double p = 2;
  double eps = 1e-6;
  bool keepdim = false;
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
  setting dim{};  ///< the channels' axis, where the shape does not tell
};
struct instance_norm_options {
  double eps = 1e-5;
  bool affine = false;
};
struct normalize_options {
  double p = 2;  ///< 1 or 2
  int dim = 1;
  double eps = 1e-12;
};

struct scaled_dot_product_attention_options {
  value attn_mask{};  ///< booleans: true keeps; floats are added. (..., L, S)
  bool is_causal = false;
  double scale = 0;         ///< 0: 1 / sqrt(size)
  bool enable_gqa = false;  ///< fewer heads of keys and values than of queries
  int sliding_window = 0;   ///< with is_causal: a query sees its own key and window - 1 before it; 0: all
};
struct multihead_attention_options {
  int num_heads = 1;
  bool bias = true;
  bool batch_first = false;  ///< of three axes: (N, L, E) instead of (L, N, E)
  bool is_causal = false;    ///< nothing later than itself is attended to
  value attn_mask{};         ///< booleans: true hides; floats are added. (L, S) or (N heads, L, S)
  value key_padding_mask{};  ///< the same of keys, (S) or (N, S)
  int sliding_window = 0;    ///< with is_causal: a query sees its own key and window - 1 before it; 0: all
};
/// Of an encoder's or a decoder's layer; masks are those of multihead_attention_options.
struct transformer_layer_options {
  int nhead = 1;
  int dim_feedforward = 2048;
  ir::function activation = ir::function::relu;  ///< or gelu
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;
  bool bias = true;
  bool is_causal = false;           ///< of its own attention
  value src_mask{};                 ///< of its own attention; PyTorch's tgt_mask of a decoder
  value src_key_padding_mask{};     ///< tgt_key_padding_mask of a decoder
  value memory_mask{};              ///< of a decoder's attention to the encoder
  value memory_key_padding_mask{};  ///< the same
  int sliding_window = 0;           ///< of its own attention, with is_causal
};
struct transformer_stack_options {
  transformer_layer_options layer{};
  int num_layers = 6;
  bool norm = false;  ///< a layer norm behind the last layer
};
struct transformer_options {
  transformer_layer_options layer{.nhead = 8};  ///< of both; what it says of masks is the decoder's
  int num_encoder_layers = 6;
  int num_decoder_layers = 6;
  value encoder_mask{};
};
struct rotary_embedding_options {
  bool interleaved = false;  ///< pairs are neighbours, instead of numbers of both halves
  double base = 10000;
  int offset = 0;  ///< the position of the first row
};

struct cell_options {
  int hidden_size = 0;
  bool bias = true;
  word_setting nonlinearity{};  ///< of rnn_cell: "tanh" or "relu"
};

/// What recurrent modules give: the steps, and the state after the last one. auto [y, h] = m.gru("cell", x, {...});
struct recurrent_values {
  value output, h;
};
struct lstm_values {
  value output, h, c;
};
struct lstm_state {
  value h, c;
};
/// What max_pool2d_with_indices gives: maxima, and where they were.
struct pooled_values {
  value output, indices;
};

}  // namespace ctnn
