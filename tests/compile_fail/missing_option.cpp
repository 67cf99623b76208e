// SPDX-License-Identifier: BSL-1.0
// A convolution without a kernel.
// expect: ctnn: a required option is missing
// expect: mistake::missing_option
// expect: layer_called<'c', 'o', 'n', 'v', '1'>
// expect: what<'k', 'e', 'r', 'n', 'e', 'l'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv1", m.input("image", {3, 8, 8}), {.out_channels = 4});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
