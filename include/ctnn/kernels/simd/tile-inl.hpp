// SPDX-License-Identifier: BSL-1.0
// The micro-kernel of convolutions and matrix products: P rows (pixels) by V vectors of columns (output channels) are
// summed in registers over runs of contiguous inputs, then bias, residual and bounds are applied before the only store.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_TILE_INL_HPP)
#define CTNN_KERNELS_TILE_INL_HPP
#define CTNN_KERNELS_TILE_ENABLED
#endif
#elif defined(CTNN_KERNELS_TILE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_TILE_INL_HPP
#undef CTNN_KERNELS_TILE_INL_HPP
#else
#define CTNN_KERNELS_TILE_INL_HPP
#endif
#define CTNN_KERNELS_TILE_ENABLED
#endif

#if defined(CTNN_KERNELS_TILE_ENABLED)
#undef CTNN_KERNELS_TILE_ENABLED

#include <limits>

#include "../packing.hpp"
#include "runs-plain-inl.hpp"
#include "simd-inl.hpp"
#include "tile_set.hpp"

CTNN_BEGIN_TARGET

/// Rows that are added to results behind the activation, in the tile that was just stored; null: none.
struct added_rows {
  const float* data = nullptr;
  std::ptrdiff_t pitch = 0;

  constexpr CTNN_INLINE added_rows from(std::ptrdiff_t place) const {
    return data == nullptr ? *this : added_rows{data + place, pitch};
  }
};
CTNN_NOINLINE inline void add_rows(added_rows more, float* out, std::ptrdiff_t pitch, int rows, int columns) {
  const float* from = more.data;
  for (int r = 0; r < rows; ++r, out += pitch, from += more.pitch)
    for (int c = 0; c < columns; c += lanes)
      store_bounded(add(load_bounded(out + c, columns - c), load_bounded(from + c, columns - c)), out + c, columns - c);
}

/// How results leave the registers. relu and clip are bounds; the other functions pass over the stored tile, which is
/// still in the nearest cache, through `finish`: so one micro-kernel serves every activation. `slopes` are prelu's, of
/// the tile's columns; null for other functions. Tiles of vectors apply them in registers.
struct epilogue {
  enum class bound : unsigned char { none, relu, clip };
  using finish_function = void (*)(const epilogue& end, const float* slopes, float* out, std::ptrdiff_t pitch, int rows,
                                   int columns);

  bound bounds = bound::none;
  function kind = function::none;
  float low = 0, high = 0;
  finish_function finish = nullptr;
#if !defined(CTNN_PLAIN)
  added_rows added{};  // whoever runs a plain layer adds them
#endif
};

template <class Activation>
CTNN_INLINE void map_tile(const Activation& f, float* out, std::ptrdiff_t pitch, int rows, int columns) {
  if (lanes > 1 && pitch == columns) {  // one row, whose vectors are full
    columns *= rows;
    rows = 1;
  }
  for (int r = 0; r < rows; ++r, out += pitch)
    for (int c = 0; c < columns; c += lanes)
      store_bounded(f(load_bounded(out + c, columns - c)), out + c, columns - c);
}
template <function Kind>
CTNN_NOINLINE void finish_tile(const epilogue& end, const float*, float* out, std::ptrdiff_t pitch, int rows,
                               int columns) {
  map_tile(activate<Kind>{end.low, end.high}, out, pitch, rows, columns);
}
CTNN_NOINLINE inline void finish_tile_any(const epilogue& end, const float*, float* out, std::ptrdiff_t pitch, int rows,
                                          int columns) {
  map_tile(activate_any{{end.kind, end.low, end.high}}, out, pitch, rows, columns);
}
CTNN_INLINE vec with_slope(vec x, vec slope) { return select(less(x, zero()), mul(x, slope), x); }
/// Column by column, so that each slope is loaded once.
CTNN_NOINLINE inline void finish_tile_by_slopes(const epilogue&, const float* slopes, float* out, std::ptrdiff_t pitch,
                                                int rows, int columns) {
  for (int c = 0; c < columns; c += lanes) {
    const vec slope = load_bounded(slopes + c, columns - c);
    float* at = out + c;
    for (int r = 0; r < rows; ++r, at += pitch) {
      const vec x = load_bounded(at, columns - c);
      store_bounded(with_slope(x, slope), at, columns - c);
    }
  }
}
/// Numbers of columns from `column` on, if there are any.
CTNN_INLINE const float* from_column(const float* numbers, std::ptrdiff_t column) {
  return numbers == nullptr ? nullptr : numbers + column;
}

/// Constant activations leave one case, so firmware links only the functions it uses.
constexpr CTNN_INLINE epilogue epilogue_of(const activation_function& f) {
  using bound = epilogue::bound;
  if (f.kind == function::none) return {};
  if (f.kind == function::relu) return {bound::relu, f.kind, 0, 0, nullptr};
  // Plain floats: the bounds' compare instructions, 32 times over, are not worth their flash.
  if (f.kind == function::clip && lanes > 1) return {bound::clip, f.kind, f.a, f.b, nullptr};
  switch (f.kind) {
#define CTNN_CASE(name) \
  case function::name: return {bound::none, f.kind, f.a, f.b, &finish_tile<function::name>};
    CTNN_ACTIVATIONS(CTNN_CASE)
#undef CTNN_CASE
    case function::prelu: return {bound::none, f.kind, 0, 0, &finish_tile_by_slopes};
    default: return {bound::none, f.kind, f.a, f.b, &finish_tile_any};
  }
}

/// A run of contiguous inputs: where it begins, relative to its pixel, and where its weights do.
struct run_step {
#if !defined(CTNN_PLAIN)  // there each pixel's address is the run's
  std::ptrdiff_t in;
#endif
  std::ptrdiff_t weights;
};
#if defined(CTNN_PLAIN)
inline constexpr epilogue no_epilogue;
#endif

struct tile_task {
  const float* const* pixels;  ///< P addresses, for each run anew if pixel_step == P, shared by all if it is 0
  std::ptrdiff_t pixel_step;
  const run_step* runs;
  int run_count;
  int length;                  ///< inputs in a run
  std::ptrdiff_t weight_step;  ///< from one input's weights to the next's
  const float* weights;
  std::ptrdiff_t block_step;  ///< from one block of channels to the next
  const float* bias;          ///< may be null
  const float* slopes;        ///< of prelu; null for other functions
  const float* start;         ///< where sums begin: a residual, or what earlier parts left in `out`; may be null
  std::ptrdiff_t start_pitch;
  float* out;
  std::ptrdiff_t out_pitch;
  int rows;     ///< pixels to store, at most P
  int columns;  ///< channels to store, at most V lanes, more than (V - 1) lanes unless lanes is 1
  bool last;    ///< apply the epilogue
#if defined(CTNN_PLAIN)
  const epilogue* end = &no_epilogue;
#else
  epilogue end;
  const float* ahead;  ///< weights that come next, each run's as far from the first run's as in `runs`; may be null
  int ahead_inputs;    ///< inputs from one fetch of them to the next
#endif
};

/// So many floats of weights and more, a hundred kilobytes, come from far away: the next ones are fetched ahead.
constexpr std::ptrdiff_t far_weights = 25600;

/// Registers that hold sums: 6 x 4 of 32, 6 x 2 of 16, leaving room for weights and the broadcast input.
constexpr int widest_tile = lanes == 1 || vector_registers == 32 ? 4 : 2;
constexpr int tile_rows(int vectors) {
  if (lanes == 1) return 4;
  if (vector_registers == 16) return vectors == 2 ? 6 : 8;
  return vectors == 4 ? 6 : vectors == 3 ? 8 : vectors == 2 ? 12 : 12;
}

namespace detail {

/// The V vectors of a row; the last may be partial. With lanes == 1 `columns` is V (see run_narrow).
template <int V>
CTNN_INLINE void load_row(vec (&x)[V], const float* p, int columns) {
  CTNN_UNROLL for (int v = 0; v + 1 < V; ++v) x[v] = loadu(p + v * lanes);
  if constexpr (lanes == 1) x[V - 1] = loadu(p + V - 1);
  else x[V - 1] = load_bounded(p + (V - 1) * lanes, columns - (V - 1) * lanes);
}
template <int V>
CTNN_INLINE void store_row(const vec (&x)[V], float* p, int columns) {
  CTNN_UNROLL for (int v = 0; v + 1 < V; ++v) storeu(x[v], p + v * lanes);
  if constexpr (lanes == 1) storeu(x[V - 1], p + V - 1);
  else store_bounded(x[V - 1], p + (V - 1) * lanes, columns - (V - 1) * lanes);
}

/// Weights of one input for V vectors are on their way to the second cache.
template <int V>
CTNN_INLINE void fetch_row(const float* weights, std::ptrdiff_t block_step) {
  constexpr int blocks = (V * lanes + channel_block - 1) / channel_block;
  CTNN_UNROLL for (int b = 0; b < blocks; ++b) CTNN_PREFETCH(weights + b * block_step);
}

/// Where sums begin: the bias, and the residual or what earlier parts left. Both may be null.
template <int P, int V>
CTNN_INLINE void begin_tile(vec (&sum)[P][V], const float* bias, const float* start, std::ptrdiff_t start_pitch,
                            int rows, int columns) {
  CTNN_UNROLL for (int v = 0; v < V; ++v) sum[0][v] = zero();
  if (bias != nullptr) load_row<V>(sum[0], bias, columns);
  CTNN_UNROLL for (int p = 1; p < P; ++p) { CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = sum[0][v]; }
  if (start == nullptr) return;
  CTNN_UNROLL for (int p = 0; p < P; ++p) {
    vec from[V];
    load_row<V>(from, start, columns);
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = add(sum[p][v], from[v]);
    if (p + 1 < rows) start += start_pitch;
  }
}
/// What of the activation is done in registers: bounds, and prelu's slopes if they are not null.
template <int P, int V>
CTNN_INLINE void activate_tile(vec (&sum)[P][V], const epilogue& end, const float* slopes, int columns) {
  if (end.bounds != epilogue::bound::none) {
    if (lanes == 1 || end.bounds == epilogue::bound::relu) {
      CTNN_UNROLL for (int p = 0; p < P; ++p) { CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = relu(sum[p][v]); }
    } else {
      const vec low = set(end.low), high = set(end.high);
      CTNN_UNROLL for (int p = 0; p < P; ++p) {
        CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = clamp(sum[p][v], low, high);
      }
    }
  }
  if (lanes == 1 || slopes == nullptr) return;
  vec slope[V];
  load_row<V>(slope, slopes, columns);
  CTNN_UNROLL for (int p = 0; p < P; ++p) {
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = with_slope(sum[p][v], slope[v]);
  }
}
template <int P, int V>
CTNN_INLINE void store_tile(const vec (&sum)[P][V], float* out, std::ptrdiff_t pitch, int rows, int columns) {
  CTNN_UNROLL for (int p = 0; p < P; ++p) {
    if (p < rows) store_row<V>(sum[p], out, columns);
    out += pitch;
  }
}
/// The epilogue, if this is the last part, and the only store but for functions and `added`, which go over the tile.
template <int P, int V>
CTNN_INLINE void end_tile(vec (&sum)[P][V], const epilogue& end, const float* slopes, bool last, added_rows added,
                          float* out, std::ptrdiff_t pitch, int rows, int columns) {
  if (last) activate_tile<P, V>(sum, end, slopes, columns);
  store_tile<P, V>(sum, out, pitch, rows, columns);
  const bool sloped = lanes > 1 && slopes != nullptr;
  if (last && end.finish != nullptr && !sloped) end.finish(end, slopes, out, pitch, rows, columns);
  if (last && added.data != nullptr) add_rows(added, out, pitch, rows, columns);
}

#if defined(CTNN_PLAIN)
/// Columns that fill no tile, number by number: few, and small code matters there.
CTNN_SMALL CTNN_NOINLINE inline void run_narrow(const tile_task& t) {
  for (int c = 0; c < t.columns; ++c)
    for (int r = 0; r < t.rows; ++r) {
      float sum = t.bias != nullptr ? t.bias[c] : 0.0f;
      if (t.start != nullptr) sum += t.start[r * t.start_pitch + c];
      const float* const* pixels = t.pixels + r;
      for (int i = 0; i < t.run_count; ++i, pixels += t.pixel_step) {
        const float* in = *pixels;
        const float* w = t.weights + t.runs[i].weights + c / channel_block * t.block_step + c % channel_block;
        for (int k = t.length; k > 0; --k, w += t.weight_step) sum = mul_add(*in++, *w, sum);
      }
      if (t.last && t.end->bounds != epilogue::bound::none) sum = relu(sum);
      t.out[r * t.out_pitch + c] = sum;
    }
}
#else
/// A tile of vectors of one float with fewer than V columns, by way of a buffer: rare, and small code matters there.
/// The task's addresses of columns are lost.
CTNN_NOINLINE inline void run_narrow(tile_task& t, int height, int width, void (*run)(const tile_task&)) {
  float buffer[16] = {}, bias[8] = {};
  const std::ptrdiff_t block_step = t.block_step;
  if (t.columns <= channel_block) t.block_step = 0;  // there is no second block
  float* const out = t.out;
  const std::ptrdiff_t out_pitch = t.out_pitch;
  const int rows = t.rows, columns = t.columns;
  for (int c = 0; t.bias != nullptr && c < columns; ++c) bias[c] = t.bias[c];
  for (int r = 0; t.start != nullptr && r < rows; ++r)
    for (int c = 0; c < columns; ++c) buffer[r * width + c] = t.start[r * t.start_pitch + c];
  const auto finish = t.end.finish;
  t.end.finish = nullptr;  // slopes are for these columns only
  const added_rows added = t.end.added;
  t.end.added = {};
  t.bias = bias;
  t.start = t.out = buffer;
  t.start_pitch = t.out_pitch = width;
  t.rows = height;
  t.columns = width;
  run(t);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) out[r * out_pitch + c] = buffer[r * width + c];
  t.block_step = block_step;
  t.out_pitch = out_pitch;
  t.rows = rows;
  t.end.finish = finish;
  if (t.last && finish != nullptr) finish(t.end, t.slopes, out, out_pitch, rows, columns);
  if (t.last && added.data != nullptr) add_rows(added, out, out_pitch, rows, columns);
}
#endif

}  // namespace detail

namespace detail {

/// A run of one row of plain floats: four inputs at a time, as counting them costs as much as summing.
template <int V>
CTNN_INLINE void sum_single(vec (&sum)[V], const float* in, std::ptrdiff_t length, const float* w,
                            std::ptrdiff_t weight_step, std::ptrdiff_t block_step) {
  constexpr int blocks = (V + channel_block - 1) / channel_block;
  const float* at[blocks];
  CTNN_UNROLL for (int b = 0; b < blocks; ++b) {
    at[b] = w + b * block_step;
    CTNN_FORGET("+r", at[b]);  // a pointer of its own: else GCC computes an address for each load
  }
  const float* const end = in + length;
#if CTNN_LOADS_NEIGHBOURS
  if (weight_step == channel_block) sum_fours(sum, in, in + (length & ~3), at);
#else
  if (weight_step == channel_block)
    for (; end - in >= 4; in += 4) {
      CTNN_UNROLL for (int i = 0; i < 4; ++i) {
        CTNN_UNROLL for (int v = 0; v < V; ++v)
          sum[v] = mul_add(set(in[i]), loadu(at[v / channel_block] + i * channel_block + v % channel_block), sum[v]);
      }
      CTNN_UNROLL for (int b = 0; b < blocks; ++b) at[b] += 4 * channel_block;
    }
#endif
  for (; in != end; ++in) {
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[v] =
        mul_add(set(*in), loadu(at[v / channel_block] + v % channel_block), sum[v]);
    CTNN_UNROLL for (int b = 0; b < blocks; ++b) at[b] += weight_step;
  }
}

}  // namespace detail

template <int P, int V>
CTNN_NOINLINE void run_tile(const tile_task& t) {
#if !defined(CTNN_PLAIN)  // run_columns() and run_columns_of() see to it there, in less stack
  if constexpr (lanes == 1) {
    if (t.columns < V) {
      tile_task narrow = t;
      return detail::run_narrow(narrow, P, V, &run_tile<P, V>);
    }
  }
#endif
  vec sum[P][V];
  detail::begin_tile<P, V>(sum, t.bias, t.start, t.start_pitch, t.rows, t.columns);

  // One row alone waits for its own sums: a second sum takes every other input. The same for every V, so that equal
  // columns have equal results whatever tile they are in.
  constexpr int more = P > 1 || lanes == 1 ? 0 : 1;
  vec others[more + 1][V];
  CTNN_UNROLL for (int i = 0; i < more; ++i)
    CTNN_UNROLL for (int v = 0; v < V; ++v) others[i][v] = zero();

  const float* const* pixels = t.pixels;
  const std::ptrdiff_t weight_step = t.weight_step, block_step = t.block_step;
  for (int r = 0; r < t.run_count; ++r) {
    const float* in[P];
    CTNN_UNROLL for (int p = 0; p < P; ++p) {
#if defined(CTNN_PLAIN)
      in[p] = pixels[p];
#else
      in[p] = pixels[p] + t.runs[r].in;
#endif
    }
    pixels += t.pixel_step;
    const float* w = t.weights + t.runs[r].weights;
    std::ptrdiff_t length = t.length;
    if constexpr (lanes == 1 && P == 1) {
      detail::sum_single<V>(sum[0], in[0], length, w, weight_step, block_step);
      continue;
    }
#if CTNN_LOADS_NEIGHBOURS
    if constexpr (P == 4 && V == 4)
      if (weight_step == channel_block) {
        detail::sum_pairs(sum, in, w, static_cast<std::size_t>(length) / 2);
        length &= 1;
      }
#endif
    std::ptrdiff_t k = 0;
    for (; more > 0 && k + more < length; k += more + 1)
      CTNN_UNROLL for (int i = 0; i <= more; ++i) {
        const vec x = set(in[0][k + i]);
        CTNN_UNROLL for (int v = 0; v < V; ++v) {
          vec& to = i == more ? sum[0][v] : others[i][v];
          to = mul_add(x, loadu(w + v * lanes / channel_block * block_step + v * lanes % channel_block), to);
        }
        w += weight_step;
      }
#if !defined(CTNN_PLAIN)
    const float* ahead = t.ahead == nullptr ? nullptr : t.ahead + (t.runs[r].weights - t.runs[0].weights);
#endif
    do {
      std::ptrdiff_t end = length;
#if !defined(CTNN_PLAIN)
      if (ahead != nullptr) {
        if (length - k > t.ahead_inputs) end = k + t.ahead_inputs;
        detail::fetch_row<V>(ahead, block_step);
        ahead += channel_block;
      }
#endif
      for (; k < end; ++k) {
        vec row[V];
        CTNN_UNROLL for (int v = 0; v < V; ++v)
          row[v] = loadu(w + v * lanes / channel_block * block_step + v * lanes % channel_block);
        CTNN_UNROLL for (int p = 0; p < P; ++p) {
          const vec x = set(in[p][k]);
          CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = mul_add(x, row[v], sum[p][v]);
        }
        w += weight_step;
      }
    } while (k < length);
  }

  CTNN_UNROLL for (int i = 0; i < more; ++i)
    CTNN_UNROLL for (int v = 0; v < V; ++v) sum[0][v] = add(sum[0][v], others[i][v]);

#if defined(CTNN_PLAIN)  // whoever runs the columns finishes them
  if (t.last) detail::activate_tile<P, V>(sum, *t.end, nullptr, V);
  detail::store_tile<P, V>(sum, t.out, t.out_pitch, t.rows, V);
#else
  detail::end_tile<P, V>(sum, t.end, t.slopes, t.last, t.end.added, t.out, t.out_pitch, t.rows, t.columns);
#endif
}

/// Columns and rows that shares of a product (share.hpp) take at a time: tiles then lie as in the whole product.
constexpr int column_granule = 4 * lanes < channel_block ? channel_block : 4 * lanes;
constexpr int row_tiles = 24;

using tile_function = void (*)(const tile_task&);

/// The tile that covers `columns` channels, or the widest.
struct tile_shape {
  int rows, columns;
  tile_function run;
};

#if defined(CTNN_PLAIN)
inline constexpr tile_shape one_by_eight{1, 8, &run_tile<1, 8>}, four_by_four{4, 4, &run_tile<4, 4>};

/// `columns` columns, tile by tile; the task's addresses of columns are lost.
CTNN_SMALL CTNN_NOINLINE inline void run_columns(tile_task& t, int columns, const tile_shape& tile) {
  const int width = tile.columns;
  for (int left = columns; left > 0; left -= width) {
    t.columns = left;
    if (left < width) detail::run_narrow(t);
    else tile.run(t);
    t.weights += width / channel_block * t.block_step;
    t.out += width;
    if (t.bias != nullptr) t.bias += width;
    if (t.start != nullptr) t.start += width;
  }
  if (!t.last || t.end->finish == nullptr) return;
  t.end->finish(*t.end, t.slopes, t.out - (columns + width - 1) / width * width, t.out_pitch, t.rows, columns);
}
#endif

/// The tile, with as many of its columns as the task says, and nothing behind them.
CTNN_INLINE void run_columns_of(const tile_shape& tile, const tile_task& t) {
#if defined(CTNN_PLAIN)
  if (t.columns < tile.columns) return detail::run_narrow(t);
#endif
  tile.run(t);
}

constexpr CTNN_INLINE int tile_vectors(int columns) {
  const int vectors = (columns + lanes - 1) / lanes;
  return lanes == 1 || vectors > widest_tile ? widest_tile : vectors;
}
template <tile_set Tiles = all_tiles>
CTNN_INLINE tile_shape choose_tile(int columns) {
  const int vectors = tile_vectors(columns);
  if constexpr (widest_tile > 3 && Tiles.has_tile(4))
    if (vectors == 4) return {tile_rows(4), 4 * lanes, &run_tile<tile_rows(4), 4>};
  if constexpr (widest_tile > 2 && lanes > 1 && Tiles.has_tile(3))
    if (vectors == 3) return {tile_rows(3), 3 * lanes, &run_tile<tile_rows(3), 3>};
  if constexpr (lanes > 1 && Tiles.has_tile(2))
    if (vectors == 2) return {tile_rows(2), 2 * lanes, &run_tile<tile_rows(2), 2>};
  if constexpr (lanes > 1 && Tiles.has_tile(1))
    if (vectors == 1) return {tile_rows(1), lanes, &run_tile<tile_rows(1), 1>};
  CTNN_TRAP();
}

/// One row: bound by the weights' bandwidth.
constexpr CTNN_INLINE int row_vectors(int columns) { return lanes > 1 && columns <= 3 * lanes ? 1 : 4; }
template <tile_set Tiles = all_tiles>
CTNN_INLINE tile_shape choose_row(int columns) {
  const int vectors = row_vectors(columns);
  if constexpr (Tiles.has_row(4))
    if (vectors == 4) return {1, 4 * lanes, &run_tile<1, 4>};
  if constexpr (lanes > 1 && Tiles.has_row(1))
    if (vectors == 1) return {1, lanes, &run_tile<1, 1>};
  CTNN_TRAP();
}

/// Those that columns are cut into: `vectors` is tile_vectors or row_vectors.
template <class Vectors, class Add>
constexpr void each_tile(int columns, const Vectors& vectors, const Add& add) {
  for (int column = 0; column < columns; column += vectors(columns - column) * lanes) add(vectors(columns - column));
}
constexpr tile_set tiles_of_columns(int columns) {
  tile_set all;
  each_tile(columns, tile_vectors, [&](int vectors) { all.add_tile(vectors); });
  return all;
}
constexpr tile_set tiles_of_row(int columns) {
  tile_set all;
  each_tile(columns, row_vectors, [&](int vectors) { all.add_row(vectors); });
  return all;
}

CTNN_END_TARGET

#endif
