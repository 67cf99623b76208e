// SPDX-License-Identifier: BSL-1.0
// Tensors by name from a .safetensors file (huggingface.co/docs/safetensors, "Format"): eight bytes with the length of
// a header, little-endian; the header, JSON with type, shape and place of each tensor; their numbers, row by row.
// Needs nlohmann's JSON (Debian: nlohmann-json3-dev).
//
// As strict as the format's own reader: no key twice, no byte of the numbers that belongs to no tensor or to two.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tensor_file.hpp"

namespace ctnn::safetensors {

using entry = ir::tensor_entry;
using entries = ir::tensor_entries;

namespace detail {

struct type_name {
  dtype type;
  std::string_view name;
};
inline constexpr type_name type_names[] = {
    {dtype::f32, "F32"}, {dtype::f16, "F16"}, {dtype::bf16, "BF16"},   {dtype::f64, "F64"}, {dtype::i64, "I64"},
    {dtype::i32, "I32"}, {dtype::i16, "I16"}, {dtype::i8, "I8"},       {dtype::u64, "U64"}, {dtype::u32, "U32"},
    {dtype::u16, "U16"}, {dtype::u8, "U8"},   {dtype::boolean, "BOOL"}};

/// The header as it is read, without a tree of it in memory: whatever it holds is checked where it stands.
class header_reader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  header_reader(const std::string& source, const budget& limits) : source_(source), limits_(limits) {}
  entries read;

  bool start_object(std::size_t) override {
    if (++depth_ == 1) return true;
    if (depth_ == 2 && !in_array_) return seen_ = 0, true;
    return refuse("an object, expected a type, a shape or data_offsets");
  }
  bool end_object() override {
    if (--depth_ == 1 && !about_file_) {
      if (seen_ != has_all) return refuse("a key is missing, expected 'dtype', 'shape' and 'data_offsets'");
      read.emplace(name_, one_);
    }
    if (depth_ == 1) about_file_ = false;
    return true;
  }
  bool key(std::string& text) override {
    if (depth_ == 1) {
      if (text.size() > limits_.name_length)
        throw error(source_ + ": a name of " + std::to_string(text.size()) + " characters, the limit is " +
                    std::to_string(limits_.name_length));
      if (names_.size() == limits_.blobs)
        throw error(source_ + ": more tensors than the limit, " + std::to_string(limits_.blobs));
      name_ = text;
      about_file_ = text == "__metadata__";
      one_ = {};
      if (!names_.insert(text).second) return refuse("its name stands twice");
      return true;
    }
    if (about_file_) return true;
    const unsigned bit = text == "dtype"          ? has_type
                         : text == "shape"        ? has_shape
                         : text == "data_offsets" ? has_place
                                                  : 0;
    if (bit == 0 || (seen_ & bit) != 0)
      return refuse("key '" + text.substr(0, 16) + "', expected 'dtype', 'shape' and 'data_offsets', each once");
    seen_ |= bit;
    now_ = bit;
    return true;
  }
  bool string(std::string& text) override {
    if (about_file_ && depth_ == 2) return true;
    if (depth_ != 2 || now_ != has_type || in_array_) return refuse("a string where none belongs");
    for (const type_name& known : type_names)
      if (known.name == text) return one_.type = known.type, now_ = 0, true;
    return refuse("its element type is '" + text.substr(0, 16) + "', which ctnn does not have");
  }
  bool start_array(std::size_t) override {
    if (about_file_ || depth_ != 2 || in_array_ || (now_ != has_shape && now_ != has_place))
      return refuse("a list where none belongs");
    in_array_ = true;
    count_ = 0;
    return true;
  }
  bool end_array() override {
    in_array_ = false;
    if (now_ == has_place && count_ != 2) return refuse("data_offsets are two numbers");
    if (now_ == has_shape && !within(one_.shape, limits_.value_elements))
      return refuse("shape " + ir::describe(one_.shape) + " has more elements than the limit, " +
                    std::to_string(limits_.value_elements));
    now_ = 0;
    return true;
  }
  bool number_unsigned(std::uint64_t n) override {
    if (!in_array_) return refuse("a number where none belongs");
    if (now_ == has_place) {
      if (count_ < 2) (count_ == 0 ? one_.begin : one_.end) = n;
    } else {
      if (one_.shape.rank == max_rank) return refuse("more than " + std::to_string(max_rank) + " dimensions");
      if (n > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return refuse("an extent of " + std::to_string(n));
      one_.shape.push_back(static_cast<int>(n));
    }
    ++count_;
    return true;
  }
  bool null() override { return refuse("null, expected a value"); }
  bool boolean(bool) override { return refuse("a boolean where none belongs"); }
  bool number_integer(std::int64_t n) override {
    return refuse(std::to_string(n) + ", expected a number of 0 or more");
  }
  bool number_float(double, const std::string& text) override {
    return refuse(text.substr(0, 24) + ", expected a whole number");
  }
  bool binary(nlohmann::json::binary_t&) override { return refuse("bytes where none belong"); }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception& what) override {
    throw error(source_ + ": byte " + std::to_string(7 + at) + ": the header is no JSON: " + what.what());
  }

 private:
  static constexpr unsigned has_type = 1, has_shape = 2, has_place = 4, has_all = 7;

  [[noreturn]] bool refuse(const std::string& what) const {
    throw error(source_ + ": tensor '" + name_.substr(0, 80) + "': " + what);
  }

  const std::string& source_;
  const budget& limits_;
  std::set<std::string, std::less<>> names_;
  std::string name_;
  entry one_;
  int depth_ = 0, count_ = 0;
  bool about_file_ = false, in_array_ = false;
  unsigned seen_ = 0, now_ = 0;
};

}  // namespace detail

/// What a header says, if it is right for so many bytes of numbers. Throws ctnn::error; `source` names the file in it.
inline entries parse_header(std::string_view header, std::uint64_t data_bytes, const std::string& source,
                            const budget& limits = {}) {
  detail::header_reader reader(source, limits);
  if (!header.starts_with('{')) throw error(source + ": byte 8: the header does not begin with '{'");
  nlohmann::json::sax_parse(header.begin(), header.end(), &reader);
  // In the order of their places, the tensors lie one after another and fill the file.
  std::vector<const entries::value_type*> placed;
  for (const auto& e : reader.read) placed.push_back(&e);
  std::sort(placed.begin(), placed.end(), [](const auto* a, const auto* b) {
    return std::pair(a->second.begin, a->second.end) < std::pair(b->second.begin, b->second.end);
  });
  std::uint64_t at = 0;
  for (const auto* e : placed) {
    const entry& t = e->second;
    const auto fail = [&](const std::string& what) { throw error(source + ": tensor '" + e->first + "': " + what); };
    const std::uint64_t needed = ir::tensor_file::bytes_of(t);
    if (t.begin != at) fail("its bytes begin at " + std::to_string(t.begin) + ", expected " + std::to_string(at));
    if (t.end < t.begin || t.end - t.begin != needed)
      fail("its bytes end at " + std::to_string(t.end) + ", shape " + ir::describe(t.shape) + " of " +
           std::string(name_of(t.type)) + " needs " + std::to_string(needed));
    at = t.end;
    if (at > data_bytes)
      fail("its bytes end at " + std::to_string(at) + ", the file has " + std::to_string(data_bytes));
  }
  if (at != data_bytes) throw error(source + ": " + std::to_string(data_bytes - at) + " bytes behind the last tensor");
  return reader.read;
}

/// The length of the header of a file of so many bytes that begins with these.
inline std::uint64_t header_length(std::span<const std::byte> beginning, std::uint64_t size,
                                   const std::string& source) {
  if (size < 8 || beginning.size() < 8)
    throw error(source + ": " + std::to_string(size) + " bytes, a .safetensors file has at least 8");
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>(beginning[i]);
  constexpr std::uint64_t longest = 100'000'000;  // the format's own reader's
  if (length > longest || length > size - 8)
    throw error(source + ": byte 0: a header of " + std::to_string(length) + " bytes, the file has " +
                std::to_string(size - 8) + " more" + (length > longest ? " and the format allows 100000000" : ""));
  return length;
}

/// A file that stays open: its header is in memory, numbers are read when they are asked for.
class file final : public ir::tensor_file {
 public:
  explicit file(const std::string& path, const budget& limits = {}) : file(ir::source_of(path, limits), limits) {}
  file(ir::byte_source from, const budget& limits) : tensor_file(std::move(from), limits) {
    std::byte first[8]{};
    if (from_.size >= 8) read_at(0, first);
    const std::uint64_t length = header_length(first, from_.size, path());
    start_ = 8 + length;
    std::vector<std::byte> header(static_cast<std::size_t>(length));
    read_at(8, header);
    tensors_ = parse_header(ir::as_text(header), from_.size - start_, path(), limits);
  }

 private:
  void fill(const entry& t, std::span<std::byte> to) const override { read_at(start_ + t.begin, to); }

  std::uint64_t start_ = 0;
};

}  // namespace ctnn::safetensors
