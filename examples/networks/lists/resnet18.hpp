// SPDX-License-Identifier: BSL-1.0
// ResNet-18 (He et al. 2015) as torchvision has it: the names of its state_dict are the names here.
#pragma once

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

// clang-format off

/// Two convolutions of 3 x 3, added to what they read.
template <nn::fixed_string Name, int Channels, int Stride = 1, class... Shortcut>
using basic_block = nn::block<Name,
    nn::residual<"add",
        nn::conv2d<"conv1", nn::out<Channels>, nn::kernel<3>, nn::stride<Stride>, nn::pad<1>, nn::no_bias>,
        nn::batch_norm<"bn1">, nn::relu<"relu1">,
        nn::conv2d<"conv2", nn::out<Channels>, nn::kernel<3>, nn::pad<1>, nn::no_bias>,
        nn::batch_norm<"bn2">,
        Shortcut...>,
    nn::relu<"relu2">>;

/// What a block reads, halved and with more channels, as its result is.
template <int Channels>
using downsample = nn::shortcut<"downsample",
    nn::conv2d<"0", nn::out<Channels>, nn::kernel<1>, nn::stride<2>, nn::no_bias>,
    nn::batch_norm<"1">>;

template <int Size = 224, int Classes = 1000>
struct resnet18 : nn::network<
    nn::input<"image", nn::shape<3, Size, Size>>,                                     // 3 x 224 x 224
    nn::conv2d<"conv1", nn::out<64>, nn::kernel<7>, nn::stride<2>, nn::pad<3>, nn::no_bias>,
    nn::batch_norm<"bn1">, nn::relu<"relu">,
    nn::max_pool2d<"maxpool", nn::kernel<3>, nn::stride<2>, nn::pad<1>>,              // 64 x 56 x 56
    basic_block<"layer1.0", 64>,                  basic_block<"layer1.1", 64>,
    basic_block<"layer2.0", 128, 2, downsample<128>>, basic_block<"layer2.1", 128>,   // 128 x 28 x 28
    basic_block<"layer3.0", 256, 2, downsample<256>>, basic_block<"layer3.1", 256>,   // 256 x 14 x 14
    basic_block<"layer4.0", 512, 2, downsample<512>>, basic_block<"layer4.1", 512>,   // 512 x 7 x 7
    nn::adaptive_avg_pool2d<"avgpool">, nn::flatten<"flatten">,
    nn::linear<"fc", nn::out<Classes>>> {};

// clang-format on

}  // namespace lists
