// SPDX-License-Identifier: BSL-1.0
// A stateful network whose convolution pads on both sides.
// expect: ctnn: a stateful network cannot look ahead
// expect: mistake::looks_ahead
// expect: layer_called<'c', '2'>
// expect: what<'p', 'a', 'd'>
// expect: got<1>
// expect: needed<0>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<2, 32>>,
    nn::conv1d<"c1", nn::out<4>, nn::kernel<3>, nn::pad<2, 0>>,
    nn::conv1d<"c2", nn::out<4>, nn::kernel<3>, nn::pad<2, 0>>>;
#else
using net = nn::network<
    nn::input<"x", nn::shape<2, 32>>,
    nn::conv1d<"c1", nn::out<4>, nn::kernel<3>, nn::pad<2, 0>>,
    nn::conv1d<"c2", nn::out<4>, nn::kernel<3>, nn::pad<1>>>;
#endif

static_assert(nn::stateful<net>::size > 0);
