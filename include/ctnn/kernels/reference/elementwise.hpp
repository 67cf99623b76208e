// SPDX-License-Identifier: BSL-1.0
// Functions of one or two numbers, element by element, plain; and the definitions of those of two, apply().
#pragma once

#include "../../graph/operators/elementwise.hpp"
#include "../walks/loop_nest.hpp"
#include "../tensor.hpp"

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

/// The loops of a binary operator: operands are the output, the first and the second input, broadcast from the right.
/// Any layouts.
constexpr loop_nest<3> broadcast_loops(const tensor& out, const const_tensor& a, const const_tensor& b) {
  loop_nest<3> nest;
  for (int i = 0; i < out.shape.rank; ++i) {
    const int axis = memory_axis(out, i);
    const auto stride = [&](const const_tensor& t) {
      const int own = axis - (out.shape.rank - t.shape.rank);
      return own < 0 || t.shape[own] == 1 ? std::ptrdiff_t{0} : stride_of(t, own);
    };
    nest.push_back({out.shape[axis], {stride_of(out, axis), stride(a), stride(b)}});
  }
  return nest;
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

/// The innermost loop of a binary operator; the usual functions are worth a loop of their own (clang counts steps).
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
    loop_nest<3> nest = broadcast_loops(y, a.in[0], a.in[1]);
    nest.require(1);
    const auto& row = nest.levels[nest.depth - 1];
    loop_cursor<3> at(nest, 1);
    do detail::binary_row(p.function, row.extent, y.data + at.offset[0], row.stride[0], x + at.offset[1], row.stride[1],
                          z + at.offset[2], row.stride[2]);
    while (at.next());
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
