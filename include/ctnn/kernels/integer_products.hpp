// SPDX-License-Identifier: BSL-1.0
// sums[r][c] = the sum of a[r][k] b[c][k] over k: rows of `depth` 16-bit numbers, a multiple of integer_block that
// zeros fill up. Sums wrap around.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/int8.hpp"

namespace ctnn::ir {

using integer_product = void (*)(const std::int16_t* a, int rows, const std::int16_t* b, int columns,
                                 std::ptrdiff_t depth, std::int32_t* sums);

/// Where nobody has chosen a target, and where there are no vectors.
inline void multiply_integers_plainly(const std::int16_t* a, int rows, const std::int16_t* b, int columns,
                                      std::ptrdiff_t depth, std::int32_t* sums) {
  for (int r = 0; r < rows; ++r, a += depth)
    for (int c = 0; c < columns; ++c) {
      const std::int16_t* x = b + c * depth;
      std::uint32_t sum = 0;
      for (std::ptrdiff_t k = 0; k < depth; ++k)
        sum += static_cast<std::uint32_t>(std::int32_t{a[k]} * std::int32_t{x[k]});
      *sums++ = static_cast<std::int32_t>(sum);
    }
}

}  // namespace ctnn::ir
