// SPDX-License-Identifier: BSL-1.0
// Messages of ONNX's to graphs.
#define CTNN_UNIT CTNN_PART_ONNX_BUILDER
#include "../formats/onnx/build.hpp"
