// SPDX-License-Identifier: BSL-1.0
// A convolution of a vector.
// expect: ctnn: the input has the wrong number of dimensions
// expect: mistake::rank_mismatch
// expect: layer_called<'c', 'o', 'n', 'v', '1'>
// expect: what<'c', 'o', 'n', 'v', '2', 'd'>
// expect: got<1>
// expect: needed<3>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"x", nn::shape<12, 1, 1>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<1>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.conv2d("conv1", m.input("x", {12}), {.out_channels = 4, .kernel_size = 1});
  }
};
#else
using net = nn::network<
    nn::input<"x", nn::shape<12>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<1>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
