// SPDX-License-Identifier: BSL-1.0
// softmax and its logarithm over one axis, plain.
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../../graph/operators/reduction.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::reference {

template <op::normalises_powers Op, class T>
constexpr void run(const Op& p, const basic_arguments<T>& a) {
  constexpr bool logarithm = std::is_same_v<Op, op::log_softmax>;
  const extents& shape = a.in[0].shape;
  const int axis = normal_axis(p.axis, shape.rank), n = shape[axis];
  const std::int64_t outer = shape.count(0, axis);
  const auto inner = static_cast<std::ptrdiff_t>(shape.count(axis + 1, shape.rank));
  for (std::int64_t i = 0; i < outer; ++i) {
    for (std::ptrdiff_t j = 0; j < inner; ++j) {
      const T* x = a.in[0].data + i * n * inner + j;
      T* y = a.out[0].data + i * n * inner + j;
      T most = x[0], sum{};
      for (int k = 1; k < n; ++k) most = x[k * inner] > most ? x[k * inner] : most;
      for (int k = 0; k < n; ++k) {
        const T above = x[k * inner] - most, power = math::of<T>::exp(above);
        y[k * inner] = logarithm ? above : power;
        sum += power;
      }
      const T log_sum = logarithm ? math::of<T>::log(sum) : T{};
      for (int k = 0; k < n; ++k) y[k * inner] = logarithm ? y[k * inner] - log_sum : y[k * inner] / sum;
    }
  }
}

}  // namespace ctnn::ir::reference
