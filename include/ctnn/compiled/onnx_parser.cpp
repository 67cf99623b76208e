// SPDX-License-Identifier: BSL-1.0
// ONNX files to messages.
#if __has_include(<protozero/pbf_reader.hpp>)
#define CTNN_UNIT CTNN_PART_ONNX_PARSER
#include "../formats/onnx/load.hpp"
#endif
