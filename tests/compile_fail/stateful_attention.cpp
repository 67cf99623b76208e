// SPDX-License-Identifier: BSL-1.0
// A stateful network whose attention sees later rows.
// expect: ctnn: a stateful network cannot look ahead
// expect: attend causally
// expect: mistake::looks_ahead
// expect: layer_called<'a', 't', 't', 'n', '.', 'h', 'e', 'a', 'd', 's'>
// expect: what<'c', 'a', 'u', 's', 'a', 'l'>
// expect: got<16>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<nn::input<"x", nn::shape<16, 4>>, nn::multihead_attention<"attn", 4, 2, nn::causal>>;
#else
using net = nn::network<nn::input<"x", nn::shape<16, 4>>, nn::multihead_attention<"attn", 4, 2>>;
#endif

static_assert(nn::stateful<net>::size > 0);
