// SPDX-License-Identifier: BSL-1.0
// A layer to be kept that there is not.
// expect: ctnn: an output names a layer that does not exist
// expect: mistake::unknown_output
// expect: layer_called<'r', 'e', 'l', 'u', '2'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"image", nn::shape<3, 8, 8>>, nn::relu<"relu1">>;

#ifdef CTNN_CORRECTED
static_assert(nn::optimized<nn::kept<net, "relu1">>::size == 2);
#else
static_assert(nn::optimized<nn::kept<net, "relu2">>::size > 0);
#endif
