// SPDX-License-Identifier: BSL-1.0
// Each module of network/modules.hpp as a function and as a word of lists: one graph.
#include <doctest/doctest.h>

#include "same_graph.hpp"

namespace {

namespace nn = ctnn;
using nn::ir::declared_graph;

template <nn::value (*Function)(nn::graph&)>
struct as_function : nn::declared<as_function<Function>> {
  static constexpr nn::value forward(nn::graph& m) { return Function(m); }
};
template <class Function, class List>
constexpr bool same = nn::ir::test::same_graph(declared_graph<nn::prune_dead<Function>>,
                                               declared_graph<nn::prune_dead<List>>);
/// A function of x, and the words behind nn::input<"x", nn::shape<...>>.
#define CTNN_SAME(name, sizes, call, ...)                                                 \
  constexpr nn::value name(nn::graph& m) {                                                \
    const nn::value x = m.input("x", nn::extents{CTNN_OF sizes});                         \
    return call;                                                                          \
  }                                                                                       \
  using name##_list = nn::network<nn::input<"x", nn::shape<CTNN_OF sizes>>, __VA_ARGS__>; \
  static_assert(same<as_function<name>, name##_list>, #name);
#define CTNN_OF(...) __VA_ARGS__

// clang-format off
CTNN_SAME(group_norm, (6, 4, 4), m.group_norm("n", x, {.num_groups = 2, .dim = 0}),
          nn::group_norm<"n", 2, 6, nn::axis<0>>)
CTNN_SAME(chunk, (6, 4), m.chunk<3>(x)[1], nn::chunk<"c", 3>, nn::output<"c.1">)
CTNN_SAME(glu, (6, 4), m.glu(x), nn::glu<"g">)
CTNN_SAME(pixel_unshuffle, (3, 4, 6), m.pixel_unshuffle(x, 2), nn::pixel_unshuffle<"p", 2>)
CTNN_SAME(layer_norm, (3, 4), m.layer_norm("n", x, {.eps = 1e-3}), nn::affine_layer_norm<"n", 4, nn::eps<1e-3>>)
CTNN_SAME(rms_norm, (3, 4), m.rms_norm("n", x, {.eps = 1e-6}), nn::affine_rms_norm<"n", 4, nn::eps<1e-6>>)
CTNN_SAME(instance_norm1d, (3, 4), m.instance_norm1d("n", x, {.affine = true}), nn::affine_instance_norm1d<"n", 3>)
CTNN_SAME(instance_norm2d, (3, 4, 5), m.instance_norm2d("n", x, {.affine = true}), nn::affine_instance_norm2d<"n", 3>)
CTNN_SAME(instance_norm3d, (3, 4, 5, 2), m.instance_norm3d("n", x, {.affine = true}),
          nn::affine_instance_norm3d<"n", 3>)
CTNN_SAME(attention, (7, 8), m.multihead_attention("a", x, {.num_heads = 2, .is_causal = true}),
          nn::multihead_attention<"a", 8, 2, nn::causal>)
CTNN_SAME(attention_of_three, (7, 8), m.multihead_attention("a", {x, m.tanh(x), x}, {.num_heads = 2}),
          nn::tanh_activation<"t">, nn::multihead_attention<"a", 8, 2, nn::from<"x", "t", "x">>)
CTNN_SAME(encoder_layer, (7, 8), m.transformer_encoder_layer("e", x, {.nhead = 2, .dim_feedforward = 12}),
          nn::transformer_encoder_layer<"e", 8, 2, 12>)
CTNN_SAME(decoder_layer, (7, 8),
          m.transformer_decoder_layer("d", x, m.tanh(x), {.nhead = 2, .dim_feedforward = 12, .is_causal = true}),
          nn::tanh_activation<"t">, nn::transformer_decoder_layer<"d", 8, 2, 12, nn::from<"x", "t">, nn::causal>)
CTNN_SAME(stacked_rnn, (7, 3), m.rnn("r", x, {.hidden_size = 5, .num_layers = 2}).output, nn::stacked_rnn<"r", 3, 5, 2>)
CTNN_SAME(stacked_gru, (7, 3), m.gru("r", x, {.hidden_size = 5, .num_layers = 3}).output, nn::stacked_gru<"r", 3, 5, 3>)
CTNN_SAME(stacked_lstm, (7, 3), m.lstm("r", x, {.hidden_size = 5, .num_layers = 2, .bidirectional = true}).output,
          nn::stacked_lstm<"r", 3, 5, 2, nn::bidirectional>)
CTNN_SAME(projected_lstm, (7, 3), m.lstm("r", x, {.hidden_size = 5, .proj_size = 2}).output,
          nn::projected_lstm<"r", 3, 5, 2>)
CTNN_SAME(rnn_cell, (2, 5), m.rnn_cell("r", {x, m.tanh(x)}, {.hidden_size = 5}),
          nn::tanh_activation<"t">, nn::rnn_cell<"r", 5, 5, nn::from<"x", "t">>)
CTNN_SAME(gru_cell, (2, 5), m.gru_cell("r", {x, m.tanh(x)}, {.hidden_size = 5}),
          nn::tanh_activation<"t">, nn::gru_cell<"r", 5, 5, nn::from<"x", "t">>)
CTNN_SAME(lstm_cell, (2, 5), m.lstm_cell("r", {x, m.tanh(x), x}, {.hidden_size = 5}).c,
          nn::tanh_activation<"t">, nn::lstm_cell<"r", 5, 5, nn::from<"x", "t", "x">>, nn::output<"r.c_next">)
CTNN_SAME(cosine_similarity, (2, 5), m.cosine_similarity(x, m.tanh(x)),
          nn::tanh_activation<"t">, nn::cosine_similarity<"c", 1, nn::from<"x", "t">>)
CTNN_SAME(pairwise_distance, (2, 5), m.pairwise_distance(x, m.tanh(x)),
          nn::tanh_activation<"t">, nn::pairwise_distance<"p", nn::from<"x", "t">>)
CTNN_SAME(unfold, (3, 8, 9), m.unfold(x, {.kernel_size = 3, .padding = 1, .stride = 2}),
          nn::unfold<"u", 3, 3, nn::pad<1>, nn::stride<2>>)
CTNN_SAME(tanhshrink, (2, 5), m.tanhshrink(x), nn::tanhshrink<"t">)
CTNN_SAME(logsigmoid, (2, 5), m.logsigmoid(x), nn::log_sigmoid<"l">)
CTNN_SAME(softplus, (2, 5), m.softplus(x, 3), nn::softplus_beta<"s", 3>)
CTNN_SAME(rrelu, (2, 5), m.rrelu(x), nn::rrelu<"r">)
CTNN_SAME(softmin, (2, 5), m.softmin(x), nn::softmin<"s", nn::axis<-1>>)
CTNN_SAME(threshold, (2, 5), m.threshold(x, 0.1, 0.7), nn::threshold<"t", 0.1, 0.7>)
CTNN_SAME(embeddings, (2, 5), m.embedding("e", m.argmax(x, 1), {.num_embeddings = 5, .embedding_dim = 3}),
          nn::arg_max<"ids", nn::axis<1>, nn::option<"keep", 0>>, nn::embedding<"e", 5, 3>)
CTNN_SAME(embedding_bag, (2, 5), m.embedding_bag("e", m.argmax(x, 1, true), {.num_embeddings = 5, .embedding_dim = 3}),
          nn::arg_max<"ids", nn::axis<1>>, nn::embedding_bag<"e", 5, 3>)
CTNN_SAME(bilinear, (2, 5), m.bilinear("b", x, m.tanh(x), {.out_features = 3}),
          nn::tanh_activation<"t">, nn::bilinear<"b", 5, 5, 3, nn::from<"x", "t">>)
// clang-format on
#undef CTNN_OF
#undef CTNN_SAME

TEST_CASE("a module's function takes the weights of its word in lists, and gives the same numbers to the last bit") {
  CHECK(nn::ir::test::same_numbers<as_function<group_norm>, group_norm_list>());
  CHECK(nn::ir::test::same_numbers<as_function<attention>, attention_list>());
}

}  // namespace
