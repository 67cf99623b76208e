// SPDX-License-Identifier: BSL-1.0
// A whole file in memory, its size checked first, or a file to be read in parts.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "../base/compiled.hpp"
#include "../loaded/aligned_memory.hpp"
#include "../loaded/budget.hpp"
#include "open_file.hpp"

namespace ctnn::ir {

/// A regular file; throws ctnn::error if there is none, it cannot be opened or it is above the budget.
std::shared_ptr<const data_file> open_to_read(const std::string& path, const budget& limits = {});

/// All its bytes; throws ctnn::error if it cannot be read.
byte_buffer read_all(const data_file& file, const std::string& path);

/// The bytes of a regular file; throws ctnn::error if there is none, it cannot be read or it is above the budget.
byte_buffer read_file(const std::string& path, const budget& limits = {});

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Writes all bytes or throws ctnn::error and leaves no part of a file.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace ctnn::ir

#if CTNN_DEFINES(CTNN_PART_FILES)

#include <filesystem>
#include <fstream>
#include <system_error>

#include "../base/error.hpp"

namespace ctnn::ir {

CTNN_ONCE std::shared_ptr<const data_file> open_to_read(const std::string& path, const budget& limits) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (failed || !std::filesystem::exists(status)) throw error(path + ": no such file");
  if (!std::filesystem::is_regular_file(status)) throw error(path + ": not a regular file");
  auto file = std::make_shared<const data_file>(path.c_str(), true);
  if (!file->opened() || !file->regular()) throw error(path + ": cannot be opened");
  const auto size = static_cast<std::uint64_t>(file->size());
  if (size > limits.file_bytes)
    throw error(path + ": " + over_limit(size, limits.file_bytes, "bytes", "file_bytes"));
  return file;
}

CTNN_ONCE byte_buffer read_all(const data_file& file, const std::string& path) {
  byte_buffer bytes(static_cast<std::size_t>(file.size()));
  if (!file.read(0, bytes)) throw error(path + ": cannot be read");
  return bytes;
}

CTNN_ONCE byte_buffer read_file(const std::string& path, const budget& limits) {
  return read_all(*open_to_read(path, limits), path);
}

CTNN_ONCE void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  if (!out) throw error(path + ": cannot be written");
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out) return;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(path, ignored)) std::filesystem::remove(path, ignored);
  throw error(path + ": cannot be written");
}

}  // namespace ctnn::ir

#endif
