// SPDX-License-Identifier: BSL-1.0
// An option the layer does not have.
// expect: ctnn: the layer has no such option
// expect: mistake::unknown_option
// expect: layer_called<'a', 'c', 't'>
// expect: what<'g', 'r', 'o', 'u', 'p', 's'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"act">>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"act", nn::groups<2>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
