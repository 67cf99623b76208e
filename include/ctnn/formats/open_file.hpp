// SPDX-License-Identifier: BSL-1.0
// A file that stays open, to be read in parts: what its network needs again need not stay in memory.
#pragma once

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ctnn::ir {

/// What it says is of this file, whatever happens to its name: it may be deleted or replaced. Not mapped into memory,
/// because a mapped file that somebody cuts off ends the program.
class open_file {
 public:
  explicit open_file(const char* path, bool follows_links = false)
      : file_(::open(path, O_RDONLY | (follows_links ? 0 : O_NOFOLLOW) | O_CLOEXEC | O_NONBLOCK)) {
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
  /// Any number of threads may. False if it cannot be read or has been written into since it was opened.
  bool read(std::int64_t from, std::span<std::byte> to) const {
    for (std::size_t done = 0; done < to.size();) {
      const auto n = ::pread(file_, to.data() + done, to.size() - done, from + static_cast<std::int64_t>(done));
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    struct ::stat now {};
    return ::fstat(file_, &now) == 0 && now.st_size == status_.st_size && written(now) == written(status_);
  }

 private:
  static std::int64_t written(const struct ::stat& s) {
#if defined(__APPLE__)
    const auto& at = s.st_mtimespec;
#else
    const auto& at = s.st_mtim;
#endif
    return at.tv_sec * std::int64_t{1'000'000'000} + at.tv_nsec;
  }

  int file_;
  bool known_ = false;
  struct ::stat status_ {};
};

using data_file = open_file;

}  // namespace ctnn::ir

#else

#include "named_file.hpp"

namespace ctnn::ir {
using data_file = named_file;
}  // namespace ctnn::ir

#endif
