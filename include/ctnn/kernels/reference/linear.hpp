// SPDX-License-Identifier: BSL-1.0
// linear and matmul, plain.
#pragma once

#include "../../graph/operators/linear.hpp"
#include "../../graph/operators/matrix.hpp"
#include "../bit_packing.hpp"
#include "coordinates.hpp"

namespace ctnn::ir::reference {

/// Number k of row o of a packed weight that lies as in files.
constexpr float packed_weight(const op::linear& p, const arguments& a, std::int64_t depth, int o, std::int64_t k) {
  const op::weight_element& e = p.weight;
  const std::size_t scales = p.bias ? 2 : 1;
  const std::int64_t words = e.words(depth), b = o * e.blocks(depth) + (e.block == 0 ? 0 : k / e.block);
  const int number =
      p.transposed ? packed_number(e, a.weights[0], p.out, k, o) : packed_number(e, a.weights[0], words, o, k);
  const bool is_signed = e.type == dtype::i8;
  const float usual = is_signed ? 0.0f : static_cast<float>(1 << (e.bits - 1));
  const float zero = e.zero_points ? a.weights[scales + 1][b] : usual;
  return (static_cast<float>(is_signed && number > 127 ? number - 256 : number) - zero) * a.weights[scales][b];
}

template <class T>
constexpr void run(const op::linear& p, const basic_arguments<T>& a) {
  const std::int64_t depth = p.depth(a.in[0].shape);
  const std::int64_t rows = a.in[0].shape.count(0, a.in[0].shape.rank - p.axes);
  const T* x = a.in[0].data;
  const T* residual = a.in.size() == 2 ? a.in[1].data : nullptr;
  T* y = a.out[0].data;
  for (std::int64_t r = 0; r < rows; ++r, x += depth) {
    for (int o = 0; o < p.out; ++o) {
      T sum = p.bias ? a.weights[1][o] : T{0};
      if (!p.weight.is_packed())
        for (std::int64_t k = 0; k < depth; ++k) sum += a.weights[0][o * depth + k] * x[k];
      else if constexpr (std::is_same_v<T, float>)
        for (std::int64_t k = 0; k < depth; ++k) sum += packed_weight(p, a, depth, o, k) * x[k];
      const T more = residual != nullptr ? *residual++ : T{0};
      if (residual != nullptr && !p.residual_last) sum += more;
      if (p.activation) sum = apply(p.activation, sum);
      *y++ = residual != nullptr && p.residual_last ? sum + more : sum;
    }
  }
}

/// numpy.matmul: y[.., i, j] = sum of a[.., i, k] b[.., k, j]. A vector is a row on the left, a column on the right;
/// matrices in front are broadcast from the right.
template <class T>
constexpr void run(const op::matmul& p, const basic_arguments<T>& a) {
  const extents &l = a.in[0].shape, &r = a.in[1].shape, &y = a.out[0].shape;
  const bool has_rows = l.rank > 1, has_columns = r.rank > 1;
  const int batch = y.rank - (has_rows ? 1 : 0) - (has_columns ? 1 : 0);
  const int depth = has_rows && p.transpose_a ? l.back(1) : l.back(0);
  const std::int64_t rows = has_rows ? y[batch] : 1, columns = has_columns ? y.back(0) : 1;
  detail::for_each_place(y, [&](const detail::coordinates& at, std::int64_t place) {
    const auto matrix = [&](const extents& s) {  // its number among those of an operand
      std::int64_t number = 0;
      for (int i = 0; i < s.rank - 2; ++i)
        number = number * s[i] + (s[i] == 1 ? 0 : at[static_cast<std::size_t>(batch - (s.rank - 2) + i)]);
      return number;
    };
    const std::int64_t i = has_rows ? at[static_cast<std::size_t>(batch)] : 0,
                       j = has_columns ? at[static_cast<std::size_t>(y.rank - 1)] : 0;
    const std::int64_t left = matrix(l) * rows * depth + (p.transpose_a ? i : i * depth),
                       right = matrix(r) * depth * columns + (p.transpose_b ? j * depth : j);
    const std::int64_t along_left = p.transpose_a ? rows : 1, along_right = p.transpose_b ? 1 : columns;
    T sum{};  // of places, not pointers: an operand without elements may have no memory
    for (std::int64_t k = 0; k < depth; ++k)
      sum += a.in[0].data[left + k * along_left] * a.in[1].data[right + k * along_right];
    a.out[0].data[place] = static_cast<T>(p.scale) * sum;
  });
}

}  // namespace ctnn::ir::reference
