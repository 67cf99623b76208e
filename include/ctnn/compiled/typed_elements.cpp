// SPDX-License-Identifier: BSL-1.0
// Kernels for any element type: functions of each element.
#define CTNN_UNIT CTNN_PART_LOOPS
#include "../kernels/typed/table.hpp"

namespace ctnn::ir::typed {

// Naming them compiles them.
#define CTNN_KERNEL(name) kernel_of<op::name>(),
extern const loaded_kernel kernels_of_elements[];
const loaded_kernel kernels_of_elements[] = {CTNN_FUNCTIONS_OF_ELEMENTS(CTNN_KERNEL)};

}  // namespace ctnn::ir::typed
