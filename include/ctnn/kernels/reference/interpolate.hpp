// SPDX-License-Identifier: BSL-1.0
// interpolate, plain; and where an output row or column reads, shared by both forms of the kernel.
//
// nearest reads floor(i * step) in float, step = in / out if a size is given, else 1 / scale (PyTorch, ncnn).
// bilinear takes step = in / out always, as ncnn does; PyTorch takes 1 / scale when given a scale, which differs only
// if in * scale is not whole. Its positions are exact fractions here; ncnn rounds them to float.
#pragma once

#include "../../graph/operators/pooling.hpp"
#include "../tensor.hpp"

namespace ctnn {

/// Value = (1 - weight) x[first] + weight x[second].
struct interpolation_tap {
  int first;
  int second;
  float weight;
};

constexpr interpolation_tap tap_of(const op::interpolate& p, unsigned axis, int in, int out, int i) {
  if (p.mode == op::interpolation::nearest) {
    const float step = p.size[axis] != 0 ? static_cast<float>(in) / static_cast<float>(out) : 1.0f / p.scale[axis];
    const int at = static_cast<int>(static_cast<float>(i) * step);
    const int inside = at > in - 1 ? in - 1 : at;
    return {inside, inside, 0.0f};
  }
  // position = above / below
  const std::int64_t above = p.align_corners ? std::int64_t{i} * (in - 1) : (2 * std::int64_t{i} + 1) * in - out;
  const std::int64_t below = p.align_corners ? (out > 1 ? out - 1 : 1) : 2 * std::int64_t{out};
  if (above <= 0) return {0, 0, 0.0f};
  const int first = static_cast<int>(above / below);
  if (first >= in - 1) return {in - 1, in - 1, 0.0f};
  return {first, first + 1, static_cast<float>(above - first * below) / static_cast<float>(below)};
}

}  // namespace ctnn

namespace ctnn::reference {

constexpr void run(const op::interpolate& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const int height = in.back(1), width = in.back(0), rows = out.back(1), columns = out.back(0);
  const std::int64_t planes = in.count(0, in.rank - 2);
  const std::ptrdiff_t in_plane = std::ptrdiff_t{height} * width, plane = std::ptrdiff_t{rows} * columns;
  for (int j = 0; j < columns; ++j) {
    const interpolation_tap q = tap_of(p, 1, width, columns, j);
    for (int i = 0; i < rows; ++i) {
      const interpolation_tap r = tap_of(p, 0, height, rows, i);
      const float* x = a.in[0].data;
      float* y = a.out[0].data;
      const std::ptrdiff_t at = std::ptrdiff_t{i} * columns + j;
      const std::ptrdiff_t upper = std::ptrdiff_t{r.first} * width, lower = std::ptrdiff_t{r.second} * width;
      for (std::int64_t c = 0; c < planes; ++c, x += in_plane, y += plane) {
        const float above = x[upper + q.first] + q.weight * (x[upper + q.second] - x[upper + q.first]);
        const float below = x[lower + q.first] + q.weight * (x[lower + q.second] - x[lower + q.first]);
        y[at] = above + r.weight * (below - above);
      }
    }
  }
}

}  // namespace ctnn::reference
