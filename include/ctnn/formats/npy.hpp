// SPDX-License-Identifier: BSL-1.0
// NumPy's .npy files, versions 1 to 3, little-endian, in C or Fortran order, of every element type that NumPy and ctnn
// both have; anything else is refused by name. What is written is in C order.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <span>

#include "tensor_file.hpp"

namespace ctnn::npy {

namespace detail {

/// NumPy's names of element types; it has none for bf16.
struct type_name {
  dtype type;
  std::string_view name;
};
inline constexpr type_name type_names[] = {{dtype::f32, "<f4"}, {dtype::f64, "<f8"}, {dtype::f16, "<f2"},
                                           {dtype::i64, "<i8"}, {dtype::i32, "<i4"}, {dtype::i16, "<i2"},
                                           {dtype::i8, "|i1"},  {dtype::u64, "<u8"}, {dtype::u32, "<u4"},
                                           {dtype::u16, "<u2"}, {dtype::u8, "|u1"},  {dtype::boolean, "|b1"}};

struct header {
  extents shape;
  dtype type = dtype::f32;
  bool fortran = false;  ///< the first axis is the innermost
};

/// The header of a file: a Python dictionary literal with the keys descr, fortran_order and shape, as NumPy writes it.
class header_parser {
 public:
  header_parser(std::string_view text, std::size_t offset, const std::string& source)
      : text_(text), offset_(offset), source_(source) {}

  header parse(const budget& limits) {
    std::optional<bool> fortran;
    std::optional<dtype> type;
    std::optional<extents> shape;
    expect('{');
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !type) {
        const std::string_view name = quoted();
        for (const type_name& known : type_names)
          if (known.name == name) type = known.type;
        if (!type)
          fail("element type '" + std::string(name.substr(0, 16)) +
               "', expected one of <f4 <f8 <f2 <i8 <i4 <i2 |i1 <u8 <u4 <u2 |u1 |b1");
      } else if (key == "fortran_order" && !fortran) {
        const std::string_view truth = word();
        if (truth != "False" && truth != "True") fail("'fortran_order', expected True or False");
        fortran = truth == "True";
      } else if (key == "shape" && !shape) {
        shape = tuple(limits);
      } else {
        fail("key '" + std::string(key.substr(0, 16)) + "', expected 'descr', 'fortran_order' and 'shape', each once");
      }
      if (take('}')) break;
      expect(',');
    }
    skip();
    if (at_ != text_.size()) fail("characters after the header's dictionary");
    if (!type || !fortran || !shape) fail("a key is missing, expected 'descr', 'fortran_order' and 'shape'");
    return {*shape, *type, *fortran};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw error(source_ + ": byte " + std::to_string(offset_ + at_) + ": " + what);
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "' in the header");
  }
  std::string_view quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    if (quote != '\'' && quote != '"') fail("expected a quoted word in the header");
    const std::size_t first = ++at_, last = text_.find(quote, first);
    if (last == std::string_view::npos) fail("a quoted word does not end");
    at_ = last + 1;
    return text_.substr(first, last - first);
  }
  std::string_view word() {
    skip();
    const std::size_t first = at_;
    while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || (text_[at_] >= 'A' && text_[at_] <= 'Z')))
      ++at_;
    return text_.substr(first, at_ - first);
  }
  extents tuple(const budget& limits) {
    extents shape;
    expect('(');
    while (!take(')')) {
      if (shape.rank == max_rank) fail("more than " + std::to_string(max_rank) + " dimensions");
      skip();
      int extent = 0;
      const char* const end = text_.data() + text_.size();
      const auto [after, problem] = std::from_chars(text_.data() + at_, end, extent);
      if (problem != std::errc() || extent < 0) fail("expected an extent of 0 or more");
      at_ = static_cast<std::size_t>(after - text_.data());
      shape.push_back(extent);
      if (take(')')) break;
      expect(',');
    }
    if (!within(shape, limits.value_elements))
      fail("shape " + describe(shape) + " has more elements than the limit, " + std::to_string(limits.value_elements));
    return shape;
  }

  std::string_view text_;
  std::size_t offset_;
  const std::string& source_;
  std::size_t at_ = 0;
};

inline constexpr std::string_view magic{"\x93NUMPY", 6};

}  // namespace detail

/// Where the header's text is in a file of `size` bytes that begins with `first`: twelve bytes, or all if there are
/// less.
struct header_place {
  std::size_t start = 0, length = 0;
};
inline header_place find_header(std::string_view first, std::uint64_t size, const std::string& source) {
  if (!first.starts_with(detail::magic)) throw error(source + ": byte 0: not an .npy file, expected \\x93NUMPY");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(first[i])); };
  const auto require = [&](std::size_t n) {
    if (first.size() < n) throw error(source + ": byte " + std::to_string(size) + ": the file ends in its header");
  };
  require(10);
  const std::size_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    throw error(source + ": byte 6: version " + std::to_string(version) + "." + std::to_string(byte(7)) +
                ", expected 1.0, 2.0 or 3.0");
  header_place at{version == 1 ? 10u : 12u, byte(8) + (byte(9) << 8)};
  require(at.start);
  if (version > 1) at.length += (byte(10) << 16) + (byte(11) << 24);
  if (at.length > size - at.start)
    throw error(source + ": byte 8: a header of " + std::to_string(at.length) + " bytes, the file has " +
                std::to_string(size - at.start) + " more");
  return at;
}

/// What the header says, if it is right for a file of `size` bytes.
inline detail::header parse_header(std::string_view text, const header_place& at, std::uint64_t size,
                                   const std::string& source, const budget& limits) {
  const detail::header h = detail::header_parser(text, at.start, source).parse(limits);
  const std::uint64_t needed = ir::tensor_file::bytes_of({h.type, h.shape}), data = size - at.start - at.length;
  if (data != needed)
    throw error(source + ": byte " + std::to_string(at.start + at.length) + ": " + std::to_string(data) +
                " bytes of numbers, shape " + describe(h.shape) + " needs " + std::to_string(needed));
  if (needed > limits.memory_bytes)
    throw error(source + ": " + std::to_string(needed) + " bytes of numbers, the limit is " +
                std::to_string(limits.memory_bytes));
  return h;
}

/// Numbers that stand in Fortran order move to where C order has them.
inline void to_c_order(std::span<std::byte> numbers, const extents& shape, dtype type) {
  if (shape.rank < 2 || numbers.empty()) return;
  const std::vector<std::byte> from(numbers.begin(), numbers.end());
  const auto size = static_cast<std::size_t>(size_of(type));
  std::size_t steps[max_rank] = {1};
  for (int k = 1; k < shape.rank; ++k) steps[k] = steps[k - 1] * static_cast<std::size_t>(shape[k - 1]);
  int at[max_rank] = {};
  std::size_t offset = 0;
  for (std::size_t i = 0; i < numbers.size(); i += size) {
    std::memcpy(&numbers[i], &from[offset * size], size);
    for (int k = shape.rank - 1; k >= 0; --k) {
      offset += steps[k];
      if (++at[k] < shape[k]) break;
      offset -= steps[k] * static_cast<std::size_t>(at[k]);
      at[k] = 0;
    }
  }
}

/// Throws ctnn::error with the byte and what was expected there; `source` names the file in it.
inline array parse(std::string_view bytes, const std::string& source, const budget& limits = {}) {
  const header_place at = find_header(bytes, bytes.size(), source);
  const auto [shape, type, fortran] = parse_header(bytes.substr(at.start, at.length), at, bytes.size(), source, limits);
  const std::string_view data = bytes.substr(at.start + at.length);
  array out(shape, type);
  if (!data.empty()) std::memcpy(out.bytes().data(), data.data(), data.size());
  if (fortran) to_c_order(out.bytes(), shape, type);
  ir::as_read(out);
  return out;
}

inline array read(const std::string& path, const budget& limits = {}) {
  const byte_buffer bytes = read_file(path, limits);
  return parse(as_text(bytes), path, limits);
}

/// The bytes of a version 1.0 file, its numbers aligned to 64 bytes as NumPy's are. Throws ctnn::error for bf16.
inline std::string write(const array& values) {
  const auto type = std::find_if(std::begin(detail::type_names), std::end(detail::type_names),
                                 [&](const detail::type_name& t) { return t.type == values.type(); });
  if (type == std::end(detail::type_names))
    throw error(".npy files cannot hold " + std::string(name_of(values.type())));
  std::string shape;
  for (int i = 0; i < values.shape().rank; ++i)
    shape += std::to_string(values.shape()[i]) + (i == 0 || i + 1 < values.shape().rank ? "," : "") +
             (i + 1 < values.shape().rank ? " " : "");
  std::string header =
      "{'descr': '" + std::string(type->name) + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out(detail::magic);
  out += '\1';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  const std::size_t start = out.size();
  out.append(reinterpret_cast<const char*>(values.bytes().data()), values.bytes().size());
  swap_from_file(std::as_writable_bytes(std::span(out)).subspan(start),
                 static_cast<std::size_t>(size_of(values.type())));
  return out;
}

}  // namespace ctnn::npy
