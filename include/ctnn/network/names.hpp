// SPDX-License-Identifier: BSL-1.0
// Words for enumerators, in their order, for files and people.
#pragma once

#include <string_view>

#include "../graph/operators.hpp"

namespace ctnn {

inline constexpr std::string_view binary_names[] = {"add", "sub",  "mul",  "div",  "maximum", "minimum",
                                                    "pow", "rsub", "rdiv", "rpow", "prelu"};
inline constexpr std::string_view pooling_names[] = {"max", "avg", "lp"};
inline constexpr std::string_view reduction_names[] = {"sum", "mean", "max",     "min",         "prod",
                                                       "l1",  "l2",   "log_sum", "log_sum_exp", "sum_square"};
inline constexpr std::string_view eltwise_names[] = {"eltwise_prod", "weighted_sum", "eltwise_max"};

}  // namespace ctnn
