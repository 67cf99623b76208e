// SPDX-License-Identifier: BSL-1.0
// Normalisation by statistics of the numbers, for floating-point elements; sums are kept in double.
#pragma once

#include "../../graph/operators/statistics.hpp"
#include "by_reference.hpp"
#include "reduction.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

struct moments {
  double mean, variance;
};
template <class T, class At>
moments moments_of(std::int64_t n, const T* x, At at) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[at(i)]);
  const double mean = sum / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[at(i)]) - mean;
    squares += d * d;
  }
  return {mean, squares / static_cast<double>(n)};
}

/// y = y * scale + bias with broadcasting; bias may be missing.
template <class T>
void scale_and_shift(const arguments& a) {
  for (std::size_t k = 1; k < a.in.size() && k < 3; ++k) {
    const const_tensor operands[] = {a.out[0], a.in[k]};
    const auto f = k == 1 ? op::binary_function::mul : op::binary_function::add;
    map_pairs<T, T, T>({operands, a.out.first(1), {}}, [f](T v, T s) { return binary_value(f, v, s); });
  }
}

inline void run(const op::layer_norm& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const std::int64_t rows = shape.count(0, normal_axis(p.axis, shape.rank));
  if (shape.count() == 0) return;
  const std::int64_t n = shape.count() / rows;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T* x = elements<T>(b.in[0]);
    T* y = elements<T>(b.out[0]);
    for (std::int64_t r = 0; r < rows; ++r, x += n, y += n) {
      const moments m = moments_of(n, x, [](std::int64_t i) { return i; });
      const double inverse = 1 / std::sqrt(m.variance + static_cast<double>(p.eps));
      for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>((static_cast<double>(x[i]) - m.mean) * inverse);
      if (p.statistics) {
        b.out[1].data[r] = static_cast<float>(m.mean);
        b.out[2].data[r] = static_cast<float>(inverse);
      }
    }
    scale_and_shift<T>(b);
  });
}

inline void run(const op::rms_norm& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const std::int64_t rows = shape.count(0, normal_axis(p.axis, shape.rank));
  if (shape.count() == 0) return;
  const std::int64_t n = shape.count() / rows;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T* x = elements<T>(b.in[0]);
    T* y = elements<T>(b.out[0]);
    for (std::int64_t r = 0; r < rows; ++r, x += n, y += n) {
      double squares = 0;
      for (std::int64_t i = 0; i < n; ++i) squares += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      const double inverse = 1 / std::sqrt(squares / static_cast<double>(n) + static_cast<double>(p.eps));
      for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(static_cast<double>(x[i]) * inverse);
    }
    // The scale may be of another floating type.
    if (b.in.size() < 2 || b.in[1].type == b.out[0].type) return scale_and_shift<T>(b);
    const const_tensor operands[] = {b.out[0], b.in[1]};
    using other = std::conditional_t<std::is_same_v<T, float>, double, float>;
    map_pairs<T, T, other>({operands, b.out, {}}, [](T v, other s) {
      return static_cast<T>(static_cast<double>(v) * static_cast<double>(s));
    });
  });
}

inline void run(const op::group_norm& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  const std::int64_t channels = shape[1], per_group = channels / p.groups, plane = shape.count(2, shape.rank),
                     n = per_group * plane;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T *x = elements<T>(b.in[0]), *scale = elements<T>(b.in[1]), *bias = elements<T>(b.in[2]);
    const bool by_channel[] = {b.in[1].shape[0] == channels, b.in[2].shape[0] == channels};
    T* y = elements<T>(b.out[0]);
    for (std::int64_t g = 0; g < shape[0] * p.groups; ++g, x += n, y += n) {
      const moments m = moments_of(n, x, [](std::int64_t i) { return i; });
      const double inverse = 1 / std::sqrt(m.variance + static_cast<double>(p.eps));
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t group = g % p.groups, c = group * per_group + i / plane;
        const T v = static_cast<T>((static_cast<double>(x[i]) - m.mean) * inverse);
        y[i] = v * scale[by_channel[0] ? c : group] + bias[by_channel[1] ? c : group];
      }
    }
  });
}

inline void run(const op::lp_normalize& p, const arguments& a) {
  for_each_row(p.name, a, p.axis, [&]<class T>(const T* x, T* y, std::int64_t n, std::int64_t stride) {
    double norm = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const double v = static_cast<double>(x[i * stride]);
      norm += p.p == 1 ? std::abs(v) : v * v;
    }
    if (p.p == 2) norm = std::sqrt(norm);
    for (std::int64_t i = 0; i < n; ++i)
      y[i * stride] = norm == 0 ? T{0} : static_cast<T>(static_cast<double>(x[i * stride]) / norm);
  });
}

inline void run(const op::mean_variance_normalize& p, const arguments& a, scratch_memory memory) {
  const extents& shape = a.in[0].shape;
  if (shape.count() == 0) return;
  const reduction_offsets walk(a, axis_bits(p.axes, shape.rank), memory);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    for (std::int64_t o : walk.kept) {
      const T* x = elements<T>(b.in[0]) + o;
      T* y = elements<T>(b.out[0]) + o;
      const moments m = moments_of(static_cast<std::int64_t>(walk.reduced.size()), x,
                                   [&](std::int64_t i) { return walk.reduced[static_cast<std::size_t>(i)]; });
      for (std::int64_t i : walk.reduced)
        y[i] = static_cast<T>((static_cast<double>(x[i]) - m.mean) / (std::sqrt(m.variance) + 1e-9));
    }
  });
}

inline void run(const op::local_response_norm& p, const arguments& a, scratch_memory memory) {
  if (p.within) return as_floats(a, memory, [&](const arguments& b) { reference::run(p, b); });
  const around s(a.in[0].shape, channel_axis(a.in[0].shape));
  const std::int64_t before = p.before(), after = p.after();
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    for (std::int64_t o = 0; o < s.outer; ++o)
      for (std::int64_t c = 0; c < s.size; ++c)
        for (std::int64_t r = 0; r < s.inner; ++r) {
          const T* x = elements<T>(b.in[0]) + o * s.size * s.inner + r;
          T sum = 0;
          for (std::int64_t k = std::max<std::int64_t>(0, c - before); k <= std::min(s.size - 1, c + after); ++k)
            sum += x[k * s.inner] * x[k * s.inner];
          const T base = static_cast<T>(p.k) + static_cast<T>(p.alpha) / static_cast<T>(p.size) * sum;
          elements<T>(b.out[0])[(o * s.size + c) * s.inner + r] =
              x[c * s.inner] / std::pow(base, static_cast<T>(p.beta));
        }
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
