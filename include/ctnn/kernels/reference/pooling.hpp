// SPDX-License-Identifier: BSL-1.0
// pool2d and adaptive_pool2d, plain; and the windows both forms of the kernels share.
#pragma once

#include <limits>

#include "../../graph/operators/pooling.hpp"
#include "../tensor.hpp"

namespace ctnn {

/// One axis of a pooling window: the cells [first, last) inside the input, and how many an average divides by.
struct pooling_window {
  int first;
  int last;
  int divisor;
};

constexpr pooling_window pool_window_at(const op::pool2d& p, unsigned axis, int before, int after, int size, int i) {
  const int start = i * p.step()[axis] - before, stop = start + p.kernel[axis];
  const int first = start < 0 ? 0 : start, end = stop > size ? size : stop, last = end < first ? first : end;
  if (p.divisor_whole) return {first, last, p.kernel[axis]};
  if (p.count_include_pad) return {first, last, (stop > size + after ? size + after : stop) - start};
  return {first, last, last - first};
}

constexpr pooling_window adaptive_window(int size, int count, int i) {
  const auto at = [&](int k, int more) { return static_cast<int>((std::int64_t{size} * k + more) / count); };
  const int first = at(i, 0), last = at(i + 1, count - 1);
  return {first, last, last - first};
}

}  // namespace ctnn

namespace ctnn::reference {

namespace detail {

/// rows(i) and columns(j) give the windows, height * width of them.
template <class Rows, class Columns>
constexpr void pool(op::pooling function, const arguments& a, pair windows, Rows rows, Columns columns) {
  const extents& in = a.in[0].shape;
  const int width = in.back(0);
  const std::int64_t planes = in.count(0, in.rank - 2);
  const std::ptrdiff_t plane = std::ptrdiff_t{in.back(1)} * width;
  const float* x = a.in[0].data;
  float* y = a.out[0].data;
  for (std::int64_t c = 0; c < planes; ++c, x += plane) {
    for (int i = 0; i < windows[0]; ++i) {
      const pooling_window r = rows(i);
      for (int j = 0; j < windows[1]; ++j) {
        const pooling_window q = columns(j);
        if (function == op::pooling::max) {
          float most = -std::numeric_limits<float>::infinity();
          for (int h = r.first; h < r.last; ++h)
            for (int w = q.first; w < q.last; ++w) {
              const float v = x[h * std::ptrdiff_t{width} + w];
              most = v > most ? v : most;
            }
          *y++ = most;
        } else {
          float sum = 0;
          for (int h = r.first; h < r.last; ++h)
            for (int w = q.first; w < q.last; ++w) sum += x[h * std::ptrdiff_t{width} + w];
          const int cells = r.divisor * q.divisor;
          *y++ = cells > 0 ? sum / static_cast<float>(cells) : 0.0f;
        }
      }
    }
  }
}

}  // namespace detail

constexpr void run(const op::pool2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const margins pad = p.padding(in);
  detail::pool(
      p.function, a, {out.back(1), out.back(0)},
      [&](int i) { return pool_window_at(p, 0, pad[0], pad[2], in.back(1), i); },
      [&](int j) { return pool_window_at(p, 1, pad[1], pad[3], in.back(0), j); });
}

constexpr void run(const op::adaptive_pool2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const pair windows = p.flatten ? pair{1, 1} : pair{out.back(1), out.back(0)};
  detail::pool(
      p.function, a, windows, [&](int i) { return adaptive_window(in.back(1), windows[0], i); },
      [&](int j) { return adaptive_window(in.back(0), windows[1], j); });
}

}  // namespace ctnn::reference
