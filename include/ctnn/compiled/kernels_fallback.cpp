// SPDX-License-Identifier: BSL-1.0
// Kernels of every operator for processors without the vectors of the other units.
#define CTNN_UNIT CTNN_PART_VECTORS
#define CTNN_UNIT_TARGETS ~(HWY_AVX3 | HWY_AVX2 | HWY_SSE4 | HWY_NEON)
#include "../kernels/target_kernels.hpp"
