// SPDX-License-Identifier: BSL-1.0
// A weighted sum of different channels.
// expect: ctnn: shapes do not match
// expect: mistake::shape_mismatch
// expect: layer_called<'s', 'u', 'm'>
// expect: what<'i', 'n', 'p', 'u', 't'>
// expect: got<4, 8, 8>
// expect: needed<3, 8, 8>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<3>, nn::kernel<1>>,
    nn::weighted_sum<"sum", nn::from<"image", "conv1">, nn::coefficients<1, 2>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<1>>,
    nn::weighted_sum<"sum", nn::from<"image", "conv1">, nn::coefficients<1, 2>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
