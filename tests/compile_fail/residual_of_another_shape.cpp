// SPDX-License-Identifier: BSL-1.0
// A residual whose result is smaller than its input. Broadcasting would hide it.
// expect: ctnn: a residual's input has not its result's shape: it needs a shortcut<...>
// expect: mistake::residual_of_another_shape
// expect: layer_called<'l', 'a', 'y', 'e', 'r', '1', '.', 'a', 'd', 'd'>
// expect: what<'i', 'n', 'p', 'u', 't'>
// expect: got<3, 8, 8>
// expect: needed<3, 1, 1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"layer1", nn::residual<"add", nn::conv2d<"conv", nn::out<3>, nn::kernel<8>>,
        nn::shortcut<"downsample", nn::adaptive_avg_pool2d<"0">>>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"layer1", nn::residual<"add", nn::conv2d<"conv", nn::out<3>, nn::kernel<8>>>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
