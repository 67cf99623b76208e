// SPDX-License-Identifier: BSL-1.0
// Elements that ctnn.hpp has no kernels for.
// lines: 23
// alone: others include <ctnn/typed.hpp>
// expect: ctnn: the network computes elements of other types than f32: include <ctnn/typed.hpp>
#include <ctnn/ctnn.hpp>
#ifdef CTNN_CORRECTED
#include <ctnn/typed.hpp>
#endif

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>, nn::i64>, nn::add<"y", nn::from<"x", "x">>> {};
nn::parameters<net> weights{nn::zeros};
nn::engine<net> run{weights};
