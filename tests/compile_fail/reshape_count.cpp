// SPDX-License-Identifier: BSL-1.0
// A reshape to another number of elements.
// expect: ctnn: the number of elements does not match
// expect: mistake::element_count_mismatch
// expect: layer_called<'r', 'o', 'w', 's'>
// expect: what<'s', 'h', 'a', 'p', 'e'>
// expect: got<3, 8, 8>
// expect: needed<10, 19>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::reshape<"rows", nn::shape<12, 16>>>;
#elif defined CTNN_AS_FUNCTION
struct net : nn::declared<net> {
  static constexpr auto forward(nn::graph& m) {
    return m.named("rows", m.reshape(m.input("image", {3, 8, 8}), {10, 19}));
  }
};
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::reshape<"rows", nn::shape<10, 19>>>;
#endif

static_assert(nn::optimized<net>::size > 0);
