// SPDX-License-Identifier: BSL-1.0
// A layer reads an output that a split does not have.
// expect: ctnn: the layer reads a layer that does not exist
// expect: mistake::unknown_input
// expect: layer_called<'r', 'e', 'l', 'u', '1'>
// expect: what<'p', 'a', 'r', 't', 's', '.', '2'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::split<"parts", nn::sizes<1, 2>>,
    nn::relu<"relu1", nn::from<"parts.1">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::split<"parts", nn::sizes<1, 2>>,
    nn::relu<"relu1", nn::from<"parts.2">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
