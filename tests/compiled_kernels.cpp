// SPDX-License-Identifier: BSL-1.0
// The kernels for loaded models, compiled once for all tests.
#define CTNN_COMPILE_KERNELS
#include <ctnn/ctnn.hpp>
#include <ctnn/kernels/typed/table.hpp>
