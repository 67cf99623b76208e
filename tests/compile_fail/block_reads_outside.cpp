// SPDX-License-Identifier: BSL-1.0
// A layer of a block reads one outside of it, which is no input of the block.
// expect: ctnn: the layer reads a layer that does not exist
// expect: mistake::unknown_input
// expect: layer_called<'b', '.', 's', 'u', 'm'>
// expect: what<'b', '.', 'i', 'm', 'a', 'g', 'e'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"b", nn::input<"image">, nn::relu<"r">, nn::add<"sum", nn::from<"r", "image">>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"b", nn::relu<"r">, nn::add<"sum", nn::from<"r", "image">>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
