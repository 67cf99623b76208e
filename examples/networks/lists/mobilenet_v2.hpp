// SPDX-License-Identifier: BSL-1.0
// MobileNetV2 (Sandler et al. 2018) as torchvision has it: the names of its state_dict are the names here.
#pragma once

#include <type_traits>

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

// clang-format off

/// torchvision's Conv2dNormActivation.
template <nn::fixed_string Name, int Channels, int Kernel, int Stride = 1, int Groups = 1>
using conv_norm_relu6 = nn::block<Name,
    nn::conv2d<"0", nn::out<Channels>, nn::kernel<Kernel>, nn::stride<Stride>, nn::pad<Kernel / 2>, nn::groups<Groups>,
               nn::no_bias>,
    nn::batch_norm<"1">, nn::relu6<"2">>;

/// Expand, filter each channel, project.
template <int From, int To, int Stride>
using bottleneck = nn::block<"conv",
    conv_norm_relu6<"0", From * 6, 1>, conv_norm_relu6<"1", From * 6, 3, Stride, From * 6>,
    nn::conv2d<"2", nn::out<To>, nn::kernel<1>, nn::no_bias>, nn::batch_norm<"3">>;

/// Added to what it reads where that has the result's shape.
template <nn::fixed_string Name, int From, int To, int Stride>
using inverted_residual = nn::block<Name, std::conditional_t<Stride == 1 && From == To,
    nn::residual<"add", bottleneck<From, To, Stride>>, bottleneck<From, To, Stride>>>;

template <int Size = 224, int Classes = 1000>
struct mobilenet_v2 : nn::network<
    nn::input<"image", nn::shape<3, Size, Size>>,                                                  // 3 x 224 x 224
    nn::block<"features",
        conv_norm_relu6<"0", 32, 3, 2>,                                                            // 32 x 112 x 112
        nn::block<"1.conv", conv_norm_relu6<"0", 32, 3, 1, 32>,
                  nn::conv2d<"1", nn::out<16>, nn::kernel<1>, nn::no_bias>, nn::batch_norm<"2">>,  // 16 x 112 x 112
        inverted_residual<"2", 16, 24, 2>, inverted_residual<"3", 24, 24, 1>,                      // 24 x 56 x 56
        inverted_residual<"4", 24, 32, 2>, inverted_residual<"5", 32, 32, 1>, inverted_residual<"6", 32, 32, 1>,
        inverted_residual<"7", 32, 64, 2>, inverted_residual<"8", 64, 64, 1>, inverted_residual<"9", 64, 64, 1>,
        inverted_residual<"10", 64, 64, 1>,                                                        // 64 x 14 x 14
        inverted_residual<"11", 64, 96, 1>, inverted_residual<"12", 96, 96, 1>, inverted_residual<"13", 96, 96, 1>,
        inverted_residual<"14", 96, 160, 2>, inverted_residual<"15", 160, 160, 1>, inverted_residual<"16", 160, 160, 1>,
        inverted_residual<"17", 160, 320, 1>,                                                      // 320 x 7 x 7
        conv_norm_relu6<"18", 1280, 1>>,
    nn::adaptive_avg_pool2d<"avgpool">, nn::flatten<"flatten">,
    nn::block<"classifier", nn::dropout<"0">, nn::linear<"1", nn::out<Classes>>>> {};

// clang-format on

}  // namespace lists
