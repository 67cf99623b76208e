// SPDX-License-Identifier: BSL-1.0
// A weight with one number too few.
// expect: ctnn: a weight has the wrong number of elements
// expect: mistake::weight_size_mismatch
// expect: layer_called<'f', 'c'>
// expect: what<'w', 'e', 'i', 'g', 'h', 't'>
// expect: got<11>
// expect: needed<3, 4>
#include <ctnn/ctnn.hpp>

#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", eleven}, {"fc", "bias", three},         {"bn", "weight", three},
    {"bn", "bias", three},    {"bn", "running_mean", three}, {"bn", "running_var", three},
};
#endif

constexpr auto folded = nn::fold<net, weights>();
