// SPDX-License-Identifier: BSL-1.0
// Rows times matrices: in loops of constant length, which a compiler makes vector code of without being told the target, and
// whole numbers on the chosen one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../tensor.hpp"

namespace ctnn::typed {

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

/// Rows of `depth` numbers at a time, so that what is widened for the products stays small.
inline std::int64_t rows_at_once(std::int64_t depth) { return std::clamp<std::int64_t>((1 << 18) / std::max<std::int64_t>(integer_blocks(depth), 1), 1, 256); }

/// store(r, c, sum of products of row r and column c). left(r, to) and right(c, to) write `depth` numbers.
template <class Left, class Right, class Store>
void multiply_parts(const arguments& a, std::int64_t rows, std::int64_t columns, std::int64_t depth, Left left, Right right, Store store) {
  const std::int64_t part = rows_at_once(depth);
  const std::ptrdiff_t padded = integer_blocks(depth);
  std::vector<std::int16_t> l(static_cast<std::size_t>(std::min(part, rows) * padded)), r(static_cast<std::size_t>(std::min(part, columns) * padded));
  std::vector<std::int32_t> sums(static_cast<std::size_t>(std::min(part, rows) * std::min(part, columns)));
  for (std::int64_t c0 = 0; c0 < columns; c0 += part) {
    const std::int64_t wide = std::min(part, columns - c0);
    for (std::int64_t c = 0; c < wide; ++c) right(c0 + c, r.data() + c * padded);
    for (std::int64_t r0 = 0; r0 < rows; r0 += part) {
      const std::int64_t high = std::min(part, rows - r0);
      for (std::int64_t k = 0; k < high; ++k) left(r0 + k, l.data() + k * padded);
      products_of(a)(l.data(), static_cast<int>(high), r.data(), static_cast<int>(wide), padded, sums.data());
      const std::int32_t* sum = sums.data();
      for (std::int64_t k = 0; k < high; ++k)
        for (std::int64_t c = 0; c < wide; ++c) store(r0 + k, c0 + c, *sum++);
    }
  }
}

}  // namespace ctnn::typed
