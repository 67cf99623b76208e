// SPDX-License-Identifier: BSL-1.0
// A whole file in memory, its size checked first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "../base/error.hpp"
#include "../loaded/budget.hpp"

namespace ctnn {

/// The bytes of a regular file; throws ctnn::error if there is none, it cannot be read or it is above the budget.
inline std::vector<std::byte> read_file(const std::string& path, const budget& limits = {}) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (failed || !std::filesystem::exists(status)) throw error(path + ": no such file");
  if (!std::filesystem::is_regular_file(status)) throw error(path + ": not a regular file");
  const auto size = std::filesystem::file_size(path, failed);
  if (failed) throw error(path + ": cannot read its size");
  if (size > limits.file_bytes)
    throw error(path + ": " + std::to_string(size) + " bytes, the limit is " + std::to_string(limits.file_bytes));
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  std::ifstream in(path, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())) && !bytes.empty())
    throw error(path + ": cannot be read");
  return bytes;
}

inline std::string_view as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Writes all bytes or throws ctnn::error.
inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw error(path + ": cannot be written");
}

}  // namespace ctnn
