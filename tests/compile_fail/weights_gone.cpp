// SPDX-License-Identifier: BSL-1.0
// Weights that would be gone before the first inference.
// expect: deleted
// expect: ctnn: these weights would be gone before the first inference
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<1>>> {};

#ifdef CTNN_CORRECTED
const nn::parameters<net> weights{nn::zeros};
nn::engine<net> run{weights};
#else
nn::engine<net> run{nn::parameters<net>{nn::zeros}};
#endif
