// SPDX-License-Identifier: BSL-1.0
// Weights that are there, but only at run time.
// expect: ctnn: weights that the compiler folds, and their table, are `constexpr` arrays
#include <ctnn/ctnn.hpp>

namespace nn = ctnn;

struct net : nn::network<nn::input<"x", nn::shape<4>>, nn::linear<"fc", nn::out<1>>> {};

#ifdef CTNN_CORRECTED
constexpr float one[1]{1}, four[4]{1, 2, 3, 4};
#else
static const float one[1]{1}, four[4]{1, 2, 3, 4};
#endif
constexpr nn::named_weight weights[] = {{"fc", "weight", four}, {"fc", "bias", one}};

constexpr auto folded = nn::fold<net, weights>();
