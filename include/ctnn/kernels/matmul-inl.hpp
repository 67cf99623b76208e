// SPDX-License-Identifier: BSL-1.0
// matmul of f32 values on the convolution's micro-kernel: the right matrix is copied part by part into rows of a tile.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_MATMUL_INL_HPP)
#define CTNN_KERNELS_MATMUL_INL_HPP
#define CTNN_KERNELS_MATMUL_ENABLED
#endif
#elif defined(CTNN_KERNELS_MATMUL_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_MATMUL_INL_HPP
#undef CTNN_KERNELS_MATMUL_INL_HPP
#else
#define CTNN_KERNELS_MATMUL_INL_HPP
#endif
#define CTNN_KERNELS_MATMUL_ENABLED
#endif

#if defined(CTNN_KERNELS_MATMUL_ENABLED)
#undef CTNN_KERNELS_MATMUL_ENABLED

#include "../graph/operators/matrix.hpp"
#include "matmul_walk.hpp"
#include "share.hpp"
#include "tensor.hpp"
#include "tile-inl.hpp"

CTNN_BEGIN_TARGET

/// Columns [column, column_end) of out = a b, row-major without gaps.
CTNN_NOINLINE inline void multiply_matrices(const float* a, const float* b, float* out, int rows, int depth, int columns,
                                            int column, int column_end) {
  // On plain floats a smaller copy: firmware's stack.
  constexpr int room = lanes == 1 ? 256 : 8192;
  float copy[room];
  tile_task t{};
  t.run_count = 1;
  t.block_step = channel_block;
  t.out_pitch = t.start_pitch = columns;
  const run_step step{0, 0};
  t.runs = &step;
  t.weights = copy;
  while (column < column_end) {
    const tile_shape tile = rows == 1 ? choose_row(columns - column) : choose_tile(columns - column);
    t.columns = columns - column < tile.columns ? columns - column : tile.columns;
    t.weight_step = tile.columns;
    const int part = room / tile.columns;
    for (int k = 0; k < depth; k += part) {
      t.length = depth - k < part ? depth - k : part;
      for (int i = 0; i < t.length; ++i) {
        const float* from = b + static_cast<std::ptrdiff_t>(k + i) * columns + column;
        float* to = copy + static_cast<std::ptrdiff_t>(i) * tile.columns;
        for (int c = 0; c < t.columns; ++c) to[c] = from[c];
        for (int c = t.columns; c < tile.columns; ++c) to[c] = 0;
      }
      for (int r = 0; r < rows; r += tile.rows) {
        const float* pixels[12];
        t.rows = rows - r < tile.rows ? rows - r : tile.rows;
        for (int p = 0; p < tile.rows; ++p) pixels[p] = a + static_cast<std::ptrdiff_t>(r + (p < t.rows ? p : 0)) * depth + k;
        t.pixels = pixels;
        t.out = out + static_cast<std::ptrdiff_t>(r) * columns + column;
        t.start = k == 0 ? nullptr : t.out;
        tile.run(t);
      }
    }
    column += tile.columns;
  }
}

CTNN_INLINE void run(const op::matmul&, const arguments& a) {
  const matmul_walk w(a.in[0].shape, a.in[1].shape);
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(w.rows) * w.columns;
  if (w.depth == 0 && a.share.index == 0)
    for (std::ptrdiff_t i = 0; i < size * static_cast<std::ptrdiff_t>(w.matrices); ++i) a.out[0].data[i] = 0;
  const auto matrices = static_cast<std::ptrdiff_t>(w.matrices);
  const std::size_t way = choose_cut(a.share, {{matrices, 1}, {w.rows, row_tiles}, {w.columns, column_granule}});
  const index_range matrix = way == 0 ? share_of(a.share, matrices) : index_range{0, matrices};
  const index_range row = way == 1 ? share_of(a.share, w.rows, row_tiles) : index_range{0, w.rows};
  const index_range column = way == 2 ? share_of(a.share, w.columns, column_granule) : index_range{0, w.columns};
  if (a.share.count > 1 && row.size() <= 0) return;
  for (std::ptrdiff_t m = matrix.begin; m < matrix.end; ++m) {
    const auto at = w.offsets(m);
    multiply_matrices(a.in[0].data + at.a + row.begin * w.depth, a.in[1].data + at.b, a.out[0].data + m * size + row.begin * w.columns,
                      static_cast<int>(row.size()), w.depth, w.columns, static_cast<int>(column.begin), static_cast<int>(column.end));
  }
}

CTNN_END_TARGET

#endif
