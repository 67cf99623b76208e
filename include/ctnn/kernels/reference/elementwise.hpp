// SPDX-License-Identifier: BSL-1.0
// Functions of one or two numbers, element by element, plain; and the definitions of those of two, apply().
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../../base/math.hpp"
#include "coordinates.hpp"

namespace ctnn::ir {

template <class T>
constexpr T apply(op::binary_function f, T a, T b) {
  using enum op::binary_function;
  switch (f) {
    case add: return a + b;
    case sub: return a - b;
    case mul: return a * b;
    case div: return a / b;
    case maximum: return math::of<T>::max(a, b);
    case minimum: return math::of<T>::min(a, b);
    case pow: return math::of<T>::pow(a, b);
    case rsub: return b - a;
    case rdiv: return b / a;
    case rpow: return math::of<T>::pow(b, a);
    case prelu: return a < 0 ? a * b : a;
  }
  return a;
}

}  // namespace ctnn::ir

namespace ctnn::ir::reference {

template <class T, class Function>
constexpr void for_each_element(const basic_arguments<T>& a, Function f) {
  const T* x = a.in[0].data;
  T* y = a.out[0].data;
  const std::int64_t n = a.in[0].shape.count();
  for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

template <class T>
constexpr void run(const op::activation& p, const basic_arguments<T>& a) {
  for_each_element(a, [f = p.activation](T x) { return apply(f, x); });
}

template <class T>
constexpr void run(const op::dropout& p, const basic_arguments<T>& a) {
  for_each_element(a, [s = static_cast<T>(p.scale)](T x) { return x * s; });
}

template <class T>
constexpr void run(const op::identity&, const basic_arguments<T>& a) {
  for_each_element(a, [](T x) { return x; });
}

namespace detail {

/// Which element of an operand goes with these coordinates of a result of rank `rank`: operands are broadcast from the
/// right.
constexpr std::int64_t broadcast_place(const extents& operand, int rank, const coordinates& at) {
  std::int64_t place = 0;
  for (int i = 0; i < operand.rank; ++i)
    place = place * operand[i] + (operand[i] == 1 ? 0 : at[static_cast<std::size_t>(rank - operand.rank + i)]);
  return place;
}

/// A row of a binary operator; the usual functions are worth a loop of their own (clang counts steps).
template <class T>
constexpr void binary_row(op::binary_function f, std::ptrdiff_t n, T* y, std::ptrdiff_t dy, const T* a,
                          std::ptrdiff_t da, const T* b, std::ptrdiff_t db) {
  using enum op::binary_function;
  if (f == add)
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * dy] = a[i * da] + b[i * db];
  else if (f == mul)
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * dy] = a[i * da] * b[i * db];
  else
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * dy] = apply(f, a[i * da], b[i * db]);
}

template <class T>
constexpr void activate(const activation_function& f, const basic_tensor<T>& t) {
  if (!f) return;
  const std::int64_t n = t.shape.count();
  for (std::int64_t i = 0; i < n; ++i) t.data[i] = apply(f, t.data[i]);
}

}  // namespace detail

template <class T>
constexpr void run(const op::binary& p, const basic_arguments<T>& a) {
  const basic_tensor<T>& y = a.out[0];
  const T* x = a.in[0].data;
  if (p.scalar) {
    const T scalar = static_cast<T>(p.scalar.value);
    detail::binary_row(p.function, static_cast<std::ptrdiff_t>(y.shape.count()), y.data, 1, x, 1, &scalar, 0);
  } else {
    const T* z = a.in[1].data;
    extents rows = y.shape;
    const std::ptrdiff_t n = rows.rank > 0 ? rows.back(0) : 1;
    if (rows.rank > 0) rows.back(0) = 1;
    const auto step = [](const extents& operand) {
      return operand.rank > 0 && operand.back(0) != 1 ? std::ptrdiff_t{1} : std::ptrdiff_t{0};
    };
    const std::ptrdiff_t dx = step(a.in[0].shape), dz = step(a.in[1].shape);
    detail::for_each_place(rows, [&](const detail::coordinates& at, std::int64_t row) {
      detail::binary_row(p.function, n, y.data + row * n, 1, x + detail::broadcast_place(a.in[0].shape, rows.rank, at),
                         dx, z + detail::broadcast_place(a.in[1].shape, rows.rank, at), dz);
    });
  }
  detail::activate(p.activation, y);
}

template <class T>
constexpr void run(const op::eltwise& p, const basic_arguments<T>& a) {
  const basic_tensor<T>& out = a.out[0];
  T* y = out.data;
  const std::int64_t n = out.shape.count();
  const auto coefficient = [&](std::size_t k) {
    return p.coefficients.empty() ? T{1} : static_cast<T>(p.coefficients[k]);
  };
  const bool sum = p.function == op::eltwise_function::sum;
  const T first = sum ? coefficient(0) : T{1};
  const T* x = a.in[0].data;
  for (std::int64_t i = 0; i < n; ++i) y[i] = first * x[i];
  for (std::size_t k = 1; k < a.in.size(); ++k) {
    x = a.in[k].data;
    if (sum) {
      const T w = coefficient(k);
      for (std::int64_t i = 0; i < n; ++i) y[i] += w * x[i];
    } else if (p.function == op::eltwise_function::prod) {
      for (std::int64_t i = 0; i < n; ++i) y[i] *= x[i];
    } else {
      for (std::int64_t i = 0; i < n; ++i) y[i] = math::of<T>::max(y[i], x[i]);
    }
  }
  detail::activate(p.activation, out);
}

}  // namespace ctnn::ir::reference
