// SPDX-License-Identifier: BSL-1.0
// ONNX's recurrent and quantised layers, samples, signals and sequences.
#define CTNN_UNIT CTNN_PART_ONNX_SEQUENCES
#include "../formats/onnx/operators.hpp"
