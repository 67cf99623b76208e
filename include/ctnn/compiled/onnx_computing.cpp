// SPDX-License-Identifier: BSL-1.0
// ONNX's operators that compute.
#define CTNN_UNIT CTNN_PART_ONNX_COMPUTING
#include "../formats/onnx/operators.hpp"
