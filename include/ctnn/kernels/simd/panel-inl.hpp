// SPDX-License-Identifier: BSL-1.0
// Products of rows a constant distance apart (pixels of 1x1 convolutions and of padded copies, rows of a matrix) and
// packed weights: no address is looked up. Columns go in panels of some vectors, rows in tiles whose heights differ by
// at most one, so that none is nearly empty.

#if defined(CTNN_KERNELS_PANEL_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_PANEL_INL_HPP
#undef CTNN_KERNELS_PANEL_INL_HPP
#else
#define CTNN_KERNELS_PANEL_INL_HPP
#endif

#include "tile-inl.hpp"

CTNN_BEGIN_TARGET

/// `lines` lines of `rows` rows. A row's inputs are runs of contiguous ones, and its weights follow each other in that
/// order.
struct panel_task {
  const float* in;
  std::ptrdiff_t in_line, in_pitch;  ///< from line to line, from row to row
  std::ptrdiff_t run_pitch;          ///< from run to run
  int run_count, length;             ///< inputs in a run
  const float* weights;
  std::ptrdiff_t block_step;  ///< from one block of columns to the next
  const float* bias;          ///< may be null
  const float* slopes;        ///< of prelu; null for other functions
  const float* start;         ///< where sums begin: a residual, or what earlier parts left in `out`; may be null
  std::ptrdiff_t start_line, start_pitch;
  std::ptrdiff_t added_line;  ///< of end.added
  float* out;
  std::ptrdiff_t out_line, out_pitch;
  int lines, rows, columns;
  bool last;           ///< apply the epilogue
  const float* ahead;  ///< weights of the next panel or part, to be fetched meanwhile; may be null
  int ahead_step;      ///< floats of each of their blocks that a tile fetches
  int ahead_inputs;    ///< inputs from one fetch of them to the next; the length of a run at most
  epilogue end;
};

/// As tiles of any rows; but on 16 registers three vectors, too, which beats a second panel with one. They begin with a
/// block.
constexpr int widest_panel = widest_tile == 2 && 2 * lanes == channel_block ? 3 : widest_tile;
constexpr int panel_rows(int vectors) { return vectors == 3 && vector_registers == 16 ? 4 : tile_rows(vectors); }

namespace detail {

/// `tiles` tiles of P rows, one below the other, of one line.
template <int P, int V>
CTNN_NOINLINE void run_tiles(const panel_task& t, const float* in, const float* start, added_rows added, float* out,
                             const float* ahead, int tiles) {
  constexpr int groups = (P + 2) / 3;  // of rows that share a pointer: addresses have room for 0, 1 or 2 pitches
  const std::ptrdiff_t pitch = t.in_pitch, block_step = t.block_step, next_run = t.run_pitch - t.length;
  for (; tiles > 0; --tiles) {
    vec sum[P][V];
    begin_tile<P, V>(sum, t.bias, start, t.start_pitch, P, t.columns);
    const float* at[groups];
    CTNN_UNROLL for (int g = 0; g < groups; ++g) at[g] = in + 3 * g * pitch;
    const float* w = t.weights;
    for (int r = t.run_count; r > 0; --r) {
      for (int left = t.length; left > 0;) {
        int some = left < t.ahead_inputs ? left : t.ahead_inputs;
        left -= some;
        if (ahead != nullptr) {
          fetch_row<V>(ahead, block_step);
          ahead += channel_block;
        }
        for (; some > 0; --some) {
          vec row[V];
          CTNN_UNROLL for (int v = 0; v < V; ++v) {
            row[v] = loadu(w + v * lanes / channel_block * block_step + v * lanes % channel_block);
            keep_in_register(row[v]);
          }
          CTNN_UNROLL for (int p = 0; p < P; ++p) {
            const vec x = set(at[p / 3][p % 3 * pitch]);
            CTNN_UNROLL for (int v = 0; v < V; ++v) sum[p][v] = mul_add(x, row[v], sum[p][v]);
          }
          CTNN_UNROLL for (int g = 0; g < groups; ++g) keep_in_register(at[g] += 1);
          keep_in_register(w += channel_block);
        }
      }
      CTNN_UNROLL for (int g = 0; g < groups; ++g) at[g] += next_run;
    }
    end_tile<P, V>(sum, t.end, t.slopes, t.last, added, out, t.out_pitch, P, t.columns);
    added = added.from(P * added.pitch);
    in += P * pitch;
    out += P * t.out_pitch;
    if (start != nullptr) start += P * t.start_pitch;
  }
}

using tiles_function = void (*)(const panel_task&, const float*, const float*, added_rows, float*, const float*, int);

/// run_tiles for each height of the set; none for 0.
template <tile_set Tiles, int P, int V>
constexpr tiles_function tiles_if_any() {
  if constexpr (Tiles.has_panel(V, P)) return &run_tiles<P, V>;
  else return nullptr;
}
template <tile_set Tiles, int V, int... P>
struct panel_functions {
  static constexpr tiles_function at[] = {nullptr, tiles_if_any<Tiles, P, V>()...};
};
template <tile_set Tiles, int V, int P, int... Lower>
struct tiles_up_to : tiles_up_to<Tiles, V, P - 1, P, Lower...> {};
template <tile_set Tiles, int V, int... P>
struct tiles_up_to<Tiles, V, 0, P...> : panel_functions<Tiles, V, P...> {};

/// So many tiles cover a panel's rows; `taller` of them have a row more than `height`.
struct panel_cut {
  int tiles, height, taller;
};
constexpr CTNN_INLINE panel_cut cut_panel(int rows, int vectors) {
  const int most = panel_rows(vectors), tiles = (rows + most - 1) / most, height = rows / tiles;
  return {tiles, height, rows - height * tiles};
}

/// One panel: at most V vectors of columns, all lines.
template <tile_set Tiles, int V>
CTNN_INLINE void run_panel(const panel_task& t) {
  constexpr int most = panel_rows(V);
  const auto [tiles, height, taller] = cut_panel(t.rows, V);
  const auto tall = tiles_up_to<Tiles, V, most>::at[taller > 0 ? height + 1 : height];
  const int tall_tiles = taller > 0 ? taller : tiles;
  for (int line = 0; line < t.lines; ++line) {
    const float* in = t.in + line * t.in_line;
    const float* start = t.start == nullptr ? nullptr : t.start + line * t.start_line;
    const added_rows added = t.end.added.from(line * t.added_line);
    float* out = t.out + line * t.out_line;
    const float* ahead = t.ahead == nullptr ? nullptr : t.ahead + std::ptrdiff_t{line} * tiles * t.ahead_step;
    tall(t, in, start, added, out, ahead, tall_tiles);
    if (tall_tiles == tiles) continue;
    const int row = tall_tiles * (height + 1);
    tiles_up_to<Tiles, V, most>::at[height](
        t, in + row * t.in_pitch, start == nullptr ? nullptr : start + row * t.start_pitch,
        added.from(row * added.pitch), out + row * t.out_pitch,
        ahead == nullptr ? nullptr : ahead + tall_tiles * t.ahead_step, tiles - tall_tiles);
  }
}

/// The vectors of the panel that begins where `columns` are left.
constexpr CTNN_INLINE int panel_vectors(int columns) {
  const int vectors = (columns + lanes - 1) / lanes;
  if (widest_panel == 3) return vectors == 3 || vectors == 1 ? vectors : 2;
  return vectors < widest_panel ? vectors : widest_panel;
}

/// As many rows keep inputs and outputs in the second cache while all weights pass.
constexpr int panel_row_block = 768;

/// Lines that follow each other without a gap are one.
constexpr CTNN_INLINE void join_lines(panel_task& t) {
  if (t.lines > 1 && t.rows * t.in_pitch == t.in_line && t.rows * t.out_pitch == t.out_line &&
      t.rows * t.start_pitch == t.start_line && t.rows * t.end.added.pitch == t.added_line) {
    t.rows *= t.lines;
    t.lines = 1;
  }
}
/// Rows are cut into so many blocks, alike but for one row.
constexpr CTNN_INLINE int row_blocks(const panel_task& t) {
  return t.lines > 1 ? 1 : (t.rows + panel_row_block - 1) / panel_row_block;
}
constexpr CTNN_INLINE int begin_of_block(int rows, int block, int blocks) {
  return static_cast<int>(std::ptrdiff_t{rows} * block / blocks);
}

}  // namespace detail

/// What multiply_panels() takes for it.
constexpr tile_set tiles_of(panel_task t) {
  tile_set all;
  detail::join_lines(t);
  const int blocks = detail::row_blocks(t);
  const auto add = [&](int rows, int vectors) {
    const detail::panel_cut cut = detail::cut_panel(rows, vectors);
    if (cut.taller > 0) all.add_panel(vectors, cut.height + 1);
    if (cut.taller < cut.tiles) all.add_panel(vectors, cut.height);
  };
  each_tile(t.columns, detail::panel_vectors, [&](int vectors) {
    add(t.rows / blocks, vectors);
    if (t.rows % blocks != 0) add(t.rows / blocks + 1, vectors);
  });
  return all;
}

/// All columns: bias, residual, sums over all runs, epilogue.
template <tile_set Tiles = all_tiles>
CTNN_NOINLINE void multiply_panels(const panel_task& all) {
  constexpr int part_floats = 8192;  // of weights, to stay in the first cache
  panel_task t = all;
  detail::join_lines(t);
  const bool heavy = (all.columns + channel_block - 1) / channel_block * t.block_step > far_weights;
  const int lines = t.lines, rows = t.rows;
  const int line_step = rows < detail::panel_row_block ? detail::panel_row_block / rows : 1;
  const int blocks = detail::row_blocks(t);
  for (int line = 0; line < lines; line += line_step)
    for (int block = 0; block < blocks; ++block) {
      const int row = detail::begin_of_block(rows, block, blocks);
      t.rows = detail::begin_of_block(rows, block + 1, blocks) - row;
      t.lines = lines - line < line_step ? lines - line : line_step;
      const std::ptrdiff_t out = line * t.out_line + row * t.out_pitch;
      const std::ptrdiff_t start = line * all.start_line + row * all.start_pitch;
      const added_rows added = all.end.added.from(line * all.added_line + row * all.end.added.pitch);
      const float* const in = all.in + line * t.in_line + row * t.in_pitch;
      for (int column = 0; column < all.columns;) {
        const int left = all.columns - column, vectors = detail::panel_vectors(left);
        const int width = vectors * lanes;
        t.columns = left < width ? left : width;
        t.out = all.out + out + column;
        t.bias = all.bias == nullptr ? nullptr : all.bias + column;
        t.slopes = from_column(all.slopes, column);
        t.start = all.start == nullptr ? nullptr : all.start + start + column;
        t.end.added = added.from(column);
        t.start_line = all.start_line;
        t.start_pitch = all.start_pitch;
        // Equal parts of a long sum: some runs, or a piece of the only one.
        const int whole = all.run_count == 1 ? all.length : all.run_count;
        const int most = part_floats / width / (all.run_count == 1 ? 1 : all.length);
        const int parts = most < 1 ? whole : (whole + most - 1) / most;
        for (int part = 0; part < parts; ++part) {
          const int first = static_cast<int>(std::ptrdiff_t{whole} * part / parts);
          const int count = static_cast<int>(std::ptrdiff_t{whole} * (part + 1) / parts) - first;
          (all.run_count == 1 ? t.length : t.run_count) = count;
          t.in = in + first * (all.run_count == 1 ? 1 : t.run_pitch);
          t.weights = all.weights + column / channel_block * t.block_step + column % channel_block +
                      std::ptrdiff_t{first} * (all.run_count == 1 ? 1 : all.length) * channel_block;
          t.last = part + 1 == parts;
          const std::ptrdiff_t floats = std::ptrdiff_t{count} * (all.run_count == 1 ? 1 : all.length) * channel_block;
          t.ahead = nullptr;
          t.ahead_inputs = t.length;
          if (heavy && (!t.last || left > width)) {
            t.ahead = t.last ? all.weights + (column + width) / channel_block * t.block_step : t.weights + floats;
            const int height = panel_rows(vectors);
            const std::ptrdiff_t tiles = std::ptrdiff_t{t.lines} * ((t.rows + height - 1) / height);
            // Spread over a tile's sums: many at once would wait for each other.
            const int per_run = static_cast<int>((t.length + tiles - 1) / tiles);
            t.ahead_inputs = (t.length + per_run - 1) / per_run;
            t.ahead_step = t.run_count * ((t.length + t.ahead_inputs - 1) / t.ahead_inputs) * channel_block;
          }
          switch (vectors) {
            case 1:
              if constexpr (Tiles.has_panel(1)) detail::run_panel<Tiles, 1>(t);
              break;
            case 2:
              if constexpr (Tiles.has_panel(2)) detail::run_panel<Tiles, 2>(t);
              break;
            case 3:
              if constexpr (widest_panel >= 3 && Tiles.has_panel(3)) detail::run_panel<Tiles, 3>(t);
              break;
            default:
              if constexpr (widest_panel >= 4 && Tiles.has_panel(4)) detail::run_panel<Tiles, 4>(t);
          }
          t.bias = nullptr;
          t.start = t.out;
          t.start_line = t.out_line;
          t.start_pitch = t.out_pitch;
        }
        column += width;
      }
    }
}

CTNN_END_TARGET

#endif
