// SPDX-License-Identifier: BSL-1.0
// A block without layers.
// expect: ctnn: a block takes a name, layers, blocks, networks
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"b", nn::relu<"r">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"b">>;
#endif

static_assert(nn::optimized<net>::size > 0);
