// SPDX-License-Identifier: BSL-1.0
// Is (64, 64) a batch of channels or channels of a signal?
// expect: ctnn: which axis has the channels? say axis<0>, or axis<1> (a batch is first)
// expect: mistake::ambiguous_axis
// expect: layer_called<'b', 'n'>
// expect: what<'a', 'x', 'i', 's'>
// expect: got<64, 64>
// expect: needed<0, 1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<64, 64>>,
    nn::batch_norm1d<"bn">>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) { return m.batch_norm("bn", m.input("x", {64, 64})); }
};
#else
using net = nn::network<
    nn::input<"x", nn::shape<64, 64>>,
    nn::batch_norm<"bn">>;
#endif

static_assert(nn::optimized<net>::size > 0);
