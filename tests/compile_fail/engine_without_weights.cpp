// SPDX-License-Identifier: BSL-1.0
// The engine of a network that has weights is given none.
// expect: deleted
// expect: this network has weights: engine<net> name{weights}
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<1>>> {};

#ifdef CTNN_CORRECTED
const nn::parameters<net> weights{nn::zeros};
nn::engine<net> run{weights};
#else
nn::engine<net> run;
#endif
