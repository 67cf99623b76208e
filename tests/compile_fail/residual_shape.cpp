// SPDX-License-Identifier: BSL-1.0
// A convolution adds a residual of another shape.
// expect: ctnn: shapes do not match
// expect: mistake::shape_mismatch
// expect: layer_called<'c', 'o', 'n', 'v', '2'>
// expect: what<'r', 'e', 's', 'i', 'd', 'u', 'a', 'l', ' ', 'i', 'n', 'p', 'u', 't'>
// expect: got<3, 8, 8>
// expect: needed<4, 6, 6>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>,
    nn::conv2d<"conv2", nn::from<"conv1", "conv1">, nn::out<4>, nn::kernel<1>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>,
    nn::conv2d<"conv2", nn::from<"conv1", "image">, nn::out<4>, nn::kernel<1>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
