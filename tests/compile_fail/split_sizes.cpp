// SPDX-License-Identifier: BSL-1.0
// Pieces that do not add up.
// expect: ctnn: the number of elements does not match
// expect: mistake::element_count_mismatch
// expect: layer_called<'p', 'a', 'r', 't', 's'>
// expect: what<'s', 'i', 'z', 'e', 's'>
// expect: got<2>
// expect: needed<3>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::split<"parts", nn::sizes<1, 2>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::split<"parts", nn::sizes<1, 1>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
