// SPDX-License-Identifier: BSL-1.0
// A result in bytes of a scale, which the layer cannot make of floats.
// expect: ctnn: of what it reads the layer cannot make integers of this scale (as_i8)
// expect: mistake::no_such_element
// expect: layer_called<'p', 'r', 'o', 'b'>
// expect: what<'s', 'o', 'f', 't', 'm', 'a', 'x'>
// expect: got<0>
// expect: needed<7>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<8>>,
    nn::softmax<"prob">,
    nn::quantize<"bytes", nn::as_i8<0.00390625, -128>>>;
#else
using net = nn::network<
    nn::input<"x", nn::shape<8>>,
    nn::softmax<"prob", nn::as_i8<0.00390625, -128>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
