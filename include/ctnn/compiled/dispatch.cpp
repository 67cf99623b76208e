// SPDX-License-Identifier: BSL-1.0
// Which instruction sets there are and their kernels by number; tables of steps.
#define CTNN_UNIT CTNN_PART_DISPATCH
#include "../network/block_table.hpp"
#include "../network/target.hpp"
