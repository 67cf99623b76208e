// SPDX-License-Identifier: BSL-1.0
// Two outputs of one name.
// expect: ctnn: two outputs have the same name
// expect: mistake::duplicate_output
// expect: layer_called<'a'>
// expect: what<'a'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"a">,
    nn::sigmoid<"b">,
    nn::output<"a", "b">>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"a">,
    nn::sigmoid<"b">,
    nn::output<"a", "b", "a">>;
#endif

static_assert(nn::optimized<net>::size > 0);
