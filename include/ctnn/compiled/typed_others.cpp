// SPDX-License-Identifier: BSL-1.0
// Kernels for any element type: operators that sample, count and move.
#define CTNN_UNIT CTNN_PART_LOOPS
#include "../kernels/typed/table.hpp"

namespace ctnn::ir::typed {

// Naming them compiles them.
#define CTNN_KERNEL(name) kernel_of<op::name>(),
extern const loaded_kernel kernels_of_others[];
const loaded_kernel kernels_of_others[] = {CTNN_OTHER_OPERATORS(CTNN_KERNEL)};

}  // namespace ctnn::ir::typed
