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
#include "tensor.hpp"
#include "tile-inl.hpp"

CTNN_BEGIN_TARGET

/// out = scale a b, row-major without gaps; a is depth x rows and b columns x depth where it is transposed.
CTNN_NOINLINE inline void multiply_matrices(const op::matmul& p, const float* a, const float* b, float* out, int rows, int depth, int columns) {
  // On plain floats smaller copies: firmware's stack.
  constexpr int room = lanes == 1 ? 256 : 8192, room_a = lanes == 1 ? 64 : 6144;
  constexpr int most_rows = 12;
  float copy[room], copy_a[room_a];
  const std::ptrdiff_t k_step = p.transpose_b ? 1 : columns, column_step = p.transpose_b ? depth : 1;
  tile_task t{};
  t.run_count = 1;
  t.block_step = channel_block;
  t.out_pitch = t.start_pitch = columns;
  const run_step step{0, 0};
  t.runs = &step;
  t.weights = copy;
  for (int column = 0; column < columns;) {
    const tile_shape tile = rows == 1 ? choose_row(columns - column) : choose_tile(columns - column);
    t.columns = columns - column < tile.columns ? columns - column : tile.columns;
    t.weight_step = tile.columns;
    int part = room / tile.columns;
    if (p.transpose_a && part > room_a / most_rows) part = room_a / most_rows;
    for (int k = 0; k < depth; k += part) {
      t.length = depth - k < part ? depth - k : part;
      for (int i = 0; i < t.length; ++i) {
        const float* from = b + (k + i) * k_step + column * column_step;
        float* to = copy + static_cast<std::ptrdiff_t>(i) * tile.columns;
        for (int c = 0; c < t.columns; ++c) to[c] = p.scale * from[c * column_step];
        for (int c = t.columns; c < tile.columns; ++c) to[c] = 0;
      }
      for (int r = 0; r < rows; r += tile.rows) {
        const float* pixels[most_rows];
        t.rows = rows - r < tile.rows ? rows - r : tile.rows;
        if (p.transpose_a)
          for (int i = 0; i < t.length; ++i)
            for (int q = 0; q < t.rows; ++q) copy_a[q * t.length + i] = a[static_cast<std::ptrdiff_t>(k + i) * rows + r + q];
        for (int q = 0; q < tile.rows; ++q) {
          const int row = q < t.rows ? q : 0;
          pixels[q] = p.transpose_a ? copy_a + static_cast<std::ptrdiff_t>(row) * t.length : a + static_cast<std::ptrdiff_t>(r + row) * depth + k;
        }
        t.pixels = pixels;
        t.out = out + static_cast<std::ptrdiff_t>(r) * columns + column;
        t.start = k == 0 ? nullptr : t.out;
        tile.run(t);
      }
    }
    column += tile.columns;
  }
}

CTNN_INLINE void run(const op::matmul& p, const arguments& a) {
  const matmul_walk w(p, a.in[0].shape, a.in[1].shape);
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(w.rows) * w.columns;
  if (w.depth == 0)
    for (std::ptrdiff_t i = 0; i < size * static_cast<std::ptrdiff_t>(w.matrices); ++i) a.out[0].data[i] = 0;
  for (std::int64_t m = 0; m < w.matrices; ++m) {
    const auto at = w.offsets(m);
    multiply_matrices(p, a.in[0].data + at.a, a.in[1].data + at.b, a.out[0].data + static_cast<std::ptrdiff_t>(m) * size, w.rows, w.depth, w.columns);
  }
}

CTNN_END_TARGET

#endif
