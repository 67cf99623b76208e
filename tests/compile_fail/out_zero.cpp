// SPDX-License-Identifier: BSL-1.0
// No outputs: the option is there, and out of range.
// expect: ctnn: an option's value is out of range
// expect: mistake::option_out_of_range
// expect: layer_called<'c', 'o', 'n', 'v'>
// expect: what<'o', 'u', 't'>
// expect: got<0>
// expect: needed<1>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv", nn::out<1>, nn::kernel<3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv", m.input("image", {3, 8, 8}), {.out_channels = 0, .kernel_size = 3});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv", nn::out<0>, nn::kernel<3>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
