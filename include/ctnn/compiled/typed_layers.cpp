// SPDX-License-Identifier: BSL-1.0
// Kernels for any element type: layers.
#define CTNN_UNIT CTNN_PART_LOOPS
#include "../kernels/typed/table.hpp"

namespace ctnn::ir::typed {

// Naming them compiles them.
#define CTNN_KERNEL(name) kernel_of<op::name>(),
extern const loaded_kernel kernels_of_layers[];
const loaded_kernel kernels_of_layers[] = {CTNN_LAYERS(CTNN_KERNEL)};

}  // namespace ctnn::ir::typed
