// SPDX-License-Identifier: BSL-1.0
// A U-Net (Ronneberger et al. 2015), padded and with batch norm, under the names of github.com/milesial/Pytorch-UNet.
#pragma once

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

// clang-format off

/// (3 x 3, batch norm, relu) twice.
template <int Channels>
using double_conv = nn::block<"double_conv",
    nn::conv2d<"0", nn::out<Channels>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"1">, nn::relu<"2">,
    nn::conv2d<"3", nn::out<Channels>, nn::kernel<3>, nn::pad<1>, nn::no_bias>, nn::batch_norm<"4">, nn::relu<"5">>;

/// Half the size.
template <nn::fixed_string Name, int Channels>
using down = nn::block<Name, nn::block<"maxpool_conv",
    nn::max_pool2d<"0", nn::kernel<2>>,
    nn::block<"1", double_conv<Channels>>>>;

/// Twice the size, beside the features that were that large on the way down.
template <nn::fixed_string Name, nn::fixed_string Below, nn::fixed_string Skip, int Channels>
using up = nn::block<Name, nn::from<Below, Skip>,
    nn::input<"below">, nn::input<"skip">,
    nn::conv_transpose2d<"up", nn::from<"below">, nn::out<Channels>, nn::kernel<2>, nn::stride<2>>,
    nn::concat<"cat", nn::from<"skip", "up">>,
    nn::block<"conv", double_conv<Channels>>>;

template <int Height, int Width, int Classes = 1, int Channels = 64>
struct unet : nn::network<
    nn::input<"image", nn::shape<3, Height, Width>>,
    nn::block<"inc", double_conv<Channels>>,
    down<"down1", Channels * 2>,
    down<"down2", Channels * 4>,
    down<"down3", Channels * 8>,
    down<"down4", Channels * 16>,
    up<"up1", "down4", "down3", Channels * 8>,
    up<"up2", "up1", "down2", Channels * 4>,
    up<"up3", "up2", "down1", Channels * 2>,
    up<"up4", "up3", "inc", Channels>,
    nn::block<"outc", nn::conv2d<"conv", nn::out<Classes>, nn::kernel<1>>>> {};

// clang-format on

}  // namespace lists
