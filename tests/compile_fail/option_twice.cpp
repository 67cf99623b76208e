// SPDX-License-Identifier: BSL-1.0
// Two numbers of outputs, of which one would have no effect.
// expect: ctnn: an option is given twice
// expect: mistake::option_given_twice
// expect: layer_called<'c', 'o', 'n', 'v'>
// expect: what<'o', 'u', 't'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv", nn::out<16>, nn::kernel<3>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv", m.input("image", {3, 8, 8}), {.out_channels = 8, .out = 16, .kernel_size = 3});
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv", nn::out<8>, nn::kernel<3>, nn::out<16>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
