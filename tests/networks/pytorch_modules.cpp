// SPDX-License-Identifier: BSL-1.0
// Modules of torch.nn that own their weights (network/modules.hpp), beside PyTorch, under the keys of its state_dict.
#include <doctest/doctest.h>

#include <ctnn/typed.hpp>

#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

// clang-format off

struct attentions : nn::network<
    nn::input<"x", nn::shape<9, 24>>,
    nn::linear<"memory", nn::out<24>>, nn::tanh_activation<"m">,
    nn::multihead_attention<"own", 24, 4, nn::from<"x">>,
    nn::add<"sum1", nn::from<"x", "own">>, nn::affine_layer_norm<"norm", 24, nn::eps<1e-3>>,
    nn::multihead_attention<"other", 24, 3, nn::from<"norm", "m", "x">>,
    nn::add<"sum2", nn::from<"norm", "other">>, nn::affine_instance_norm1d<"by_channel", 9>,
    nn::affine_rms_norm<"rms", 24, nn::eps<1e-6>>> {};

struct recurrent : nn::network<
    nn::input<"x", nn::shape<11, 5>>,
    nn::stacked_gru<"gru", 5, 12, 3>, nn::stacked_lstm<"lstm", 12, 6, 2, nn::bidirectional>,
    nn::stacked_rnn<"rnn", 12, 7, 2>, nn::projected_lstm<"last", 7, 10, 3>> {};

struct windows : nn::network<
    nn::input<"image", nn::shape<3, 8, 9>>,
    nn::affine_instance_norm2d<"norm", 3>,
    nn::unfold<"columns", 3, 3, nn::pad<1>, nn::stride<2>>,
    nn::linear<"narrow", nn::out<4>>,
    nn::tanhshrink<"shrunk", nn::from<"columns">>, nn::log_sigmoid<"log">,
    nn::bilinear<"both", 20, 4, 5, nn::from<"log", "narrow">>, nn::softmin<"shares">,
    nn::reshape<"flat", nn::shape<-1>>,
    nn::conv2d<"conv", nn::from<"norm">, nn::out<6>, nn::kernel<1>>, nn::group_norm<"groups", 2, 6>,
    nn::reshape<"all", nn::shape<-1>>, nn::slice<"few", nn::axis<0>, nn::start<0>, nn::end<28>>,
    nn::threshold<"above", 0.1, 0.7>, nn::softplus_beta<"round", 3, nn::from<"few">>,
    nn::rrelu<"mean", 0.1, 0.4, nn::from<"few">>, nn::rrelu<"usual", 1.0 / 8, 1.0 / 3, nn::from<"few">>,
    nn::concat<"y", nn::from<"flat", "above", "round", "mean", "usual">, nn::axis<0>>> {};

struct bags : nn::network<
    nn::input<"ids", nn::shape<4, 3>, nn::i64>, nn::embedding_bag<"bag", 50, 8>, nn::linear<"fc", nn::out<6>>,
    nn::mul<"wide", nn::scalar<4>>, nn::hardtanh<"y">> {};

struct encoder_layers : nn::network<
    nn::input<"x", nn::shape<9, 24>>, nn::repeat<"layers", 2, nn::transformer_encoder_layer<"", 24, 3, 40>>> {};

struct decoder : nn::network<
    nn::input<"x", nn::shape<7, 24>>, nn::linear<"memory", nn::out<24>>,
    nn::transformer_decoder_layer<"layer", 24, 4, 40, nn::from<"x", "memory">, nn::causal>> {};

struct cells : nn::network<
    nn::input<"x", nn::shape<3, 5>>, nn::linear<"start", nn::out<6>>,
    nn::rnn_cell<"rnn", 5, 6, nn::from<"x", "start">>, nn::gru_cell<"gru", 5, 6, nn::from<"x", "rnn">>,
    nn::lstm_cell<"lstm", 5, 6, nn::from<"x", "gru", "start">>,
    nn::cosine_similarity<"alike", 1, nn::from<"lstm.h_next", "start">>,
    nn::pairwise_distance<"far", nn::from<"lstm.c_next", "rnn">>,
    nn::concat<"y", nn::from<"alike", "far">, nn::axis<0>>> {};

// clang-format on

}  // namespace

TEST_CASE("attention of a sequence with itself and another, norms with weights") {
  CHECK(beside_pytorch<attentions>("attentions") == "");
}
TEST_CASE("recurrent layers, several at a time, both ways, projected") {
  CHECK(beside_pytorch<recurrent>("recurrent") == "");
}
TEST_CASE("windows as columns, products of two inputs") { CHECK(beside_pytorch<windows>("windows") == ""); }
TEST_CASE("means of rows") { CHECK(beside_pytorch<bags>("bags") == ""); }
TEST_CASE("layers of an encoder") { CHECK(beside_pytorch<encoder_layers>("encoder_layers") == ""); }
TEST_CASE("a layer of a decoder") { CHECK(beside_pytorch<decoder>("decoder") == ""); }
TEST_CASE("single steps of recurrent layers, distances") { CHECK(beside_pytorch<cells>("cells") == ""); }
