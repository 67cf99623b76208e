// SPDX-License-Identifier: BSL-1.0
// A network within a network is given another shape than its input has.
// expect: ctnn: shapes do not match
// expect: mistake::shape_mismatch
// expect: layer_called<'e', 'n', 'c', 'o', 'd', 'e', 'r', '.', 'x'>
// expect: what<'i', 'n', 'p', 'u', 't'>
// expect: got<3, 8, 8>
// expect: needed<1, 8, 8>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"encoder", nn::network<nn::input<"x", nn::shape<3, 8, 8>>, nn::relu<"r">>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"encoder", nn::network<nn::input<"x", nn::shape<1, 8, 8>>, nn::relu<"r">>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
