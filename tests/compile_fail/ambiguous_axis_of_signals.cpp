// SPDX-License-Identifier: BSL-1.0
// Is (4, 8, 8) an image or a batch of signals? After a reshape nobody knows, whatever it was before.
// expect: ctnn: which axis has the channels? say axis<0>, or axis<1> (a batch is first)
// expect: mistake::ambiguous_axis
// expect: layer_called<'s', 'l', 'o', 'p', 'e'>
// expect: what<'a', 'x', 'i', 's'>
// expect: got<4, 8, 8>
// expect: needed<0, 1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using slope = nn::prelu<"slope", nn::axis<0>>;
#else
using slope = nn::prelu<"slope">;
#endif
using net = nn::network<
    nn::input<"x", nn::shape<1, 16, 16>>,
    nn::conv2d<"conv", nn::out<1>, nn::kernel<1>>,
    nn::batch_norm<"bn">,
    nn::reshape<"cut", nn::shape<4, 8, 8>>,
    nn::relu<"r">,
    slope>;

static_assert(nn::optimized<net>::size > 0);
