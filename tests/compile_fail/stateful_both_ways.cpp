// SPDX-License-Identifier: BSL-1.0
// A stateful network with a recurrent layer that begins at the end.
// expect: ctnn: a stateful network cannot look ahead
// expect: layer_called<'c', 'e', 'l', 'l'>
// expect: what<'d', 'i', 'r', 'e', 'c', 't', 'i', 'o', 'n'>
// expect: got<32>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<32, 2>>, nn::gru<"cell", nn::hidden<4>>>;
#else
using net = nn::network<nn::input<"x", nn::shape<32, 2>>, nn::gru<"cell", nn::hidden<4>, nn::bidirectional>>;
#endif

static_assert(nn::stateful<net>::size > 0);
