// SPDX-License-Identifier: BSL-1.0
// An output that no layer has.
// expect: ctnn: an output names a layer that does not exist
// expect: mistake::unknown_output
// expect: layer_called<'p', 'r', 'o', 'b'>
// expect: what<'p', 'r', 'o', 'b'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"a">,
    nn::output<"a", "image">>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"a">,
    nn::output<"a", "prob">>;
#endif

static_assert(nn::optimized<net>::size > 0);
