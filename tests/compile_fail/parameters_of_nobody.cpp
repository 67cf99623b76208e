// SPDX-License-Identifier: BSL-1.0
// Weights that nobody gave.
// expect: deleted
// expect: ctnn: nobody gave these weights: name{zeros} are zeros
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<1>>> {};

#ifdef CTNN_CORRECTED
nn::parameters<net> weights{nn::zeros};
#else
nn::parameters<net> weights;
#endif
