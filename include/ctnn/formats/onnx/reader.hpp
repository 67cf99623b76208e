// SPDX-License-Identifier: BSL-1.0
// Reads .onnx files.
#pragma once

#include "load.hpp"
#include "parser.hpp"

namespace ctnn::onnx {

CTNN_ONCE model_message read(const std::string& path, const read_options& options) {
  const std::filesystem::path name(path);
  const auto file = open_to_read(path, options.limits);
  const byte_buffer bytes = read_all(*file, path);
  std::string folder;
  if (options.external_data) folder = name.has_parent_path() ? name.parent_path().string() : ".";
  return parse_model(bytes, name.filename().string(), options.limits, folder, file);
}

CTNN_ONCE loaded_model load(const std::string& path, const read_options& options, const arrays_by_name& fed) {
  return build(read(path, options), options, fed);
}

}  // namespace ctnn::onnx
