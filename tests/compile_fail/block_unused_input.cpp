// SPDX-License-Identifier: BSL-1.0
// A block has an input that none of its layers reads.
// expect: ctnn: no layer reads this input: leave it away, or say that it is `unused`
// expect: mistake::unused_input
// expect: layer_called<'b'>
// expect: what<'b', '.', 's', 'k', 'i', 'p'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">,
    nn::block<"b", nn::from<"r", "image">, nn::input<"x">, nn::input<"skip">, nn::add<"sum", nn::from<"x", "skip">>>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">,
    nn::block<"b", nn::from<"r", "image">, nn::input<"x">, nn::input<"skip">, nn::tanh_activation<"t", nn::from<"x">>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
