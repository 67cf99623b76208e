// SPDX-License-Identifier: BSL-1.0
// A sum of one value.
// expect: ctnn: the layer needs another number of inputs
// expect: mistake::wrong_number_of_inputs
// expect: layer_called<'s', 'u', 'm'>
// expect: what<'f', 'r', 'o', 'm'>
// expect: got<1>
// expect: needed<2, 2>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::add<"sum", nn::from<"image", "image">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::add<"sum">>;
#endif

static_assert(nn::optimized<net>::size > 0);
