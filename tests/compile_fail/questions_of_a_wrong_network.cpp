// SPDX-License-Identifier: BSL-1.0
// Questions about a network with a mistake: the mistake is said, once.
// expect: ctnn: the window is larger than the padded input
// expect: layer_called<'c', 'o', 'n', 'v'>
// expect: got<8, 8>
// expect: needed<9, 9>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using window = nn::kernel<7>;
#else
using window = nn::kernel<9>;
#endif
using net = nn::network<nn::input<"x", nn::shape<3, 8, 8>>, nn::conv2d<"conv", nn::out<4>, window>, nn::relu<"relu">>;

static_assert(nn::macs<net> >= 0);
static_assert(nn::parameter_count<net> >= 0);
static_assert(nn::output_shape<net, "conv">.rank >= 0);
static_assert(nn::winograd<net, "conv"> >= 0);
static_assert(nn::to_string<net>.size() + 1 > 0);
static_assert(nn::explain<net, "relu">.size() + 1 > 0);
static_assert(nn::fused_into<net, "relu">.size() + 1 > 0);
