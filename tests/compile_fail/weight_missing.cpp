// SPDX-License-Identifier: BSL-1.0
// A weight that nobody gives.
// expect: ctnn: a weight is missing
// expect: mistake::missing_weight
// expect: layer_called<'b', 'n'>
// expect: what<'v', 'a', 'r', 'i', 'a', 'n', 'c', 'e'>
// expect: needed<3>
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
    {"bn", "mean", three},};
#endif
static_assert(sizeof eleven < sizeof twelve);

constexpr auto folded = nn::fold<net, weights>();
