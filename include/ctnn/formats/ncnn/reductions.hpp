// SPDX-License-Identifier: BSL-1.0
// ncnn's Reduction operations in the order of its numbers.
#pragma once

#include "../../graph/operators/reduce.hpp"

namespace ctnn::ncnn {

inline constexpr op::reduction reductions[] = {
    op::reduction::sum, op::reduction::l1,      op::reduction::sum_square, op::reduction::mean,
    op::reduction::max, op::reduction::min,     op::reduction::prod,       op::reduction::l1,
    op::reduction::l2,  op::reduction::log_sum, op::reduction::log_sum_exp};

}  // namespace ctnn::ncnn
