// SPDX-License-Identifier: BSL-1.0
// A mistake behind more layers than one constant lowers: it is said as those of the first layers are.
// expect: ctnn: the layer reads a layer that does not exist
// expect: mistake::unknown_input
// expect: layer_called<'l', 'a', 's', 't'>
// expect: what<'r', 'e', 'l', 'u', '3', '0', '0'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<4>>, nn::repeat<"layers", 300, nn::scale<"scale">>,
                        nn::relu<"last", nn::from<"layers.299.scale">>>;
#else
using net = nn::network<nn::input<"x", nn::shape<4>>, nn::repeat<"layers", 300, nn::scale<"scale">>,
                        nn::relu<"last", nn::from<"relu300">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
