// SPDX-License-Identifier: BSL-1.0
// Numbers with a shape and a type that own their memory: what goes into a loaded model and comes out.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
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

namespace ctnn {

/// Row-major in the order of the shape. float32 unless another type is asked for; data(), values() and [] are for
/// float32, elements<T>() for the rest.
class array {
 public:
  array() = default;
  explicit array(const extents& shape, dtype type = dtype::f32)
      : shape_(shape), type_(type), bytes_(static_cast<std::size_t>(shape.count() * size_of(type))) {}
  /// Throws ctnn::error if there are not as many values as the shape has elements.
  array(const extents& shape, std::span<const float> values) : array(shape) {
    if (static_cast<std::int64_t>(values.size()) != shape.count())
      throw error("array of shape " + ir::describe(shape) + " needs " + std::to_string(shape.count()) +
                  " values, got " + std::to_string(values.size()));
    if (!values.empty()) std::memcpy(bytes_.data(), values.data(), bytes_.size());
  }

  const extents& shape() const { return shape_; }
  dtype type() const { return type_; }
  std::size_t size() const { return bytes_.size() / static_cast<std::size_t>(size_of(type_)); }
  std::span<std::byte> bytes() { return bytes_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  /// The elements as Ts; the caller knows the type (T has its size).
  template <class T>
  std::span<T> elements() {
    return {static_cast<T*>(static_cast<void*>(bytes_.data())), bytes_.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> elements() const {
    return {static_cast<const T*>(static_cast<const void*>(bytes_.data())), bytes_.size() / sizeof(T)};
  }

  float* data() { return values().data(); }
  const float* data() const { return values().data(); }
  std::span<float> values() & { return require_f32(), elements<float>(); }
  std::span<const float> values() && = delete;  ///< of an array that is gone at the end of the line
  std::span<const float> values() const& { return require_f32(), elements<float>(); }
  float operator[](std::size_t i) const { return values()[i]; }

 private:
  void require_f32() const {
    if (type_ != dtype::f32) throw error("array holds " + std::string(name_of(type_)) + ", not f32");
  }

  extents shape_{0};
  dtype type_ = dtype::f32;
  std::vector<std::byte> bytes_;
};

inline bool same_bytes(const array& a, const array& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

namespace ir {
/// Elements as files have them become this machine's.
inline void as_read(array& a) {
  swap_from_file(a.bytes(), static_cast<std::size_t>(size_of(a.type())));
  if (a.type() == dtype::boolean)
    for (std::uint8_t& b : a.elements<std::uint8_t>()) b = b != 0;
}
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
