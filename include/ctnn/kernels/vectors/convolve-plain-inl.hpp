// SPDX-License-Identifier: BSL-1.0
// The driver of conv2d for firmware (CTNN_PLAIN): small code, 200 bytes of lists instead of a kilobyte, and no caches
// to mind. A tile's pixels stand below each other, so they share the columns of taps that fall on the input: a row of
// the window is one run of contiguous inputs, at the sides a shorter one.
#pragma once

#include "../overlap.hpp"
#include "../simd/tile-inl.hpp"
#include "../walks/window-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Runs summed by one call of a tile; windows with more take several.
inline constexpr int most_runs = 3;

/// The runs of a tile that were found, and what to do with them.
struct plain_tile {
  tile_task task;
  bool first;  ///< of the parts of the sums: they begin with the bias and the residual
  run_step runs[most_runs];
  const float* pixels[most_runs * 4];
};

/// Sums the runs found so far for all columns, of the pixel whose results and residual lie so far behind the first's.
/// (What it calls it calls last: no stack of its own lies below the tile's.)
template <class Numbers>
CTNN_SMALL CTNN_NOINLINE void sum_runs(plain_tile& tile, const Numbers& c, const operand_addresses& at,
                                       std::ptrdiff_t out, std::ptrdiff_t residual, bool last) {
  tile_task& t = tile.task;
  t.last = last;
  t.out = at.out + out;
  t.weights = at.weights;
  t.bias = nullptr;
  t.slopes = at.slopes;
  t.start = t.out;
  t.start_pitch = t.out_pitch;
  if (tile.first) {
    t.bias = at.bias;
    t.start = nullptr;
    if (at.residual != nullptr) {
      t.start = at.residual + residual;
      t.start_pitch = t.out_pitch / c.out_pitch * c.residual_pitch;
    }
  }
  tile.first = false;
  run_columns(t, c.out_channels, t.pixel_step == 1 ? one_by_eight : four_by_four);
}

}  // namespace detail

/// One group of one image, of which `c` tells the numbers: a window or a record.
template <class Numbers>
CTNN_SMALL CTNN_NOINLINE void convolve(const Numbers& c, const operand_addresses& at, const epilogue& end) {
  detail::plain_tile tile;
  tile_task& t = tile.task;
  t.runs = tile.runs;
  t.pixels = tile.pixels;
  t.run_count = 0;
  t.end = &end;
  t.block_step = static_cast<std::ptrdiff_t>(c.kernel_h) * c.kernel_w * c.channels * channel_block;

  const bool pointwise = is_pointwise(c);
  const int out_width = pointwise ? 1 : c.out_width;
  const int out_height = pointwise ? c.out_height * c.out_width : c.out_height;
  const int height = pointwise ? out_height : c.height;
  const std::ptrdiff_t row = pointwise ? c.col : row_of(c);
  t.out_pitch = pointwise ? c.out_pitch : out_row_of(c);

  // How a row of taps divides into runs: planes x columns of `length` inputs.
  const bool planar = is_planar(c);
  const int planes = planar ? c.channels : 1;
  const bool joined = c.dilation_w == 1 && (planar || c.col == c.channels);
  const int tap_length = planar ? 1 : c.channels;
  t.weight_step = planar ? static_cast<std::ptrdiff_t>(c.channels) * channel_block : channel_block;

  for (int left = out_height; left > 0; left -= t.rows) {
    // Planes may lie under the results until the last rows of these (row_walk::last_alone).
    t.rows = left > convolution_rows ? convolution_rows : planar ? 1 : left;
    int oy = c.backwards ? left - t.rows : out_height - left;
    int y = oy * c.stride_h - c.pad_top;
    const bool hangs_over = y < 0 || y + (t.rows - 1) * c.stride_h + (c.kernel_h - 1) * c.dilation_h >= height;
    // Zeros stand in for taps above and below the input, but there are not many.
    if (hangs_over && tap_length > max_run) {
      if (c.backwards) oy = left - 1;
      y = oy * c.stride_h - c.pad_top;
      t.rows = 1;
    }
    const int rows = t.rows == 1 ? 1 : 4;
    t.pixel_step = rows;
    for (int ox = 0; ox < out_width; ++ox) {
      const int x = ox * c.stride_w - c.pad_left;
      int kx = 0, kx_end = c.kernel_w;
      while (kx < kx_end && x + kx * c.dilation_w < 0) ++kx;
      while (kx < kx_end && x + (kx_end - 1) * c.dilation_w >= c.width) --kx_end;
      const int taps = joined && !(hangs_over && rows > 1 && (kx_end - kx) * tap_length > max_run) ? kx_end - kx : 1;
      t.length = taps * tap_length;
      const std::ptrdiff_t out = oy * t.out_pitch + ox * c.out_pitch;
      const std::ptrdiff_t residual = (static_cast<std::ptrdiff_t>(oy) * out_width + ox) * c.residual_pitch;
      tile.first = true;
      for (int plane = 0; plane < planes; ++plane)
        for (int ky = 0; ky < c.kernel_h; ++ky)
          for (int k = kx; k < kx_end; k += taps) {
            const std::ptrdiff_t place = plane * plane_of(c) + (x + k * c.dilation_w) * c.col;
            if (t.run_count == detail::most_runs) {
              detail::sum_runs(tile, c, at, out, residual, false);
              t.run_count = 0;
            }
            const float** pixels = tile.pixels + t.run_count * rows;
            bool any = false;
            int below = y + ky * c.dilation_h;
            for (int r = 0; r < rows; ++r) {
              const bool inside = below >= 0 && below < height;
              pixels[r] = inside ? at.in + (below * row + place) : zeros;
              any = any || inside;
              if (r + 1 < t.rows) below += c.stride_h;
            }
            if (any)
              tile.runs[t.run_count++] = {(static_cast<std::ptrdiff_t>(ky * c.kernel_w + k) * c.channels + plane) *
                                          channel_block};
          }
      detail::sum_runs(tile, c, at, out, residual, true);
      t.run_count = 0;
    }
  }
}

template <int = 0>
CTNN_INLINE void convolve(const window& c, const epilogue& end) {
  convolve(c, c, end);
}

CTNN_END_TARGET
