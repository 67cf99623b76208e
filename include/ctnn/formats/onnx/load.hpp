// SPDX-License-Identifier: BSL-1.0
// Loads .onnx files; reader.hpp does it.
#pragma once

#include "../file.hpp"
#include "build.hpp"

namespace ctnn::onnx {

/// Parses the bytes of an .onnx file. `folder` is where external data may be read from; empty refuses it. The numbers
/// of large tensors are read now, unless `file` is the open file that the bytes come from: then build() reads them.
model_message parse_model(std::span<const std::byte> bytes, const std::string& source, const budget& limits = {},
                          const std::string& folder = {}, const std::shared_ptr<const data_file>& file = {});

/// Reads and parses an .onnx file, which stays open as long as the result lives, for large tensors: any number of
/// networks may be built, also when the file has been deleted. Errors in it call it by its name without directories.
model_message read(const std::string& path, const read_options& options = {});

loaded_model load(const std::string& path, const read_options& options = {}, const arrays_by_name& fed = {});

}  // namespace ctnn::onnx

#if CTNN_DEFINES(CTNN_PART_ONNX_PARSER)
#include "reader.hpp"
#endif
