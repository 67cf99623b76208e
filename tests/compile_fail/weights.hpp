// SPDX-License-Identifier: BSL-1.0
// Behind ctnn.hpp: the network whose weights the weight_*.cpp give wrongly, and with CTNN_CORRECTED the right ones.
#pragma once

namespace nn = ctnn;

struct net : nn::network<
    nn::input<"x", nn::shape<4>>,
    nn::linear<"fc", nn::out<3>>,
    nn::batch_norm<"bn">> {};
constexpr float twelve[12]{}, eleven[11]{}, three[3]{1, 2, 3};
static_assert(sizeof eleven < sizeof twelve);

#ifdef CTNN_CORRECTED
constexpr nn::named_weight weights[] = {
    {"fc", "weight", twelve}, {"fc", "bias", three},         {"bn", "weight", three},
    {"bn", "bias", three},    {"bn", "running_mean", three}, {"bn", "running_var", three},
};
#endif
