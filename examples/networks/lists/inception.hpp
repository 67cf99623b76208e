// SPDX-License-Identifier: BSL-1.0
// GoogLeNet's first inception modules (Szegedy et al. 2014, table 1) with batch norm, under torchvision's names.
#pragma once

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

// clang-format off

/// torchvision's BasicConv2d.
template <nn::fixed_string Name, int Channels, int Kernel, class... Options>
using conv_norm_relu = nn::block<Name, Options...,
    nn::conv2d<"conv", nn::out<Channels>, nn::kernel<Kernel>, nn::pad<Kernel / 2>, nn::no_bias>,
    nn::batch_norm<"bn", nn::eps<0.001>>, nn::relu<"relu">>;

/// Windows of four sizes over the same input, their channels one after the other.
template <nn::fixed_string Name, int Ones, int Before3, int Threes, int Before5, int Fives, int Pooled>
using inception = nn::block<Name,
    nn::input<"x">,
    conv_norm_relu<"branch1", Ones, 1, nn::from<"x">>,
    nn::block<"branch2", nn::from<"x">, conv_norm_relu<"0", Before3, 1>, conv_norm_relu<"1", Threes, 3>>,
    nn::block<"branch3", nn::from<"x">, conv_norm_relu<"0", Before5, 1>, conv_norm_relu<"1", Fives, 5>>,
    nn::block<"branch4", nn::from<"x">,
              nn::max_pool2d<"0", nn::kernel<3>, nn::stride<1>, nn::pad<1>>, conv_norm_relu<"1", Pooled, 1>>,
    nn::concat<"cat", nn::from<"branch1", "branch2", "branch3", "branch4">>>;

template <int Size = 28>
struct inceptions : nn::network<
    nn::input<"features", nn::shape<192, Size, Size>>,
    inception<"inception3a", 64, 96, 128, 16, 32, 32>,    // 256 x 28 x 28
    inception<"inception3b", 128, 128, 192, 32, 96, 64>>  // 480 x 28 x 28
{};

// clang-format on

}  // namespace lists
