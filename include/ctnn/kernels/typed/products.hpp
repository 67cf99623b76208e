// SPDX-License-Identifier: BSL-1.0
// Rows times matrices: in loops of constant length, which a compiler makes vector code of without being told the
// target, and whole numbers on the chosen one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../scratch.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::typed {

/// y[j] += sum of x[k] * m[k * stride + j] over k < depth, for j < n.
template <class T>
void add_product(const T* x, std::int64_t depth, const T* m, std::int64_t stride, T* y, std::int64_t n) {
  constexpr std::int64_t block = 16;
  std::int64_t j = 0;
  for (; j + block <= n; j += block) {
    T sums[block]{};
    const T* row = m + j;
    for (std::int64_t k = 0; k < depth; ++k, row += stride)
      for (std::size_t i = 0; i < block; ++i) sums[i] += x[k] * row[i];
    for (std::size_t i = 0; i < block; ++i) y[j + static_cast<std::int64_t>(i)] += sums[i];
  }
  for (; j < n; ++j) {
    T sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) sum += x[k] * m[k * stride + j];
    y[j] += sum;
  }
}

inline integer_product products_of(const arguments& a) { return a.products ? a.products : &multiply_integers_plainly; }

/// store(r, c, sums of products of row r of `left` with column c and those behind it). Rows are integer_blocks(depth)
/// apart; right(c, to) writes the `depth` numbers of a column.
template <class Right, class Store>
void multiply_parts(const arguments& a, scratch_memory own, const std::int16_t* left, std::int64_t rows,
                    std::int64_t columns, std::int64_t depth, Right right, Store store) {
  const std::int64_t part = integer_rows_at_once(depth);
  const std::ptrdiff_t padded = integer_blocks(depth);
  const std::span<std::int16_t> r = own.take<std::int16_t>(std::min(part, columns) * padded);
  std::fill(r.begin(), r.end(), std::int16_t{0});
  const std::span<std::int32_t> memory = own.take<std::int32_t>(std::min(part, rows) * std::min(part, columns));
  const std::span<const std::int32_t> sums(memory);
  for (std::int64_t c0 = 0; c0 < columns; c0 += part) {
    const std::int64_t wide = std::min(part, columns - c0);
    for (std::int64_t c = 0; c < wide; ++c) right(c0 + c, r.data() + c * padded);
    for (std::int64_t r0 = 0; r0 < rows; r0 += part) {
      const std::int64_t high = std::min(part, rows - r0);
      products_of(a)(left + r0 * padded, static_cast<int>(high), r.data(), static_cast<int>(wide), padded,
                     memory.data());
      for (std::int64_t k = 0; k < high; ++k)
        store(r0 + k, c0, sums.subspan(static_cast<std::size_t>(k * wide), static_cast<std::size_t>(wide)));
    }
  }
}

}  // namespace ctnn::ir::typed
