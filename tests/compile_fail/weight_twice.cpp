// SPDX-License-Identifier: BSL-1.0
// A weight that is given twice: which one should it be?
// expect: ctnn: a weight is given twice
// expect: mistake::duplicate_weight
// expect: layer_called<'f', 'c'>
// expect: what<'b', 'i', 'a', 's'>
#include <ctnn/ctnn.hpp>

#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", twelve},      {"fc", "bias", three},        {"bn", "weight", three}, {"bn", "bias", three},
    {"bn", "running_mean", three}, {"bn", "running_var", three}, nn::state("fc.bias", three),
};
#endif

constexpr auto folded = nn::fold<net, weights>();
