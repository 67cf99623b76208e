// SPDX-License-Identifier: BSL-1.0
// Normalisation by statistics of the numbers, for floating-point elements; sums are kept in double.
#pragma once

#include "../../graph/operators/statistics.hpp"
#include "by_reference.hpp"
#include "reduction.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// The sum of f(x) of n elements `stride` apart: of neighbours in sums side by side, which compilers make vectors of.
template <class T, class F>
double total_of(std::int64_t n, const T* x, std::int64_t stride, F f) {
  constexpr std::int64_t columns = 8;
  double sums[columns]{};
  std::int64_t i = 0;
  if (stride == 1)
    for (; i + columns <= n; i += columns)
      for (std::int64_t k = 0; k < columns; ++k) sums[k] += f(static_cast<double>(x[i + k]));
  for (; i < n; ++i) sums[0] += f(static_cast<double>(x[i * stride]));
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

struct moments {
  double mean, variance;
};
/// `rows(f)` calls f(x, n, stride) for all elements, of which there are n.
template <class Rows>
moments moments_of(std::int64_t n, Rows rows) {
  double sum = 0, squares = 0;
  rows([&](const auto* x, std::int64_t m, std::int64_t stride) {
    sum += total_of(m, x, stride, [](double v) { return v; });
  });
  const double mean = sum / static_cast<double>(n);
  rows([&](const auto* x, std::int64_t m, std::int64_t stride) {
    squares += total_of(m, x, stride, [mean](double v) { return (v - mean) * (v - mean); });
  });
  return {mean, squares / static_cast<double>(n)};
}
template <class T>
moments moments_of(std::int64_t n, const T* x) {
  return moments_of(n, [&](auto f) { f(x, n, 1); });
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
      const moments m = moments_of(n, x);
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
  const around s(a.in[0].shape, channel_axis(a.in[0].shape, p.axis));
  const std::int64_t channels = s.size, per_group = channels / p.groups, plane = s.inner, n = per_group * plane;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T *x = elements<T>(b.in[0]), *scale = elements<T>(b.in[1]), *bias = elements<T>(b.in[2]);
    const bool by_channel[] = {b.in[1].shape[0] == channels, b.in[2].shape[0] == channels};
    T* y = elements<T>(b.out[0]);
    for (std::int64_t g = 0; g < s.outer * p.groups; ++g, x += n, y += n) {
      const moments m = moments_of(n, x);
      const double inverse = 1 / std::sqrt(m.variance + static_cast<double>(p.eps));
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t group = g % p.groups, c = group * per_group + i / plane;
        const T v = static_cast<T>((static_cast<double>(x[i]) - m.mean) * inverse);
        y[i] = v * scale[by_channel[0] ? c : group] + bias[by_channel[1] ? c : group];
      }
    }
  });
}

/// What gives 0 where the norm is 0.
inline double inverse_norm(const op::lp_normalize& p, double sum) {
  double norm = p.p == 2 ? std::sqrt(sum) : sum;
  if (norm < static_cast<double>(p.eps)) norm = static_cast<double>(p.eps);
  return norm == 0 ? 0 : 1 / norm;
}
inline void run(const op::lp_normalize& p, const arguments& a) {
  const around s(a.in[0].shape, p.axis);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const auto magnitudes = [](double v) { return std::abs(v); };
    const auto squares = [](double v) { return v * v; };
    const auto normalize = [&](auto f) {
      const T* x = elements<T>(b.in[0]);
      T* y = elements<T>(b.out[0]);
      double factors[row_piece];
      for (std::int64_t o = 0; o < s.outer; ++o, x += s.size * s.inner, y += s.size * s.inner) {
        if (s.inner == 1) {
          const double factor = inverse_norm(p, total_of(s.size, x, 1, f));
          for (std::int64_t i = 0; i < s.size; ++i) y[i] = static_cast<T>(static_cast<double>(x[i]) * factor);
          continue;
        }
        for_pieces(static_cast<std::ptrdiff_t>(s.inner), [&](std::ptrdiff_t first, std::ptrdiff_t n) {
          std::fill_n(factors, n, 0.0);
          for (std::int64_t i = 0; i < s.size; ++i)
            for (std::ptrdiff_t k = 0; k < n; ++k) factors[k] += f(static_cast<double>(x[i * s.inner + first + k]));
          for (std::ptrdiff_t k = 0; k < n; ++k) factors[k] = inverse_norm(p, factors[k]);
          for (std::int64_t i = 0; i < s.size; ++i)
            for (std::ptrdiff_t k = 0, at = static_cast<std::ptrdiff_t>(i * s.inner) + first; k < n; ++k, ++at)
              y[at] = static_cast<T>(static_cast<double>(x[at]) * factors[k]);
        });
      }
    };
    if (p.p == 1) normalize(magnitudes);
    else normalize(squares);
  });
}

inline void run(const op::mean_variance_normalize& p, const arguments& a) {
  const extents& shape = a.in[0].shape;
  if (shape.count() == 0) return;
  reduction_walk walk(a.out[0], a.in[0], axis_bits(p.axes, shape.rank));
  walk.reduced.require(1);
  const auto& row = walk.reduced.levels[walk.reduced.depth - 1];
  std::int64_t n = 1;
  for (int d = 0; d < walk.reduced.depth; ++d) n *= walk.reduced.levels[d].extent;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    loop_cursor<2> kept(walk.kept, 0);
    do {
      const T* x = elements<T>(b.in[0]) + kept.offset[1];
      T* y = elements<T>(b.out[0]) + kept.offset[1];
      const moments m = moments_of(n, [&](auto f) {
        loop_cursor<1> at(walk.reduced, 1);
        do f(x + at.offset[0], row.extent, row.stride[0]);
        while (at.next());
      });
      const double mean = m.mean, eps = static_cast<double>(p.eps);
      const double inverse = 1 / (eps > 0 ? std::sqrt(m.variance + eps) : std::sqrt(m.variance) + 1e-9);
      const auto normalized = [=](T v) { return static_cast<T>((static_cast<double>(v) - mean) * inverse); };
      loop_cursor<1> at(walk.reduced, 1);
      do {
        const T* from = x + at.offset[0];
        T* to = y + at.offset[0];
        if (row.stride[0] == 1)
          for (std::ptrdiff_t i = 0; i < row.extent; ++i) to[i] = normalized(from[i]);
        else
          for (std::ptrdiff_t i = 0; i < row.extent; ++i) to[i * row.stride[0]] = normalized(from[i * row.stride[0]]);
      } while (at.next());
    } while (kept.next());
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
