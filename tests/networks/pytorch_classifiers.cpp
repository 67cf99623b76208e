// SPDX-License-Identifier: BSL-1.0
// Networks that tell what an image or a signal shows, beside PyTorch.
#include <doctest/doctest.h>

#include "../../examples/networks/mobilenet_v2.hpp"
#include "../../examples/networks/resnet18.hpp"
#include "beside_pytorch.hpp"

namespace nn = ctnn;
using nn::ir::test::beside_pytorch;

namespace {

// clang-format off

struct lenet5 : nn::network<
    nn::input<"image", nn::shape<1, 32, 32>>,
    nn::conv2d<"c1", nn::out<6>, nn::kernel<5>>, nn::tanh_activation<"t1">, nn::avg_pool2d<"s2", nn::kernel<2>>,
    nn::conv2d<"c3", nn::out<16>, nn::kernel<5>>, nn::tanh_activation<"t3">, nn::avg_pool2d<"s4", nn::kernel<2>>,
    nn::conv2d<"c5", nn::out<120>, nn::kernel<5>>, nn::tanh_activation<"t5">, nn::flatten<"flatten">,
    nn::linear<"f6", nn::out<84>>, nn::tanh_activation<"t6">,
    nn::linear<"out", nn::out<10>>, nn::softmax<"prob">> {};

/// A convolution of 3 x 3 under its place in torchvision's Sequential.
template <nn::fixed_string Name, nn::fixed_string Relu, int Channels>
using conv_relu = nn::block<"", nn::conv2d<Name, nn::out<Channels>, nn::kernel<3>, nn::pad<1>>, nn::relu<Relu>>;
template <nn::fixed_string Name>
using half = nn::max_pool2d<Name, nn::kernel<2>>;

/// VGG-16, an eighth as wide.
struct vgg16 : nn::network<
    nn::input<"image", nn::shape<3, 32, 32>>,
    nn::block<"features",
        conv_relu<"0", "1", 8>, conv_relu<"2", "3", 8>, half<"4">,
        conv_relu<"5", "6", 16>, conv_relu<"7", "8", 16>, half<"9">,
        conv_relu<"10", "11", 32>, conv_relu<"12", "13", 32>, conv_relu<"14", "15", 32>, half<"16">,
        conv_relu<"17", "18", 64>, conv_relu<"19", "20", 64>, conv_relu<"21", "22", 64>, half<"23">,
        conv_relu<"24", "25", 64>, conv_relu<"26", "27", 64>, conv_relu<"28", "29", 64>, half<"30">>,
    nn::flatten<"flatten">,
    nn::block<"classifier",
        nn::linear<"0", nn::out<48>>, nn::relu<"1">, nn::dropout<"2">,
        nn::linear<"3", nn::out<48>>, nn::relu<"4">, nn::dropout<"5">, nn::linear<"6", nn::out<10>>>> {};

/// ResNet's block for signals.
template <nn::fixed_string Name, int Channels, int Stride = 1, class... Shortcut>
using signal_block = nn::block<Name,
    nn::residual<"add",
        nn::conv1d<"conv1", nn::out<Channels>, nn::kernel<3>, nn::stride<Stride>, nn::pad<1>, nn::no_bias>,
        nn::batch_norm1d<"bn1">, nn::relu<"relu1">,
        nn::conv1d<"conv2", nn::out<Channels>, nn::kernel<3>, nn::pad<1>, nn::no_bias>,
        nn::batch_norm1d<"bn2">, Shortcut...>,
    nn::relu<"relu2">>;

struct resnet1d : nn::network<
    nn::input<"x", nn::shape<1, 2, 100>>,
    nn::conv1d<"conv1", nn::out<8>, nn::kernel<7>, nn::stride<2>, nn::pad<3>, nn::no_bias>,
    nn::batch_norm1d<"bn1">, nn::relu<"relu">,
    nn::max_pool1d<"maxpool", nn::kernel<3>, nn::stride<2>, nn::pad<1>>,
    signal_block<"layer1.0", 8>,
    signal_block<"layer1.1", 16, 2, nn::shortcut<"downsample",
        nn::conv1d<"0", nn::out<16>, nn::kernel<1>, nn::stride<2>, nn::no_bias>, nn::batch_norm1d<"1">>>,
    nn::adaptive_avg_pool1d<"avgpool">, nn::reshape<"flatten", nn::shape<1, 16>>,
    nn::linear<"fc", nn::out<5>>> {};

struct mlp_in_batch : nn::network<
    nn::input<"x", nn::shape<64, 20>>,
    nn::linear<"fc1", nn::out<64>>, nn::batch_norm1d<"bn">, nn::relu<"relu">, nn::linear<"fc2", nn::out<5>>> {};

// clang-format on

}  // namespace

TEST_CASE("LeNet-5") { CHECK(beside_pytorch<lenet5>("lenet5") == ""); }
TEST_CASE("ResNet-18") { CHECK(beside_pytorch<networks::resnet18<64>>("resnet18") == ""); }
TEST_CASE("MobileNetV2") { CHECK(beside_pytorch<networks::mobilenet_v2<64>>("mobilenet_v2") == ""); }
TEST_CASE("VGG-16") { CHECK(beside_pytorch<vgg16>("vgg16") == ""); }
TEST_CASE("a ResNet of signals") { CHECK(beside_pytorch<resnet1d>("resnet1d") == ""); }
TEST_CASE("a batch of 64 and batch norm of 64 channels") { CHECK(beside_pytorch<mlp_in_batch>("mlp_in_batch") == ""); }
