// SPDX-License-Identifier: BSL-1.0
// A layer is called like an output of another.
// expect: ctnn: two layers have the same name
// expect: mistake::duplicate_name
// expect: layer_called<'s'>
// expect: what<'s', '.', '1'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"s1">,
    nn::split<"s", nn::sizes<1, 2>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"s.1">,
    nn::split<"s", nn::sizes<1, 2>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
