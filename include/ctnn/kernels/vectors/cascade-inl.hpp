// SPDX-License-Identifier: BSL-1.0
// Layers of a cascade (kernels/cascade.hpp). For some rows of the last one's results, each makes those rows that the
// next one lacks; of the rows before, it keeps what the next one's window still covers. The kernels are those of conv2d
// and pool, on windows of these rows.

#if defined(CTNN_KERNELS_CASCADE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CASCADE_INL_HPP
#undef CTNN_KERNELS_CASCADE_INL_HPP
#else
#define CTNN_KERNELS_CASCADE_INL_HPP
#endif

#include <cstring>

#include "../cascade.hpp"
#include "../scratch.hpp"
#include "conv2d-inl.hpp"
#include "pooling-inl.hpp"

CTNN_BEGIN_TARGET

/// A layer of a cascade, all rows of one image; its input, but for the first one's, and its results, but for the last
/// one's, lie in the rows.
struct cascade_stage {
  window c{};  ///< of a pool: where operands lie, and their shapes
  epilogue end{};
  const op::pool* pool = nullptr;
  bool depthwise = false;
  int planes = 1;  ///< of an image
  cascade_rows rows{};

  constexpr cascade_stage() = default;
  constexpr CTNN_INLINE cascade_stage(const op::conv2d& p, const arguments& a)
      : c(window_of(p, a)), end(epilogue_of(p.activation)), depthwise(is_depthwise(p, a.in[0].shape.back(2))) {
    if (depthwise) c.out_channels = p.out;
    if (is_planar(c)) planes = c.channels;
    set_rows(p, a);
  }
  /// Keeps the address of `p`.
  constexpr CTNN_INLINE cascade_stage(const op::pool& p, const arguments& a) : pool(&p) {
    const const_tensor& x = a.in[0];
    const tensor& y = a.out[0];
    c.in = x.data;
    c.out = y.data;
    c.height = x.shape.back(1);
    c.width = x.shape.back(0);
    c.channels = c.out_channels = x.shape.back(2);
    c.col = x.pitch;
    c.row = c.width * c.col;
    c.out_height = y.shape.back(1);
    c.out_width = y.shape.back(0);
    c.out_pitch = y.pitch;
    c.out_row = c.out_width * c.out_pitch;
    set_rows(p, a);
  }

 private:
  constexpr CTNN_INLINE void set_rows(const auto& p, const arguments& a) {
    rows = cascade_rows_of(p, a.in[0].shape, a.out[0].shape);
    rows.out_row = c.out_row;
  }
};

namespace detail {

/// Rows [first, end) of an image, one below the other.
struct rows_in_memory {
  float* data = nullptr;
  int first = 0, end = 0;
};

/// Makes rows [first, end) of the results at `out` from rows [in_first, in_end) of the input.
template <int = 0>
CTNN_NOINLINE inline void pool_rows(const op::pool& p, const window& c, const float* in, int in_first, int in_end,
                                    float* out, int first, int end) {
  const fixed_windows rows{p, p.along(0, c.height)}, columns{p, p.along(1, c.width)};
  const float* const in_memory = in + (in_end - in_first) * c.row - (c.col - c.channels);
  for (int y = first; y < end; ++y) {
    const pooling_window r = rows(y);
    pool_row(p.function, {in + (r.first - in_first) * c.row, c.row, static_cast<int>(c.col), in_memory}, r, columns,
             c.channels, out + (y - first) * c.out_row, static_cast<int>(c.out_pitch), c.out_width,
             out + (end - first) * c.out_row);
  }
}
template <tile_set Tiles>
CTNN_INLINE void make_rows(const cascade_stage& stage, const float* in, int in_first, int in_end, float* out, int first,
                           int end) {
  if (stage.pool != nullptr) return pool_rows(*stage.pool, stage.c, in, in_first, in_end, out, first, end);
  window c = stage.c;
  c.in = in;
  c.height = in_end - in_first;
  c.pad_top += in_first - first * c.stride_h;
  c.last_y = c.height - span_of(c.kernel_h, c.dilation_h);
  c.out = out;
  c.out_height = end - first;
  if (c.residual != nullptr) c.residual += std::ptrdiff_t{first} * c.out_width * c.residual_pitch;
  if (stage.depthwise) convolve_depthwise(c, stage.end, choose_depthwise<Tiles>(c));
  else convolve<Tiles>(c, stage.end, 0, c.out_height * c.out_width);
}

/// Has rows [needed.first, needed.end) of the results of stage i in memory[i], which may hold some of the first ones.
template <tile_set Tiles>
CTNN_NOINLINE void have_rows(const cascade_stage* stages, rows_in_memory* memory, int i, const row_range& needed) {
  const cascade_stage& stage = stages[i];
  rows_in_memory& now = memory[i];
  const std::ptrdiff_t row = stage.c.out_row;
  if (now.end <= needed.first) {
    now.first = now.end = needed.first;
  } else if (now.first < needed.first) {
    std::memmove(now.data, now.data + (needed.first - now.first) * row,
                 static_cast<std::size_t>((now.end - needed.first) * row) * sizeof(float));
    now.first = needed.first;
  }
  if (now.end >= needed.end) return;
  const row_range read = stage.rows.read(now.end, needed.end);
  float* const out = now.data + (now.end - now.first) * row;
  if (i == 0) {
    make_rows<Tiles>(stage, stage.c.in + read.first * stage.c.row, read.first, read.end, out, now.end, needed.end);
  } else {
    have_rows<Tiles>(stages, memory, i - 1, read);
    make_rows<Tiles>(stage, memory[i - 1].data, memory[i - 1].first, memory[i - 1].end, out, now.end, needed.end);
  }
  now.end = needed.end;
}

/// Rows [first, end) of the results of one image, `step` at a time.
template <tile_set Tiles>
CTNN_NOINLINE void run_image(const cascade_geometry& all, const cascade_stage* stages, float* memory, int step,
                             int first, int end) {
  const int last = all.count - 1;
  rows_in_memory rows[longest_cascade];
  for (int i = last, count = step; i > 0; --i) {
    count = all.stages[i].most_read(count);
    rows[i - 1].data = memory;
    memory += count * all.stages[i - 1].out_row;
  }
  const cascade_stage& stage = stages[last];
  const rows_in_memory& in = rows[last - 1];
  for (int row = first; row < end; row += step) {
    const int row_end = end - row < step ? end : row + step;
    have_rows<Tiles>(stages, rows, last - 1, stage.rows.read(row, row_end));
    make_rows<Tiles>(stage, in.data, in.first, in.end, stage.c.out + row * stage.c.out_row, row, row_end);
  }
}

}  // namespace detail

/// A share of all rows of all images, in memory for two parts or only for one. Parts beyond those that it is enough for
/// have nothing to do.
template <tile_set Tiles = all_tiles>
CTNN_NOINLINE void run_cascade(std::span<cascade_stage> stages, int images, work_share share, scratch_memory memory) {
  cascade_geometry all;
  for (const cascade_stage& s : stages) all.stages[all.count++] = s.rows;
  const std::int64_t half = all.room() / 2, given = static_cast<std::int64_t>(memory.size() / sizeof(float)),
                     room = given < 2 * half ? half : 2 * half;
  const int most = static_cast<int>(room / all.memory(1));
  if (share.count > most) share.count = most;
  if (share.index >= share.count) return;
  // One part takes no more than its own half, so that a cache holds it.
  const std::int64_t own = share.count < 2 ? half : room / share.count;
  float* const rows = memory.take<float>(room).data() + share.index * own;
  cascade_stage &first = stages[0], &last = stages[stages.size() - 1];
  const window begin = first.c, end = last.c;
  const index_range part = share_of(share, std::ptrdiff_t{images} * last.c.out_height);
  for (int n = 0; n < images; ++n) {
    const rows_of_image r(part, n, last.c.out_height);
    if (r.begin >= r.end) continue;
    first.c.in = begin.in + n * to_next_image(begin, first.planes);
    last.c.out = end.out + n * to_next_output(end);
    if (end.residual != nullptr) last.c.residual = end.residual + n * to_next_residual(end);
    detail::run_image<Tiles>(all, stages.data(), rows, all.rows_in(own), r.begin, r.end);
  }
}

/// Tiles that a layer of a cascade may take, whatever rows it is given.
constexpr tile_set tiles_of_cascade(const cascade_stage& stage, bool has_residual) {
  if (stage.pool != nullptr) return {};
  if (stage.depthwise)
    return tiles_of_depthwise(stage.c, has_residual, false) | tiles_of_depthwise(stage.c, has_residual, true);
  tile_set all;
  if (stage.c.out_width == 1 || !detail::goes_by_panels(stage.c)) {
    all = tiles_of_columns(stage.c.out_channels) | tiles_of_row(stage.c.out_channels);
    all.looks_up = true;
  }
  each_tile(stage.c.out_channels, detail::panel_vectors, [&](int vectors) {
    for (int height = 1; height <= panel_rows(vectors); ++height) all.add_panel(vectors, height);
  });
  return all;
}

/// The same for loaded models.
template <int = 0>
inline void run_loaded_cascade(const cascade_call& call, const work_share& share, scratch_memory memory) {
  cascade_stage stages[longest_cascade];
  for (int i = 0; i < call.count; ++i) {
    const auto& [type, op] = call.stages[i];
    stages[i] = type == &type_of<op::pool> ? cascade_stage(*static_cast<const op::pool*>(op), call.all[i])
                                           : cascade_stage(*static_cast<const op::conv2d*>(op), call.all[i]);
  }
  const extents& in = call.all[0].in[0].shape;
  run_cascade({stages, static_cast<std::size_t>(call.count)}, in.rank == 4 ? in[0] : 1, share, memory);
}

CTNN_END_TARGET

#endif
