// SPDX-License-Identifier: BSL-1.0
// Two names for one output.
// expect: ctnn: named_output<...> has as many names as layers
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">, nn::named_output<nn::from<"a">, nn::from<"r">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"r">, nn::named_output<nn::from<"a", "b">, nn::from<"r">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
