// SPDX-License-Identifier: BSL-1.0
// linear: rows of K numbers times a packed matrix, on the convolution's micro-kernel.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_LINEAR_INL_HPP)
#define CTNN_KERNELS_LINEAR_INL_HPP
#define CTNN_KERNELS_LINEAR_ENABLED
#endif
#elif defined(CTNN_KERNELS_LINEAR_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_LINEAR_INL_HPP
#undef CTNN_KERNELS_LINEAR_INL_HPP
#else
#define CTNN_KERNELS_LINEAR_INL_HPP
#endif
#define CTNN_KERNELS_LINEAR_ENABLED
#endif

#if defined(CTNN_KERNELS_LINEAR_ENABLED)
#undef CTNN_KERNELS_LINEAR_ENABLED

#include "../../graph/operators/linear.hpp"
#include "../share.hpp"
#include "../tensor.hpp"
#include "../simd/tile-inl.hpp"

CTNN_BEGIN_TARGET

/// out[r][j] = bias[j] + sum over k of in[r][k] weights[j][k]; rows lie in_pitch and out_pitch apart. Bias may be null.
/// One row alone streams the weights; many rows share them tile by tile (firmware has few and takes one after another).
CTNN_NOINLINE inline void multiply_rows(const float* in, std::ptrdiff_t in_pitch, int rows, int depth,
                                        const float* weights, const float* bias, float* out, std::ptrdiff_t out_pitch,
                                        int columns, const epilogue& end) {
  tile_task t{};
  t.pixel_step = 0;
  t.run_count = 1;
  t.weight_step = channel_block;
  t.block_step = static_cast<std::ptrdiff_t>(depth) * channel_block;
  t.out_pitch = t.start_pitch = out_pitch;
  t.end = end;
#if defined(CTNN_PLAIN)
  const run_step whole{0, 0};
  t.runs = &whole;
  t.length = depth;
  t.rows = 1;
  t.last = true;
  for (int r = 0; r < rows; ++r) {
    const float* row = in + r * in_pitch;
    t.pixels = &row;
    t.weights = weights;
    t.bias = bias;
    t.start = nullptr;
    t.out = out + r * out_pitch;
    run_columns(t, columns, 1, 8, &run_tile<1, 8>);
  }
#else
  for (int column = 0; column < columns;) {
    const tile_shape tile = rows == 1 ? choose_row(columns - column) : choose_tile(columns - column);
    t.columns = columns - column < tile.columns ? columns - column : tile.columns;
    t.bias = bias == nullptr ? nullptr : bias + column;
    // Weights of a part of the sum stay in the first cache while all rows pass.
    const int part = rows == 1 || lanes == 1 ? depth : 8192 / tile.columns;
    for (int k = 0; k < depth; k += part) {
      const run_step step{k, static_cast<std::ptrdiff_t>(k) * channel_block};
      t.runs = &step;
      t.length = depth - k < part ? depth - k : part;
      t.last = k + part >= depth;
      t.weights = weights + column / channel_block * t.block_step + column % channel_block;
      for (int r = 0; r < rows; r += tile.rows) {
        const float* pixels[12];
        t.rows = rows - r < tile.rows ? rows - r : tile.rows;
        for (int p = 0; p < tile.rows; ++p) pixels[p] = in + (r + (p < t.rows ? p : 0)) * in_pitch;
        t.pixels = pixels;
        t.out = out + r * out_pitch + column;
        t.start = k == 0 ? nullptr : t.out;
        tile.run(t);
      }
      t.bias = nullptr;  // the next part adds to what this one stored
    }
    column += tile.columns;
  }
#endif
}

CTNN_INLINE void run(const op::linear& p, const arguments& a) {
  const int depth = static_cast<int>(p.depth(a.in[0].shape));
  const int rows = static_cast<int>(a.in[0].shape.count(0, a.in[0].shape.rank - p.axes));
  const float* bias = p.bias ? a.weights[1] : nullptr;
  const bool by_columns = choose_cut(a.share, {{p.out, column_granule}, {rows, row_tiles}}) == 0;
  const index_range column = by_columns ? share_of(a.share, p.out, column_granule) : index_range{0, p.out};
  const index_range row = by_columns ? index_range{0, rows} : share_of(a.share, rows, row_tiles);
  if (a.share.count > 1 && (column.size() <= 0 || row.size() <= 0)) return;
  multiply_rows(a.in[0].data + row.begin * depth, depth, static_cast<int>(row.size()), depth,
                a.weights[0] + column.begin * depth, bias == nullptr ? nullptr : bias + column.begin,
                a.out[0].data + row.begin * p.out + column.begin, p.out, static_cast<int>(column.size()),
                epilogue_of(p.activation));
}

CTNN_END_TARGET

#endif
