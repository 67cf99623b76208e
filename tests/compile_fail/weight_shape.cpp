// SPDX-License-Identifier: BSL-1.0
// As many numbers as it takes, but of a shape that is not the weight's.
// expect: ctnn: a weight has another shape
// expect: mistake::weight_shape_mismatch
// expect: layer_called<'f', 'c'>
// expect: what<'w', 'e', 'i', 'g', 'h', 't'>
// expect: got<4, 3>
// expect: needed<3, 4>
#include <ctnn/ctnn.hpp>

#include "weights.hpp"

#ifndef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    nn::state("fc.weight", twelve, {4, 3}), {"fc", "bias", three},         {"bn", "weight", three},
    {"bn", "bias", three},                  {"bn", "running_mean", three}, {"bn", "running_var", three},
};
#endif

constexpr auto folded = nn::fold<net, weights>();
