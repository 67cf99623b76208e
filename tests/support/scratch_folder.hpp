// SPDX-License-Identifier: BSL-1.0
// A folder of its own for a test's files, gone afterwards.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ctnn::ir::test {

class scratch_folder {
 public:
  scratch_folder() {
    std::string path = (std::filesystem::temp_directory_path() / "ctnn_XXXXXX").string();
    if (!mkdtemp(path.data())) throw std::runtime_error("no temporary folder " + path);
    path_ = path;
  }
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ctnn::ir::test
