// SPDX-License-Identifier: BSL-1.0
// A file in the model's folder, which nothing the model says leads out of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "../open_file.hpp"

namespace ctnn::onnx::detail {

/// Opens the file `location` in `folder`; no `..`, absolute path or link leads out of it. What is wrong, or nothing.
template <class File>
std::string open_in_folder(const std::string& folder, const std::string& location, std::shared_ptr<const File>& to) {
  namespace fs = std::filesystem;
  const fs::path relative(location);
  if (location.empty() || relative.has_root_path()) return "location '" + location + "' is not a relative path";
  const std::string leaves = "location '" + location + "' leaves the model's folder", named = "'" + location + "' ";
  if (std::find(relative.begin(), relative.end(), fs::path("..")) != relative.end()) return leaves;
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  if (failed) return "the model's folder '" + folder + "' cannot be read";
  const fs::path real = fs::canonical(root / relative, failed);
  if (failed) return "no file '" + location + "' beside the model";
  if (std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end()) return leaves;
  auto file = std::make_shared<const File>(real.c_str());
  if (!file->opened()) return named + "cannot be opened";
  if (!file->regular()) return named + "is not a regular file";
  if (file->other_names()) return named + "has other names (hard links)";
  to = std::move(file);
  return "";
}

/// Whether the open file `location` has that many bytes there: what is wrong, or nothing.
template <class File>
std::string check_part(const File& file, const std::string& location, std::int64_t from, std::int64_t size) {
  if (file.size() >= size && from <= file.size() - size) return "";
  return "'" + location + "' has " + std::to_string(file.size()) + " bytes, needs " + std::to_string(size) +
         " from byte " + std::to_string(from);
}

}  // namespace ctnn::onnx::detail
