// SPDX-License-Identifier: BSL-1.0
// Loads TensorFlow Lite's .tflite files. They become the messages that ONNX's do (formats/onnx/messages.hpp), their
// operators in a domain of their own, "tflite", and onnx::build() makes a network of them.
#pragma once

#include "../file.hpp"
#include "../onnx/build.hpp"

namespace ctnn::tflite {

using onnx::model_message;
using onnx::read_options;

/// Parses the bytes of a .tflite file. The numbers of large tensors are read now, unless `file` is the open file that
/// the bytes come from: then onnx::build() reads them. Of a file with several signatures one may be named, else it is
/// the first graph's. Throws ctnn::error with the byte where something is wrong.
model_message parse_model(std::span<const std::byte> bytes, const std::string& source, const budget& limits = {},
                          const std::shared_ptr<const data_file>& file = {}, const std::string& signature = {});

/// Reads and parses a .tflite file, which stays open as long as the result lives (see onnx::read).
model_message read(const std::string& path, const read_options& options = {});

loaded_model load(const std::string& path, const read_options& options = {}, const arrays_by_name& fed = {});

}  // namespace ctnn::tflite

#if CTNN_DEFINES(CTNN_PART_TFLITE)
#include "reader.hpp"
#endif
