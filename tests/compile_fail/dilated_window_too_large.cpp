// SPDX-License-Identifier: BSL-1.0
// A dilated window larger than the padded input.
// expect: ctnn: the window is larger than the padded input
// expect: mistake::window_larger_than_padded_input
// expect: layer_called<'c', 'o', 'n', 'v', '1'>
// expect: what<'k', 'e', 'r', 'n', 'e', 'l'>
// expect: got<8, 8>
// expect: needed<9, 9>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>, nn::dilation<3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto image = m.input("image", {3, 8, 8});
    return m.conv2d("conv1", image, {.out_channels = 4, .kernel_size = 3, .dilation = 4});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<3>, nn::dilation<4>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
