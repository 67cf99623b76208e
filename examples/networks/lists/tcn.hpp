// SPDX-License-Identifier: BSL-1.0
// A temporal convolutional network (Bai, Kolter and Koltun 2018), as https://github.com/locuslab/TCN has it without
// weight_norm; the names of its state_dict are the names here. Causal: stateful<tcn<1>> takes sample by sample.
#pragma once

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

// clang-format off

/// Padded on both sides, as torch.nn.Conv1d does, and what looks ahead cut off.
template <nn::fixed_string Name, nn::fixed_string Chomp, int Channels, int Kernel, int Dilation>
using causal_conv = nn::block<"",
    nn::conv1d<Name, nn::out<Channels>, nn::kernel<Kernel>, nn::dilation<Dilation>, nn::pad<(Kernel - 1) * Dilation>>,
    nn::slice<Chomp, nn::axis<1>, nn::start<0>, nn::end<-(Kernel - 1) * Dilation>>>;

template <nn::fixed_string Name, int Channels, int Kernel, int Dilation, class... Shortcut>
using temporal_block = nn::block<Name,
    nn::residual<"add",
        causal_conv<"conv1", "chomp1", Channels, Kernel, Dilation>, nn::relu<"relu1">, nn::dropout<"dropout1">,
        causal_conv<"conv2", "chomp2", Channels, Kernel, Dilation>, nn::relu<"relu2">, nn::dropout<"dropout2">,
        Shortcut...>,
    nn::relu<"relu">>;

/// Length samples of one channel to as many of Outputs.
template <int Length, int Channels = 16, int Kernel = 3, int Outputs = 1>
struct tcn : nn::network<
    nn::input<"x", nn::shape<1, Length>>,
    temporal_block<"network.0", Channels, Kernel, 1,
                   nn::shortcut<"", nn::conv1d<"downsample", nn::out<Channels>, nn::kernel<1>>>>,
    temporal_block<"network.1", Channels, Kernel, 2>,
    temporal_block<"network.2", Channels, Kernel, 4>,
    nn::conv1d<"head", nn::out<Outputs>, nn::kernel<1>>> {};

// clang-format on

}  // namespace lists
