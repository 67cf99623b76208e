// SPDX-License-Identifier: BSL-1.0
// The matrices of a batched product one after the other.
#pragma once

#include "../../graph/operators/matrix.hpp"

namespace ctnn::ir {

struct matmul_walk {
  int rows = 1, depth = 0, columns = 1;
  std::int64_t matrices = 1;

  constexpr matmul_walk(const op::matmul& p, const extents& in_a, const extents& in_b) {
    const extents a = p.turned(in_a, p.transpose_a), b = p.turned(in_b, p.transpose_b);
    depth = a.back(0);
    if (a.rank > 1) rows = a.back(1);
    if (b.rank > 1) columns = b.back(0);
    const int lead_a = a.rank > 2 ? a.rank - 2 : 0, lead_b = b.rank > 2 ? b.rank - 2 : 0;
    lead = lead_a > lead_b ? lead_a : lead_b;
    std::int64_t size_a = std::int64_t{rows} * depth, size_b = std::int64_t{depth} * columns;
    for (int i = 0; i < lead; ++i) {  // innermost first
      const int p = i < lead_a ? a[lead_a - 1 - i] : 1, q = i < lead_b ? b[lead_b - 1 - i] : 1;
      extent[i] = p == 1 ? q : p;
      stride_a[i] = p == 1 ? 0 : size_a;
      stride_b[i] = q == 1 ? 0 : size_b;
      size_a *= p;
      size_b *= q;
      matrices *= extent[i];
    }
  }

  /// Where the operands of matrix m begin.
  struct place {
    std::int64_t a = 0, b = 0;
  };
  constexpr place offsets(std::int64_t m) const {
    place at;
    for (int i = 0; i < lead; ++i) {
      at.a += m % extent[i] * stride_a[i];
      at.b += m % extent[i] * stride_b[i];
      m /= extent[i];
    }
    return at;
  }

 private:
  int lead = 0;
  std::int64_t extent[max_rank]{}, stride_a[max_rank]{}, stride_b[max_rank]{};
};

}  // namespace ctnn::ir
