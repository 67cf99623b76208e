// SPDX-License-Identifier: BSL-1.0
// Rows times matrices: in loops of constant length, which a compiler makes vector code of without being told the
// target.
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace ctnn::ir::typed
