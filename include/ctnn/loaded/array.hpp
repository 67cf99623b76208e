// SPDX-License-Identifier: BSL-1.0
// Numbers with a shape and a type that own their memory: what goes into a loaded model and comes out. Weights have
// theirs from a source, when somebody looks at them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../base/byte_order.hpp"
#include "../base/dtype.hpp"
#include "../base/error.hpp"
#include "../base/half.hpp"
#include "../base/shape.hpp"
#include "../base/typed_span.hpp"
#include "../base/describe.hpp"
#include "aligned_memory.hpp"
#include "number_source.hpp"

namespace ctnn {

/// Row-major in the order of the shape. float32 unless another type is asked for; data(), values() and [] are for
/// float32, elements<T>() for the rest.
class array {
 public:
  array() = default;
  /// Zeros.
  explicit array(const extents& shape, dtype type = dtype::f32) : array(empty(shape, type)) {
    if (bytes_.size() > 0) std::memset(bytes_.data(), 0, bytes_.size());
  }
  /// Throws ctnn::error if there are not as many values as the shape has elements.
  array(const extents& shape, std::span<const float> values) : shape_(shape) {
    require_size(shape, values.size());
    bytes_ = std::as_bytes(values);
  }
  /// torch.empty: elements that are not initialised.
  static array empty(const extents& shape, dtype type = dtype::f32) {
    array a;
    a.shape_ = shape;
    a.type_ = type;
    a.bytes_ = ir::byte_buffer(static_cast<std::size_t>(shape.count() * size_of(type)));
    return a;
  }
  /// The same without a copy: the caller's numbers, which must stay where they are while the array and its copies live.
  static array from_blob(const extents& shape, std::span<const float> values);

  /// Numbers that `source` has, asked for once, when they are looked at: that may throw ctnn::error.
  array(const extents& shape, dtype type, std::shared_ptr<const number_source> source)
      : shape_(shape), type_(type), later_(std::make_shared<const taken_later>(std::move(source))) {}

  const extents& shape() const { return shape_; }
  dtype type() const { return type_; }
  std::size_t size() const { return static_cast<std::size_t>(shape_.count()); }
  std::span<std::byte> bytes() { return own(), bytes_; }
  std::span<const std::byte> bytes() const { return later_ ? later_->bytes() : std::span<const std::byte>(bytes_); }
  /// Where they come from, if that is not this array alone; then bytes are not in memory before somebody looks.
  const std::shared_ptr<const number_source>& source() const {
    static const std::shared_ptr<const number_source> none;
    return later_ ? later_->source : none;
  }

  /// The elements as Ts; the caller knows the type (T has its size).
  template <class T>
  std::span<T> elements() {
    const std::span<std::byte> all = bytes();
    return {static_cast<T*>(static_cast<void*>(all.data())), all.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> elements() const {
    const std::span<const std::byte> all = bytes();
    return {static_cast<const T*>(static_cast<const void*>(all.data())), all.size() / sizeof(T)};
  }

  float* data() { return values().data(); }
  const float* data() const { return values().data(); }
  std::span<float> values() & { return require_f32(), elements<float>(); }
  std::span<const float> values() && = delete;  ///< of an array that is gone at the end of the line
  std::span<const float> values() const& { return require_f32(), elements<float>(); }
  float operator[](std::size_t i) const { return values()[i]; }

 private:
  static void require_size(const extents& shape, std::size_t size) {
    if (static_cast<std::int64_t>(size) != shape.count())
      throw error("array of shape " + ir::describe(shape) + " needs " + std::to_string(shape.count()) +
                  " values, got " + std::to_string(size));
  }
  void require_f32() const {
    if (type_ != dtype::f32) throw error("array holds " + std::string(name_of(type_)) + ", not f32");
  }

  /// What the source gave; copies of an array share it.
  struct taken_later {
    explicit taken_later(std::shared_ptr<const number_source> from) : source(std::move(from)) {}
    std::span<const std::byte> bytes() const {
      std::call_once(taken, [&] { all = source->bytes(memory); });
      return all;
    }
    std::shared_ptr<const number_source> source;
    mutable std::once_flag taken;
    mutable ir::byte_buffer memory;
    mutable std::span<const std::byte> all;
  };
  /// Before somebody writes.
  void own() {
    if (!later_) return;
    bytes_ = later_->bytes();
    later_ = nullptr;
  }

  extents shape_{0};
  dtype type_ = dtype::f32;
  ir::byte_buffer bytes_;
  std::shared_ptr<const taken_later> later_;
};

/// Numbers in memory of somebody else's.
class numbers_elsewhere final : public number_source {
 public:
  explicit numbers_elsewhere(std::span<const std::byte> numbers) : numbers_(numbers) {}
  std::span<const std::byte> bytes(ir::byte_buffer&) const override { return numbers_; }

 private:
  std::span<const std::byte> numbers_;
};

inline array array::from_blob(const extents& shape, std::span<const float> values) {
  require_size(shape, values.size());
  return array(shape, dtype::f32, std::make_shared<numbers_elsewhere>(std::as_bytes(values)));
}

/// Numbers that several nodes, models and programs may share.
using shared_array = std::shared_ptr<const array>;

/// Numbers in memory that are the same whoever comes to them.
class kept_numbers final : public number_source {
 public:
  explicit kept_numbers(shared_array numbers) : numbers_(std::move(numbers)) {}
  std::span<const std::byte> bytes(ir::byte_buffer&) const override { return numbers_->bytes(); }

 private:
  shared_array numbers_;
};

/// The same numbers, in memory no longer than somebody has what is returned.
inline shared_array taken_anew(const shared_array& a) {
  return a && a->source() ? std::make_shared<const array>(a->shape(), a->type(), a->source()) : a;
}

inline bool same_bytes(const array& a, const array& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

namespace ir {
/// Elements of a type as files have them become this machine's.
inline void as_read(std::span<std::byte> bytes, dtype type, std::endian machine = std::endian::native) {
  swap_from_file(bytes, static_cast<std::size_t>(size_of(type)), machine);
  if (type == dtype::boolean)
    for (std::byte& b : bytes) b = static_cast<std::byte>(b != std::byte{0});
}
inline void as_read(array& a) { as_read(a.bytes(), a.type()); }
}  // namespace ir

inline typed_span span_of(const array& a) {
  switch (a.type()) {
#define CTNN_CASE(name, T) \
  case dtype::name: return typed_span(a.elements<T>());
    CTNN_ELEMENTS(CTNN_CASE)
#undef CTNN_CASE
  }
  return {};
}

/// Element i as a double.
inline double number_at(const array& a, std::size_t i) {
  switch (a.type()) {
    case dtype::f32: return static_cast<double>(a.elements<float>()[i]);
    case dtype::f64: return a.elements<double>()[i];
    case dtype::f16: return static_cast<double>(half_to_float(a.elements<std::uint16_t>()[i]));
    case dtype::bf16: return static_cast<double>(bfloat_to_float(a.elements<std::uint16_t>()[i]));
    case dtype::i64: return static_cast<double>(a.elements<std::int64_t>()[i]);
    case dtype::i32: return a.elements<std::int32_t>()[i];
    case dtype::i16: return a.elements<std::int16_t>()[i];
    case dtype::i8: return a.elements<std::int8_t>()[i];
    case dtype::u64: return static_cast<double>(a.elements<std::uint64_t>()[i]);
    case dtype::u32: return a.elements<std::uint32_t>()[i];
    case dtype::u16: return a.elements<std::uint16_t>()[i];
    case dtype::u8:
    case dtype::boolean: return a.elements<std::uint8_t>()[i];
  }
  return 0;
}

/// What a network has been fed, by input name.
using arrays_by_name = std::map<std::string, array, std::less<>>;

}  // namespace ctnn
