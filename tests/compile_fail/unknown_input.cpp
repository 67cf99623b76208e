// SPDX-License-Identifier: BSL-1.0
// A layer reads a layer that does not exist.
// expect: ctnn: the layer reads a layer that does not exist
// expect: mistake::unknown_input
// expect: layer_called<'r', 'e', 'l', 'u', '1'>
// expect: what<'c', 'o', 'n', 'v', 'l'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>,
    nn::relu<"relu1", nn::from<"conv1">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>,
    nn::relu<"relu1", nn::from<"convl">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
