// SPDX-License-Identifier: BSL-1.0
// conv2d of 3 x 3 by Winograd's minimal filtering (kernels/winograd.hpp): blocks of tiles are transformed, multiplied
// position by position, and transformed back with bias, residual and activation. Weights are packed in their
// transforms, or transformed in pieces that stay in the second cache for their products.

#if defined(CTNN_KERNELS_WINOGRAD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_WINOGRAD_INL_HPP
#undef CTNN_KERNELS_WINOGRAD_INL_HPP
#else
#define CTNN_KERNELS_WINOGRAD_INL_HPP
#endif

#include "../scratch.hpp"
#include "../winograd.hpp"
#include "conv2d-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Rows of a product at most, by V vectors: what remains of the registers holds weights and the broadcast input.
constexpr int product_rows = lanes == 1 ? 4 : 6;

/// Some rows of inputs by some columns of weights.
struct product_task {
  const float* in;
  std::ptrdiff_t in_pitch;
  int depth;             ///< inputs of a row
  const float* weights;  ///< from one input's to the next's channel_block numbers
  std::ptrdiff_t block_step;
  const float*
      next;  ///< weights that will be wanted when these columns are done: every `next_step`th line from here on
  std::ptrdiff_t next_step;
  const float* next_end;
  float* out;
  std::ptrdiff_t out_pitch;
  bool adds;  ///< to what is in `out`
};

/// P rows by V vectors of columns, all there. Each sum is in the order of the channels whatever P and V are.
template <int P, int V>
CTNN_NOINLINE void multiply_rows(const product_task& t) {
  vec sum[P][V];
  CTNN_UNROLL for (int p = 0; p < P; ++p) { CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = zero(); }
  if (t.adds) CTNN_UNROLL for (int p = 0; p < P; ++p) {
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = loadu(t.out + p * t.out_pitch + v * lanes);
    }
  const float *in = t.in, *weights = t.weights, *next = t.next;
  const float* const end = in + t.depth;
  const std::ptrdiff_t in_pitch = t.in_pitch, block_step = t.block_step;
  const auto step = [&]() HWY_ATTR {
    vec row[V];
    CTNN_UNROLL for (int v = 0; v < V; ++v) row[v] =
        loadu(weights + v * lanes / channel_block * block_step + v * lanes % channel_block);
    CTNN_UNROLL for (int p = 0; p < P; ++p) {
      const vec x = set(in[p * in_pitch]);
      CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = mul_add(x, row[v], sum[p][v]);
    }
    ++in;
    weights += channel_block;
  };
  while (end - in >= 4) {
    for (int i = 0; i < (V * lanes + channel_block - 1) / channel_block && next < t.next_end; ++i, next += t.next_step)
      CTNN_PREFETCH(next);
    step(), step(), step(), step();  // GCC would take a pragma before four of them for the loop around, too
  }
  while (in != end) step();
  CTNN_UNROLL for (int p = 0; p < P; ++p) {
    CTNN_UNROLL for (int v = 0; v < V; ++v) storeu(sum[p][v], t.out + p * t.out_pitch + v * lanes);
  }
}

using product_function = void (*)(const product_task&);
template <int V>
struct products {
  static constexpr product_function of_rows[] = {nullptr,
                                                 &multiply_rows<1, V>,
                                                 &multiply_rows<2, V>,
                                                 &multiply_rows<3, V>,
                                                 &multiply_rows<4, V>,
                                                 &multiply_rows<lanes == 1 ? 4 : 5, V>,
                                                 &multiply_rows<lanes == 1 ? 4 : 6, V>};
};

/// Columns [column, columns) of the product of `rows` rows and a matrix, V vectors at a time, in tiles whose heights
/// differ by at most 1. Each tile prefetches its share of the next columns' weights, after the last ones of `after`.
template <int V>
CTNN_INLINE void multiply_columns(product_task t, int rows, int column, int columns, const float* after) {
  const int count = (rows + product_rows - 1) / product_rows, height = rows / count, taller = rows % count;
  const float *const in = t.in, *const weights = t.weights;
  float* const out = t.out;
  t.next_step = std::ptrdiff_t{count} * channel_block;
  const auto at = [&](int j) { return weights + j / channel_block * t.block_step + j % channel_block; };
  for (; column < columns; column += V * lanes) {
    const float* next = column + V * lanes < columns ? at(column + V * lanes) : after;
    t.weights = at(column);
    t.next_end = next + (V * lanes + channel_block - 1) / channel_block * t.block_step;
    t.in = in;
    t.out = out + column;
    for (int i = 0; i < count; ++i) {
      const int n = height + (i < taller ? 1 : 0);
      t.next = next + i * channel_block;
      products<V>::of_rows[n](t);
      t.in += n * t.in_pitch;
      t.out += n * t.out_pitch;
    }
  }
}
/// The product of `rows` rows and a matrix of `columns` columns, a multiple of channel_block.
template <int = 0>
CTNN_NOINLINE inline void multiply_matrix(const product_task& t, int rows, int columns, const float* after) {
  constexpr int width = widest_tile * lanes;
  const int wide = columns / width * width;
  multiply_columns<widest_tile>(t, rows, 0, wide, after);
  if constexpr (width > channel_block) {  // of four vectors as long as a block one to three may be left
    const int pairs = columns / (2 * lanes) * (2 * lanes);
    multiply_columns<2>(t, rows, wide, pairs, after);
    multiply_columns<1>(t, rows, pairs, columns, after);
  }
}

/// f x + sum; the sum of nothing is no register yet.
template <int = 0>
CTNN_INLINE void add_multiple(double f, vec x, bool& begun, vec& sum) {
  if (f == 0) return;
  const auto number = static_cast<float>(f);
  if (!begun) sum = f == 1 ? x : f == -1 ? neg(x) : mul(set(number), x);
  else sum = f == 1 ? add(sum, x) : f == -1 ? sub(sum, x) : mul_add(set(number), x, sum);
  begun = true;
}

/// Bt d. The rows of points p and -p have the same even part, and odd parts of the other sign.
template <int M>
CTNN_INLINE void transform_in(const vec* d, vec* y) {
  constexpr int side = M + 2;
  constexpr const auto& bt = ir::detail::winograd_matrix<M>.bt;
  CTNN_UNROLL for (int i = 0; i < side; ++i) {
    if (i > 0 && i < M + 1 && i % 2 == 0) continue;  // with the row before it
    vec even = zero(), odd = zero();
    bool has_even = false, has_odd = false;
    CTNN_UNROLL for (int k = side - 1; k >= 0; --k) {
      if (k % 2 == 0) add_multiple(bt[i][k], d[k], has_even, even);
      else add_multiple(bt[i][k], d[k], has_odd, odd);
    }
    if (i == 0 || i == M + 1) {
      y[i] = has_even ? even : odd;
    } else {
      y[i] = add(even, odd);
      y[i + 1] = sub(even, odd);
    }
  }
}

/// At m.
template <int M>
CTNN_INLINE void transform_out(const vec* m, vec* y) {
  constexpr const auto& at = ir::detail::winograd_matrix<M>.at;
  vec sums[M / 2], differences[M / 2];
  CTNN_UNROLL for (int i = 0; i < M / 2; ++i) {
    sums[i] = add(m[1 + 2 * i], m[2 + 2 * i]);
    differences[i] = sub(m[1 + 2 * i], m[2 + 2 * i]);
  }
  CTNN_UNROLL for (int k = 0; k < M; ++k) {
    vec sum = zero();
    bool begun = false;
    if (k == 0) add_multiple(1, m[0], begun, sum);
    if (k == M - 1) add_multiple(1, m[M + 1], begun, sum);
    CTNN_UNROLL for (int i = 0; i < M / 2; ++i)
        add_multiple(at[k][1 + 2 * i], k % 2 == 0 ? sums[i] : differences[i], begun, sum);
    y[k] = sum;
  }
}

/// G g: the rows of points p and -p have the same even part, and odd parts of the other sign.
template <int M>
CTNN_INLINE void transform_filter(const vec* g, vec* y) {
  constexpr const auto& matrix = ir::detail::winograd_matrix<M>.g;
  y[0] = mul(set(static_cast<float>(matrix[0][0])), g[0]);
  CTNN_UNROLL for (int k = 0; k < M / 2; ++k) {
    const double* const row = matrix[1 + 2 * k];
    const vec even = mul_add(set(static_cast<float>(row[2])), g[2], mul(set(static_cast<float>(row[0])), g[0])),
              odd = mul(set(static_cast<float>(row[1])), g[1]);
    y[1 + 2 * k] = add(even, odd);
    y[2 + 2 * k] = sub(even, odd);
  }
  y[M + 1] = g[2];
}

/// Some weights that are packed as for direct sums: nine taps for each block of outputs.
struct filter_piece {
  const float* at;
  std::ptrdiff_t tap;  ///< from one tap to the next
  int channels, blocks;
};

/// To [position][block][channel][channel_block].
template <int M>
CTNN_NOINLINE void transform_filters(filter_piece f, float* out, std::ptrdiff_t stride) {
  constexpr int side = M + 2;
  const std::ptrdiff_t numbers = std::ptrdiff_t{f.channels} * channel_block;
  for (int b = 0; b < f.blocks; ++b, f.at += 9 * f.tap, out += numbers)
    for (std::ptrdiff_t at = 0; at < numbers; at += lanes) {
      vec half[side][3];
      CTNN_UNROLL for (int x = 0; x < 3; ++x) {
        vec g[3], y[side];
        CTNN_UNROLL for (int i = 0; i < 3; ++i) g[i] = loadu(f.at + (3 * i + x) * f.tap + at);
        transform_filter<M>(g, y);
        CTNN_UNROLL for (int i = 0; i < side; ++i) half[i][x] = y[i];
      }
      CTNN_UNROLL for (int i = 0; i < side; ++i) {
        vec y[side];
        transform_filter<M>(half[i], y);
        CTNN_UNROLL for (int x = 0; x < side; ++x) storeu(y[x], out + (i * side + x) * stride + at);
      }
    }
}
/// Part `i` of `count` of a piece is on its way to the caches.
template <int = 0>
CTNN_INLINE void fetch_filters(const filter_piece& f, int i, int count) {
  for (int k = 9 * f.blocks * i / count; k < 9 * f.blocks * (i + 1) / count; ++k)
    for (int c = 0; c < f.channels; ++c) CTNN_PREFETCH(f.at + k * f.tap + std::ptrdiff_t{c} * channel_block);
}

/// Where a tile stands: its image, and its first output.
struct tile_place {
  int image, y, x;
};
template <int = 0>
CTNN_INLINE tile_place place_of_tile(const winograd_work& w, std::ptrdiff_t tile) {
  const std::ptrdiff_t of_image = std::ptrdiff_t{w.rows} * w.columns, n = tile / of_image, at = tile - n * of_image;
  const int row = static_cast<int>(at / w.columns), column = static_cast<int>(at) - row * w.columns;
  return {static_cast<int>(n), row * w.size, column * w.size};
}

/// The inputs of a tile: rows [top, bottom) and columns [left, right) of its square are inside the image.
struct tile_inputs {
  const float* at;  ///< of the square's first pixel, which may be outside
  std::ptrdiff_t row, col;
  int top, bottom, left, right;
};

/// One vector of channels of a tile. Whole: all inputs and `lanes` channels are there.
template <int M, bool Whole>
CTNN_INLINE void transform_input_channels(const tile_inputs& d, int channel, int channels, float* out,
                                          std::ptrdiff_t stride) {
  constexpr int side = M + 2;
  vec half[side][side];
  for (int x = 0; x < side; ++x) {
    vec column[side], y[side];
    const float* from = d.at + x * d.col + channel;
    CTNN_UNROLL for (int i = 0; i < side; ++i) {
      if constexpr (Whole) column[i] = loadu(from + i * d.row);
      else
        column[i] = i >= d.top && i < d.bottom && x >= d.left && x < d.right
                        ? load_bounded(from + i * d.row, channels - channel)
                        : zero();
    }
    transform_in<M>(column, y);
    CTNN_UNROLL for (int i = 0; i < side; ++i) half[i][x] = y[i];
  }
  for (int i = 0; i < side; ++i) {
    vec y[side];
    transform_in<M>(half[i], y);
    CTNN_UNROLL for (int x = 0; x < side; ++x) storeu(y[x], out + (i * side + x) * stride);
  }
}

/// Tiles [first, first + count) to [position][tile][channel].
template <int M>
CTNN_NOINLINE void transform_inputs(const window& c, std::ptrdiff_t image_step, const winograd_work& w,
                                    std::ptrdiff_t first, int count, float* out) {
  constexpr int side = M + 2;
  const std::ptrdiff_t stride = winograd_work::stride(count, w.depth);
  for (int t = 0; t < count; ++t, out += w.depth) {
    const tile_place place = place_of_tile(w, first + t);
    const int y = place.y - c.pad_top, x = place.x - c.pad_left;
    tile_inputs d{c.in + place.image * image_step + y * c.row + x * c.col,
                  c.row,
                  c.col,
                  y < 0 ? -y : 0,
                  c.height - y < side ? c.height - y : side,
                  x < 0 ? -x : 0,
                  c.width - x < side ? c.width - x : side};
    const bool inside = d.top == 0 && d.left == 0 && d.bottom == side && d.right == side;
    for (int channel = 0; channel < c.channels; channel += lanes) {
      if (inside && channel + lanes <= c.channels)
        transform_input_channels<M, true>(d, channel, c.channels, out + channel, stride);
      else transform_input_channels<M, false>(d, channel, c.channels, out + channel, stride);
    }
  }
}

/// Columns [column, column_end) of tiles [first, first + count) from [position][tile][column - first column] to the
/// output.
template <int M>
CTNN_NOINLINE void transform_outputs(const window& c, const epilogue& end, const winograd_work& w, std::ptrdiff_t first,
                                     int count, int column, int column_end, const float* in) {
  constexpr int side = M + 2;
  const std::ptrdiff_t stride = winograd_work::stride(count, w.chunk);
  const vec low = set(end.low), high = set(end.high);
  for (int t = 0; t < count; ++t, in += w.chunk) {
    const tile_place place = place_of_tile(w, first + t);
    const std::ptrdiff_t pixel = (std::ptrdiff_t{place.image} * c.out_height + place.y) * c.out_width + place.x;
    const int height = c.out_height - place.y < M ? c.out_height - place.y : M,
              width = c.out_width - place.x < M ? c.out_width - place.x : M;
    for (int j = column; j < column_end; j += lanes) {
      const int n = column_end - j;
      vec half[M][side];
      for (int x = 0; x < side; ++x) {
        vec products[side], y[M];
        CTNN_UNROLL for (int i = 0; i < side; ++i) products[i] = loadu(in + (i * side + x) * stride + (j - column));
        transform_out<M>(products, y);
        CTNN_UNROLL for (int i = 0; i < M; ++i) half[i][x] = y[i];
      }
      const vec bias = c.bias != nullptr ? load_bounded(c.bias + j, n) : zero();
      const vec slope = c.slopes != nullptr ? load_bounded(c.slopes + j, n) : zero();
      for (int i = 0; i < height; ++i) {
        vec y[M];
        transform_out<M>(half[i], y);
        const std::ptrdiff_t at = pixel + std::ptrdiff_t{i} * c.out_width;
        float* out = c.out + at * c.out_pitch + j;
        const bool begins = c.residual != nullptr && !c.residual_last;
        const float* residual = begins ? c.residual + at * c.residual_pitch + j : nullptr;
        CTNN_UNROLL for (int x = 0; x < M; ++x) {
          if (x >= width) continue;
          vec sum = add(y[x], bias);
          if (residual != nullptr) sum = add(sum, load_bounded(residual + x * c.residual_pitch, n));
          if (end.bounds == epilogue::bound::relu) sum = relu(sum);
          else if (end.bounds == epilogue::bound::clip) sum = clamp(sum, low, high);
          else if (c.slopes != nullptr) sum = with_slope(sum, slope);
          store_bounded(sum, out + x * c.out_pitch, n);
        }
      }
    }
    const bool finishes = end.finish != nullptr && c.slopes == nullptr;
    if (finishes || c.residual_last)
      for (int i = 0; i < height; ++i) {
        const std::ptrdiff_t at = pixel + std::ptrdiff_t{i} * c.out_width;
        float* const out = c.out + at * c.out_pitch + column;
        if (finishes) end.finish(end, nullptr, out, c.out_pitch, width, column_end - column);
        if (c.residual_last)
          add_rows({c.residual + at * c.residual_pitch + column, c.residual_pitch}, out, c.out_pitch, width,
                   column_end - column);
      }
  }
}

/// The products of `count` tiles and of output channels [column, column_end), whose weights are packed in transforms.
template <int M>
CTNN_INLINE void multiply_packed(const window& c, const winograd_work& w, int count, int column, int column_end,
                                 const float* in, float* out) {
  product_task t{};
  t.in_pitch = w.depth;
  t.depth = c.channels;
  t.block_step = std::ptrdiff_t{c.channels} * channel_block;
  t.out_pitch = w.chunk;
  const auto matrix = static_cast<std::ptrdiff_t>(round_up_to_block(c.out_channels)) * c.channels;
  for (int i = 0; i < w.area; ++i) {
    t.in = in + i * winograd_work::stride(count, w.depth);
    t.weights = c.weights + i * matrix + column / channel_block * t.block_step;
    t.out = out + i * winograd_work::stride(count, w.chunk);
    const float* const after = i + 1 < w.area                ? t.weights + matrix
                               : column_end < c.out_channels ? c.weights + column_end / channel_block * t.block_step
                                                             : c.weights;
    multiply_matrix(t, count, static_cast<int>(round_up_to_block(column_end - column)), after);
  }
}
/// The same where they are transformed now, to `weights`; those for later ones are fetched.
template <int M>
CTNN_INLINE void multiply_transformed(const window& c, const winograd_work& w, int count, int column, int column_end,
                                      const float* in, float* weights, float* out) {
  const auto piece_at = [&](int columns, int channel) {
    const std::ptrdiff_t tap = std::ptrdiff_t{c.channels} * channel_block;
    const int blocks = static_cast<int>(round_up_to_block(columns == column ? column_end - column : w.chunk));
    return filter_piece{c.weights + columns / channel_block * 9 * tap + std::ptrdiff_t{channel} * channel_block, tap,
                        c.channels - channel < w.piece ? c.channels - channel : w.piece, blocks / channel_block};
  };
  const auto matrix = static_cast<std::ptrdiff_t>(w.weights_stride());
  product_task t{};
  t.in_pitch = w.depth;
  t.out_pitch = w.chunk;
  for (int channel = 0; channel < c.channels; channel += w.piece) {
    const filter_piece now = piece_at(column, channel);
    filter_piece next{};
    if (channel + w.piece < c.channels) next = piece_at(column, channel + w.piece);
    else if (column_end + w.chunk <= c.out_channels) next = piece_at(column_end, 0);
    t.depth = now.channels;
    t.block_step = std::ptrdiff_t{now.channels} * channel_block;
    t.adds = channel > 0;
    transform_filters<M>(now, weights, matrix);
    for (int i = 0; i < w.area; ++i) {
      fetch_filters(next, i, w.area);
      t.in = in + i * winograd_work::stride(count, w.depth) + channel;
      t.weights = weights + i * matrix;
      t.out = out + i * winograd_work::stride(count, w.chunk);
      multiply_matrix(t, count, now.blocks * channel_block, i + 1 < w.area ? t.weights + matrix : weights);
    }
  }
}

/// Tiles and output channels of these ranges, `block` tiles at a time.
template <int M>
CTNN_NOINLINE void convolve_winograd(const window& c, std::ptrdiff_t image_step, const epilogue& end,
                                     const winograd_work& w, const index_range& tiles, const index_range& columns,
                                     int block, float* memory) {
  const std::ptrdiff_t first = tiles.begin, last = tiles.end, blocks = (last - first + block - 1) / block;
  float *const weights = memory, *const inputs = memory + w.area * w.weights_stride();
  for (std::ptrdiff_t b = 0; b < blocks; ++b) {
    const std::ptrdiff_t tile = first + (last - first) * b / blocks;
    const int count = static_cast<int>(first + (last - first) * (b + 1) / blocks - tile);
    float* const products = inputs + w.area * winograd_work::stride(count, w.depth);
    transform_inputs<M>(c, image_step, w, tile, count, inputs);
    for (auto column = static_cast<int>(columns.begin); column < columns.end; column += w.chunk) {
      const int column_end = columns.end - column < w.chunk ? static_cast<int>(columns.end) : column + w.chunk;
      if (w.piece == 0) multiply_packed<M>(c, w, count, column, column_end, inputs, products);
      else multiply_transformed<M>(c, w, count, column, column_end, inputs, weights, products);
      transform_outputs<M>(c, end, w, tile, count, column, column_end, products);
    }
  }
}

}  // namespace detail

/// By F(m, 3), with weights as p.winograd says; all images or a share of the tiles or of the output channels. A share
/// takes its part of the memory; if there are more than that has room for, some shares have nothing to do. No result
/// depends on where shares are cut.
template <int M>
CTNN_INLINE void run_winograd(const op::conv2d& p, const arguments& a, scratch_memory memory) {
  const winograd_work w = winograd_work_of(M, p, a.in[0].shape);
  const window c = window_of(p, a);
  const work_share share{a.share.index, a.share.count < w.parts ? a.share.count : w.parts};
  float* const all = memory.take<float>(w.scratch_size()).data();
  if (share.index >= share.count) return;
  const winograd_work::part part = w.part_of(share);
  if (part.tiles.index >= part.tiles.count) return;
  const index_range tiles = share_of(part.tiles, static_cast<std::ptrdiff_t>(w.tiles)),
                    chunks = share_of(part.chunks, w.chunks);
  const index_range columns{chunks.begin * w.chunk,
                            chunks.end < w.chunks ? chunks.end * w.chunk : std::ptrdiff_t{c.out_channels}};
  const int room = w.room / share.count, block = w.block < room ? w.block : room;
  float* const own = all + share.index * static_cast<std::ptrdiff_t>(w.part_size(room));
  detail::convolve_winograd<M>(c, c.row * c.height, epilogue_of(p.activation), w, tiles, columns, block, own);
}
template <int = 0>
CTNN_INLINE void run_winograd(int m, const op::conv2d& p, const arguments& a, scratch_memory memory) {
  if (m == 2) run_winograd<2>(p, a, memory);
  else if (m == 4) run_winograd<4>(p, a, memory);
  else run_winograd<6>(p, a, memory);
}

/// The way that winograd_size() chose, when the weights were packed, too.
template <int = 0>
CTNN_INLINE void run(const op::conv2d& p, const arguments& a, scratch_memory memory) {
  const int m = winograd_size(p, a.in[0].shape);
  if (m == 0) run(p, a);
  else run_winograd(m, p, a, memory);
}

CTNN_END_TARGET

#endif
