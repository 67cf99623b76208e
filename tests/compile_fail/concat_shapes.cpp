// SPDX-License-Identifier: BSL-1.0
// Concatenation of different heights.
// expect: ctnn: shapes do not match
// expect: mistake::shape_mismatch
// expect: layer_called<'b', 'o', 't', 'h'>
// expect: what<'i', 'n', 'p', 'u', 't'>
// expect: got<3, 4, 4>
// expect: needed<3, 8, 8>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::max_pool2d<"pool", nn::kernel<3>, nn::stride<1>, nn::pad<1>>,
    nn::concat<"both", nn::from<"image", "pool">>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto image = m.input("image", {3, 8, 8});
    return m.named("both", m.cat({image, m.max_pool2d(image, {.kernel_size = 2})}));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::max_pool2d<"pool", nn::kernel<2>>,
    nn::concat<"both", nn::from<"image", "pool">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
