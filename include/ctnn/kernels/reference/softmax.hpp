// SPDX-License-Identifier: BSL-1.0
// softmax over one axis, plain.
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::reference {

constexpr void run(const op::softmax& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const int axis = normal_axis(p.axis, shape.rank), n = shape[axis];
  const std::int64_t outer = shape.count(0, axis);
  const auto inner = static_cast<std::ptrdiff_t>(shape.count(axis + 1, shape.rank));
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::ptrdiff_t j = 0; j < inner; ++j) {
      const float* x = a.in[0].data + i * n * inner + j;
      float* y = a.out[0].data + i * n * inner + j;
      float most = x[0], sum = 0;
      for (int k = 1; k < n; ++k) most = x[k * inner] > most ? x[k * inner] : most;
      for (int k = 0; k < n; ++k) {
        y[k * inner] = math::exp(x[k * inner] - most);
        sum += y[k * inner];
      }
      for (int k = 0; k < n; ++k) y[k * inner] /= sum;
    }
  }
}

}  // namespace ctnn::ir::reference
