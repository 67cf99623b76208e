// SPDX-License-Identifier: BSL-1.0
// A network without layers.
// expect: ctnn: a network has layers, the first of which is an input<...>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">>;
#else
using net = nn::network<
    >;
#endif

static_assert(nn::optimized<net>::size > 0);
