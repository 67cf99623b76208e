// SPDX-License-Identifier: BSL-1.0
// A shortcut that is no part of a residual.
// expect: ctnn: a shortcut<...> stands in a residual<...>
// expect: mistake::shortcut_outside_of_residual
// expect: layer_called<'l', 'a', 'y', 'e', 'r', '1', '.', 'd', 'o', 'w', 'n', 's', 'a', 'm', 'p', 'l', 'e'>
// expect: what<'l', 'a', 'y', 'e', 'r', '1', '.', 'd', 'o', 'w', 'n', 's', 'a', 'm', 'p', 'l', 'e'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"layer1", nn::residual<"add", nn::relu<"r">, nn::shortcut<"downsample", nn::tanh_activation<"0">>>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"layer1", nn::residual<"add", nn::relu<"r">>, nn::shortcut<"downsample", nn::tanh_activation<"0">>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
