// SPDX-License-Identifier: BSL-1.0
// Convolutions whose pixels stand a constant distance apart: as they are (1x1, windows without padding), or in a copy
// of some rows with their padding, channels innermost. No tile is then a border tile, and runs are a row of taps long.

#if defined(CTNN_KERNELS_CONVOLVE_STRIPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CONVOLVE_STRIPS_INL_HPP
#undef CTNN_KERNELS_CONVOLVE_STRIPS_INL_HPP
#else
#define CTNN_KERNELS_CONVOLVE_STRIPS_INL_HPP
#endif

#include "../simd/panel-inl.hpp"
#include "../walks/window-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// Of the copy, on the stack: each thread has its own, whatever part of the layer it takes.
constexpr int strip_floats = 12288;

constexpr CTNN_INLINE bool has_no_padding(const window& c) {
  return c.pad_top <= 0 && c.pad_left <= 0 && (c.out_height - 1) * c.stride_h - c.pad_top <= c.last_y &&
         (c.out_width - 1) * c.stride_w - c.pad_left <= c.last_x;
}
/// A row of pixels makes tiles nearly as high as they can be.
constexpr CTNN_INLINE bool rows_fill_tiles(const window& c) {
  const int vectors = panel_vectors(c.out_channels);
  return 6 * cut_panel(c.out_width, vectors).height >= 5 * panel_rows(vectors);
}
/// Pixels and rows of taps are read where they are.
constexpr CTNN_INLINE bool stands_as_rows(const window& c) {
  const bool joined = c.kernel_w == 1 || (c.dilation_w == 1 && c.col == c.channels);
  const bool dense = c.stride_w == 1 && c.kernel_w == 1;
  return c.chan == 1 && joined && has_no_padding(c) && (dense || c.out_width >= 20 || rows_fill_tiles(c));
}
constexpr CTNN_INLINE int strip_reach(const window& c) { return span_of(c.kernel_h, c.dilation_h); }
/// Worth a copy: runs of few channels are short without it, and border tiles many. Where more channels leave few rows a
/// strip, or rows are short, it costs more than it gives.
constexpr CTNN_INLINE bool gains_by_strips(const window& c) {
  const bool few = c.channels <= 4 || (c.channels <= 32 && c.stride_w == 1 && c.out_width >= 14);
  return few && c.dilation_w == 1 && std::ptrdiff_t{strip_reach(c)} * c.kernel_w * c.channels <= strip_floats;
}

/// n pixels of `channels` planes, `plane` apart, with their channels innermost.
template <int = 0>
CTNN_INLINE void interleave(const float* from, std::ptrdiff_t plane, int channels, int n, float* to) {
  int i = 0;
#if !CTNN_SCALAR_VEC
  if (channels == 3)
    for (; i + lanes <= n; i += lanes)
      hn::StoreInterleaved3(loadu(from + i), loadu(from + plane + i), loadu(from + 2 * plane + i), tag(), to + 3 * i);
#endif
  for (; i < n; ++i)
    for (int c = 0; c < channels; ++c) to[i * channels + c] = from[c * plane + i];
}

/// Row y of the input from column x on, `width` pixels, zeros outside.
template <int = 0>
CTNN_INLINE void copy_row(const window& c, int y, int x, int width, float* to) {
  const bool inside = y >= 0 && y < c.height;
  int before = x < 0 ? -x : 0, n = (c.width < x + width ? c.width - x : width) - before;
  if (!inside || n <= 0) before = width, n = 0;
  for (int i = 0; i < before * c.channels; ++i) to[i] = 0;
  to += before * c.channels;
  if (n > 0) {
    const float* from = c.in + y * c.row + (x + before) * c.col;
    if (c.chan != 1) {
      interleave(from, c.chan, c.channels, n, to);
    } else if (c.col == c.channels) {
      for (int i = 0; i < n * c.channels; ++i) to[i] = from[i];
    } else {
      for (int i = 0; i < n; ++i)
        for (int k = 0; k < c.channels; ++k) to[i * c.channels + k] = from[i * c.col + k];
    }
    to += n * c.channels;
  }
  for (int i = 0; i < (width - before - n) * c.channels; ++i) to[i] = 0;
}

/// What is the same for all parts of an image.
constexpr CTNN_INLINE panel_task panels_of(const window& c, const epilogue& end) {
  panel_task t{};
  t.run_count = c.kernel_h;
  t.length = c.kernel_w * c.channels;
  t.weights = c.weights;
  t.block_step = std::ptrdiff_t{c.kernel_h} * t.length * channel_block;
  t.bias = c.bias;
  t.slopes = c.slopes;
  t.start_pitch = c.residual_pitch;
  t.start_line = t.added_line = c.out_width * c.residual_pitch;
  t.out_pitch = c.out_pitch;
  t.out_line = c.out_row;
  t.columns = c.out_channels;
  t.end = end;
  t.end.added.pitch = c.residual_pitch;
  return t;
}

constexpr CTNN_INLINE void take_box(panel_task& t, const pixel_box& box) {
  t.lines = box.y_end - box.y;
  t.rows = box.x_end - box.x;
}
template <tile_set Tiles>
CTNN_INLINE void multiply_box(const window& c, panel_task& t, const pixel_box& box) {
  const float* const residual =
      c.residual == nullptr ? nullptr : c.residual + box.y * t.start_line + box.x * t.start_pitch;
  (c.residual_last ? t.end.added.data : t.start) = residual;
  t.out = c.out + box.y * t.out_line + box.x * t.out_pitch;
  take_box(t, box);
  multiply_panels<Tiles>(t);
}

/// A box in parts, each as much as the copy has room for.
struct strip_cut {
  int step_x, step_y, width;  ///< `width` pixels of input make step_x of output

  constexpr CTNN_INLINE strip_cut(const window& c, const pixel_box& box) {
    const int reach = strip_reach(c), room = strip_floats / c.channels;  // in pixels
    const int most = (room / reach - c.kernel_w) / c.stride_w + 1, all = box.x_end - box.x;
    const int blocks = (all + most - 1) / most;
    step_x = (all + blocks - 1) / blocks;
    width = (step_x - 1) * c.stride_w + c.kernel_w;
    step_y = (room / width - reach) / c.stride_h + 1;
  }
  constexpr CTNN_INLINE pixel_box part(const pixel_box& box, int y, int x) const {
    return {y, y + step_y < box.y_end ? y + step_y : box.y_end, x, x + step_x < box.x_end ? x + step_x : box.x_end};
  }
  constexpr CTNN_INLINE void set_steps(const window& c, panel_task& t) const {
    t.run_pitch = std::ptrdiff_t{c.dilation_h} * width * c.channels;
    t.in_line = std::ptrdiff_t{c.stride_h} * width * c.channels;
    t.in_pitch = std::ptrdiff_t{c.stride_w} * c.channels;
  }
};

template <tile_set Tiles>
CTNN_NOINLINE void convolve_strips(const window& c, panel_task& t, const pixel_box& box) {
  alignas(64) float strip[strip_floats];
  const strip_cut cut(c, box);
  t.in = strip;
  cut.set_steps(c, t);
  for (int x = box.x; x < box.x_end; x += cut.step_x)
    for (int y = box.y; y < box.y_end; y += cut.step_y) {
      const pixel_box part = cut.part(box, y, x);
      const int rows = (part.y_end - y - 1) * c.stride_h + strip_reach(c);
      for (int i = 0; i < rows; ++i)
        copy_row(c, y * c.stride_h - c.pad_top + i, x * c.stride_w - c.pad_left, cut.width,
                 strip + std::ptrdiff_t{i} * cut.width * c.channels);
      multiply_box<Tiles>(c, t, part);
    }
}

/// From pixel to pixel and tap to tap where the input lies.
constexpr CTNN_INLINE void set_steps_of_rows(const window& c, panel_task& t) {
  t.in_line = c.stride_h * c.row;
  t.in_pitch = c.stride_w * c.col;
  t.run_pitch = c.dilation_h * c.row;
}
template <tile_set Tiles>
CTNN_INLINE void convolve_box(const window& c, panel_task& t, bool as_rows, const pixel_box& box) {
  if (!as_rows) return convolve_strips<Tiles>(c, t, box);
  t.in = c.in + (box.y * c.stride_h - c.pad_top) * c.row + (box.x * c.stride_w - c.pad_left) * c.col;
  set_steps_of_rows(c, t);
  multiply_box<Tiles>(c, t, box);
}

constexpr CTNN_INLINE bool goes_by_panels(const window& c) {
  const bool any_taps = c.kernel_h * c.kernel_w > 0;  // a phase of a transposed convolution may have none
  return any_taps && !is_alone(c) && (stands_as_rows(c) || gains_by_strips(c));
}

/// What convolve_panels() takes for all pixels of one that goes by panels.
constexpr tile_set tiles_of_panels(const window& c) {
  panel_task t = panels_of(c, {});
  const pixel_box box{0, c.out_height, 0, c.out_width};
  if (stands_as_rows(c)) {
    set_steps_of_rows(c, t);
    take_box(t, box);
    return tiles_of(t);
  }
  const strip_cut cut(c, box);
  cut.set_steps(c, t);
  tile_set all;
  for (int x = 0; x < box.x_end; x += cut.step_x)
    for (int y = 0; y < box.y_end; y += cut.step_y) {
      take_box(t, cut.part(box, y, x));
      all = all | tiles_of(t);
    }
  return all;
}

}  // namespace detail

/// Output pixels [pixel, last_pixel) of one group of one image.
template <tile_set Tiles = all_tiles>
CTNN_NOINLINE void convolve_panels(const window& c, const epilogue& end, int pixel, int last_pixel) {
  using namespace detail;
  panel_task t = panels_of(c, end);
  const bool as_rows = stands_as_rows(c);
  for (const pixel_box& box : pixel_boxes(c.out_width, pixel, last_pixel)) convolve_box<Tiles>(c, t, as_rows, box);
}

CTNN_END_TARGET

#endif
