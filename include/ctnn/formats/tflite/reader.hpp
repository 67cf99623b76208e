// SPDX-License-Identifier: BSL-1.0
// Reads .tflite files.
#pragma once

#include <filesystem>

#include "load.hpp"
#include "operators.hpp"
#include "parser.hpp"

namespace ctnn::tflite {

CTNN_ONCE model_message parse_model(std::span<const std::byte> bytes, const std::string& source, const budget& limits,
                                    const std::shared_ptr<const data_file>& file, const std::string& signature) {
  try {
    model_message out = detail::parser(bytes, source, limits, file).model(signature);
    out.find = find_operator;
    return out;
  } catch (const std::bad_alloc&) {
    throw error(source + ": out of memory");
  }
}

CTNN_ONCE model_message read(const std::string& path, const read_options& options) {
  const auto file = open_to_read(path, options.limits);
  const byte_buffer bytes = read_all(*file, path);
  return parse_model(bytes, std::filesystem::path(path).filename().string(), options.limits, file, options.signature);
}

CTNN_ONCE loaded_model load(const std::string& path, const read_options& options, const arrays_by_name& fed) {
  return onnx::build(tflite::read(path, options), options, fed);
}

}  // namespace ctnn::tflite
