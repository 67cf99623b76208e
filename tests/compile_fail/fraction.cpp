// SPDX-License-Identifier: BSL-1.0
// A kernel of three and a half pixels.
// expect: ctnn: the option takes whole numbers
// expect: mistake::not_a_whole_number
// expect: layer_called<'c', 'o', 'n', 'v'>
// expect: what<'k', 'e', 'r', 'n', 'e', 'l'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv", nn::out<8>, nn::kernel<3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv", m.input("image", {3, 8, 8}), {.out_channels = 8, .kernel_size = 3.5});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv", nn::out<8>, nn::kernel<3.5>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
