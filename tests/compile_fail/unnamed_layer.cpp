// SPDX-License-Identifier: BSL-1.0
// A layer without a name.
// expect: ctnn: a layer needs a name
// expect: mistake::unnamed_layer
// expect: what<'a', 'c', 't', 'i', 'v', 'a', 't', 'i', 'o', 'n'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<8>>, nn::relu<"act">>;
#else
using net = nn::network<nn::input<"x", nn::shape<8>>, nn::relu<>>;
#endif

static_assert(nn::optimized<net>::size > 0);
