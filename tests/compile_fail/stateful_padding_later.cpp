// SPDX-License-Identifier: BSL-1.0
// A stateful network pads behind a layer that drops samples.
// expect: ctnn: the layer needs zeros where layers before it drop the first samples
// expect: mistake::stream_begins_later
// expect: layer_called<'c', '2'>
// expect: got<2>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<2, 32>>,
    nn::conv1d<"c1", nn::out<4>, nn::kernel<3>, nn::pad<0>>,
    nn::conv1d<"c2", nn::out<4>, nn::kernel<3>, nn::pad<0>>>;
#else
using net = nn::network<
    nn::input<"x", nn::shape<2, 32>>,
    nn::conv1d<"c1", nn::out<4>, nn::kernel<3>, nn::pad<0>>,
    nn::conv1d<"c2", nn::out<4>, nn::kernel<3>, nn::pad<2, 0>>>;
#endif

static_assert(nn::stateful<net>::size > 0);
