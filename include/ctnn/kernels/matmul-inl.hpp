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

/// out = a b, row-major without gaps.
CTNN_NOINLINE inline void multiply_matrices(const float* a, const float* b, float* out, int rows, int depth, int columns) {
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
  for (int column = 0; column < columns;) {
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
  if (w.depth == 0)
    for (std::ptrdiff_t i = 0; i < size * static_cast<std::ptrdiff_t>(w.matrices); ++i) a.out[0].data[i] = 0;
  for (std::int64_t m = 0; m < w.matrices; ++m) {
    const auto at = w.offsets(m);
    multiply_matrices(a.in[0].data + at.a, a.in[1].data + at.b, a.out[0].data + static_cast<std::ptrdiff_t>(m) * size, w.rows, w.depth, w.columns);
  }
}

CTNN_END_TARGET

#endif
