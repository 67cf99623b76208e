// SPDX-License-Identifier: BSL-1.0
// A stack of WaveNet's gated layers (van den Oord et al. 2016), dilations doubled from layer to layer, as models of
// amplifiers and effects have it. Nothing is padded: a stream's first samples, as many as the windows reach over, have
// no counterpart in the whole (ctnn::stream_delay).
#pragma once

#include <ctnn/ctnn.hpp>

namespace lists {

namespace nn = ctnn;

// clang-format off

/// Its input, with what the gate lets through added, goes on; what the gate lets through is the layer's skip as well.
template <nn::fixed_string Name, int Channels, int Dilation>
using gated_layer = nn::block<Name,
    nn::input<"x">,
    nn::conv1d<"filter", nn::out<Channels>, nn::kernel<2>, nn::dilation<Dilation>>, nn::tanh_activation<"tanh">,
    nn::conv1d<"gate", nn::from<"x">, nn::out<Channels>, nn::kernel<2>, nn::dilation<Dilation>>, nn::sigmoid<"sigmoid">,
    nn::mul<"gated", nn::from<"tanh", "sigmoid">>,
    nn::conv1d<"mix", nn::out<Channels>, nn::kernel<1>>,
    nn::slice<"crop", nn::from<"x">, nn::axis<1>, nn::start<Dilation>, nn::end<1 << 30>>,
    nn::add<"sum", nn::from<"mix", "crop">>>;

/// The sum of the skips so far and one more, of the same last samples.
template <nn::fixed_string Name, int Dropped, nn::fixed_string Before, nn::fixed_string More>
using skip_sum = nn::block<Name,
    nn::from<Before, More>, nn::input<"before">, nn::input<"more">,
    nn::slice<"crop", nn::from<"before">, nn::axis<1>, nn::start<Dropped>, nn::end<1 << 30>>,
    nn::add<"sum", nn::from<"crop", "more">>>;

/// Length samples of one channel to Length - 15 of one.
template <int Length, int Channels = 16>
struct wavenet : nn::network<
    nn::input<"x", nn::shape<1, Length>>,
    nn::conv1d<"first", nn::out<Channels>, nn::kernel<1>>,
    gated_layer<"layers.0", Channels, 1>,
    gated_layer<"layers.1", Channels, 2>,
    gated_layer<"layers.2", Channels, 4>,
    gated_layer<"layers.3", Channels, 8>,
    skip_sum<"skip.1", 2, "layers.0.gated", "layers.1.gated">,
    skip_sum<"skip.2", 4, "skip.1", "layers.2.gated">,
    skip_sum<"skip.3", 8, "skip.2", "layers.3.gated">,
    nn::relu<"relu">,
    nn::conv1d<"last", nn::out<1>, nn::kernel<1>>> {};

// clang-format on

}  // namespace lists
