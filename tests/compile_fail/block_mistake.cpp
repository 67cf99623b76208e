// SPDX-License-Identifier: BSL-1.0
// A kernel that is too large, in a block of a block.
// expect: ctnn: the window is larger than the padded input
// expect: mistake::window_larger_than_padded_input
// expect: layer_called<'l', 'a', 'y', 'e', 'r', '1', '.', '0', '.', 'c', 'o', 'n', 'v', '1'>
// expect: what<'k', 'e', 'r', 'n', 'e', 'l'>
// expect: got<8, 8>
// expect: needed<9, 9>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"layer1", nn::repeat<"", 2, nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"layer1", nn::repeat<"", 2, nn::conv2d<"conv1", nn::out<4>, nn::kernel<9>>>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
