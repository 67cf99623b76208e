// SPDX-License-Identifier: BSL-1.0
// network/blocks.hpp: networks of blocks are the networks one would write out by hand, under full names.
#include <doctest/doctest.h>

#include <concepts>

#include <boost/hana/count_if.hpp>

#include <ctnn/ctnn.hpp>

namespace nn = ctnn;
namespace hana = boost::hana;

namespace {

// clang-format off
// README's words.
template <nn::fixed_string Name, int Channels, int Stride = 1, class... Shortcut>
using basic_block = nn::block<Name,
    nn::residual<"add",
        nn::conv2d<"conv1", nn::out<Channels>, nn::kernel<3>, nn::stride<Stride>, nn::pad<1>, nn::no_bias>,
        nn::batch_norm<"bn1">, nn::relu<"relu1">,
        nn::conv2d<"conv2", nn::out<Channels>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"bn2">,
        Shortcut...>,
    nn::relu<"relu2">>;
template <int Channels>
using downsample = nn::shortcut<"downsample",
    nn::conv2d<"0", nn::out<Channels>, nn::kernel<1>, nn::stride<2>, nn::no_bias>, nn::batch_norm<"1">>;

struct small : nn::network<
    nn::input<"image", nn::shape<8, 16, 16>>,
    basic_block<"layer1.0", 8>,
    basic_block<"layer2.0", 16, 2, downsample<16>>,
    nn::repeat<"layers", 2, nn::conv2d<"conv", nn::out<16>, nn::kernel<1>>, nn::relu<"relu">>> {};

using by_hand = nn::network<
    nn::input<"image", nn::shape<8, 16, 16>>,
    nn::conv2d<"layer1.0.conv1", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"layer1.0.bn1">,
    nn::relu<"layer1.0.relu1">,
    nn::conv2d<"layer1.0.conv2", nn::out<8>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"layer1.0.bn2">,
    nn::add<"layer1.0.add", nn::from<"layer1.0.bn2", "image">>, nn::relu<"layer1.0.relu2">,
    nn::conv2d<"layer2.0.conv1", nn::out<16>, nn::kernel<3>, nn::stride<2>, nn::pad<1>, nn::no_bias>,
    nn::batch_norm<"layer2.0.bn1">, nn::relu<"layer2.0.relu1">,
    nn::conv2d<"layer2.0.conv2", nn::out<16>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"layer2.0.bn2">,
    nn::conv2d<"layer2.0.downsample.0", nn::from<"layer1.0.relu2">, nn::out<16>, nn::kernel<1>, nn::stride<2>,
               nn::no_bias>,
    nn::batch_norm<"layer2.0.downsample.1">,
    nn::add<"layer2.0.add", nn::from<"layer2.0.bn2", "layer2.0.downsample.1">>, nn::relu<"layer2.0.relu2">,
    nn::conv2d<"layers.0.conv", nn::out<16>, nn::kernel<1>>, nn::relu<"layers.0.relu">,
    nn::conv2d<"layers.1.conv", nn::out<16>, nn::kernel<1>>, nn::relu<"layers.1.relu">>;
static_assert(std::same_as<nn::canonical<small>, nn::canonical<by_hand>>);
static_assert(std::same_as<nn::optimized<small>, nn::optimized<by_hand>>);

// Questions by full names.
static_assert(small::size == 21 && nn::optimized<small>::size == 8);
static_assert(small::has<"layer1.0.conv1"> && small::has<"layers.1.relu"> && !small::has<"layer1.0">);
static_assert(nn::fused_into<small, "layer1.0.bn1"> == "layer1.0.conv1");
static_assert(nn::fused_into<small, "layer2.0.add"> == "layer2.0.conv2");
static_assert(nn::fused_into<small, "layer2.0.downsample.1"> == "layer2.0.downsample.0");
static_assert(nn::output_shape<small, "layer2.0.add"> == nn::extents{16, 8, 8});
static_assert(nn::explain<small, "layers.0.relu"> == "layers.0.relu: part of layers.0.conv (fuse_activation)");
static_assert(hana::count_if(nn::layers_of<small>, nn::is<nn::op::conv2d>) == hana::size_c<7>);

// Several inputs, a result from the middle, a name for the result; a block is read by its name.
using joined = nn::block<"join", nn::from<"down", "image">,
    nn::input<"below">, nn::input<"skip", nn::shape<2, 4, 4>>,
    nn::interpolate_nearest<"up", nn::from<"below">, nn::scale_factor<2>>,
    nn::concat<"cat", nn::from<"up", "skip">>, nn::relu<"relu">, nn::max_pool2d<"pool", nn::kernel<2>>,
    nn::output<"relu">>;
using several = nn::network<
    nn::input<"image", nn::shape<2, 4, 4>>, nn::max_pool2d<"down", nn::kernel<2>>, joined,
    nn::tanh_activation<"behind">, nn::sigmoid<"pooled", nn::from<"join.pool">>, nn::relu6<"again", nn::from<"join">>,
    nn::output<"behind", "pooled", "again">>;
static_assert(std::same_as<nn::canonical<several>, nn::canonical<nn::network<
    nn::input<"image", nn::shape<2, 4, 4>>, nn::max_pool2d<"down", nn::kernel<2>>,
    nn::interpolate_nearest<"join.up", nn::scale_factor<2>>, nn::concat<"join.cat", nn::from<"join.up", "image">>,
    nn::relu<"join.relu">, nn::max_pool2d<"join.pool", nn::kernel<2>>,
    nn::tanh_activation<"behind", nn::from<"join.relu">>,
    nn::sigmoid<"pooled", nn::from<"join.pool">>, nn::relu6<"again", nn::from<"join.relu">>,
    nn::output<"behind", "pooled", "again">>>>);

// Several outputs, by their full names and by names for them.
using outputs = nn::network<
    nn::input<"x", nn::shape<4>>,
    nn::block<"b", nn::relu<"r">, nn::tanh_activation<"t">, nn::sigmoid<"s">,
              nn::named_output<nn::from<"low", "high">, nn::from<"r", "t">>>,
    nn::add<"sum", nn::from<"b.low", "b.high">>, nn::mul<"product", nn::from<"b.s", "sum">>>;
static_assert(std::same_as<nn::canonical<outputs>, nn::canonical<nn::network<
    nn::input<"x", nn::shape<4>>, nn::relu<"b.r">, nn::tanh_activation<"b.t">, nn::sigmoid<"b.s">,
    nn::add<"sum", nn::from<"b.r", "b.t">>, nn::mul<"product", nn::from<"b.s", "sum">>>>>);

// A network as a part of another: its inputs are what it reads, or, where it comes first, the other's. Blocks in
// blocks; without a name the layers are those of the block around.
struct encoder : nn::network<nn::input<"image", nn::shape<1, 8, 8>>,
                             nn::block<"stem", nn::conv2d<"conv", nn::out<2>, nn::kernel<3>>, nn::relu<"relu">>> {};
static_assert(std::same_as<nn::canonical<nn::network<nn::block<"encoder", encoder>, nn::flatten<"flat">>>,
                           nn::canonical<nn::network<
    nn::input<"encoder.image", nn::shape<1, 8, 8>>, nn::conv2d<"encoder.stem.conv", nn::out<2>, nn::kernel<3>>,
    nn::relu<"encoder.stem.relu">, nn::flatten<"flat">>>>);
static_assert(std::same_as<
    nn::canonical<nn::network<nn::input<"x", nn::shape<1, 8, 8>>, nn::tanh_activation<"t">, encoder>>,
    nn::canonical<nn::network<
    nn::input<"x", nn::shape<1, 8, 8>>, nn::tanh_activation<"t">, nn::conv2d<"stem.conv", nn::out<2>, nn::kernel<3>>,
    nn::relu<"stem.relu">>>>);
static_assert(std::same_as<
    nn::canonical<nn::network<
        nn::input<"x", nn::shape<4>>,
        nn::block<"a", nn::block<"", nn::relu<"r">, nn::input<"y">, nn::add<"s", nn::from<"r", "y">>>,
                  nn::tanh_activation<"t", nn::from<"s">>>>>,
    nn::canonical<nn::network<nn::input<"x", nn::shape<4>>, nn::relu<"a.r">, nn::add<"a.s", nn::from<"a.r", "x">>,
                              nn::tanh_activation<"a.t">>>>);

// Iterations read what the one before gives, and what all of them are given; PyTorch's Sequential has no name.
using steps = nn::network<
    nn::input<"x", nn::shape<4>>, nn::input<"memory", nn::shape<4>>,
    nn::repeat<"layers", 2, nn::from<"x", "memory">, nn::input<"x">, nn::input<"memory">,
               nn::residual<"sum", nn::from<"x">, nn::mul<"m", nn::from<"x", "memory">>>>,
    nn::repeat<"", 2, nn::linear<"fc", nn::out<4>>>,
    nn::tanh_activation<"t", nn::from<"layers">>, nn::relu<"r", nn::from<"layers.0">>,
    nn::output<"t", "r", "1.fc">>;
static_assert(std::same_as<nn::canonical<steps>, nn::canonical<nn::network<
    nn::input<"x", nn::shape<4>>, nn::input<"memory", nn::shape<4>>, nn::mul<"layers.0.m", nn::from<"x", "memory">>,
    nn::add<"layers.0.sum", nn::from<"layers.0.m", "x">>,
    nn::mul<"layers.1.m", nn::from<"layers.0.sum", "memory">>,
    nn::add<"layers.1.sum", nn::from<"layers.1.m", "layers.0.sum">>,
    nn::linear<"0.fc", nn::out<4>>, nn::linear<"1.fc", nn::out<4>>, nn::tanh_activation<"t", nn::from<"layers.1.sum">>,
    nn::relu<"r", nn::from<"layers.0.sum">>, nn::output<"t", "r", "1.fc">>>>);

// What is kept, what is split, and an output that is a block's.
using kept_inside = nn::network<
    nn::input<"x", nn::shape<4>>,
    nn::block<"b", nn::keep<"half.1">, nn::split<"half", nn::sizes<2, 2>>, nn::relu<"r", nn::from<"half.0">>>,
    nn::output<"b">>;
static_assert(std::same_as<nn::canonical<kept_inside>, nn::canonical<nn::network<
    nn::input<"x", nn::shape<4>>, nn::split<"b.half", nn::sizes<2, 2>>, nn::relu<"b.r", nn::from<"b.half.0">>,
    nn::named_output<nn::from<"b", "b.half.1">, nn::from<"b.r", "b.half.1">>>>>);

// An input that nobody reads is one on purpose: declared so, or left over by rewriting.
using spare = nn::network<nn::input<"x", nn::shape<4>>, nn::input<"y", nn::shape<2>, nn::unused>,
                          nn::relu<"r", nn::from<"x">>>;
static_assert(std::same_as<nn::optimized<spare>, nn::canonical<spare>>);
using left_over = nn::network<nn::input<"y", nn::shape<2>>, nn::relu<"dead">,
                              nn::input<"x", nn::shape<4>>, nn::relu<"r">>;
static_assert(std::same_as<nn::optimized<left_over>, nn::network<
    nn::input<"y", nn::shape<2>, nn::unused>, nn::input<"x", nn::shape<4>>, nn::relu<"r">>>);

// clang-format on

}  // namespace

TEST_CASE("weights by the names of PyTorch's state_dict") {
  float ones[16 * 16];
  for (float& f : ones) f = 1;
  const nn::named_weight by_layer[] = {{"layers.0.conv", "weight", ones},
                                       {"layers.0.conv", "bias", std::span<const float>(ones, 16)},
                                       {"layers.1.conv", "weight", ones},
                                       {"layers.1.conv", "bias", std::span<const float>(ones, 16)}};
  const nn::named_weight by_key[] = {
      nn::state("layers.0.conv.weight", ones), nn::state("layers.0.conv.bias", std::span<const float>(ones, 16)),
      nn::state("layers.1.conv.weight", ones), nn::state("layers.1.conv.bias", std::span<const float>(ones, 16))};
  using net = nn::network<nn::input<"x", nn::shape<16, 2, 2>>,
                          nn::repeat<"layers", 2, nn::conv2d<"conv", nn::out<16>, nn::kernel<1>>, nn::relu<"relu">>>;
  static nn::parameters<net> a{nn::zeros}, b{nn::zeros};
  CHECK(!nn::load(a, by_layer).found);
  CHECK(!nn::load(b, by_key).found);
  nn::engine<net> first(a), second(b);
  CHECK(first(std::span<const float, 64>(ones, 64))[0] == 16 * 17 + 1);
  CHECK(second(std::span<const float, 64>(ones, 64))[63] == 16 * 17 + 1);
  const auto report = nn::load(a, std::span(by_key).first(3));
  CHECK(report.layer == "layers.1.conv");
  CHECK(report.found.what == "bias");
}

TEST_CASE("a constant is a weight by its own name") {
  using net =
      nn::network<nn::input<"x", nn::shape<2>>, nn::block<"norm1", nn::input<"x">, nn::constant<"weight", nn::shape<2>>,
                                                          nn::mul<"mul", nn::from<"x", "weight">>>>;
  const float numbers[] = {3, 5};
  static nn::parameters<net> a{nn::zeros};
  CHECK(!nn::load(a, {{nn::state("norm1.weight", numbers)}}).found);
  nn::engine<net> e(a);
  CHECK(e(numbers)[1] == 25);
}

TEST_CASE("a key that two layers answer to is refused") {
  // The block has no value of its own name, so a layer may have it.
  using net = nn::network<nn::input<"x", nn::shape<2>>,
                          nn::block<"n", nn::input<"x">, nn::constant<"bias", nn::shape<2>>,
                                    nn::tanh_activation<"t", nn::from<"x">>, nn::output<"bias", "t">>,
                          nn::bias<"n", nn::from<"n.t">, nn::axis<0>>>;
  const float numbers[] = {3, 5};
  static nn::parameters<net> a{nn::zeros};
  CHECK(nn::load(a, {{nn::state("n.bias", numbers)}}).found.kind == nn::mistake::duplicate_name);
}
