// SPDX-License-Identifier: BSL-1.0
// The driver of conv2d for firmware (CTNN_PLAIN): small code, 200 bytes of lists instead of a kilobyte, and no caches
// to mind. A tile's pixels stand below each other, so they share the columns of taps that fall on the input: a row of
// the window is one run of contiguous inputs, at the sides a shorter one.
#pragma once

#include "../overlap.hpp"
#include "../simd/tile-inl.hpp"
#include "../walks/window-inl.hpp"

namespace ctnn::ir {
namespace plain {
namespace detail {

/// Runs summed by one call of a tile; windows with more take several.
inline constexpr int most_runs = 4;

/// The runs of a tile that were found, and what to do with them.
struct plain_tile {
  tile_task task;
  run_step runs[most_runs];
  const float* pixels[most_runs * 4];
};

/// Sums the runs found so far for all columns. `first` of the parts of a sum: it begins with the bias and the residual.
/// (What it calls it calls last: no stack of its own lies below the tile's.)
CTNN_NOINLINE inline void sum_runs(plain_tile& tile, const window& c, std::ptrdiff_t out, std::ptrdiff_t pixel,
                                   bool first, bool last) {
  tile_task& t = tile.task;
  t.last = last;
  t.out = c.out + out;
  t.weights = c.weights;
  t.bias = first ? c.bias : nullptr;
  t.slopes = c.slopes;
  t.start = t.out;
  t.start_pitch = t.out_pitch;
  if (first) {
    t.start = nullptr;
    if (c.residual != nullptr) {
      t.start = c.residual + pixel * c.residual_pitch;
      t.start_pitch = t.out_pitch / c.out_pitch * c.residual_pitch;
    }
  }
  run_columns(t, c.out_channels, t.pixel_step == 1 ? one_by_eight : four_by_four);
}

}  // namespace detail

/// One group of one image.
CTNN_NOINLINE inline void convolve(const window& c, const epilogue& end) {
  detail::plain_tile tile;
  tile_task& t = tile.task;
  t.runs = tile.runs;
  t.pixels = tile.pixels;
  t.run_count = 0;
  t.end = end;
  t.block_step = static_cast<std::ptrdiff_t>(c.kernel_h) * c.kernel_w * c.channels * channel_block;

  // With 1 x 1 windows all pixels stand below each other.
  const bool pointwise = c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_top == 0 &&
                         c.pad_left == 0 && c.last_y == c.out_height - 1 && c.last_x == c.out_width - 1 &&
                         c.out_row == c.out_width * c.out_pitch;
  const int out_width = pointwise ? 1 : c.out_width;
  const int out_height = pointwise ? c.out_height * c.out_width : c.out_height;
  const int height = pointwise ? out_height : c.height;
  const std::ptrdiff_t row = pointwise ? c.col : c.row;
  t.out_pitch = pointwise ? c.out_pitch : c.out_row;

  // How a row of taps divides into runs: planes x columns of `length` inputs.
  const bool planar = c.chan != 1;
  const int planes = planar ? c.channels : 1;
  const bool joined = c.dilation_w == 1 && (planar || c.col == c.channels);
  const int tap_length = planar ? 1 : c.channels;
  t.weight_step = planar ? static_cast<std::ptrdiff_t>(c.channels) * channel_block : channel_block;

  for (int left = out_height; left > 0; left -= t.rows) {
    t.rows = left < convolution_rows ? left : convolution_rows;
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
      const std::ptrdiff_t pixel = static_cast<std::ptrdiff_t>(oy) * out_width + ox,
                           out = oy * t.out_pitch + ox * c.out_pitch;
      bool first = true;
      for (int plane = 0; plane < planes; ++plane)
        for (int ky = 0; ky < c.kernel_h; ++ky)
          for (int k = kx; k < kx_end; k += taps) {
            const float** pixels = tile.pixels + t.run_count * rows;
            bool any = false;
            for (int r = 0; r < rows; ++r) {
              const int below = y + (r < t.rows ? r : t.rows - 1) * c.stride_h + ky * c.dilation_h;
              const bool inside = below >= 0 && below < height;
              pixels[r] = inside ? c.in + (plane * c.chan + below * row + (x + k * c.dilation_w) * c.col) : zeros;
              any = any || inside;
            }
            if (!any) continue;
            tile.runs[t.run_count++] = {
                0, (static_cast<std::ptrdiff_t>(ky * c.kernel_w + k) * c.channels + plane) * channel_block};
            if (t.run_count < detail::most_runs) continue;
            detail::sum_runs(tile, c, out, pixel, first, false);
            t.run_count = 0;
            first = false;
          }
      detail::sum_runs(tile, c, out, pixel, first, true);
      t.run_count = 0;
    }
  }
}

}  // namespace plain
}  // namespace ctnn::ir
