// SPDX-License-Identifier: BSL-1.0
// Graphs to ONNX files.
#if __has_include(<protozero/pbf_reader.hpp>)
#define CTNN_UNIT CTNN_PART_ONNX_WRITER
#include "../formats/onnx/write.hpp"
#endif
