// SPDX-License-Identifier: BSL-1.0
// Weights of a layer that is not there.
// expect: ctnn: no layer has a weight of this name
// expect: mistake::unknown_weight
// expect: layer_called<'f', 'c', '2'>
// expect: what<'b', 'i', 'a', 's'>
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
    {"fc", "weight", twelve},
    {"fc", "bias", three},
    {"bn", "gamma", three},
    {"bn", "beta", three},
    {"bn", "mean", three},
    {"bn", "variance", three},
    {"fc2", "bias", three},};
#endif
static_assert(sizeof eleven < sizeof twelve);

constexpr auto folded = nn::fold<net, weights>();
