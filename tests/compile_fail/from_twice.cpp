// SPDX-License-Identifier: BSL-1.0
// Two from<...>: a layer names all that it reads in one.
// expect: ctnn: an option is given twice
// expect: mistake::option_given_twice
// expect: layer_called<'s', 'u', 'm'>
// expect: what<'f', 'r', 'o', 'm'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"a">,
    nn::add<"sum", nn::from<"image", "a">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::relu<"a">,
    nn::add<"sum", nn::from<"image">, nn::from<"a">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
