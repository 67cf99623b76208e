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
#include "bits-inl.hpp"
#if !defined(CTNN_PLAIN)
#include "../simd/panel-inl.hpp"
#endif

CTNN_BEGIN_TARGET

/// out[r][j] = bias[j] + start[r][j] + sum over k of in[r][k] weights[j][k], then the epilogue; rows lie in_pitch and,
/// of `start` and `out`, out_pitch apart, and the weights of a block of columns block_step from the next one's. Bias
/// and start may be null. One row alone streams the weights; many rows, or one of them, share them tile by tile
/// (firmware has few and takes one after another).
template <tile_set Tiles>
CTNN_INLINE void multiply_rows_by(const float* in, std::ptrdiff_t in_pitch, int rows, int depth, const float* weights,
                                  std::ptrdiff_t block_step, const float* bias, const float* start, float* out,
                                  std::ptrdiff_t out_pitch, int columns, const epilogue& end,
                                  [[maybe_unused]] bool alone) {
#if !defined(CTNN_PLAIN)
  if (rows > 1 || !alone) {
    panel_task p{};
    p.in = in;
    p.in_pitch = in_pitch;
    p.run_count = p.lines = 1;
    p.length = depth;
    p.weights = weights;
    p.block_step = block_step;
    p.bias = bias;
    p.start = start;
    p.start_pitch = out_pitch;
    p.out = out;
    p.out_pitch = out_pitch;
    p.rows = rows;
    p.columns = columns;
    p.end = end;
    return multiply_panels<Tiles>(p);
  }
#endif
  const run_step whole{};
  tile_task t{};
  t.runs = &whole;
  t.run_count = 1;
  t.length = depth;
  t.weight_step = channel_block;
  t.block_step = block_step;
  t.out_pitch = out_pitch;
  t.rows = 1;
  t.last = true;
#if defined(CTNN_PLAIN)
  t.end = &end;
  for (int r = 0; r < rows; ++r) {
    const float* row = in + r * in_pitch;
    t.pixels = &row;
    t.weights = weights;
    t.bias = bias;
    t.start = start == nullptr ? nullptr : start + r * out_pitch;
    t.out = out + r * out_pitch;
    run_columns(t, columns, one_by_eight);
  }
#else
  t.end = end;
  t.pixels = &in;
  for (int column = 0; column < columns;) {
    const tile_shape tile = choose_row<Tiles>(columns - column);
    t.columns = columns - column < tile.columns ? columns - column : tile.columns;
    t.bias = bias == nullptr ? nullptr : bias + column;
    t.start = start == nullptr ? nullptr : start + column;
    t.end.added = end.added.from(column);
    t.weights = weights + column / channel_block * t.block_step + column % channel_block;
    t.out = out + column;
    tile.run(t);
    column += tile.columns;
  }
#endif
}

/// By weights that were packed for these inputs.
template <tile_set Tiles = all_tiles>
CTNN_NOINLINE void multiply_rows(const float* in, std::ptrdiff_t in_pitch, int rows, int depth, const float* weights,
                                 const float* bias, const float* start, float* out, std::ptrdiff_t out_pitch,
                                 int columns, const epilogue& end, bool alone = true) {
  multiply_rows_by<Tiles>(in, in_pitch, rows, depth, weights, std::ptrdiff_t{depth} * channel_block, bias, start, out,
                          out_pitch, columns, end, alone);
}
/// By the first ones of weights that were packed for packed_depth inputs.
template <int = 0>
CTNN_NOINLINE void multiply_first_inputs(const float* in, std::ptrdiff_t in_pitch, int rows, int depth,
                                         const float* weights, int packed_depth, float* out, std::ptrdiff_t out_pitch,
                                         int columns, bool alone = true) {
  multiply_rows_by<all_tiles>(in, in_pitch, rows, depth, weights, std::ptrdiff_t{packed_depth} * channel_block, nullptr,
                              nullptr, out, out_pitch, columns, {}, alone);
}

constexpr int rows_of(const op::linear& p, const extents& x) {
  return static_cast<int>(x.count(0, x.rank - p.axes));
}

#if !defined(CTNN_PLAIN)
/// What multiply_rows() takes for all rows and columns.
constexpr tile_set tiles_of(const op::linear& p, const arguments& a) {
  panel_task t{};
  t.lines = 1;
  t.rows = rows_of(p, a.in[0].shape);
  t.columns = p.out;
  return t.rows > 1 ? tiles_of(t) : tiles_of_row(t.columns);
}
#endif

namespace detail {

/// Rows by the weight of few bits from some column on: multiply_rows() with some inputs of some columns as floats, one
/// after the other. A row that is alone multiplies numbers as they are; the sums are a bias then.
template <int Bits>
CTNN_NOINLINE void multiply_by_bits(const bit_columns& w, const float* in, int rows, bool alone, const float* bias,
                                    const float* start, float* out, std::ptrdiff_t out_pitch, int columns,
                                    const epilogue& end) {
  // On plain floats as little as in matmul: the stack's.
  constexpr int wide = lanes == 1 ? channel_block : 4 * channel_block, part = (lanes == 1 ? 256 : 8192) / wide;
  constexpr int vectors = lanes == 1 ? channel_block : 4;  // of a row, where there are as many
  constexpr int narrow = channel_block / lanes;            // those of a block
  alignas(64) float numbers[part * wide];
  for (int column = 0; column < columns; column += wide) {
    const int some = columns - column < wide ? columns - column : wide;
    const float* const some_bias = bias == nullptr ? nullptr : bias + column;
    const float* const some_start = start == nullptr ? nullptr : start + column;
    epilogue last = end;
#if !defined(CTNN_PLAIN)
    last.added = end.added.from(column);
#endif
    if (alone) {
      for (int c = 0; c < wide; ++c) numbers[c] = some_bias != nullptr && c < some ? some_bias[c] : 0.0f;
      for (int c = 0; c < some;) {
        const bit_columns there = w.from(column + c);
        const bool full = some - c > (vectors - narrow) * lanes;
        if (full) multiply_row_by_bits<Bits, vectors>(there, in, numbers + c);
        else multiply_row_by_bits<Bits, narrow>(there, in, numbers + c);
        c += full ? vectors * lanes : channel_block;
      }
      multiply_rows_by<all_tiles>(in, 0, 1, 0, numbers, 0, numbers, some_start, out + column, out_pitch, some, last,
                                  alone);
      continue;
    }
    for (int first = 0; first < w.depth; first += part) {
      const int count = w.depth - first < part ? w.depth - first : part;
      for (int c = 0; c < some; c += channel_block)
        expand_bits<Bits>(w.from(column + c), first, first + count, numbers + c * part);
      multiply_rows_by<all_tiles>(in + first, w.depth, rows, count, numbers, part * channel_block,
                                  first == 0 ? some_bias : nullptr, first == 0 ? some_start : out + column,
                                  out + column, out_pitch, some, first + count == w.depth ? last : epilogue{}, alone);
    }
  }
}

/// The same for any bits; `column` is where the first one of the columns is among all.
template <int = 0>
CTNN_NOINLINE void multiply_rows_by_bits(const op::linear& p, const arguments& a, int depth, std::ptrdiff_t column,
                                         const float* in, int rows, bool alone, const float* bias, const float* start,
                                         float* out, int columns, const epilogue& end) {
  const auto& e = p.weight;
  const int scales = p.bias ? 2 : 1;
  bit_columns all{};
  all.words = static_cast<const std::uint8_t*>(static_cast<const void*>(a.weights[0]));
  all.scale = a.weights[static_cast<std::size_t>(scales)];
  all.zero = e.zero_points ? a.weights[static_cast<std::size_t>(scales) + 1] : nullptr;
  all.usual = static_cast<float>(1 << (e.bits - 1));
  all.row_words = static_cast<int>(e.words(depth));
  all.blocks = static_cast<int>(e.blocks(depth));
  all.depth = depth;
  all.block = e.block == 0 ? depth : e.block;
  const auto multiply = e.bits == 2 ? &multiply_by_bits<2> : e.bits == 4 ? &multiply_by_bits<4> : &multiply_by_bits<8>;
  multiply(all.from(column), in, rows, alone, bias, start, out, p.out, columns, end);
}

}  // namespace detail

/// `Packed`: may the weight be one of few bits? In types that is known.
template <tile_set Tiles = all_tiles, bool Packed = true>
CTNN_INLINE void run(const op::linear& p, const arguments& a) {
  const int depth = static_cast<int>(p.depth(a.in[0].shape));
  const int rows = rows_of(p, a.in[0].shape);
  const float* bias = p.bias ? a.weights[1] : nullptr;
  const bool by_columns = choose_cut(a.share, {{p.out, column_granule}, {rows, row_tiles}}) == 0;
  const index_range column = by_columns ? share_of(a.share, p.out, column_granule) : index_range{0, p.out};
  const index_range row = by_columns ? index_range{0, rows} : share_of(a.share, rows, row_tiles);
  if (a.share.count > 1 && (column.size() <= 0 || row.size() <= 0)) return;
  const std::ptrdiff_t first = row.begin * p.out + column.begin;
  const float* const residual = a.in.size() == 2 ? a.in[1].data + first : nullptr;
  const added_rows added{p.residual_last ? residual : nullptr, p.out};
  epilogue end = epilogue_of(p.activation);
#if !defined(CTNN_PLAIN)
  end.added = added;
#endif
  const float *const in = a.in[0].data + row.begin * depth, *const start = p.residual_last ? nullptr : residual;
  const float* const own_bias = bias == nullptr ? nullptr : bias + column.begin;
  float* const out = a.out[0].data + first;
  const int own_rows = static_cast<int>(row.size()), columns = static_cast<int>(column.size());
  const bool alone = rows == 1 && !a.any_rows;
  if (Packed && p.weight.is_packed())
    detail::multiply_rows_by_bits(p, a, depth, column.begin, in, own_rows, alone, own_bias, start, out, columns, end);
  else
    multiply_rows<Tiles>(in, depth, own_rows, depth, a.weights[0] + column.begin * depth, own_bias, start, out, p.out,
                         columns, end, alone);
#if defined(CTNN_PLAIN)
  if (added.data != nullptr) add_rows(added, out, p.out, own_rows, columns);
#endif
}

CTNN_END_TARGET

#endif
