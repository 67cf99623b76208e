// SPDX-License-Identifier: BSL-1.0
// An ncnn weight file: arrays one after the other, without names; the layers say how long each is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "../../base/byte_order.hpp"
#include "../../base/compiled.hpp"
#include "../../base/error.hpp"
#include "../../base/half.hpp"
#include "../../loaded/array.hpp"
#include "../../loaded/budget.hpp"
#include "../file_part.hpp"

namespace ctnn::ncnn {

/// What the four bytes before a tagged array say; any other value but 0 announces a code book.
enum class weight_tag : std::uint32_t { fp32 = 0, fp16 = 0x01306B47, int8 = 0x000D4B38, fp32_scaled = 0x0002C056 };

/// An array as it is stored: one of the two is empty.
struct stored_weights {
  std::vector<std::int8_t> bytes;
  std::vector<float> floats;
};

/// Reads arrays in file order; every length is compared with what is left before anything is allocated.
/// `owner` is the layer's name, for messages.
class bin_reader {
 public:
  bin_reader(std::span<const std::byte> bytes, std::string source, const budget& limits = {});
  /// Of an open file, an array at a time. Large ones are read when somebody looks at them; `known` has where they lie,
  /// so that all networks made of the file have the same sources.
  bin_reader(std::shared_ptr<const data_file> file, std::string source, const budget& limits, source_table& known);
  /// The same of bytes that arrays share.
  bin_reader(std::shared_ptr<const std::vector<std::byte>> bytes, std::string source, const budget& limits,
             source_table& known);

  /// Answers every array with zeros, for an architecture without weights.
  static bin_reader zeros(const budget& limits = {});

  bool gives_zeros() const { return zeros_; }

  /// n floats without a tag.
  std::vector<float> raw(std::int64_t n, const std::string& owner);

  /// n floats in the encoding that their tag names.
  std::vector<float> tagged(std::int64_t n, const std::string& owner);

  /// What raw() and tagged() read, of a shape, as the file has it: half precision stays half precision.
  shared_array stored_raw(const extents& shape, const std::string& owner);
  shared_array stored(const extents& shape, const std::string& owner);
  /// The same for layers that have scales for int8 weights.
  stored_weights tagged_or_int8(std::int64_t n, const std::string& owner);

  /// To be called after the last layer: the file ends here, or it belongs to another network.
  void finish() const;

  std::size_t position() const { return at_; }

  /// Asks the budget for memory for n numbers that are made from those read.
  void take_memory(std::int64_t n, const std::string& owner);

 private:
  std::size_t allowed(std::int64_t n, const std::string& owner);

  /// Is an array large enough to be read later, and from where it stays?
  bool waits(const extents& shape, dtype type) const;
  /// The next numbers, read later.
  shared_array part(const extents& shape, dtype type, const std::string& owner);

  void require(std::size_t n, const std::string& owner) const;
  /// The next n bytes, valid until the next call.
  std::span<const std::byte> take(std::size_t n, const std::string& owner);
  bool is_next(weight_tag tag, const std::string& owner);
  /// n bytes and their padding to a multiple of four.
  std::span<const std::byte> take_padded(std::size_t n, const std::string& owner);

  static std::uint32_t word(const std::byte* p);
  static std::uint16_t half(const std::byte* p);
  std::vector<float> floats(std::size_t n, const std::string& owner);
  std::vector<float> halves(std::size_t n, const std::string& owner);
  std::vector<float> coded(std::size_t n, const std::string& owner);

  static constexpr const char* changed = "the file cannot be read or has changed since it was opened";
  std::string complaint(std::size_t at, const std::string& owner, const std::string& what) const;
  [[noreturn]] void fail(const std::string& owner, const std::string& what) const;

  std::span<const std::byte> bytes_;  ///< or the file
  std::shared_ptr<const std::vector<std::byte>> shared_;
  std::shared_ptr<const data_file> file_;
  std::vector<std::byte> part_;  ///< of the file
  std::size_t size_ = 0;
  std::string source_;
  budget limits_;
  source_table* known_ = nullptr;
  std::size_t at_ = 0;
  bool zeros_ = false;
};

#if CTNN_DEFINES(CTNN_PART_NCNN_READER)

CTNN_ONCE bin_reader::bin_reader(std::span<const std::byte> bytes, std::string source, const budget& limits)
    : bytes_(bytes), size_(bytes.size()), source_(std::move(source)), limits_(limits) {}

CTNN_ONCE bin_reader::bin_reader(std::shared_ptr<const data_file> file, std::string source, const budget& limits,
                                 source_table& known)
    : file_(std::move(file)),
      size_(static_cast<std::size_t>(file_->size())),
      source_(std::move(source)),
      limits_(limits),
      known_(&known) {}

CTNN_ONCE bin_reader::bin_reader(std::shared_ptr<const std::vector<std::byte>> bytes, std::string source,
                                 const budget& limits, source_table& known)
    : bytes_(*bytes),
      shared_(std::move(bytes)),
      size_(bytes_.size()),
      source_(std::move(source)),
      limits_(limits),
      known_(&known) {}

CTNN_ONCE bin_reader bin_reader::zeros(const budget& limits) {
  bin_reader r({}, "zeros", limits);
  r.zeros_ = true;
  return r;
}

CTNN_ONCE std::vector<float> bin_reader::raw(std::int64_t n, const std::string& owner) {
  if (zeros_) return std::vector<float>(allowed(n, owner));
  return floats(allowed(n, owner), owner);
}

CTNN_ONCE std::vector<float> bin_reader::tagged(std::int64_t n, const std::string& owner) {
  const std::size_t size = allowed(n, owner);
  if (zeros_) return std::vector<float>(size);
  const std::uint32_t tag = word(take(4, owner).data());
  switch (static_cast<weight_tag>(tag)) {
    case weight_tag::fp32:
    case weight_tag::fp32_scaled: return floats(size, owner);
    case weight_tag::fp16: return halves(size, owner);
    case weight_tag::int8: at_ -= 4; fail(owner, "int8 weights in a layer that says nothing of scales");
  }
  return coded(size, owner);
}

CTNN_ONCE shared_array bin_reader::stored_raw(const extents& shape, const std::string& owner) {
  if (!waits(shape, dtype::f32)) return std::make_shared<const array>(shape, raw(shape.count(), owner));
  static_cast<void>(allowed(shape.count(), owner));
  return part(shape, dtype::f32, owner);
}

CTNN_ONCE shared_array bin_reader::stored(const extents& shape, const std::string& owner) {
  const std::int64_t n = shape.count();
  if (zeros_) return std::make_shared<const array>((static_cast<void>(allowed(n, owner)), shape));
  if (is_next(weight_tag::fp16, owner)) {
    const std::size_t size = allowed(n, owner);
    at_ += 4;
    if (waits(shape, dtype::f16)) return part(shape, dtype::f16, owner);
    array out(shape, dtype::f16);
    const auto from = take_padded(2 * size, owner);
    for (std::size_t i = 0; i < size; ++i) out.elements<std::uint16_t>()[i] = half(&from[2 * i]);
    return std::make_shared<const array>(std::move(out));
  }
  if (waits(shape, dtype::f32) && (is_next(weight_tag::fp32, owner) || is_next(weight_tag::fp32_scaled, owner))) {
    static_cast<void>(allowed(n, owner));
    at_ += 4;
    return part(shape, dtype::f32, owner);
  }
  return std::make_shared<const array>(shape, tagged(n, owner));
}

CTNN_ONCE stored_weights bin_reader::tagged_or_int8(std::int64_t n, const std::string& owner) {
  if (zeros_ || !is_next(weight_tag::int8, owner)) return {{}, tagged(n, owner)};
  const std::size_t size = allowed(n, owner);
  at_ += 4;
  const auto from = take_padded(size, owner);
  stored_weights out{std::vector<std::int8_t>(size), {}};
  if (size != 0) std::memcpy(out.bytes.data(), from.data(), size);
  return out;
}

CTNN_ONCE void bin_reader::finish() const {
  if (at_ != size_)
    throw error(source_ + ": byte " + std::to_string(at_) + ": expected the end of the file, " +
                std::to_string(size_ - at_) + " bytes follow");
}

CTNN_ONCE void bin_reader::take_memory(std::int64_t n, const std::string& owner) {
  const auto bytes = checked_multiply(n, static_cast<std::int64_t>(sizeof(float)));
  if (!bytes || !limits_.take(static_cast<std::uint64_t>(*bytes)))
    fail(owner, std::to_string(n) + " numbers are more than the memory budget has left: " +
                    over_memory(bytes ? static_cast<std::uint64_t>(*bytes) : 0, limits_));
}

CTNN_ONCE std::size_t bin_reader::allowed(std::int64_t n, const std::string& owner) {
  const auto bytes = checked_multiply(n, static_cast<std::int64_t>(sizeof(float)));
  if (!bytes) fail(owner, "array of " + std::to_string(n) + " numbers");
  // Eight bits a number is the tersest encoding there is.
  if (!zeros_ && static_cast<std::uint64_t>(n) > size_ - at_)
    fail(owner, std::to_string(n) + " numbers expected, " + std::to_string(size_ - at_) + " bytes left");
  take_memory(n, owner);
  return static_cast<std::size_t>(n);
}

CTNN_ONCE bool bin_reader::waits(const extents& shape, dtype type) const {
  constexpr std::int64_t most_bytes_read = 1024;
  return known_ && shape.count() > most_bytes_read / size_of(type);
}

CTNN_ONCE shared_array bin_reader::part(const extents& shape, dtype type, const std::string& owner) {
  const auto size = static_cast<std::size_t>(shape.count() * size_of(type)), from = at_;
  require((size + 3) / 4 * 4, owner);
  at_ += (size + 3) / 4 * 4;
  const auto where = [&]() -> std::shared_ptr<const number_source> {
    if (shared_) return std::make_shared<const memory_part>(shared_, from, size, type);
    return std::make_shared<const file_part>(file_, static_cast<std::int64_t>(from), static_cast<std::int64_t>(size),
                                             type, complaint(from, owner, changed));
  };
  const std::string name = std::to_string(from) + std::string(name_of(type));
  return std::make_shared<const array>(shape, type, known_->find(name, where));
}

CTNN_ONCE void bin_reader::require(std::size_t n, const std::string& owner) const {
  if (n > size_ - at_) fail(owner, std::to_string(n) + " bytes expected, " + std::to_string(size_ - at_) + " left");
}

CTNN_ONCE std::span<const std::byte> bin_reader::take(std::size_t n, const std::string& owner) {
  require(n, owner);
  if (file_) {
    part_.resize(n);
    if (!file_->read(static_cast<std::int64_t>(at_), part_)) fail(owner, changed);
  }
  at_ += n;
  return file_ ? part_ : bytes_.subspan(at_ - n, n);
}

CTNN_ONCE bool bin_reader::is_next(weight_tag tag, const std::string& owner) {
  if (size_ - at_ < 4) return false;
  const std::uint32_t next = word(take(4, owner).data());
  at_ -= 4;
  return next == static_cast<std::uint32_t>(tag);
}

CTNN_ONCE std::span<const std::byte> bin_reader::take_padded(std::size_t n, const std::string& owner) {
  return take((n + 3) / 4 * 4, owner).first(n);
}

CTNN_ONCE std::uint32_t bin_reader::word(const std::byte* p) {
  std::uint32_t w = 0;
  for (unsigned i = 0; i < 4; ++i) w |= std::to_integer<std::uint32_t>(p[i]) << 8 * i;
  return w;
}

CTNN_ONCE std::uint16_t bin_reader::half(const std::byte* p) {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(p[1]) << 8 | std::to_integer<unsigned>(p[0]));
}

CTNN_ONCE std::vector<float> bin_reader::floats(std::size_t n, const std::string& owner) {
  const auto from = take(4 * n, owner);
  std::vector<float> out(n);
  std::copy(from.begin(), from.end(), std::as_writable_bytes(std::span(out)).begin());
  swap_from_file(std::as_writable_bytes(std::span(out)), sizeof(float));
  return out;
}

CTNN_ONCE std::vector<float> bin_reader::halves(std::size_t n, const std::string& owner) {
  const auto from = take_padded(2 * n, owner);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = half_to_float(half(&from[2 * i]));
  return out;
}

CTNN_ONCE std::vector<float> bin_reader::coded(std::size_t n, const std::string& owner) {
  const std::vector<float> book = floats(256, owner);
  const auto from = take_padded(n, owner);
  std::vector<float> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = book[std::to_integer<unsigned>(from[i])];
  return out;
}

CTNN_ONCE std::string bin_reader::complaint(std::size_t at, const std::string& owner, const std::string& what) const {
  return source_ + ": byte " + std::to_string(at) + ": layer '" + owner + "': " + what;
}

CTNN_ONCE void bin_reader::fail(const std::string& owner, const std::string& what) const {
  throw error(complaint(at_, owner, what));
}

#endif

}  // namespace ctnn::ncnn
