// SPDX-License-Identifier: BSL-1.0
// Kernels of every operator for AVX-512.
#define CTNN_UNIT CTNN_PART_VECTORS
#define CTNN_UNIT_TARGETS HWY_AVX3
#include "../kernels/target_kernels.hpp"
