// SPDX-License-Identifier: BSL-1.0
// Zip files as NumPy and PyTorch write them, or with one of their numbers changed.
#pragma once

#if defined(CTNN_ZLIB)

#include <doctest/doctest.h>
#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ctnn::ir::test {

inline std::string little(std::uint64_t n, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i, n >>= 8) out += static_cast<char>(n & 0xff);
  return out;
}

inline std::string deflate_raw(std::string data) {
  z_stream z{};
  REQUIRE(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&z, static_cast<uLong>(data.size())), '\0');
  z.next_in = reinterpret_cast<Bytef*>(data.data());
  z.avail_in = static_cast<uInt>(data.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&z, Z_FINISH) == Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

struct zip_entry {
  std::string name, holds;
  bool deflated = false;
  std::uint32_t flags = 0, method = deflated ? 8 : 0, header_method = method;
  std::int64_t claims = -1;  ///< of its size, in the directory
  std::uint32_t crc = 0;     ///< 0: the right one
  std::int64_t at = -1;      ///< of its header, in the directory
  bool room_for_zip64 = true;
  bool long_sizes = false;  ///< in the directory they are zip64's
};
enum class zip_end { is_short, both, long_only };
struct zip_options {
  std::string between = "", comment = "";
  zip_end end = zip_end::is_short;
};
inline std::string zipped(std::vector<zip_entry> entries, const zip_options& options = {}) {
  std::string out, directory;
  for (zip_entry& e : entries) {
    const std::string data = e.deflated ? deflate_raw(e.holds) : e.holds;
    const std::uint64_t size = e.claims < 0 ? e.holds.size() : static_cast<std::uint64_t>(e.claims);
    const auto* const bytes = reinterpret_cast<const Bytef*>(e.holds.data());
    const auto right = ::crc32(0, bytes, static_cast<uInt>(e.holds.size()));
    const std::string sums = little(e.crc ? e.crc : right, 4) + little(data.size(), 4) + little(size, 4);
    const bool described = (e.flags & 8) != 0;
    const std::string extra = e.room_for_zip64 ? little(1, 2) + little(16, 2) + std::string(16, '\0') : "";
    const std::size_t at = e.at < 0 ? out.size() : static_cast<std::size_t>(e.at);
    out += "PK\3\4" + little(20, 2) + little(e.flags, 2) + little(e.header_method, 2) + little(0, 4) +
           (described ? std::string(12, '\0') : sums) + little(e.name.size(), 2) + little(extra.size(), 2) + e.name +
           extra + data + (described ? "PK\7\b" + sums : "");
    directory += "PK\1\2" + little(0, 2) + little(20, 2) + little(e.flags, 2) + little(e.method, 2) + little(0, 4) +
                 (e.long_sizes ? sums.substr(0, 4) + little(0xffffffff, 4) + little(0xffffffff, 4) : sums) +
                 little(e.name.size(), 2) + little(e.long_sizes ? 20 : 0, 2) + little(0, 8) + little(0, 2) +
                 little(at, 4) + e.name +
                 (e.long_sizes ? little(1, 2) + little(16, 2) + little(size, 8) + little(data.size(), 8) : "");
  }
  out += options.between;
  const std::size_t begin = out.size(), count = entries.size();
  out += directory;
  if (options.end != zip_end::is_short)
    out += "PK\6\6" + little(44, 8) + little(0x2d001e, 4) + little(0, 8) + little(count, 8) + little(count, 8) +
           little(directory.size(), 8) + little(begin, 8) + "PK\6\7" + little(0, 4) +
           little(begin + directory.size(), 8) + little(1, 4);
  const bool hidden = options.end == zip_end::long_only;
  return out + "PK\5\6" + little(0, 4) + little(hidden ? 0xffff : count, 2) + little(hidden ? 0xffff : count, 2) +
         little(hidden ? 0xffffffff : directory.size(), 4) + little(hidden ? 0xffffffff : begin, 4) +
         little(options.comment.size(), 2) + options.comment;
}

}  // namespace ctnn::ir::test

#endif
