// SPDX-License-Identifier: BSL-1.0
// Convolutions, plain: one pass over the output for each weight, so that edges are found once a row and not once an
// element.
#pragma once

#include "../../graph/operators/convolution.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::reference {

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

/// The windows of a convolution as ones over (depth, rows, columns); axes that are not there have one place.
struct three_axes {
  int size[3]{1, 1, 1}, count[3]{1, 1, 1};  ///< extents of input and output
  int kernel[3]{1, 1, 1}, stride[3]{1, 1, 1}, dilation[3]{1, 1, 1}, before[3]{};

  template <int Axes>
  constexpr three_axes(const op::convolution_windows<Axes>& p, const auto& pad, const extents& in, const extents& out) {
    for (int i = 0; i < Axes; ++i) {
      const int to = 3 - Axes + i;
      const auto k = static_cast<std::size_t>(i);
      size[to] = p.extent_of(in, i);
      count[to] = p.extent_of(out, i);
      kernel[to] = p.kernel[k];
      stride[to] = p.stride[k];
      dilation[to] = p.dilation[k];
      before[to] = pad[k];
    }
  }
  constexpr std::ptrdiff_t input_plane() const { return std::ptrdiff_t{size[0]} * size[1] * size[2]; }
  constexpr std::ptrdiff_t output_plane() const { return std::ptrdiff_t{count[0]} * count[1] * count[2]; }
  constexpr int offset(int axis, int tap) const { return tap * dilation[axis] - before[axis]; }
};

/// For every tap of a filter (in its order) and all rows that it reaches: row(tap, first place of a row of the strided
/// side, of the dense side, places along the row, offset of the tap along it). `strided` are the extents that windows
/// step over.
constexpr void for_each_row(const three_axes& g, const int (&strided)[3], const int (&dense)[3], auto&& row) {
  int tap = 0;
  for (int kz = 0; kz < g.kernel[0]; ++kz) {
    const tap_range z = positions_inside(g.offset(0, kz), g.stride[0], strided[0], dense[0]);
    for (int ky = 0; ky < g.kernel[1]; ++ky) {
      const tap_range y = positions_inside(g.offset(1, ky), g.stride[1], strided[1], dense[1]);
      for (int kx = 0; kx < g.kernel[2]; ++kx, ++tap) {
        const tap_range x = positions_inside(g.offset(2, kx), g.stride[2], strided[2], dense[2]);
        for (int i = z.first; i < z.last; ++i)
          for (int j = y.first; j < y.last; ++j)
            row(tap,
                (std::ptrdiff_t{i * g.stride[0] + g.offset(0, kz)} * strided[1] + j * g.stride[1] + g.offset(1, ky)) *
                    strided[2],
                (std::ptrdiff_t{i} * dense[1] + j) * dense[2], x, g.offset(2, kx));
      }
    }
  }
}

template <int Axes, class T>
constexpr void run(const op::conv<Axes>& p, const basic_arguments<T>& a) {
  const extents& in = a.in[0].shape;
  const three_axes g(p, p.padding(in), in, a.out[0].shape);
  const int batch = p.has_batch(in) ? in[0] : 1, channels = p.channels_of(in);
  const int group_in = channels / p.groups, group_out = p.out / p.groups;
  const std::ptrdiff_t in_plane = g.input_plane(), plane = g.output_plane(),
                       taps = static_cast<std::ptrdiff_t>(p.taps());
  T* y = a.out[0].data;
  const T* residual = a.in.size() == 2 ? a.in[1].data : nullptr;
  for (int n = 0; n < batch; ++n) {
    for (int o = 0; o < p.out; ++o, y += plane) {
      const T start = p.bias ? a.weights[1][o] : T{0};
      for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = start;
      const T* weight = a.weights[0] + std::ptrdiff_t{o} * group_in * taps;
      const T* x = a.in[0].data + (std::ptrdiff_t{n} * channels + o / group_out * group_in) * in_plane;
      for (int c = 0; c < group_in; ++c, x += in_plane, weight += taps)
        for_each_row(g, g.size, g.count, [&](int tap, std::ptrdiff_t from, std::ptrdiff_t to, tap_range q, int offset) {
          for (int j = q.first; j < q.last; ++j) y[to + j] += weight[tap] * x[from + j * g.stride[2] + offset];
        });
      if (residual != nullptr && !p.residual_last)
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] += residual[i];
      if (p.has_slopes()) {
        const T slope = a.weights[p.slopes()][o];
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = y[i] < 0 ? y[i] * slope : y[i];
      } else if (p.activation)
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = apply(p.activation, y[i]);
      if (residual != nullptr && p.residual_last)
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] += residual[i];
      if (residual != nullptr) residual += plane;
    }
  }
}

template <int Axes, class T>
constexpr void run(const op::conv_transpose<Axes>& p, const basic_arguments<T>& a) {
  const extents& in = a.in[0].shape;
  const three_axes g(p, p.pad, in, a.out[0].shape);
  const int batch = p.has_batch(in) ? in[0] : 1, channels = p.channels_of(in);
  const int group_in = channels / p.groups, group_out = p.out / p.groups;
  const std::ptrdiff_t in_plane = g.input_plane(), plane = g.output_plane(),
                       taps = static_cast<std::ptrdiff_t>(p.taps());
  T* y = a.out[0].data;
  for (int n = 0; n < batch; ++n) {
    for (int o = 0; o < p.out; ++o, y += plane) {
      const T start = p.bias ? a.weights[1][o] : T{0};
      for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = start;
      const int first = o / group_out * group_in;  // of the group's inputs
      const T* x = a.in[0].data + (std::ptrdiff_t{n} * channels + first) * in_plane;
      for (int c = 0; c < group_in; ++c, x += in_plane) {
        const T* weight = a.weights[0] + (std::ptrdiff_t{first + c} * group_out + o % group_out) * taps;
        for_each_row(g, g.count, g.size, [&](int tap, std::ptrdiff_t to, std::ptrdiff_t from, tap_range q, int offset) {
          for (int j = q.first; j < q.last; ++j) y[to + j * g.stride[2] + offset] += weight[tap] * x[from + j];
        });
      }
      if (p.activation)
        for (std::ptrdiff_t i = 0; i < plane; ++i) y[i] = apply(p.activation, y[i]);
    }
  }
}

}  // namespace ctnn::ir::reference
