// SPDX-License-Identifier: BSL-1.0
// What a convolution of volumes makes has its channels first, where images in a batch have them second.
// expect: ctnn: which axis has the channels? say axis<0>, or axis<1> (a batch is first)
// expect: mistake::ambiguous_axis
// expect: layer_called<'b', 'n'>
// expect: what<'a', 'x', 'i', 's'>
// expect: got<3, 3, 3, 3>
// expect: needed<0, 1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using norm = nn::batch_norm3d<"bn">;
#else
using norm = nn::batch_norm<"bn">;
#endif
using net =
    nn::network<nn::input<"x", nn::shape<2, 4, 4, 4>>, nn::conv3d<"c", nn::out<3>, nn::kernel<2>>, nn::relu<"r">, norm>;

static_assert(nn::optimized<net>::size > 0);
