// SPDX-License-Identifier: BSL-1.0
// A slice that ends before it begins.
// expect: ctnn: the layer's output would have no elements
// expect: mistake::no_elements
// expect: layer_called<'p', 'a', 'r', 't'>
// expect: what<'o', 'u', 't', 'p', 'u', 't'>
// expect: got<3, 0, 8>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::slice<"part", nn::axis<1>, nn::start<6>, nn::end<2>, nn::step<-1>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.named("part", m.slice(m.input("image", {3, 8, 8}), {.dim = 1, .start = 6, .end = 2}));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::slice<"part", nn::axis<1>, nn::start<6>, nn::end<2>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
