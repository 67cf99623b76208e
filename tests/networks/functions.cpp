// SPDX-License-Identifier: BSL-1.0
// Networks as functions and as lists of layers: one graph.
#include <doctest/doctest.h>

#include "../../examples/networks/inception.hpp"
#include "../../examples/networks/lists/inception.hpp"
#include "../../examples/networks/lists/mobilenet_v2.hpp"
#include "../../examples/networks/lists/resnet18.hpp"
#include "../../examples/networks/lists/tcn.hpp"
#include "../../examples/networks/lists/unet.hpp"
#include "../../examples/networks/lists/wavenet.hpp"
#include "../../examples/networks/mobilenet_v2.hpp"
#include "../../examples/networks/resnet18.hpp"
#include "../../examples/networks/tcn.hpp"
#include "../../examples/networks/transformer.hpp"
#include "../../examples/networks/unet.hpp"
#include "../../examples/networks/wavenet.hpp"
#include "same_graph.hpp"

namespace {

namespace nn = ctnn;
using ctnn::ir::test::same_network;
using ctnn::ir::test::same_numbers;

static_assert(same_network<networks::resnet18<32, 10>, lists::resnet18<32, 10>>);
static_assert(same_network<networks::inceptions<8>, lists::inceptions<8>>);
static_assert(same_network<networks::tcn<32>, lists::tcn<32>>);
static_assert(same_network<networks::unet<32, 32, 2, 8>, lists::unet<32, 32, 2, 8>>);
static_assert(same_network<networks::wavenet<64>, lists::wavenet<64>>);
static_assert(same_network<networks::mobilenet_v2<32, 10>, lists::mobilenet_v2<32, 10>>);
using encoder = nn::network<nn::input<"tokens", nn::shape<6, 16>>,
                            nn::repeat<"layers", 2, nn::transformer_encoder_layer<"", 16, 4, 32>>>;
static_assert(same_network<networks::transformer_encoder<6, 16, 4, 32, 2>, encoder>);

TEST_CASE("a function takes the weights of its list, and gives the same numbers to the last bit") {
  CHECK(same_numbers<networks::tcn<32>, lists::tcn<32>>());
  CHECK(same_numbers<networks::transformer_encoder<6, 16, 4, 32, 2>, encoder>());
}

}  // namespace
