// SPDX-License-Identifier: BSL-1.0
// A stateful network with a softmax over the sequence.
// expect: ctnn: a stateful network takes its sequence in parts
// expect: mistake::mixes_sequence
// expect: layer_called<'p', 'r', 'o', 'b'>
// expect: got<1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<2, 32>>, nn::conv1d<"c", nn::out<4>, nn::kernel<3>, nn::pad<2, 0>>,
                        nn::softmax<"prob", nn::axis<0>>>;
#else
using net = nn::network<nn::input<"x", nn::shape<2, 32>>, nn::conv1d<"c", nn::out<4>, nn::kernel<3>, nn::pad<2, 0>>,
                        nn::softmax<"prob", nn::axis<1>>>;
#endif

static_assert(nn::stateful<net>::size > 0);
