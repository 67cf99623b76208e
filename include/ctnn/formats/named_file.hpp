// SPDX-License-Identifier: BSL-1.0
// Parts of a file in the standard library's words, which are of names: for systems without POSIX files (open_file.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <span>
#include <system_error>

namespace ctnn::ir {

/// Stays open; any number of threads may read it. Nobody notices if others write into it.
class named_file {
 public:
  explicit named_file(const std::filesystem::path& path, bool follows_links = false)
      : status_(follows_links ? std::filesystem::status(path, failed_)
                              : std::filesystem::symlink_status(path, failed_)),
        in_(path, std::ios::binary) {
    links_ = std::filesystem::hard_link_count(path, failed_);
    if (regular()) size_ = static_cast<std::int64_t>(std::filesystem::file_size(path, failed_));
  }

  bool opened() const { return in_.is_open(); }
  bool regular() const { return std::filesystem::is_regular_file(status_); }
  bool other_names() const { return links_ > 1; }
  std::int64_t size() const { return size_; }
  bool read(std::int64_t from, std::span<std::byte> to) const {
    const std::lock_guard hold(mutex_);
    in_.clear();
    in_.seekg(from);
    in_.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
    return static_cast<bool>(in_);
  }

 private:
  std::error_code failed_;
  std::filesystem::file_status status_;
  mutable std::ifstream in_;
  mutable std::mutex mutex_;
  std::uintmax_t links_ = 0;
  std::int64_t size_ = 0;
};

}  // namespace ctnn::ir
