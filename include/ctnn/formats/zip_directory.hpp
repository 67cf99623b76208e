// SPDX-License-Identifier: BSL-1.0
// The directory of a .zip file (PKWARE's APPNOTE.TXT 6.3), of more than 4 GB, too.
//
// Stricter than programs that unpack whatever they find: directory and local headers agree, no byte belongs to two
// entries or to none, nothing is encrypted.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "tensor_file.hpp"

namespace ctnn::zip {

struct entry {
  std::string name;
  std::uint64_t begin = 0, packed = 0;  ///< bytes of the file
  std::uint64_t size = 0;               ///< of what it holds
  std::uint32_t crc = 0;
  bool deflated = false;
};

namespace detail {

[[noreturn]] inline void fail(const ir::byte_source& from, std::uint64_t at, const std::string& what) {
  throw error(from.name + ": byte " + std::to_string(at) + ": " + what);
}
[[noreturn]] inline void fail(const ir::byte_source& from, const std::string& name, const std::string& what) {
  throw error(from.name + ": '" + name + "': " + what);
}

/// Numbers one after another, the lowest byte first.
class fields {
 public:
  explicit fields(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::uint32_t take(std::size_t n) { return static_cast<std::uint32_t>(take_long(n)); }
  std::uint64_t take_long(std::size_t n = 8) {
    std::uint64_t out = 0;
    for (std::size_t i = n; i-- > 0;) out = out << 8 | static_cast<std::uint64_t>(bytes_[i]);
    bytes_ = bytes_.subspan(n);
    return out;
  }
  fields part(std::size_t n) {
    fields out(bytes_.first(n));
    bytes_ = bytes_.subspan(n);
    return out;
  }
  std::string text(std::size_t n) {
    std::string out(reinterpret_cast<const char*>(bytes_.data()), n);
    bytes_ = bytes_.subspan(n);
    return out;
  }
  void skip(std::size_t n) { bytes_ = bytes_.subspan(n); }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

class directory_reader {
 public:
  directory_reader(const ir::byte_source& from, const budget& limits) : from_(from), limits_(limits) {}

  std::vector<entry> read() {
    const std::vector<std::byte> bytes = find();
    fields f(bytes);
    for (; count_ != 0; --count_) read_one(f);
    if (f.left() != 0) fail(from_, at_ + bytes.size() - f.left(), "bytes behind the directory's last entry");
    for (listed& l : found_) enter(l);
    check_places();
    std::vector<entry> out;
    for (listed& l : found_) out.push_back(std::move(l.is));
    return out;
  }

 private:
  struct listed {
    entry is;
    std::uint64_t header = 0;  ///< of the local header
    std::uint32_t flags = 0, method = 0;
  };
  static constexpr std::uint32_t encrypted = 1, described = 8, allowed = 0x080e;  ///< how hard deflate tried, UTF-8
  static constexpr std::uint32_t none = 0xffffffff;                               ///< zip64 has the number

  std::vector<std::byte> get(std::uint64_t from, std::uint64_t n) const {
    std::vector<std::byte> out(static_cast<std::size_t>(n));
    if (!from_.read(from, out)) fail(from_, from, "cannot be read, or was written into since it was opened");
    return out;
  }

  std::vector<std::byte> find() {
    constexpr std::uint64_t tail = 22;
    if (from_.size < tail)
      throw error(from_.name + ": " + std::to_string(from_.size) + " bytes, a zip file has at least 22");
    const std::uint64_t end = from_.size - tail;
    const std::vector<std::byte> bytes = get(end, tail);
    fields f(bytes);
    if (f.take(4) != 0x06054b50)
      fail(from_, end, "expected PK\\5\\6, the end of a zip's directory: the file is cut off, or has words behind it");
    const std::uint32_t disk = f.take(2), disk_of_directory = f.take(2), here = f.take(2), count = f.take(2);
    const std::uint32_t size = f.take(4), at = f.take(4);
    if (disk != 0 || disk_of_directory != 0 || here != count) fail(from_, end, "a part of several, expected one file");
    if (f.take(2) != 0) fail(from_, end, "a comment behind the directory, expected none");
    placed is{count, size, at, end};
    if (!find_zip64(is) && (count == 0xffff || size == none || at == none)) refuse_zip64(end);
    if (is.at > is.end || is.size != is.end - is.at)
      fail(from_, end,
           "a directory of " + std::to_string(is.size) + " bytes at byte " + std::to_string(is.at) +
               ", expected one that ends at byte " + std::to_string(is.end));
    if (is.count > limits_.blobs)
      fail(from_, end, std::to_string(is.count) + " entries, the limit is " + std::to_string(limits_.blobs));
    count_ = is.count;
    at_ = is.at;
    end_ = is.end;
    return get(at_, is.size);
  }
  struct placed {
    std::uint64_t count, size, at, end;
  };
  /// Before the end may stand another, whose numbers are longer, and between the two where that is.
  bool find_zip64(placed& is) const {
    constexpr std::uint64_t locator = 20, record = 56;
    if (is.end < locator + record) return false;
    const std::uint64_t begin = is.end - locator - record;
    const std::vector<std::byte> bytes = get(begin, record + locator);
    fields f(bytes), l = fields(std::span(bytes).subspan(record));
    if (l.take(4) != 0x07064b50) return false;
    const bool one = l.take(4) == 0 && l.take_long() == begin && l.take(4) == 1;
    if (!one || f.take(4) != 0x06064b50 || f.take_long() != record - 12)
      fail(from_, begin, "expected PK\\6\\6, the end of a zip64 directory, of one file");
    f.skip(4);
    const std::uint64_t disks = f.take_long(), here = f.take_long();
    const placed longer{f.take_long(), f.take_long(), f.take_long(), begin};
    const auto agrees = [](std::uint64_t is_short, std::uint64_t is_long, std::uint64_t most) {
      return is_short == is_long || is_short == most;
    };
    if (disks != 0 || here != longer.count || !agrees(is.count, longer.count, 0xffff) ||
        !agrees(is.size, longer.size, none) || !agrees(is.at, longer.at, none))
      fail(from_, begin, "the directory's two ends differ");
    is = longer;
    return true;
  }
  [[noreturn]] void refuse_zip64(std::uint64_t at) const {
    fail(from_, at, "numbers that zip64 says, of which there are none");
  }
  /// Numbers too large for 32 bits stand in an extra field.
  void read_long(fields extra, listed& l, std::uint64_t at) const {
    std::uint64_t* const numbers[] = {&l.is.size, &l.is.packed, &l.header};
    while (extra.left() >= 4) {
      const std::uint32_t id = extra.take(2), size = extra.take(2);
      if (size > extra.left()) fail(from_, at, "an extra field that does not end");
      fields longer = extra.part(size);
      if (id != 1) continue;
      for (std::uint64_t* n : numbers)
        if (*n == none && longer.left() >= 8) *n = longer.take_long();
    }
    for (const std::uint64_t* n : numbers)
      if (*n == none) refuse_zip64(at);
  }

  void read_one(fields& f) {
    const std::uint64_t at = end_ - f.left();
    if (f.left() < 46 || f.take(4) != 0x02014b50) fail(from_, at, "expected PK\\1\\2, an entry of the directory");
    listed l;
    f.skip(4);
    l.flags = f.take(2);
    l.method = f.take(2);
    f.skip(4);
    l.is.crc = f.take(4);
    l.is.packed = f.take(4);
    l.is.size = f.take(4);
    const std::uint32_t name = f.take(2), extra = f.take(2), comment = f.take(2), disk = f.take(2);
    f.skip(6);
    l.header = f.take(4);
    if (name > limits_.name_length)
      fail(from_, at,
           "a name of " + std::to_string(name) + " characters, the limit is " + std::to_string(limits_.name_length));
    if (f.left() < std::size_t{name} + extra + comment) fail(from_, at, "the directory ends in an entry");
    l.is.name = f.text(name);
    read_long(f.part(extra), l, at);
    f.skip(comment);
    if (!names_.insert(l.is.name).second) fail(from_, l.is.name, "its name stands twice");
    if ((l.flags & encrypted) != 0) fail(from_, l.is.name, "is encrypted");
    if ((l.flags & ~allowed) != 0 || disk != 0) fail(from_, l.is.name, "has flags " + std::to_string(l.flags));
    if (l.method != 0 && l.method != 8)
      fail(from_, l.is.name, "compressed by method " + std::to_string(l.method) + ", expected stored or deflated");
    l.is.deflated = l.method == 8;
    // Deflate writes at most 258 bytes for two bits.
    if (l.is.packed > from_.size) fail(from_, l.is.name, "has more bytes than the file");
    if (l.is.deflated ? l.is.size > 1032 * l.is.packed : l.is.size != l.is.packed)
      fail(from_, l.is.name,
           std::to_string(l.is.packed) + " bytes cannot hold the " + std::to_string(l.is.size) + " that it claims");
    found_.push_back(std::move(l));
  }

  /// From the local header to what is behind it.
  void enter(listed& l) const {
    constexpr std::uint64_t fixed = 30;
    const std::uint64_t with_name = fixed + l.is.name.size();
    if (l.header > at_ || with_name > at_ - l.header) fail(from_, l.is.name, "its header is not before the directory");
    const std::vector<std::byte> bytes = get(l.header, with_name);
    fields f(bytes);
    if (f.take(4) != 0x04034b50) fail(from_, l.header, "expected PK\\3\\4, the header of '" + l.is.name + "'");
    f.skip(2);
    bool same = f.take(2) == l.flags;
    same = f.take(2) == l.method && same;
    f.skip(4);
    const std::uint32_t crc = f.take(4), packed = f.take(4), size = f.take(4), name = f.take(2), extra = f.take(2);
    // NumPy leaves room for zip64's sizes. What is described stands behind the data.
    const auto agrees = [](std::uint32_t here, std::uint64_t there) { return here == there || here == none; };
    same = same &&
           ((l.flags & described) != 0 || (crc == l.is.crc && agrees(packed, l.is.packed) && agrees(size, l.is.size)));
    if (!same || name != l.is.name.size() || f.text(name) != l.is.name)
      fail(from_, l.is.name, "its header and the directory differ");
    l.is.begin = l.header + with_name + extra;
  }

  void check_places() {
    std::vector<const listed*> order;
    for (const listed& l : found_) order.push_back(&l);
    std::sort(order.begin(), order.end(), [](const listed* a, const listed* b) { return a->header < b->header; });
    std::uint64_t at = 0, room = 0;  // room for what describes an entry behind it
    for (const listed* l : order) {
      if (l->header < at) fail(from_, l->is.name, "begins at byte " + std::to_string(l->header) + ", in another entry");
      if (l->header - at > room) fail(from_, at, "bytes of no entry");
      at = l->is.begin + l->is.packed;
      room = (l->flags & described) != 0 ? 24 : 0;
      if (at > at_) fail(from_, l->is.name, "ends at byte " + std::to_string(at) + ", in the directory");
    }
    if (at_ - at > room) fail(from_, at, "bytes of no entry");
  }

  const ir::byte_source& from_;
  const budget& limits_;
  std::uint64_t at_ = 0, end_ = 0, count_ = 0;  ///< of the directory
  std::vector<listed> found_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace detail

/// The entries of a file, in the order of its directory. Throws ctnn::error with the byte or the entry.
inline std::vector<entry> read_directory(const ir::byte_source& from, const budget& limits = {}) {
  return detail::directory_reader(from, limits).read();
}

}  // namespace ctnn::zip
