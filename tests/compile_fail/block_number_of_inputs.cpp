// SPDX-License-Identifier: BSL-1.0
// A block reads two values and declares one input.
// expect: ctnn: the layer needs another number of inputs (least, most)
// expect: mistake::wrong_number_of_inputs
// expect: layer_called<'b'>
// expect: what<'f', 'r', 'o', 'm'>
// expect: got<2>
// expect: needed<1, 1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">,
    nn::block<"b", nn::from<"r">, nn::input<"x">, nn::tanh_activation<"t">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">,
    nn::block<"b", nn::from<"r", "image">, nn::input<"x">, nn::tanh_activation<"t">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
