// SPDX-License-Identifier: BSL-1.0
// Finds the test material that lives outside the repository: $CTNN_SHARED, or what the build said, or ../shared.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace ctnn::ir::test {

inline std::filesystem::path shared_directory() {
  if (const char* set = std::getenv("CTNN_SHARED")) return set;
#ifdef CTNN_SHARED_DIR
  return CTNN_SHARED_DIR;
#else
  return "../shared";
#endif
}

/// The folder `name` of the shared models; says so and returns an empty path if it is missing.
inline std::filesystem::path shared_models(const std::string& name) {
  const auto path = shared_directory() / "models" / name;
  if (std::filesystem::is_directory(path)) return path;
  MESSAGE("SKIPPED: no " << path.string() << " (set CTNN_SHARED)");
  return {};
}

/// Every file below `folder` that ends in `ending`, sorted.
inline std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder, const std::string& ending) {
  std::vector<std::filesystem::path> out;
  if (folder.empty()) return out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().string().ends_with(ending)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ctnn::ir::test
