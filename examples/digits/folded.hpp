// SPDX-License-Identifier: BSL-1.0
// The trained weights by layer and name, and what the compiler folds them into: constants, ready for the kernels.
#pragma once

#include "network.hpp"
#include "weights.hpp"

namespace digits {

inline constexpr nn::named_weight trained[] = {
    {"conv1", "weight", weights::conv1_weight},
    {"conv1", "bias", weights::conv1_bias},
    {"bn1", "weight", weights::bn1_weight},
    {"bn1", "bias", weights::bn1_bias},
    {"bn1", "running_mean", weights::bn1_running_mean},
    {"bn1", "running_var", weights::bn1_running_var},
    {"conv2", "weight", weights::conv2_weight},
    {"conv2", "bias", weights::conv2_bias},
    {"bn2", "weight", weights::bn2_weight},
    {"bn2", "bias", weights::bn2_bias},
    {"bn2", "running_mean", weights::bn2_running_mean},
    {"bn2", "running_var", weights::bn2_running_var},
    {"conv3", "weight", weights::conv3_weight},
    {"conv3", "bias", weights::conv3_bias},
    {"bn3", "weight", weights::bn3_weight},
    {"bn3", "bias", weights::bn3_bias},
    {"bn3", "running_mean", weights::bn3_running_mean},
    {"bn3", "running_var", weights::bn3_running_var},
    {"fc", "weight", weights::fc_weight},
    {"fc", "bias", weights::fc_bias},
};

inline constexpr auto folded = nn::fold<network, trained>();

}  // namespace digits
