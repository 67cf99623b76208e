// SPDX-License-Identifier: BSL-1.0
// A network that does not begin with an input.
// expect: ctnn: the first layer must be an input
// expect: mistake::no_input_before
// expect: layer_called<'a'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<3>>,
    nn::relu<"a">>;
#else
using net = nn::network<
    nn::relu<"a">>;
#endif

static_assert(nn::optimized<net>::size > 0);
