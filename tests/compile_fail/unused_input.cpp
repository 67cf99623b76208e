// SPDX-License-Identifier: BSL-1.0
// An input that no layer reads.
// expect: ctnn: no layer reads this input: leave it away, or say that it is `unused`
// expect: mistake::unused_input
// expect: layer_called<'n', 'o', 'i', 's', 'e'>
// expect: what<'n', 'o', 'i', 's', 'e'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::input<"noise", nn::shape<4>, nn::unused>,
    nn::relu<"r", nn::from<"image">>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto image = m.input("image", {3, 8, 8});
    m.input("noise", {4});
    return m.relu(image);
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::input<"noise", nn::shape<4>>,
    nn::relu<"r", nn::from<"image">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
