// SPDX-License-Identifier: BSL-1.0
// A layer reads a layer further down.
// expect: ctnn: the layer reads a layer that is declared after it
// expect: mistake::input_declared_after_user
// expect: layer_called<'f', 'i', 'r', 's', 't'>
// expect: what<'s', 'e', 'c', 'o', 'n', 'd'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::sigmoid<"second">,
    nn::relu<"first", nn::from<"second">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"first", nn::from<"second">>,
    nn::sigmoid<"second">>;
#endif

static_assert(nn::optimized<net>::size > 0);
