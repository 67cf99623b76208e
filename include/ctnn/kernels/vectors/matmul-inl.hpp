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

#include "../../graph/operators/matrix.hpp"
#include "../walks/matmul_walk.hpp"
#include "../share.hpp"
#include "../tensor.hpp"
#include "../simd/tile-inl.hpp"
#include "../simd/sums_along-inl.hpp"
#include "../simd/transpose-inl.hpp"

CTNN_BEGIN_TARGET

/// y[i * pitch + c] = scale * from[i * k_step + c * column_step] for i < length, c < columns, and 0 up to the pitch.
template <int = 0>
CTNN_INLINE void copy_columns(const op::matmul& p, const float* from, int length, int columns, int pitch,
                              std::ptrdiff_t k_step, std::ptrdiff_t column_step, float* y) {
  const bool turned = p.transpose_b && lanes > 1;
  if (turned) {
    detail::transpose(length, columns, y, pitch, from, column_step);
    if (p.scale == 1 && columns == pitch) return;
  }
  for (int i = 0; i < length; ++i, from += k_step, y += pitch) {
    const float* const x = turned ? y : from;
    int c = 0;
    for (; lanes > 1 && c + lanes <= columns; c += lanes) store(mul(set(p.scale), loadu(x + c)), y + c);
    for (; c < columns; ++c) y[c] = p.scale * x[lanes > 1 ? c : c * column_step];
    for (; c < pitch; ++c) y[c] = 0;
  }
}

/// Rows [row, row_end) and columns [column, column_end) of out = scale a b, row-major without gaps; a is depth x rows
/// and b columns x depth where it is transposed.
template <int = 0>
CTNN_NOINLINE inline void multiply_matrices(const op::matmul& p, const float* a, const float* b, float* out, int rows,
                                            int depth, int columns, int row, int row_end, int column, int column_end) {
  // On plain floats smaller copies: firmware's stack.
  constexpr int room = lanes == 1 ? 256 : 8192, room_a = lanes == 1 ? 64 : 6144;
  constexpr int most_rows = 12;
  alignas(64) float copy[room], copy_a[room_a];
  // As long for narrow tiles as for wide ones: sums of all columns are added up alike.
  const int part = p.transpose_a && room_a / most_rows < room / (4 * lanes) ? room_a / most_rows : room / (4 * lanes);
  const std::ptrdiff_t k_step = p.transpose_b ? 1 : columns, column_step = p.transpose_b ? depth : 1;
  tile_task t{};
  t.run_count = 1;
  t.block_step = channel_block;
  t.out_pitch = t.start_pitch = columns;
  const run_step step{};
  t.runs = &step;
  while (column < column_end) {
    const tile_shape tile = lanes == 1 && rows == 1 ? choose_row(columns - column) : choose_tile(columns - column);
    t.columns = columns - column < tile.columns ? columns - column : tile.columns;
    for (int k = 0; k < depth; k += part) {
      t.length = depth - k < part ? depth - k : part;
      const float* const from = b + k * k_step + column * column_step;
      // What is read once is not copied.
      const bool as_it_is = row_end - row <= tile.rows && !p.transpose_b && p.scale == 1 && t.columns == tile.columns;
      t.weights = as_it_is ? from : copy;
      t.weight_step = as_it_is ? columns : tile.columns;
      if (!as_it_is) copy_columns(p, from, t.length, t.columns, tile.columns, k_step, column_step, copy);
      // Rows of a transposed a that there is room for, tiles of them.
      const int tiles = room_a / t.length / tile.rows, at_once = (tiles < 1 ? 1 : tiles) * tile.rows;
      int turned = row, turned_end = row;
      for (int r = row; r < row_end; r += tile.rows) {
        const float* pixels[most_rows];
        t.rows = row_end - r < tile.rows ? row_end - r : tile.rows;
        if (p.transpose_a && r == turned_end) {
          turned = r;
          turned_end = row_end - r < at_once ? row_end : r + at_once;
          const float* const from = a + static_cast<std::ptrdiff_t>(k) * rows + r;
          if constexpr (lanes > 1) detail::transpose(turned_end - r, t.length, copy_a, t.length, from, rows);
          else
            for (int i = 0; i < t.length; ++i)
              for (int q = 0; q < turned_end - r; ++q)
                copy_a[q * t.length + i] = from[static_cast<std::ptrdiff_t>(i) * rows + q];
        }
        for (int q = 0; q < tile.rows; ++q) {
          const int at = q < t.rows ? q : 0;
          pixels[q] = p.transpose_a ? copy_a + static_cast<std::ptrdiff_t>(r - turned + at) * t.length
                                    : a + static_cast<std::ptrdiff_t>(r + at) * depth + k;
        }
        t.pixels = pixels;
        t.out = out + static_cast<std::ptrdiff_t>(r) * columns + column;
        t.start = k == 0 ? nullptr : t.out;
        run_columns_of(tile, t);
      }
    }
    column += tile.columns;
  }
}

/// out += scale * x by `Depth` rows of b, of `columns` columns each; `first`: out = that.
template <int Depth>
CTNN_INLINE void add_some_products(float scale, const float* x, const float* b, std::ptrdiff_t pitch, float* out,
                                   int columns, bool first) {
  vec factors[Depth];
  CTNN_UNROLL for (int k = 0; k < Depth; ++k) factors[k] = set(scale * x[k]);
  int c = 0;
  for (; c + 2 * lanes <= columns; c += 2 * lanes) {  // a cache line of each row, or two
    const float* from = b + c;
    vec sum = first ? zero() : loadu(out + c), next = first ? zero() : loadu(out + c + lanes);
    CTNN_UNROLL for (int k = 0; k < Depth; ++k, from += pitch) {
      sum = mul_add(factors[k], loadu(from), sum);
      next = mul_add(factors[k], loadu(from + lanes), next);
    }
    storeu(sum, out + c);
    storeu(next, out + c + lanes);
  }
  for (; c < columns; c += lanes) {
    const int count = columns - c;
    const float* from = b + c;
    vec sum = first ? zero() : load_bounded(out + c, count);
    CTNN_UNROLL for (int k = 0; k < Depth; ++k, from += pitch) sum =
        mul_add(factors[k], load_bounded(from, count), sum);
    store_bounded(sum, out + c, count);
  }
}
/// out = scale x b. b is read in a few long streams, which memory hands out faster than many short pieces.
template <int = 0>
CTNN_NOINLINE inline void add_products(float scale, const float* x, const float* b, std::ptrdiff_t pitch, float* out,
                                       int depth, int columns) {
  constexpr int streams = 8;
  int k = 0;
  for (; k + streams <= depth; k += streams, b += streams * pitch)
    add_some_products<streams>(scale, x + k, b, pitch, out, columns, k == 0);
  for (; k < depth; ++k, b += pitch) add_some_products<1>(scale, x + k, b, pitch, out, columns, k == 0);
}

#if !CTNN_SCALAR_VEC
/// Columns [column, column_end) of out = scale x b, for one row x.
template <int = 0>
CTNN_INLINE void multiply_row(const op::matmul& p, const float* x, const float* b, float* out, int depth, int columns,
                              int column, int column_end) {
  const int count = column_end - column;
  if (p.transpose_b) multiply_along(p.scale, x, b + std::ptrdiff_t{column} * depth, depth, out + column, depth, count);
  else add_products(p.scale, x, b + column, columns, out + column, depth, count);
}
#endif

template <int = 0>
CTNN_INLINE void run(const op::matmul& p, const arguments& a) {
  const matmul_walk w(p, a.in[0].shape, a.in[1].shape);
  const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(w.rows) * w.columns;
  if (w.depth == 0) {
    const std::ptrdiff_t all = a.share.index == 0 ? size * static_cast<std::ptrdiff_t>(w.matrices) : 0;
    for (std::ptrdiff_t i = 0; i < all; ++i) a.out[0].data[i] = 0;
    return;
  }
  const auto matrices = static_cast<std::ptrdiff_t>(w.matrices);
  const std::size_t way = choose_cut(a.share, {{matrices, 1}, {w.rows, row_tiles}, {w.columns, column_granule}});
  const index_range matrix = way == 0 ? share_of(a.share, matrices) : index_range{0, matrices};
  const index_range row = way == 1 ? share_of(a.share, w.rows, row_tiles) : index_range{0, w.rows};
  const index_range column = way == 2 ? share_of(a.share, w.columns, column_granule) : index_range{0, w.columns};
  if (a.share.count > 1 && row.size() <= 0) return;
  for (std::ptrdiff_t m = matrix.begin; m < matrix.end; ++m) {
    const auto at = w.offsets(m);
#if !CTNN_SCALAR_VEC
    if (w.rows == 1) {
      multiply_row(p, a.in[0].data + at.a, a.in[1].data + at.b, a.out[0].data + m * size, w.depth, w.columns,
                   static_cast<int>(column.begin), static_cast<int>(column.end));
      continue;
    }
    if (w.columns == 1 && !p.transpose_a) {
      multiply_along(p.scale, a.in[1].data + at.b, a.in[0].data + at.a + row.begin * w.depth, w.depth,
                     a.out[0].data + m * size + row.begin, w.depth, row.size());
      continue;
    }
#endif
    multiply_matrices(p, a.in[0].data + at.a, a.in[1].data + at.b, a.out[0].data + m * size, w.rows, w.depth, w.columns,
                      static_cast<int>(row.begin), static_cast<int>(row.end), static_cast<int>(column.begin),
                      static_cast<int>(column.end));
  }
}

CTNN_END_TARGET

#endif
