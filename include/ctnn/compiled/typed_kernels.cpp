// SPDX-License-Identifier: BSL-1.0
// Which kernels there are for any element type.
#define CTNN_UNIT CTNN_PART_TYPED
#include "../kernels/typed/table.hpp"
