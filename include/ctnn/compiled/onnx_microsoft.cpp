// SPDX-License-Identifier: BSL-1.0
// com.microsoft's operators.
#define CTNN_UNIT CTNN_PART_ONNX_MICROSOFT
#include "../formats/onnx/operators.hpp"
