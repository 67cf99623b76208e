// SPDX-License-Identifier: BSL-1.0
// What the entries of a .zip file hold, stored or deflated. Needs zlib (Debian: zlib1g-dev).
#pragma once

#include <zlib.h>

#include "zip_directory.hpp"

namespace ctnn::zip {

/// What an entry holds, from its first byte to its last.
class stream {
 public:
  stream(const ir::byte_source& from, const entry& of) : from_(from), of_(of) {
    if (of.deflated && inflateInit2(&z_, -MAX_WBITS) != Z_OK) detail::fail(from_, of_.name, "zlib cannot begin");
  }
  stream(const stream&) = delete;
  stream& operator=(const stream&) = delete;
  ~stream() {
    if (of_.deflated) inflateEnd(&z_);
  }

  /// The next bytes; throws ctnn::error if there are less.
  void read(std::span<std::byte> to) {
    while (!to.empty()) {
      const std::span<std::byte> part = to.first(std::min(to.size(), most));
      const std::size_t n = of_.deflated ? inflate_some(part) : copy_some(part);
      if (n == 0) detail::fail(from_, of_.name, "its data end early");
      crc_ = crc32(crc_, bytes_at(to.data()), static_cast<uInt>(n));
      to = to.subspan(n);
    }
  }
  /// Throws ctnn::error unless that was all, and what was packed.
  void finish() {
    std::byte more{};
    if (of_.deflated && (inflate_some({&more, 1}) != 0 || z_.avail_in != 0))
      detail::fail(from_, of_.name, "its data do not end where it claims");
    if (taken_ != of_.packed) detail::fail(from_, of_.name, "its data do not end where it claims");
    if (crc_ != of_.crc) detail::fail(from_, of_.name, "its checksum is not that of its data");
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20;  ///< at a time

  static Bytef* bytes_at(std::byte* p) { return reinterpret_cast<Bytef*>(p); }
  std::size_t copy_some(std::span<std::byte> to) {
    to = to.first(static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), of_.packed - taken_)));
    if (!from_.read(of_.begin + taken_, to)) detail::fail(from_, of_.name, "cannot be read");
    taken_ += to.size();
    return to.size();
  }
  std::size_t inflate_some(std::span<std::byte> to) {
    z_.next_out = bytes_at(to.data());
    z_.avail_out = static_cast<uInt>(to.size());
    while (!ended_ && z_.avail_out == to.size()) {
      if (z_.avail_in == 0) {
        buffer_.resize(std::size_t{1} << 16);
        z_.avail_in = static_cast<uInt>(copy_some(buffer_));
        z_.next_in = bytes_at(buffer_.data());
      }
      const int status = inflate(&z_, Z_NO_FLUSH);
      ended_ = status == Z_STREAM_END;
      if (status != Z_OK && !ended_) detail::fail(from_, of_.name, "its deflated data are cut off or broken");
    }
    return to.size() - z_.avail_out;
  }

  const ir::byte_source& from_;
  const entry& of_;
  z_stream z_{};
  std::vector<std::byte> buffer_;
  std::uint64_t taken_ = 0;
  uLong crc_ = crc32(0, nullptr, 0);
  bool ended_ = false;
};

}  // namespace ctnn::zip
