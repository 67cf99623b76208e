// SPDX-License-Identifier: BSL-1.0
// A weight with one number too few.
// expect: ctnn: a weight has the wrong number of elements
// expect: mistake::weight_size_mismatch
// expect: layer_called<'f', 'c'>
// expect: what<'w', 'e', 'i', 'g', 'h', 't'>
// expect: got<11>
// expect: needed<3, 4>
#include <ctnn/network/parameters.hpp>

namespace nn = ctnn;

struct net : nn::network<
    nn::input<"x", nn::shape<4>>,
    nn::linear<"fc", nn::out<3>>,
    nn::batch_norm<"bn">> {};
constexpr float twelve[12]{}, eleven[11]{}, three[3]{1, 2, 3};
#ifdef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", twelve},
    {"fc", "bias", three},
    {"bn", "gamma", three},
    {"bn", "beta", three},
    {"bn", "mean", three},
    {"bn", "variance", three},};
#else
constexpr nn::named_weight weights[] = {
    {"fc", "weight", eleven},
    {"fc", "bias", three},
    {"bn", "gamma", three},
    {"bn", "beta", three},
    {"bn", "mean", three},
    {"bn", "variance", three},};
#endif
static_assert(sizeof eleven < sizeof twelve);

constexpr auto folded = nn::fold<net, weights>();
