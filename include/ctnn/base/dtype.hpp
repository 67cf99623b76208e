// SPDX-License-Identifier: BSL-1.0
// Element types of values. Declared networks compute in f32; models loaded from files may use all of these.
#pragma once

#include <cstdint>
#include <string_view>

namespace ctnn {

enum class dtype : std::uint8_t { f32, f64, f16, bf16, i64, i32, i16, i8, u64, u32, u16, u8, boolean };

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
  constexpr std::string_view names[] = {"f32", "f64", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8", "bool"};
  return names[static_cast<int>(t)];
}

/// Places for numbers of four bytes that `count` elements take: memory is planned in these.
constexpr std::int64_t words(std::int64_t count, dtype t) { return (count * size_of(t) + 3) / 4; }

}  // namespace ctnn
