// SPDX-License-Identifier: BSL-1.0
// softmax and its logarithm over one axis, plain.
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../../graph/operators/reduction.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::reference {

template <op::normalises_powers Op>
constexpr void run(const Op& p, const arguments& a) {
  constexpr bool logarithm = std::is_same_v<Op, op::log_softmax>;
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
        const float above = x[k * inner] - most, power = math::exp(above);
        y[k * inner] = logarithm ? above : power;
        sum += power;
      }
      const float log_sum = logarithm ? math::log(sum) : 0;
      for (int k = 0; k < n; ++k) y[k * inner] = logarithm ? y[k * inner] - log_sum : y[k * inner] / sum;
    }
  }
}

}  // namespace ctnn::ir::reference
