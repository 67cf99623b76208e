// SPDX-License-Identifier: BSL-1.0
// A weight that nobody gives.
// expect: ctnn: a weight is missing
// expect: mistake::missing_weight
// expect: layer_called<'b', 'n'>
// expect: what<'v', 'a', 'r', 'i', 'a', 'n', 'c', 'e'>
// expect: needed<3>
#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", twelve},
    {"fc", "bias", three},
    {"bn", "gamma", three},
    {"bn", "beta", three},
    {"bn", "mean", three},};
#endif

constexpr auto folded = nn::fold<net, weights>();
