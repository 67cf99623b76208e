// SPDX-License-Identifier: BSL-1.0
// Groups that do not divide the channels.
// expect: ctnn: groups do not divide the channels
// expect: mistake::groups_do_not_divide_channels
// expect: layer_called<'c', 'o', 'n', 'v', '1'>
// expect: what<'g', 'r', 'o', 'u', 'p', 's'>
// expect: got<3, 4>
// expect: needed<2>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<6>, nn::kernel<3>, nn::groups<3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv1", m.input("image", {3, 8, 8}), {.out_channels = 4, .kernel_size = 3, .groups = 2});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>, nn::groups<2>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
