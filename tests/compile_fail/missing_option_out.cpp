// SPDX-License-Identifier: BSL-1.0
// A linear layer without a number of outputs.
// expect: ctnn: a required option is missing
// expect: mistake::missing_option
// expect: layer_called<'f', 'c'>
// expect: what<'o', 'u', 't'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<12>>,
    nn::linear<"fc", nn::out<3>>>;
#else
using net = nn::network<
    nn::input<"x", nn::shape<12>>,
    nn::linear<"fc">>;
#endif

static_assert(nn::optimized<net>::size > 0);
