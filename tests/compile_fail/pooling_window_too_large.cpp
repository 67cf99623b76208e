// SPDX-License-Identifier: BSL-1.0
// A pooling window larger than its input.
// expect: ctnn: the window is larger than the padded input
// expect: mistake::window_larger_than_padded_input
// expect: layer_called<'p', 'o', 'o', 'l'>
// expect: what<'k', 'e', 'r', 'n', 'e', 'l'>
// expect: got<8, 8>
// expect: needed<9, 3>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::max_pool2d<"pool", nn::kernel<8, 3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.named("pool", m.max_pool2d(m.input("image", {3, 8, 8}), {.kernel_size = {9, 3}}));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::max_pool2d<"pool", nn::kernel<9, 3>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
