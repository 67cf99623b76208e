// SPDX-License-Identifier: BSL-1.0
// A stateful network of images: along which axis?
// expect: ctnn: which axis is the sequence?
// expect: mistake::no_sequence
// expect: layer_called<'x'>
// expect: got<1, 8, 16>
// expect: needed<2, 1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<1, 8, 16>>,
                        nn::conv2d<"c", nn::out<4>, nn::kernel<1, 3>>>;
#else
using net = nn::network<nn::input<"x", nn::shape<1, 8, 16>>,
                        nn::conv2d<"c", nn::out<4>, nn::kernel<3>>>;
#endif

static_assert(nn::stateful<net>::size > 0);
