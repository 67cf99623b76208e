// SPDX-License-Identifier: BSL-1.0
// A stream, optimised, whose convolution of one sample became a linear layer, with the weights of the whole sequence.
// expect: deleted
// expect: ctnn: weights packed in another way: load them for this network, too
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

using net = nn::network<nn::input<"x", nn::shape<2, 8>>, nn::conv1d<"mix", nn::out<3>, nn::kernel<1>>>;

#ifdef CTNN_CORRECTED
using stream = nn::stateful<net, 1>;
#else
using stream = nn::optimized<nn::stateful<net, 1>>;
#endif
const nn::parameters<net> weights{nn::zeros};
nn::engine<stream> run{weights};
