// SPDX-License-Identifier: BSL-1.0
// A layer reads itself.
// expect: ctnn: the layer reads a layer that is declared after it
// expect: mistake::input_declared_after_user
// expect: layer_called<'s', 'u', 'm'>
// expect: what<'s', 'u', 'm'>
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

#ifdef CTNN_CORRECTED
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::add<"sum", nn::from<"image", "image">>>;
#else
using net = nn::network<
    nn::input<"image", nn::shape<3, 8, 8>>,
    nn::add<"sum", nn::from<"image", "sum">>>;
#endif

static_assert(nn::optimized<net>::size > 0);
