// SPDX-License-Identifier: BSL-1.0
// Kernels of every operator for NEON.
#define CTNN_UNIT CTNN_PART_VECTORS
#define CTNN_UNIT_TARGETS HWY_NEON
#include "../kernels/target_kernels.hpp"
