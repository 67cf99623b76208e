// SPDX-License-Identifier: BSL-1.0
// Depthwise conv2d on nhwc for firmware (CTNN_PLAIN): pixel by pixel, eight channels at a time.
#pragma once

#include "../overlap.hpp"
#include "depthwise-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// A pixel's taps that fall on the input, `columns` of `rows`.
struct pixel_taps {
  int rows, columns;
  std::ptrdiff_t in_step, in_row, weight_step, weight_row;  ///< from column to column, and from row to row
};

/// Sums V channels and bounds them; the residual may be null.
template <int V>
CTNN_INLINE void sum_channels(const pixel_taps& taps, const float* in, const float* weights, const float* bias,
                              const float* residual, bool relu_only, float* out) {
  float sum[V];
  CTNN_UNROLL for (int v = 0; v < V; ++v) sum[v] = bias != nullptr ? bias[v] : 0.0f;
  if (residual != nullptr) {
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[v] += residual[v];
  }
  for (int rows = taps.rows; rows > 0; --rows, in += taps.in_row, weights += taps.weight_row) {
#if CTNN_LOADS_NEIGHBOURS
    if constexpr (V == 8) {
      sum_taps(sum, in, taps.in_step, weights, taps.weight_step, taps.columns);
      continue;
    }
#endif
    const float *x = in, *w = weights;
    for (int columns = taps.columns; columns > 0; --columns, x += taps.in_step, w += taps.weight_step)
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[v] = mul_add(x[v], w[v], sum[v]);
  }
  CTNN_UNROLL for (int v = 0; v < V; ++v) out[v] = relu_only ? relu(sum[v]) : sum[v];
}

}  // namespace detail

/// All channels of one image, of which `c` tells the numbers. Not Any: their count is a multiple of eight, and nothing
/// is added, which takes a third of the code.
template <class Numbers, bool Any>
CTNN_NOINLINE void convolve_by_channel(const Numbers& c, const operand_addresses& at, const epilogue& end) {
  const auto width = static_cast<std::ptrdiff_t>(round_up_to_block(c.out_channels));
  const std::ptrdiff_t row = row_of(c);
  detail::pixel_taps taps;
  taps.in_step = c.dilation_w * c.col;
  taps.in_row = c.dilation_h * row;
  taps.weight_step = width;
  taps.weight_row = c.kernel_w * width;
  const bool relu_only = end.bounds == epilogue::bound::relu;
  for (int n = 0; n < c.out_height; ++n) {
    const int oy = c.backwards ? c.out_height - 1 - n : n;
    const int y = oy * c.stride_h - c.pad_top, first_y = detail::first_tap(y, c.dilation_h);
    taps.rows = detail::last_tap(y, c.dilation_h, c.kernel_h, c.height) - first_y;
    float* const out = at.out + oy * out_row_of(c);
    for (int ox = 0; ox < c.out_width; ++ox) {
      const int x = ox * c.stride_w - c.pad_left, first_x = detail::first_tap(x, c.dilation_w);
      taps.columns = detail::last_tap(x, c.dilation_w, c.kernel_w, c.width) - first_x;
      const float* in = at.in + ((y + first_y * c.dilation_h) * row + (x + first_x * c.dilation_w) * c.col);
      const float* weights = at.weights + (first_y * c.kernel_w + first_x) * width;
      const float* bias = at.bias;
      const float* residual = nullptr;
      if (Any && at.residual != nullptr)
        residual = at.residual + (static_cast<std::ptrdiff_t>(oy) * c.out_width + ox) * c.residual_pitch;
      float* to = out + ox * c.out_pitch;
      for (int left = c.out_channels; left > 0;) {
        const int step = !Any || left >= 8 ? 8 : 1;
        if (!Any || step == 8) detail::sum_channels<8>(taps, in, weights, bias, residual, relu_only, to);
        else detail::sum_channels<1>(taps, in, weights, bias, residual, relu_only, to);
        left -= step;
        in += step;
        weights += step;
        if (bias != nullptr) bias += step;
        if (Any && residual != nullptr) residual += step;
        to += step;
      }
    }
    if (end.finish != nullptr) end.finish(end, at.slopes, out, c.out_pitch, c.out_width, c.out_channels);
  }
}

CTNN_END_TARGET
