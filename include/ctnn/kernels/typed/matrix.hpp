// SPDX-License-Identifier: BSL-1.0
// Products of matrices for every element type; f32 matmul has a vector kernel (matmul-inl.hpp).
#pragma once

#include "../../graph/operators/matrix.hpp"
#include "../walks/matmul_walk.hpp"
#include "byte_products.hpp"
#include "elementwise.hpp"

namespace ctnn::ir::typed {

/// y = a b: rows x depth by depth x columns; Sum is what products are added in.
template <class Sum, class T, class Left, class Right>
void multiply(std::int64_t rows, std::int64_t depth, std::int64_t columns, Left a, Right b, T* y,
              scratch_memory memory) {
  const std::span<Sum> sums = memory.take<Sum>(columns);
  for (std::int64_t r = 0; r < rows; ++r) {
    std::fill(sums.begin(), sums.end(), Sum{});
    for (std::int64_t k = 0; k < depth; ++k) {
      const Sum x = static_cast<Sum>(a(r, k));
      for (std::int64_t c = 0; c < columns; ++c) sums[static_cast<std::size_t>(c)] += x * static_cast<Sum>(b(k, c));
    }
    for (Sum s : sums) *y++ = static_cast<T>(s);
  }
}
/// Integers wrap around.
template <class T>
using sum_of = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;

inline void run(const op::matmul& p, const arguments& a, scratch_memory memory) {
  const element of[] = {a.of(0), a.of(1)}, made = a.made();
  if (is_byte(of[0]) && !(made == of[0].type && !made.real)) return multiply_bytes(p, a, memory);
  if (a.share.index > 0) return;
  const matmul_walk w(p, a.in[0].shape, a.in[1].shape);
  const std::int64_t lr = p.transpose_a ? 1 : w.depth, lk = p.transpose_a ? w.rows : 1;
  const std::int64_t rk = p.transpose_b ? 1 : w.columns, rc = p.transpose_b ? w.depth : 1,
                     size = std::int64_t{w.rows} * w.columns;
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    for (std::int64_t m = 0; m < w.matrices; ++m) {
      const auto at = w.offsets(m);
      const T *left = elements<T>(b.in[0]) + at.a, *right = elements<T>(b.in[1]) + at.b;
      T* y = elements<T>(b.out[0]) + m * size;
      multiply<sum_of<T>>(
          w.rows, w.depth, w.columns, [&](std::int64_t r, std::int64_t k) { return left[r * lr + k * lk]; },
          [&](std::int64_t k, std::int64_t c) { return right[k * rk + c * rc]; }, y, memory);
      if constexpr (std::is_floating_point_v<T>)
        if (p.scale != 1)
          for (std::int64_t i = 0; i < size; ++i) y[i] *= static_cast<T>(p.scale);
    }
  });
}

/// numbers(k) points to those of operand k.
template <class T, class Numbers>
void sum_products(const op::einsum& p, std::span<const extents> shapes, Numbers numbers, std::int64_t outputs, T* y) {
  const std::size_t operands = shapes.size();
  op::einsum::loops l;
  if (p.plan({shapes.data(), operands}, l)) refuse_at_run_time(p.name, "the equation does not fit its operands");
  const T* from[op::einsum::max_inputs]{};
  std::int64_t strides[op::einsum::max_inputs][op::einsum::most_labels]{};
  for (std::size_t k = 0; k < operands; ++k) {
    from[k] = numbers(k);
    for (std::size_t i = 0; i < l.axes[k].size(); ++i)
      if (shapes[k][static_cast<int>(i)] != 1)
        strides[k][l.axes[k][i]] += shapes[k].count(static_cast<int>(i) + 1, shapes[k].rank);
  }
  int at[op::einsum::most_labels]{};
  std::int64_t offset[op::einsum::max_inputs]{}, inner = 1;
  for (int i = l.output_labels; i < l.labels; ++i) inner *= l.extent[i];
  const auto step = [&](int first, int last) {
    for (int i = last - 1; i >= first; --i) {
      for (std::size_t k = 0; k < operands; ++k) offset[k] += strides[k][i];
      if (++at[i] < l.extent[i]) return;
      for (std::size_t k = 0; k < operands; ++k) offset[k] -= strides[k][i] * l.extent[i];
      at[i] = 0;
    }
  };
  for (std::int64_t o = 0; o < outputs; ++o) {
    sum_of<T> sum{};
    for (std::int64_t s = 0; s < inner; ++s) {
      sum_of<T> product = 1;
      for (std::size_t k = 0; k < operands; ++k) product *= static_cast<sum_of<T>>(from[k][offset[k]]);
      sum += product;
      step(l.output_labels, l.labels);
    }
    y[o] = static_cast<T>(sum);
    step(0, l.output_labels);
  }
}

inline void run(const op::einsum& p, const arguments& a) {
  extents shapes[op::einsum::max_inputs];
  for (std::size_t k = 0; k < a.in.size(); ++k) shapes[k] = a.in[k].shape;
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    sum_products<T>(
        p, {shapes, b.in.size()}, [&](std::size_t k) { return elements<T>(b.in[k]); }, b.out[0].shape.count(),
        elements<T>(b.out[0]));
  });
}

/// By elimination with the largest pivot.
inline void run(const op::det& p, const arguments& a, scratch_memory memory) {
  const auto n = static_cast<std::size_t>(a.in[0].shape.back(0));
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const std::span<double> m = memory.take<double>(static_cast<std::int64_t>(n * n));
    const T* x = elements<T>(b.in[0]);
    for (std::int64_t i = 0; i < b.out[0].shape.count(); ++i, x += n * n) {
      std::copy(x, x + n * n, m.begin());
      double d = 1;
      for (std::size_t c = 0; c < n && d != 0; ++c) {
        std::size_t top = c;
        for (std::size_t r = c + 1; r < n; ++r)
          if (std::abs(m[r * n + c]) > std::abs(m[top * n + c])) top = r;
        if (top != c) {
          for (std::size_t k = 0; k < n; ++k) std::swap(m[top * n + k], m[c * n + k]);
          d = -d;
        }
        d *= m[c * n + c];
        if (d == 0) break;
        for (std::size_t r = c + 1; r < n; ++r) {
          const double f = m[r * n + c] / m[c * n + c];
          for (std::size_t k = c; k < n; ++k) m[r * n + k] -= f * m[c * n + k];
        }
      }
      elements<T>(b.out[0])[i] = static_cast<T>(d);
    }
  });
}

}  // namespace ctnn::ir::typed
