// SPDX-License-Identifier: BSL-1.0
// Per-channel affine operators, prelu, local_response_norm, layer_norm, rms_norm, group_norm, lp_normalize and
// mean_variance_normalize, plain.
#pragma once

#include <limits>

#include "../../graph/operators/elementwise.hpp"
#include "../../graph/operators/normalization.hpp"
#include "../../graph/operators/statistics.hpp"
#include "../tensor.hpp"
#include "elementwise.hpp"

namespace ctnn::ir {

/// y = x * factor + offset, what a channel's batch_norm comes to.
template <class T>
struct channel_affine {
  T factor, offset;
  constexpr T operator()(T x) const { return x * factor + offset; }
};

template <class T>
constexpr channel_affine<T> batch_norm_affine(const op::batch_norm& p, T gamma, T beta, T mean, T variance) {
  const T root = math::of<T>::sqrt(variance + static_cast<T>(p.eps));
  const T factor = gamma / (root == 0 ? static_cast<T>(p.zero_root) : root);
  return {factor, beta - mean * factor};
}

}  // namespace ctnn::ir

namespace ctnn::ir::reference {

// The function of one number that an operator is in channel c, by its weights.

template <class T>
constexpr auto function_of_channel(const op::batch_norm& p, const T* const* w, int c) {
  return batch_norm_affine(p, w[0][c], w[1][c], w[2][c], w[3][c]);
}
template <class T>
constexpr auto function_of_channel(const op::scale& p, const T* const* w, int c) {
  return channel_affine<T>{w[0][c], p.bias ? w[1][c] : -T{0}};  // which changes no bit
}
template <class T>
constexpr auto function_of_channel(const op::bias&, const T* const* w, int c) {
  return [b = w[0][c]](T x) { return x + b; };
}
template <class T>
constexpr auto function_of_channel(const op::prelu&, const T* const* w, int c) {
  return [slope = w[0][c]](T x) { return x < 0 ? slope * x : x; };
}
template <class Op>
concept by_channel = requires(const Op& p, const float* const* w) { function_of_channel(p, w, 0); };

template <by_channel Op, class T>
constexpr void map_channels(const Op& p, const extents& shape, const T* x, T* y, const T* const* weights) {
  const int axis = channel_axis(shape, p.axis);
  const std::int64_t images = shape.count(0, axis), plane = shape.count(axis + 1, shape.rank);
  for (std::int64_t n = 0; n < images; ++n)
    for (int c = 0; c < shape[axis]; ++c, x += plane, y += plane) {
      const auto f = function_of_channel(p, weights, c);
      for (std::int64_t i = 0; i < plane; ++i) y[i] = f(x[i]);
    }
}
template <by_channel Op, class T>
constexpr void run(const Op& p, const basic_arguments<T>& a) {
  map_channels(p, a.in[0].shape, a.in[0].data, a.out[0].data, a.weights.data());
  if constexpr (requires { p.activation; })
    for (T& y : std::span(a.out[0].data, static_cast<std::size_t>(a.out[0].shape.count()))) y = apply(p.activation, y);
}

template <class T>
constexpr void run(const op::local_response_norm& p, const basic_arguments<T>& a) {
  const extents& s = a.in[0].shape;
  const int channels = s.back(2), rows = s.back(1), columns = s.back(0);
  const std::ptrdiff_t plane = std::ptrdiff_t{rows} * columns;
  const auto clipped = [&](int at, int size, int& first, int& last) {
    first = at < p.before() ? 0 : at - p.before();
    last = size - 1 - at < p.after() ? size - 1 : at + p.after();
  };
  const T* x = a.in[0].data;
  T* y = a.out[0].data;
  int c = 0;
  for (std::int64_t left = s.count() / plane; left > 0; --left, x += plane, c = c + 1 == channels ? 0 : c + 1)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        int z = c, z_last = c, top = i, bottom = i, begin = j, end = j;
        if (p.within) {
          clipped(i, rows, top, bottom);
          clipped(j, columns, begin, end);
        } else {
          clipped(z, channels, z, z_last);
        }
        T sum{};
        for (int d = z - c; d <= z_last - c; ++d)
          for (int r = top; r <= bottom; ++r)
            for (int q = begin; q <= end; ++q) {
              const T v = x[d * plane + std::ptrdiff_t{r} * columns + q];
              sum += v * v;
            }
        *y++ = x[std::ptrdiff_t{i} * columns + j] *
               math::of<T>::pow(static_cast<T>(p.k) + static_cast<T>(p.factor()) * sum, static_cast<T>(-p.beta));
      }
}

/// layer_norm and rms_norm, which takes no mean away.
template <class Norm, class T>
constexpr void normalize_rows(const Norm& p, const basic_arguments<T>& a) {
  constexpr bool centred = std::is_same_v<Norm, op::layer_norm>;
  const extents& shape = a.in[0].shape;
  const int axis = normal_axis(p.axis, shape.rank);
  const std::int64_t rows = shape.count(0, axis), n = shape.count(axis, shape.rank);
  const T* x = a.in[0].data;
  T* y = a.out[0].data;
  for (std::int64_t r = 0; r < rows && n > 0; ++r, x += n, y += n) {
    T mean{}, variance{};
    for (std::int64_t i = 0; centred && i < n; ++i) mean += x[i];
    mean /= static_cast<T>(n);
    for (std::int64_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const T inverse = T{1} / math::of<T>::sqrt(variance / static_cast<T>(n) + static_cast<T>(p.eps));
    for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * inverse;
    if constexpr (centred) {
      if (!p.statistics) continue;
      a.out[1].data[r] = mean;
      a.out[2].data[r] = inverse;
    }
  }
  for (std::size_t k = 1; k < a.in.size(); ++k) {
    op::binary with;
    with.function = k == 1 ? op::binary_function::mul : op::binary_function::add;
    const basic_tensor<const T> operands[] = {a.out[0], a.in[k]};
    run(with, basic_arguments<T>{operands, a.out.first(1), {}});
  }
}
template <class T>
constexpr void run(const op::layer_norm& p, const basic_arguments<T>& a) {
  normalize_rows(p, a);
}
template <class T>
constexpr void run(const op::rms_norm& p, const basic_arguments<T>& a) {
  normalize_rows(p, a);
}

template <class T>
constexpr void run(const op::group_norm& p, const basic_arguments<T>& a) {
  const extents& shape = a.in[0].shape;
  const int axis = channel_axis(shape, p.axis);
  const auto plane = static_cast<std::ptrdiff_t>(shape.count(axis + 1, shape.rank));
  const std::ptrdiff_t channels = shape[axis] / p.groups, n = channels * plane;
  for (std::ptrdiff_t g = 0; g < shape.count(0, axis) * p.groups; ++g) {
    const T* x = a.in[0].data + g * n;
    T mean{}, variance{};
    for (std::ptrdiff_t i = 0; i < n; ++i) mean += x[i];
    mean /= static_cast<T>(n);
    for (std::ptrdiff_t i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const T inverse = T{1} / math::of<T>::sqrt(variance / static_cast<T>(n) + static_cast<T>(p.eps));
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      const std::ptrdiff_t group = g % p.groups, c = group * channels + i / plane;
      const auto of = [&](const basic_tensor<const T>& t) { return t.data[t.shape[0] == shape[axis] ? c : group]; };
      a.out[0].data[g * n + i] = (x[i] - mean) * inverse * of(a.in[1]) + of(a.in[2]);
    }
  }
}

/// y = (x - middle) / divisor of what differs in `axes` only. statistics(each) gives the two: each(f) calls f(x) for
/// all of it.
template <class T, class Statistics>
constexpr void normalize_over(unsigned axes, const basic_arguments<T>& a, Statistics statistics) {
  const extents& shape = a.in[0].shape;
  if (shape.count() == 0) return;
  extents kept = shape, together = shape;
  for (int i = 0; i < shape.rank; ++i) (axes >> i & 1u ? kept : together)[i] = 1;
  detail::for_each_place(kept, [&](const detail::coordinates& at, std::int64_t) {
    const std::int64_t begin = detail::place_of(shape, at);
    const T* x = a.in[0].data + begin;
    T* y = a.out[0].data + begin;
    const auto for_all = [&](auto f) {
      detail::for_each_place(together,
                             [&](const detail::coordinates& more, std::int64_t) { f(detail::place_of(shape, more)); });
    };
    const auto [middle, divisor] = statistics([&](auto f) { for_all([&](std::int64_t i) { f(x[i]); }); });
    for_all([&, m = middle, d = divisor](std::int64_t i) { y[i] = (x[i] - m) / d; });
  });
}
template <class T>
struct middle_and_divisor {
  T middle, divisor;
};

template <class T>
constexpr void run(const op::lp_normalize& p, const basic_arguments<T>& a) {
  normalize_over(1u << normal_axis(p.axis, a.in[0].shape.rank), a, [&](auto each) -> middle_and_divisor<T> {
    T total{};
    each([&](T x) { total += p.p == 1 ? math::of<T>::abs(x) : x * x; });
    const T norm = p.p == 1 ? total : math::of<T>::sqrt(total), least = static_cast<T>(p.eps);
    if (p.eps > 0 && norm < least) return {T{}, least};
    return {T{}, norm == 0 ? std::numeric_limits<T>::infinity() : norm};
  });
}
template <class T>
constexpr void run(const op::mean_variance_normalize& p, const basic_arguments<T>& a) {
  normalize_over(axis_bits(p.axes, a.in[0].shape.rank), a, [&](auto each) -> middle_and_divisor<T> {
    T mean{}, variance{}, n{};
    each([&](T x) { mean += x, n += T{1}; });
    mean /= n;
    each([&](T x) { variance += (x - mean) * (x - mean); });
    if (p.eps > 0) return {mean, math::of<T>::sqrt(variance / n + static_cast<T>(p.eps))};
    return {mean, math::of<T>::sqrt(variance / n) + static_cast<T>(1e-9f)};
  });
}

}  // namespace ctnn::ir::reference
