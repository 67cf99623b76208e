// SPDX-License-Identifier: BSL-1.0
// Parts of a stateful network that are no multiple of a stride.
// expect: ctnn: blocks of a stateful network are a multiple
// expect: mistake::block_not_a_multiple
// expect: layer_called<'c'>
// expect: got<3>
// expect: needed<2>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<2, 32>>,
                        nn::conv1d<"c", nn::out<4>, nn::kernel<2>, nn::stride<3>>>;
#else
using net = nn::network<nn::input<"x", nn::shape<2, 32>>,
                        nn::conv1d<"c", nn::out<4>, nn::kernel<2>, nn::stride<2>>>;
#endif

static_assert(nn::stateful<net, 3>::size > 0);
