// SPDX-License-Identifier: BSL-1.0
// linear, plain.
#pragma once

#include "../../graph/operators/linear.hpp"
#include "../tensor.hpp"

namespace ctnn::reference {

constexpr void run(const op::linear& p, const arguments& a) {
  const std::int64_t depth = p.depth(a.in[0].shape);
  const std::int64_t rows = a.in[0].shape.count(0, a.in[0].shape.rank - p.axes);
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for (std::int64_t r = 0; r < rows; ++r, x += depth) {
    const float* w = a.weights[0];
    for (int o = 0; o < p.out; ++o, w += depth) {
      float sum = p.bias ? a.weights[1][o] : 0.0f;
      for (std::int64_t k = 0; k < depth; ++k) sum += w[k] * x[k];
      *y++ = p.activation ? apply(p.activation, sum) : sum;
    }
  }
}

}  // namespace ctnn::reference
