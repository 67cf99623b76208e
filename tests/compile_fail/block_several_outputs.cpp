// SPDX-License-Identifier: BSL-1.0
// A layer reads "the layer before it", a block with two outputs.
// expect: ctnn: the block before has several outputs: from<...> says which, by full name
// expect: mistake::several_outputs
// expect: layer_called<'s', 'u', 'm'>
// expect: what<'b'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"b", nn::relu<"r">, nn::tanh_activation<"t">, nn::output<"r", "t">>, nn::sigmoid<"sum", nn::from<"b.t">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::block<"b", nn::relu<"r">, nn::tanh_activation<"t">, nn::output<"r", "t">>, nn::sigmoid<"sum">>;
#endif

static_assert(nn::optimized<net>::size > 0);
