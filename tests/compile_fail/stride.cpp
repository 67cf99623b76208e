// SPDX-License-Identifier: BSL-1.0
// A stride of zero.
// expect: ctnn: an option's value is out of range
// expect: mistake::option_out_of_range
// expect: layer_called<'c', 'o', 'n', 'v', '1'>
// expect: what<'s', 't', 'r', 'i', 'd', 'e'>
// expect: got<0>
// expect: needed<1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>, nn::stride<2>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv1", m.input("image", {3, 8, 8}), {.out_channels = 4, .kernel_size = 3, .stride = 0});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>, nn::stride<0>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
