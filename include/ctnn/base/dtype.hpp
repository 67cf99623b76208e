// SPDX-License-Identifier: BSL-1.0
// Element types of values, and the C++ types that hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ctnn {

enum class dtype : std::uint8_t { f32, f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

/// Half precision: stored, never computed in.
constexpr bool is_narrow(dtype t) { return t == dtype::f16 || t == dtype::bf16; }

/// Bytes of one element; a boolean takes one.
constexpr int size_of(dtype t) {
  switch (t) {
    case dtype::f64:
    case dtype::i64:
    case dtype::u64: return 8;
    case dtype::f32:
    case dtype::i32:
    case dtype::u32: return 4;
    case dtype::f16:
    case dtype::bf16:
    case dtype::i16:
    case dtype::u16: return 2;
    case dtype::i8:
    case dtype::u8:
    case dtype::boolean: return 1;
  }
  return 0;
}

constexpr std::string_view name_of(dtype t) {
  constexpr std::string_view names[] = {"f32", "f64", "f16", "bf16", "i64", "i32", "i16",
                                        "i8",  "u64", "u32", "u16",  "u8",  "bool"};
  return names[static_cast<int>(t)];
}

/// Places for numbers of four bytes that `count` elements take: memory is planned in these.
constexpr std::int64_t words(std::int64_t count, dtype t) { return (count * size_of(t) + 3) / 4; }

/// The bits of numbers of half precision: C++20 has no such type (half.hpp converts).
enum class float16 : std::uint16_t {};
enum class bfloat16 : std::uint16_t {};

/// Calls X(element type, C++ type) for each.
#define CTNN_ELEMENTS(X)                                                                                              \
  X(f32, float) X(f64, double) X(f16, float16) X(bf16, bfloat16) X(i64, std::int64_t) X(i32, std::int32_t)            \
  X(i16, std::int16_t) X(i8, std::int8_t) X(u64, std::uint64_t) X(u32, std::uint32_t) X(u16, std::uint16_t)           \
  X(u8, std::uint8_t) X(boolean, bool)

template <dtype Type>
struct element_type;
#define CTNN_ELEMENT(name, T)          \
  template <>                          \
  struct element_type<dtype::name> {   \
    using type = T;                    \
  };
CTNN_ELEMENTS(CTNN_ELEMENT)
#undef CTNN_ELEMENT
/// Is it one of these?
template <class T>
inline constexpr bool is_element = false;
#define CTNN_ELEMENT(name, T) \
  template <>                 \
  inline constexpr bool is_element<T> = true;
CTNN_ELEMENTS(CTNN_ELEMENT)
#undef CTNN_ELEMENT
/// What holds an element of a type.
template <dtype Type>
using cpp_type = typename element_type<Type>::type;

}  // namespace ctnn
