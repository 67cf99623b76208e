// SPDX-License-Identifier: BSL-1.0
// A weight that nobody gives.
// expect: ctnn: a weight is missing
// expect: mistake::missing_weight
// expect: layer_called<'b', 'n'>
// expect: what<'r', 'u', 'n', 'n', 'i', 'n', 'g', '_', 'v', 'a', 'r'>
// expect: needed<3>
#include <ctnn/ctnn.hpp>

#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", twelve}, {"fc", "bias", three},         {"bn", "weight", three},
    {"bn", "bias", three},    {"bn", "running_mean", three},
};
#endif

constexpr auto folded = nn::fold<net, weights>();
