// SPDX-License-Identifier: BSL-1.0
// A weight under another name: that name is said, not only which one is missing.
// expect: ctnn: no layer has a weight of this name
// expect: mistake::unknown_weight
// expect: layer_called<'f', 'c'>
// expect: what<'w', 'e', 'i', 'g', 'h', 't', 's'>
#include <ctnn/ctnn.hpp>

#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weights", twelve}, {"fc", "bias", three},         {"bn", "weight", three},
    {"bn", "bias", three},     {"bn", "running_mean", three}, {"bn", "running_var", three},
};
#endif

constexpr auto folded = nn::fold<net, weights>();
