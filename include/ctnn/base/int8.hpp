// SPDX-License-Identifier: BSL-1.0
// Rounding to bytes as ncnn does; how rows of 16-bit numbers lie that are multiplied.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ctnn::ir {

/// To the nearest, halves away from zero, within -127 to 127.
constexpr std::int8_t quantize_int8(float x) {
  if (!(x > -127)) return -127;
  if (x >= 127) return 127;
  const int whole = static_cast<int>(x);
  const float rest = x - static_cast<float>(whole);  // exact; std::round is a call
  return static_cast<std::int8_t>(whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0));
}

/// Rows for integer products are filled up to a multiple of this.
inline constexpr int integer_block = 32;
constexpr std::ptrdiff_t integer_blocks(std::int64_t n) {
  return static_cast<std::ptrdiff_t>((n + integer_block - 1) / integer_block * integer_block);
}
/// Rows of `depth` numbers at a time, so that what is widened for the products stays small.
constexpr std::int64_t integer_rows_at_once(std::int64_t depth) {
  const std::int64_t n = (1 << 18) / (depth > 0 ? integer_blocks(depth) : 1);
  return n < 1 ? 1 : n > 256 ? 256 : n;
}

}  // namespace ctnn::ir
