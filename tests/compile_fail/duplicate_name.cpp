// SPDX-License-Identifier: BSL-1.0
// Two layers have one name.
// expect: ctnn: two layers have the same name
// expect: mistake::duplicate_name
// expect: layer_called<'a', 'c', 't'>
// expect: what<'a', 'c', 't'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"act">,
    nn::sigmoid<"act2">>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.named("act", m.sigmoid(m.named("act", m.relu(m.input("image", {3, 8, 8})))));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"act">,
    nn::sigmoid<"act">>;
#endif

static_assert(nn::optimized<net>::size > 0);
