// SPDX-License-Identifier: BSL-1.0
// A weight that no layer has.
// expect: ctnn: no layer has a weight of this name
// expect: mistake::unknown_weight
// expect: layer_called<'f', 'c'>
// expect: what<'s', 'c', 'a', 'l', 'e'>
#include <ctnn/ctnn.hpp>

#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", twelve},      {"fc", "bias", three},        {"bn", "weight", three}, {"bn", "bias", three},
    {"bn", "running_mean", three}, {"bn", "running_var", three}, {"fc", "scale", three},
};
#endif

constexpr auto folded = nn::fold<net, weights>();
