// SPDX-License-Identifier: BSL-1.0
// Elements picked or written by index, for every element type.
#pragma once

#include "../../graph/operators/indexing.hpp"
#include "elementwise.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

inline void run(const op::gather& p, const arguments& a, scratch_memory memory) {
  const around x(a.in[0].shape, p.axis);
  const std::int64_t n = a.in[1].shape.count();
  const std::span<std::int64_t> from = memory.take<std::int64_t>(n);
  if (x.outer * x.inner == 0) return;
  for (std::int64_t i = 0; i < n; ++i)
    from[static_cast<std::size_t>(i)] = index_at(p.name, a.in[1], i, x.size) * x.inner;
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    const T* source = elements<T>(a.in[0]);
    T* y = elements<T>(a.out[0]);
    for (std::int64_t o = 0; o < x.outer; ++o, source += x.size * x.inner)
      for (std::int64_t f : from) y = std::copy_n(source + f, x.inner, y);
  });
}

/// Calls f(i, offset) for each index i of a tensor of indices that replaces the position along `axis` of a larger one.
template <class F>
void for_each_index(std::string_view op, const const_tensor& index, const extents& data, int axis, F f) {
  const std::int64_t n = index.shape.count();
  std::int64_t strides[max_rank], at[max_rank]{};
  for (int i = 0; i < data.rank; ++i) strides[i] = data.count(i + 1, data.rank);
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t offset = 0;
    for (int d = 0; d < data.rank; ++d) offset += strides[d] * (d == axis ? index_at(op, index, i, data[d]) : at[d]);
    f(i, offset);
    for (int d = data.rank - 1; d >= 0; --d) {
      if (++at[d] < index.shape[d]) break;
      at[d] = 0;
    }
  }
}

inline void run(const op::gather_elements& p, const arguments& a) {
  const int axis = normal_axis(p.axis, a.in[0].shape.rank);
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    const T* x = elements<T>(a.in[0]);
    T* y = elements<T>(a.out[0]);
    for_each_index(p.name, a.in[1], a.in[0].shape, axis,
                   [&](std::int64_t i, std::int64_t offset) { y[i] = x[offset]; });
  });
}

/// Offset of the slice that the i-th index vector points to, below the first `batch` axes.
inline std::int64_t slice_offset(std::string_view op, const const_tensor& index, std::int64_t i, const extents& data,
                                 int batch) {
  const int depth = index.shape.back(0);
  std::int64_t offset = 0;
  for (int d = 0; d < depth; ++d)
    offset += index_at(op, index, i * depth + d, data[batch + d]) * data.count(batch + d + 1, data.rank);
  return offset;
}

inline void run(const op::gather_nd& p, const arguments& a) {
  const extents& x = a.in[0].shape;
  const int depth = a.in[1].shape.back(0);
  const std::int64_t batches = x.count(0, p.batch), n = a.in[1].shape.count() / depth,
                     slice = x.count(p.batch + depth, x.rank);
  if (n == 0) return;
  const std::int64_t per_batch = n / batches, batch_size = x.count(p.batch, x.rank);
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    const T* from = elements<T>(a.in[0]);
    T* y = elements<T>(a.out[0]);
    for (std::int64_t i = 0; i < n; ++i)
      y = std::copy_n(from + i / per_batch * batch_size + slice_offset(p.name, a.in[1], i, x, p.batch), slice, y);
  });
}

template <class T>
T scattered(op::scatter_reduction r, T old, T update) {
  using enum op::scatter_reduction;
  switch (r) {
    case none: return update;
    case add: return binary_value(op::binary_function::add, old, update);
    case mul: return binary_value(op::binary_function::mul, old, update);
    case max: return larger(old, update);
    case min: return smaller(old, update);
  }
  return update;
}
/// f(arguments, tag<T>) for scattering: without arithmetic any element will do.
template <class F>
void for_scattering(std::string_view op, op::scatter_reduction r, const arguments& a, F f) {
  if (r == op::scatter_reduction::none) return visit_size(a.out[0].type, [&](auto t) { f(a, t); });
  visit_element(op, a.out[0].type, [&](auto t) { f(a, t); });
}

inline void run(const op::scatter_elements& p, const arguments& a) {
  const int axis = normal_axis(p.axis, a.in[0].shape.rank);
  for_scattering(p.name, p.reduction, a, [&]<class T>(const arguments& b, tag<T>) {
    copy_bytes(b);
    const T* u = elements<T>(b.in[2]);
    T* y = elements<T>(b.out[0]);
    for_each_index(p.name, b.in[1], b.in[0].shape, axis,
                   [&](std::int64_t i, std::int64_t offset) { y[offset] = scattered(p.reduction, y[offset], u[i]); });
  });
}

inline void run(const op::scatter_nd& p, const arguments& a) {
  const extents& x = a.in[0].shape;
  const int depth = a.in[1].shape.back(0);
  const std::int64_t n = a.in[1].shape.count() / depth, slice = x.count(depth, x.rank);
  for_scattering(p.name, p.reduction, a, [&]<class T>(const arguments& b, tag<T>) {
    copy_bytes(b);
    const T* u = elements<T>(b.in[2]);
    for (std::int64_t i = 0; i < n; ++i) {
      T* y = elements<T>(b.out[0]) + slice_offset(p.name, b.in[1], i, x, 0);
      for (std::int64_t j = 0; j < slice; ++j) y[j] = scattered(p.reduction, y[j], *u++);
    }
  });
}

inline void run(const op::one_hot& p, const arguments& a, scratch_memory memory) {
  const around y_shape(a.out[0].shape, p.axis);
  const std::int64_t n = a.in[0].shape.count();
  const std::span<std::int64_t> index = memory.take<std::int64_t>(n);
  in_floats({a.in.first(1), {}, {}}, [&](const arguments& b) {
    visit_number(p.name, b.in[0].type, [&]<class T>(tag<T>) {
      for (std::int64_t i = 0; i < n; ++i) {
        const T v = elements<T>(b.in[0])[i];
        const double d = static_cast<double>(v);
        const bool inside = d >= -p.depth && d < p.depth;
        const std::int64_t whole = inside ? static_cast<std::int64_t>(v) : -1;  // -0.5 is 0
        index[static_cast<std::size_t>(i)] = whole + (inside && whole < 0 ? p.depth : 0);
      }
    });
  });
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    const T* values = elements<T>(a.in[1]);
    T* y = elements<T>(a.out[0]);
    std::fill(y, y + a.out[0].shape.count(), values[0]);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t hot = index[static_cast<std::size_t>(i)], o = i / y_shape.inner, r = i % y_shape.inner;
      if (hot >= 0) y[(o * y_shape.size + hot) * y_shape.inner + r] = values[1];
    }
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
