// SPDX-License-Identifier: BSL-1.0
// linear and matmul, plain.
#pragma once

#include "../../graph/operators/linear.hpp"
#include "../walks/matmul_walk.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::reference {

constexpr void run(const op::linear& p, const arguments& a) {
  const std::int64_t depth = p.depth(a.in[0].shape);
  const std::int64_t rows = a.in[0].shape.count(0, a.in[0].shape.rank - p.axes);
  const float* x = a.in[0].data;
  const float* residual = a.in.size() == 2 ? a.in[1].data : nullptr;
  float* y = a.out[0].data;
  for (std::int64_t r = 0; r < rows; ++r, x += depth) {
    const float* w = a.weights[0];
    for (int o = 0; o < p.out; ++o, w += depth) {
      float sum = p.bias ? a.weights[1][o] : 0.0f;
      for (std::int64_t k = 0; k < depth; ++k) sum += w[k] * x[k];
      const float more = residual != nullptr ? *residual++ : 0.0f;
      if (residual != nullptr && !p.residual_last) sum += more;
      if (p.activation) sum = apply(p.activation, sum);
      *y++ = residual != nullptr && p.residual_last ? sum + more : sum;
    }
  }
}

constexpr void run(const op::matmul& p, const arguments& a) {
  const matmul_walk w(p, a.in[0].shape, a.in[1].shape);
  const std::int64_t row_step = p.transpose_a ? 1 : w.depth, left_step = p.transpose_a ? w.rows : 1;
  const std::int64_t column_step = p.transpose_b ? w.depth : 1, right_step = p.transpose_b ? 1 : w.columns;
  const float *left = a.in[0].data, *right = a.in[1].data;
  float* y = a.out[0].data;
  for (std::int64_t m = 0; m < w.matrices; ++m) {
    const auto at = w.offsets(m);
    for (int r = 0; r < w.rows; ++r)
      for (int c = 0; c < w.columns; ++c) {
        // Places, not pointers: an operand without elements may have no memory.
        const std::int64_t x = at.a + r * row_step, z = at.b + c * column_step;
        float sum = 0;
        for (int k = 0; k < w.depth; ++k) sum += left[x + k * left_step] * right[z + k * right_step];
        *y++ = p.scale * sum;
      }
  }
}

}  // namespace ctnn::ir::reference
