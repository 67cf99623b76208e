// SPDX-License-Identifier: BSL-1.0
// conv2d and conv_transpose2d, plain: one pass over the plane for each weight, so that edges are found once a row and not
// once an element.
#pragma once

#include "../../graph/operators/convolution.hpp"
#include "../tensor.hpp"

namespace ctnn::reference {

/// Positions [first, last) of `count` whose tap at `offset` (dilation * k - padding) lies inside [0, size).
struct tap_range {
  int first;
  int last;
};
constexpr tap_range positions_inside(int offset, int stride, int size, int count) {
  const int first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  int last = size - 1 - offset < 0 ? 0 : (size - 1 - offset) / stride + 1;
  if (last > count) last = count;
  return {first, last < first ? first : last};
}

constexpr void run(const op::conv2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const int batch = in.rank == 4 ? in[0] : 1;
  const int height = in.back(1), width = in.back(0), rows = out.back(1), columns = out.back(0);
  const int group_in = in.back(2) / p.groups, group_out = p.out / p.groups;
  const margins pad = p.padding(in);
  const std::ptrdiff_t in_plane = std::ptrdiff_t{height} * width, plane = std::ptrdiff_t{rows} * columns;
  float* y = a.out[0].data;
  const float* residual = a.in.size() == 2 ? a.in[1].data : nullptr;
  for (int n = 0; n < batch; ++n) {
    for (int o = 0; o < p.out; ++o, y += plane) {
      const float start = p.bias ? a.weights[1][o] : 0.0f;
      for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = start;
      const float* weight = a.weights[0] + std::ptrdiff_t{o} * group_in * p.kernel[0] * p.kernel[1];
      const float* x = a.in[0].data + (std::ptrdiff_t{n} * in.back(2) + o / group_out * group_in) * in_plane;
      for (int c = 0; c < group_in; ++c, x += in_plane) {
        for (int ky = 0; ky < p.kernel[0]; ++ky) {
          const int dy = ky * p.dilation[0] - pad[0];
          const tap_range r = positions_inside(dy, p.stride[0], height, rows);
          for (int kx = 0; kx < p.kernel[1]; ++kx) {
            const float w = *weight++;
            const int dx = kx * p.dilation[1] - pad[1], step = p.stride[1];
            const tap_range q = positions_inside(dx, step, width, columns);
            for (int i = r.first; i < r.last; ++i) {
              const std::ptrdiff_t from = std::ptrdiff_t{i * p.stride[0] + dy} * width + dx;  // may be before the row
              float* to = y + std::ptrdiff_t{i} * columns;
              for (int j = q.first; j < q.last; ++j) to[j] += w * x[from + j * step];
            }
          }
        }
      }
      if (residual != nullptr) {
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] += residual[i];
        residual += plane;
      }
      if (p.activation)
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = apply(p.activation, y[i]);
    }
  }
}

constexpr void run(const op::conv_transpose2d& p, const arguments& a) {
  const extents &in = a.in[0].shape, &out = a.out[0].shape;
  const int batch = in.rank == 4 ? in[0] : 1;
  const int height = in.back(1), width = in.back(0), rows = out.back(1), columns = out.back(0);
  const int group_in = in.back(2) / p.groups, group_out = p.out / p.groups, taps = p.kernel[0] * p.kernel[1];
  const std::ptrdiff_t in_plane = std::ptrdiff_t{height} * width, plane = std::ptrdiff_t{rows} * columns;
  float* y = a.out[0].data;
  for (int n = 0; n < batch; ++n) {
    for (int o = 0; o < p.out; ++o, y += plane) {
      const float start = p.bias ? a.weights[1][o] : 0.0f;
      for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = start;
      const int first = o / group_out * group_in;  // of the group's inputs
      const float* x = a.in[0].data + (std::ptrdiff_t{n} * in.back(2) + first) * in_plane;
      for (int c = 0; c < group_in; ++c, x += in_plane) {
        const float* weight = a.weights[0] + (std::ptrdiff_t{first + c} * group_out + o % group_out) * taps;
        for (int tap = 0; tap < taps; ++tap) {
          const int dy = tap / p.kernel[1] * p.dilation[0] - p.pad[0], dx = tap % p.kernel[1] * p.dilation[1] - p.pad[1];
          const int step = p.stride[1];
          const tap_range r = positions_inside(dy, p.stride[0], rows, height);
          const tap_range q = positions_inside(dx, step, columns, width);
          for (int i = r.first; i < r.last; ++i) {
            float* to = y + (std::ptrdiff_t{i} * p.stride[0] + dy) * columns;
            const float* from = x + std::ptrdiff_t{i} * width;
            for (int j = q.first; j < q.last; ++j) to[std::ptrdiff_t{j} * step + dx] += weight[tap] * from[j];
          }
        }
      }
      if (p.activation)
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = apply(p.activation, y[i]);
    }
  }
}

}  // namespace ctnn::reference
