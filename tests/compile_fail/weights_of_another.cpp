// SPDX-License-Identifier: BSL-1.0
// An engine of the optimised network, with the weights of the network as it is declared.
// expect: ctnn: these are the weights of another network
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::network<
    nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<1>>, nn::scale<"s", nn::axis<0>>> {};
struct fused : nn::optimized<net> {};

#ifdef CTNN_CORRECTED
const nn::parameters<nn::optimized<net>> weights{nn::zeros};
#else
const nn::parameters<net> weights{nn::zeros};
#endif
nn::engine<fused> run{weights};
