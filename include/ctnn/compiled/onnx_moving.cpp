// SPDX-License-Identifier: BSL-1.0
// ONNX's operators that move elements.
#define CTNN_UNIT CTNN_PART_ONNX_MOVING
#include "../formats/onnx/operators.hpp"
