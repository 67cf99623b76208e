// SPDX-License-Identifier: BSL-1.0
// A sum of shapes that do not broadcast.
// expect: ctnn: the second input does not go with the first
// expect: mistake::operand_mismatch
// expect: layer_called<'s', 'u', 'm'>
// expect: what<'s', 'e', 'c', 'o', 'n', 'd', ' ', 'i', 'n', 'p', 'u', 't'>
// expect: got<4, 8, 8>
// expect: needed<3, 8, 8>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<1>, nn::kernel<1>>,
    nn::add<"sum", nn::from<"image", "conv1">>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    const auto image = m.input("image", {3, 8, 8});
    return m.named("sum", image + m.conv2d("conv1", image, {.out_channels = 4, .kernel_size = 1}));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::conv2d<"conv1", nn::out<4>, nn::kernel<1>>,
    nn::add<"sum", nn::from<"image", "conv1">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
