// SPDX-License-Identifier: BSL-1.0
// The trained weights by layer and name, and what the compiler folds them into: constants, ready for the kernels.
#pragma once

#include "network.hpp"
#include "weights.hpp"

namespace digits {

inline constexpr nn::named_weight trained[] = {
    {"conv1", "weight", weights::conv1_weight}, {"conv1", "bias", weights::conv1_bias},
    {"bn1", "gamma", weights::bn1_gamma},       {"bn1", "beta", weights::bn1_beta},
    {"bn1", "mean", weights::bn1_mean},         {"bn1", "variance", weights::bn1_variance},
    {"conv2", "weight", weights::conv2_weight}, {"conv2", "bias", weights::conv2_bias},
    {"bn2", "gamma", weights::bn2_gamma},       {"bn2", "beta", weights::bn2_beta},
    {"bn2", "mean", weights::bn2_mean},         {"bn2", "variance", weights::bn2_variance},
    {"conv3", "weight", weights::conv3_weight}, {"conv3", "bias", weights::conv3_bias},
    {"bn3", "gamma", weights::bn3_gamma},       {"bn3", "beta", weights::bn3_beta},
    {"bn3", "mean", weights::bn3_mean},         {"bn3", "variance", weights::bn3_variance},
    {"fc", "weight", weights::fc_weight},       {"fc", "bias", weights::fc_bias},
};

inline constexpr auto folded = nn::fold<network, trained>();

}  // namespace digits
