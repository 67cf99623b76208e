// SPDX-License-Identifier: BSL-1.0
// A batch of a network that has one: its convolution would take it for channels.
// expect: ctnn: batched<...> knows no form of the layer for several samples
// expect: mistake::no_place_for_batch
// expect: layer_called<'c'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<3, 8, 8>>, nn::conv2d<"c", nn::out<4>, nn::kernel<3>>>;
#else
using net = nn::network<nn::input<"x", nn::shape<2, 3, 8, 8>>, nn::conv2d<"c", nn::out<4>, nn::kernel<3>>>;
#endif

static_assert(nn::batched<net, 4>::size > 0);
