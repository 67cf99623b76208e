// SPDX-License-Identifier: BSL-1.0
// Softmax over an axis that is not there.
// expect: ctnn: the axis is out of range
// expect: mistake::axis_out_of_range
// expect: layer_called<'p', 'r', 'o', 'b'>
// expect: what<'a', 'x', 'i', 's'>
// expect: got<3>
// expect: needed<3>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::softmax<"prob", nn::axis<2>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.named("prob", m.softmax(m.input("image", {3, 8, 8}), {.dim = 3}));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::softmax<"prob", nn::axis<3>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
