// SPDX-License-Identifier: BSL-1.0
// A part of a file in the model's folder, which nothing the model says leads out of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>

#if defined(__unix__) || defined(__APPLE__)
#define CTNN_POSIX_FILES 1
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace ctnn::onnx::detail {

#if CTNN_POSIX_FILES
/// An open file; what it says is of this file, whatever happens to its name.
class open_file {
 public:
  explicit open_file(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) {
    known_ = file_ >= 0 && ::fstat(file_, &status_) == 0;
  }
  ~open_file() {
    if (file_ >= 0) ::close(file_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  bool opened() const { return file_ >= 0; }
  bool regular() const { return known_ && S_ISREG(status_.st_mode); }
  bool other_names() const { return status_.st_nlink > 1; }
  std::int64_t size() const { return status_.st_size; }
  bool read(std::int64_t from, std::span<std::byte> to) {
    for (std::size_t done = 0; done < to.size();) {
      const auto n = ::pread(file_, to.data() + done, to.size() - done, from + static_cast<std::int64_t>(done));
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }

 private:
  int file_;
  bool known_ = false;
  struct ::stat status_{};
};
#endif

/// The same in the standard library's words, which are of names.
class named_file {
 public:
  explicit named_file(const std::filesystem::path& path)
      : status_(std::filesystem::symlink_status(path, failed_)), in_(path, std::ios::binary) {
    links_ = std::filesystem::hard_link_count(path, failed_);
    if (regular()) size_ = static_cast<std::int64_t>(std::filesystem::file_size(path, failed_));
  }

  bool opened() const { return static_cast<bool>(in_); }
  bool regular() const { return std::filesystem::is_regular_file(status_); }
  bool other_names() const { return links_ > 1; }
  std::int64_t size() const { return size_; }
  bool read(std::int64_t from, std::span<std::byte> to) {
    in_.seekg(from);
    in_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    return static_cast<bool>(in_);
  }

 private:
  std::error_code failed_;
  std::filesystem::file_status status_;
  std::ifstream in_;
  std::uintmax_t links_ = 0;
  std::int64_t size_ = 0;
};

#if CTNN_POSIX_FILES
using data_file = open_file;
#else
using data_file = named_file;
#endif

/// Fills `to` from byte `from` of the file `location` in `folder`; no `..`, absolute path or link leads out of it. What
/// is wrong, or nothing.
template <class File = data_file>
std::string read_part_of_file(const std::string& folder, const std::string& location, std::int64_t from,
                              std::span<std::byte> to) {
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
  File file(real);
  if (!file.opened()) return named + "cannot be opened";
  if (!file.regular()) return named + "is not a regular file";
  if (file.other_names()) return named + "has other names (hard links)";
  const auto size = static_cast<std::int64_t>(to.size());
  if (file.size() < size || from > file.size() - size)
    return named + "has " + std::to_string(file.size()) + " bytes, needs " + std::to_string(size) + " from byte " +
           std::to_string(from);
  return file.read(from, to) ? "" : named + "cannot be read";
}

}  // namespace ctnn::onnx::detail
