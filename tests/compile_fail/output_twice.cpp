// SPDX-License-Identifier: BSL-1.0
// Two lists of outputs: a network has one.
// expect: ctnn: an option is given twice
// expect: mistake::option_given_twice
// expect: layer_called<'n', 'e', 't', 'w', 'o', 'r', 'k'>
// expect: what<'o', 'u', 't', 'p', 'u', 't'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">, nn::output<"image", "r">>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::output<"image">, nn::relu<"r">, nn::output<"r">>;
#endif

static_assert(nn::optimized<net>::size > 0);
