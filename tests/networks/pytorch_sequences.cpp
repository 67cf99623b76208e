// SPDX-License-Identifier: BSL-1.0
// Networks of sequences, beside PyTorch.
#include <doctest/doctest.h>

#include <ctnn/typed.hpp>

#include "../../examples/networks/tcn.hpp"
#include "../../examples/networks/lists/transformer.hpp"
#include "../../examples/networks/transformer.hpp"
#include "../../examples/networks/wavenet.hpp"
#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

// clang-format off

struct keyword_spotter : nn::network<
    nn::input<"x", nn::shape<20, 10>>,
    nn::gru<"gru", nn::hidden<12>, nn::bidirectional>,
    nn::lstm<"lstm", nn::from<"gru.0">, nn::hidden<16>>,
    nn::slice<"last", nn::from<"lstm.0">, nn::axis<0>, nn::start<19>, nn::end<20>>,
    nn::linear<"fc", nn::out<6>>, nn::log_softmax<"said">> {};

/// torch.nn.GRU(num_layers=3): layer n is "n" here.
struct stacked_gru : nn::network<
    nn::input<"x", nn::shape<11, 5>>,
    nn::block<"gru",
        nn::gru<"0", nn::hidden<12>>, nn::gru<"1", nn::from<"0.0">, nn::hidden<12>>,
        nn::gru<"2", nn::from<"1.0">, nn::hidden<12>>, nn::output<"2.0">>,
    nn::linear<"fc", nn::out<2>>> {};

struct vit_block : nn::network<
    nn::input<"x", nn::shape<17, 32>>,
    nn::residual<"attended",
        lists::norm<"norm1", 32>, lists::self_attention<"attention", 17, 32, 4>>,
    nn::residual<"y",
        lists::norm<"norm2", 32>,
        nn::linear<"fc1", nn::out<48>>, nn::gelu<"gelu">, nn::linear<"fc2", nn::out<32>>>> {};

/// Words and places as vectors, then torch.nn.TransformerEncoder.
struct word_encoder : nn::network<
    nn::input<"ids", nn::shape<9>, nn::i64>,
    nn::embedding<"words", 50, 24>,
    nn::constant<"places.weight", nn::shape<9, 24>>,
    nn::add<"placed", nn::from<"words", "places.weight">>,
    nn::block<"encoder", nn::repeat<"layers", 2, lists::encoder_layer<9, 24, 3, 40>>>,
    nn::linear<"fc", nn::out<4>>> {};

// clang-format on

}  // namespace

TEST_CASE("a keyword spotter, forth and back") { CHECK(beside_pytorch<keyword_spotter>("keyword_spotter") == ""); }
TEST_CASE("several layers of GRU") { CHECK(beside_pytorch<stacked_gru>("stacked_gru") == ""); }
TEST_CASE("a causal TCN") { CHECK(beside_pytorch<networks::tcn<48>>("tcn") == ""); }
TEST_CASE("WaveNet") { CHECK(beside_pytorch<networks::wavenet<64, 8>>("wavenet") == ""); }
TEST_CASE("a block of a vision transformer") { CHECK(beside_pytorch<vit_block>("vit_block") == ""); }
TEST_CASE("an encoder of words") { CHECK(beside_pytorch<word_encoder>("word_encoder") == ""); }
