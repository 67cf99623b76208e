// SPDX-License-Identifier: BSL-1.0
// A tensor that no index can count.
// expect: ctnn: a tensor has more elements than can be counted
// expect: mistake::too_large
// expect: layer_called<'x'>
// expect: what<'s', 'h', 'a', 'p', 'e'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<65536, 6>>,
    nn::relu<"a">>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) { return m.relu(m.input("x", {65536, 65536})); }
};
#else
using net = nn::network<
    nn::input<"x", nn::shape<65536, 65536>>,
    nn::relu<"a">>;
#endif

static_assert(nn::optimized<net>::size > 0);
