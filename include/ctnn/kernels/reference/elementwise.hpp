// SPDX-License-Identifier: BSL-1.0
// Functions of one or two numbers, element by element, plain; and the definitions of those of two, apply().
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../../base/math.hpp"
#include "coordinates.hpp"

namespace ctnn::ir {

constexpr float apply(op::binary_function f, float a, float b) {
  using enum op::binary_function;
  switch (f) {
    case add: return a + b;
    case sub: return a - b;
    case mul: return a * b;
    case div: return a / b;
    case maximum: return math::max(a, b);
    case minimum: return math::min(a, b);
    case pow: return math::pow(a, b);
    case rsub: return b - a;
    case rdiv: return b / a;
    case rpow: return math::pow(b, a);
    case prelu: return a < 0 ? a * b : a;
  }
  return a;
}

}  // namespace ctnn::ir

namespace ctnn::ir::reference {

template <class Function>
constexpr void for_each_element(const arguments& a, Function f) {
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  const std::int64_t n = a.in[0].shape.count();
  for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

constexpr void run(const op::activation& p, const arguments& a) {
  for_each_element(a, [f = p.activation](float x) { return apply(f, x); });
}

constexpr void run(const op::dropout& p, const arguments& a) {
  for_each_element(a, [s = p.scale](float x) { return x * s; });
}

constexpr void run(const op::identity&, const arguments& a) {
  for_each_element(a, [](float x) { return x; });
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
constexpr void binary_row(op::binary_function f, std::ptrdiff_t n, float* y, std::ptrdiff_t dy, const float* a,
                          std::ptrdiff_t da, const float* b, std::ptrdiff_t db) {
  using enum op::binary_function;
  if (f == add)
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * dy] = a[i * da] + b[i * db];
  else if (f == mul)
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * dy] = a[i * da] * b[i * db];
  else
    for (std::ptrdiff_t i = 0; i < n; ++i) y[i * dy] = apply(f, a[i * da], b[i * db]);
}

constexpr void activate(const activation_function& f, const tensor& t) {
  if (!f) return;
  const std::int64_t n = t.shape.count();
  for (std::int64_t i = 0; i < n; ++i) t.data[i] = apply(f, t.data[i]);
}

}  // namespace detail

constexpr void run(const op::binary& p, const arguments& a) {
  const tensor& y = a.out[0];
  const float* x = a.in[0].data;
  if (p.scalar) {
    detail::binary_row(p.function, static_cast<std::ptrdiff_t>(y.shape.count()), y.data, 1, x, 1, &p.scalar.value, 0);
  } else {
    const float* z = a.in[1].data;
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

constexpr void run(const op::eltwise& p, const arguments& a) {
  const tensor& out = a.out[0];
  float* y = out.data;
  const std::int64_t n = out.shape.count();
  const auto coefficient = [&](std::size_t k) { return p.coefficients.empty() ? 1.0f : p.coefficients[k]; };
  const bool sum = p.function == op::eltwise_function::sum;
  const float first = sum ? coefficient(0) : 1.0f;
  const float* x = a.in[0].data;
  for (std::int64_t i = 0; i < n; ++i) y[i] = first * x[i];
  for (std::size_t k = 1; k < a.in.size(); ++k) {
    x = a.in[k].data;
    if (sum) {
      const float w = coefficient(k);
      for (std::int64_t i = 0; i < n; ++i) y[i] += w * x[i];
    } else if (p.function == op::eltwise_function::prod) {
      for (std::int64_t i = 0; i < n; ++i) y[i] *= x[i];
    } else {
      for (std::int64_t i = 0; i < n; ++i) y[i] = math::max(y[i], x[i]);
    }
  }
  detail::activate(p.activation, out);
}

}  // namespace ctnn::ir::reference
