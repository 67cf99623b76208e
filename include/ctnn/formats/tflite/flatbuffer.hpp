// SPDX-License-Identifier: BSL-1.0
// FlatBuffers, read where they lie: tables, vectors and strings, every offset checked before it is followed.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "../../base/byte_order.hpp"
#include "../../base/error.hpp"

namespace ctnn::tflite {

/// The bytes of a file, and what its reading has cost.
class flatbuffer {
 public:
  flatbuffer(std::span<const std::byte> bytes, std::string source)
      : bytes_(bytes), source_(std::move(source)), left_(std::uint64_t{most_times_read} * bytes.size() + 4096) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::span<const std::byte> bytes() const { return bytes_; }

  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw error(source_ + ": byte " + std::to_string(at) + ": " + what);
  }
  /// Whether [at, at + count) is in the file. Neither wraps: a file is far below 2^63 bytes.
  void require(std::uint64_t at, std::uint64_t count, const char* what) const {
    if (at > size() || count > size() - at) fail(at, std::string(what) + " ends behind the file, or it is cut off");
  }
  void require_aligned(std::uint64_t at, std::uint64_t to, const char* what) const {
    if (at % to != 0) fail(at, std::string(what) + " is not at a multiple of " + std::to_string(to) + " bytes");
  }
  /// Vectors and tables may be shared, so that a small file says much. Not without end.
  void charge(std::uint64_t at, std::uint64_t bytes) const {
    if (bytes > left_) fail(at, "the same bytes are used too many times");
    left_ -= bytes;
  }

  template <class T>
  T number(std::uint64_t at, const char* what = "a number") const {
    require(at, sizeof(T), what);
    std::byte raw[sizeof(T)];
    std::memcpy(raw, bytes_.data() + at, sizeof(T));
    ir::swap_from_file(raw, sizeof(T));
    return std::bit_cast<T>(raw);
  }
  /// Where the offset at `at` leads: forwards, to what begins with four bytes.
  std::uint64_t follow(std::uint64_t at, const char* what) const {
    require_aligned(at, 4, what);
    const std::uint32_t offset = number<std::uint32_t>(at, what);
    const std::uint64_t to = at + offset;
    if (offset == 0) fail(at, std::string(what) + ": an offset of 0");
    require(to, 4, what);
    require_aligned(to, 4, what);
    return to;
  }

 private:
  static constexpr std::uint64_t most_times_read = 16;

  std::span<const std::byte> bytes_;
  std::string source_;
  mutable std::uint64_t left_;
};

class table;

/// Numbers, or (of T = table or std::string_view) offsets to what they are.
template <class T>
class vector {
 public:
  vector() = default;
  vector(const flatbuffer& file, std::uint64_t at, const char* what) : file_(&file), begin_(at + 4), what_(what) {
    size_ = file.number<std::uint32_t>(at, what);
    file.require(begin_, size_ * each, what);
    if constexpr (std::is_arithmetic_v<T>) file.require_aligned(size_ == 0 ? 0 : begin_, sizeof(T), what);
    file.charge(at, size_ * each + 4);
  }
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  bool empty() const { return size_ == 0; }
  std::uint64_t begins() const { return begin_; }
  T operator[](std::size_t i) const;
  /// Of bytes.
  std::span<const std::byte> bytes() const {
    static_assert(sizeof(T) == 1);
    return empty() ? std::span<const std::byte>{} : file_->bytes().subspan(static_cast<std::size_t>(begin_), size());
  }

 private:
  static constexpr std::uint64_t each = std::is_arithmetic_v<T> ? sizeof(T) : 4;

  const flatbuffer* file_ = nullptr;
  std::uint64_t begin_ = 0, size_ = 0;
  const char* what_ = "";
};

/// A table: fields by their number in the schema, missing ones as what the schema says.
class table {
 public:
  table(const flatbuffer& file, std::uint64_t at, const char* what) : file_(&file), at_(at), what_(what) {
    file.require_aligned(at, 4, what);
    const std::int64_t fields = static_cast<std::int64_t>(at) - file.number<std::int32_t>(at, what);
    if (fields < 0) file.fail(at, std::string(what) + ": its list of fields is in front of the file");
    fields_ = static_cast<std::uint64_t>(fields);
    file.require_aligned(fields_, 2, what);
    const auto list = file.number<std::uint16_t>(fields_, what), own = file.number<std::uint16_t>(fields_ + 2, what);
    if (list < 4 || list % 2 != 0 || own < 4)
      file.fail(fields_, std::string(what) + ": a list of fields of " + std::to_string(list) + " bytes for " +
                             std::to_string(own) + " bytes");
    file.require(fields_, list, what);
    file.require(at, own, what);
    count_ = (list - 4u) / 2;
    size_ = own;
    file.charge(at, std::uint64_t{list} + own);
  }
  static table root(const flatbuffer& file, const char* what) { return {file, file.follow(0, what), what}; }

  std::uint64_t begins() const { return at_; }
  [[noreturn]] void fail(const std::string& why) const { file_->fail(at_, std::string(what_) + ": " + why); }
  int field_count() const { return static_cast<int>(count_); }
  bool has(int field) const { return place(field, 1) != 0; }

  template <class T>
  T number(int field, T otherwise = {}) const {
    const std::uint64_t at = place(field, sizeof(T));
    return at ? file_->number<T>(at, what_) : otherwise;
  }
  bool flag(int field, bool otherwise = false) const { return number<std::uint8_t>(field, otherwise) != 0; }
  template <class T>
  tflite::vector<T> vector(int field, const char* what) const {
    const std::uint64_t at = place(field, 4);
    return at ? tflite::vector<T>(*file_, file_->follow(at, what), what) : tflite::vector<T>();
  }
  std::optional<table> child(int field, const char* what) const {
    const std::uint64_t at = place(field, 4);
    if (!at) return {};
    return table(*file_, file_->follow(at, what), what);
  }
  std::string_view text(int field, const char* what) const {
    const std::uint64_t at = place(field, 4);
    return at ? text_at(*file_, file_->follow(at, what), what) : std::string_view();
  }
  static std::string_view text_at(const flatbuffer& file, std::uint64_t at, const char* what) {
    const tflite::vector<std::uint8_t> letters(file, at, what);
    const std::uint64_t end = letters.begins() + letters.size();
    if (file.number<std::uint8_t>(end, what) != 0) file.fail(end, std::string(what) + " does not end with a zero byte");
    const std::span<const std::byte> bytes = letters.bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  /// Where a field of `size` bytes is; 0 if it is missing.
  std::uint64_t place(int field, std::uint64_t size) const {
    if (static_cast<std::uint64_t>(field) >= count_) return 0;
    const auto offset = file_->number<std::uint16_t>(fields_ + 4 + 2 * static_cast<std::uint64_t>(field), what_);
    if (offset == 0) return 0;
    if (offset < 4 || offset + size > size_)
      file_->fail(fields_, std::string(what_) + ": field " + std::to_string(field) + " is at " +
                               std::to_string(offset) + " of " + std::to_string(size_) + " bytes");
    file_->require_aligned(at_ + offset, size, what_);
    return at_ + offset;
  }

  const flatbuffer* file_;
  std::uint64_t at_ = 0, fields_ = 0, count_ = 0, size_ = 0;
  const char* what_;
};

template <class T>
T vector<T>::operator[](std::size_t i) const {
  if constexpr (std::is_arithmetic_v<T>) {
    return file_->number<T>(begin_ + i * sizeof(T), what_);
  } else {
    const std::uint64_t at = file_->follow(begin_ + i * 4, what_);
    if constexpr (std::is_same_v<T, table>) return table(*file_, at, what_);
    else return table::text_at(*file_, at, what_);
  }
}

}  // namespace ctnn::tflite
