// SPDX-License-Identifier: BSL-1.0
// Dense and grouped conv2d as an indirect matrix product: no im2col, no padded copy. A tile's pixels are addresses, and
// a tap that falls into the padding is an address of zeros. 1x1, few input channels and depthwise are passed on to
// kernels of their own.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_CONV2D_INL_HPP)
#define CTNN_KERNELS_CONV2D_INL_HPP
#define CTNN_KERNELS_CONV2D_ENABLED
#endif
#elif defined(CTNN_KERNELS_CONV2D_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CONV2D_INL_HPP
#undef CTNN_KERNELS_CONV2D_INL_HPP
#else
#define CTNN_KERNELS_CONV2D_INL_HPP
#endif
#define CTNN_KERNELS_CONV2D_ENABLED
#endif

#if defined(CTNN_KERNELS_CONV2D_ENABLED)
#undef CTNN_KERNELS_CONV2D_ENABLED

#include "depthwise-inl.hpp"
#include "../frame.hpp"
#include "../share.hpp"
#include "../tensor.hpp"
#include "../simd/tile-inl.hpp"
#include "../walks/window-inl.hpp"
#if defined(CTNN_PLAIN)
#include "convolve-plain-inl.hpp"
#include "depthwise-plain-inl.hpp"
#else
#include "convolve_planes-inl.hpp"
#include "convolve_strips-inl.hpp"
#endif

CTNN_BEGIN_TARGET

#if !defined(CTNN_PLAIN)
namespace detail {

/// Taps (kernel positions, for nchw inputs times channels) summed by one call of a tile; their addresses stand on the
/// stack.
constexpr int max_units = 64;
/// Pixels whose inputs and outputs stay in the second cache while all weights pass.
constexpr int pixel_block = 768;

/// A part of the sum over taps and channels: small enough that its weights stay in the first cache.
struct chunk {
  int unit, unit_end;        ///< taps; for nchw inputs channels x taps
  int channel, channel_end;  ///< nhwc only
  bool first;                ///< of the parts
};

/// Offset in the input of a unit relative to its pixel, and in the packed weights.
struct unit_place {
  int y, x;
  run_step step;
};

template <int = 0>
CTNN_INLINE unit_place place_of(const window& c, bool planar, int unit, int channel) {
  const int tap = planar ? unit % (c.kernel_h * c.kernel_w) : unit;
  if (planar) channel = unit / (c.kernel_h * c.kernel_w);
  const int ky = tap / c.kernel_w, kx = tap - ky * c.kernel_w;
  const int y = ky * c.dilation_h, x = kx * c.dilation_w;
  return {y, x, {y * c.row + x * c.col + channel * c.chan,
                 (static_cast<std::ptrdiff_t>(tap) * c.channels + channel) * channel_block}};
}

/// A tile whose pixels lie in several rows, from column x on: by way of `copy`.
template <int = 0>
CTNN_NOINLINE inline void run_copied(const window& c, const tile_task& task, const tile_shape& tile, int x,
                                     float* copy) {
  tile_task t = task;
  const auto each_pixel = [&](auto&& move) {
    float* out = task.out;
    for (int p = 0, at = x; p < t.rows; ++p, out += c.out_pitch, ++at) {
      if (at == c.out_width) out += c.out_row - c.out_width * c.out_pitch, at = 0;
      move(copy + p * tile.columns, out);
    }
  };
  const auto copy_columns = [n = t.columns](const float* from, float* to) {
    for (int i = 0; i < n; ++i) to[i] = from[i];
  };
  if (t.start != nullptr) {
    each_pixel([&](float* dense, const float* out) { copy_columns(out, dense); });
    t.start = copy;
  }
  t.out = copy;
  t.start_pitch = t.out_pitch = tile.columns;
  tile.run(t);
  each_pixel([&](const float* dense, float* out) { copy_columns(dense, out); });
}

/// All column tiles of all pixel tiles [first, end) for one chunk. Each fetches its share of the weights `ahead`, those
/// of the next chunk, if they are not null.
template <int = 0>
CTNN_INLINE void sweep(const window& c, const chunk& part, bool planar, tile_task& t, const tile_shape& tile,
                       int column, int column_end, int first, int end, const float* ahead) {
  const int units = part.unit_end - part.unit;
  const int length = planar ? 1 : part.channel_end - part.channel;

  // Units of pixels whose window lies inside the input; neighbours in x join where their inputs are contiguous.
  const bool joined = c.kernel_w > 1 && c.dilation_w == 1 && units % c.kernel_w == 0 && part.unit % c.kernel_w == 0 &&
                      (planar || (c.col == length && c.channels == length));
  const int step = joined ? c.kernel_w : 1;
  run_step inner[max_units], border[max_units];
  unit_place places[max_units];
  int inner_count = 0;
  for (int u = 0; u < units; ++u) {
    places[u] = place_of(c, planar, part.unit + u, part.channel);
    if (u % step == 0) inner[inner_count++] = places[u].step;
  }
  const int inner_length = length * step;
  const std::ptrdiff_t block_step = static_cast<std::ptrdiff_t>(c.kernel_h) * c.kernel_w * c.channels * channel_block;
  const std::ptrdiff_t planar_step = static_cast<std::ptrdiff_t>(c.channels) * channel_block;
  t.block_step = block_step;

  constexpr int P = lanes == 1 ? 4 : 12;
  const float* pixels[P];
  const float* addresses[max_units * P];
  // Where a tile goes on in the next row and rows lie apart, a dense copy of it stands here.
  const bool apart = c.out_row != c.out_width * c.out_pitch;
  alignas(64) float copy[P * widest_tile * lanes];
  const int tiles = (end - first + tile.rows - 1) / tile.rows;
  t.ahead = tiles > 1 ? ahead : nullptr;
  t.ahead_inputs = tiles;
  int oy = first / c.out_width, ox = first - oy * c.out_width;
  for (int q = first; q < end; q += tile.rows) {
    t.rows = end - q < tile.rows ? end - q : tile.rows;
    const bool copied = apart && ox + t.rows > c.out_width;
    const int tile_y = oy, tile_x = ox;
    int py[P], px[P];
    bool inside = true;
    for (int p = 0; p < tile.rows; ++p) {
      py[p] = oy * c.stride_h - c.pad_top;
      px[p] = ox * c.stride_w - c.pad_left;
      inside &= py[p] >= 0 && px[p] >= 0 && py[p] <= c.last_y && px[p] <= c.last_x;
      pixels[p] = c.in + (py[p] * c.row + px[p] * c.col);
      if (p + 1 < t.rows && ++ox == c.out_width) ox = 0, ++oy;
    }
    if (++ox == c.out_width) ox = 0, ++oy;

    if (inside) {
      t.pixels = pixels;
      t.pixel_step = 0;
      t.runs = inner;
      t.run_count = inner_count;
      t.length = inner_length;
      t.weight_step = planar && joined ? planar_step : channel_block;
    } else {
      const float** a = addresses;
      int count = 0;
      for (int u = 0; u < units; ++u) {
        const unit_place& place = places[u];
        bool any = false;
        for (int p = 0; p < tile.rows; ++p) {
          const bool valid = static_cast<unsigned>(py[p] + place.y) < static_cast<unsigned>(c.height) &&
                             static_cast<unsigned>(px[p] + place.x) < static_cast<unsigned>(c.width);
          a[p] = valid ? pixels[p] + place.step.in : zeros;
          any |= valid;
        }
        if (!any) continue;
        a += tile.rows;
        border[count++] = {0, place.step.weights};
      }
      t.pixels = addresses;
      t.pixel_step = tile.rows;
      t.runs = border;
      t.run_count = count;
      t.length = length;
      t.weight_step = channel_block;
    }
    for (int j = column; j < column_end; j += tile.columns) {
      t.columns = column_end - j < tile.columns ? column_end - j : tile.columns;
      t.weights = c.weights + j / channel_block * block_step + j % channel_block;
      t.out = c.out + tile_y * c.out_row + tile_x * c.out_pitch + j;
      t.slopes = from_column(c.slopes, j);
      if (part.first) {
        t.bias = c.bias == nullptr ? nullptr : c.bias + j;
        t.start = c.residual == nullptr || c.residual_last ? nullptr : c.residual + q * c.residual_pitch + j;
      } else {
        t.bias = nullptr;
        t.start = t.out;
      }
      if (c.residual_last) t.end.added = {c.residual + q * c.residual_pitch + j, c.residual_pitch};
      if (copied) run_copied(c, t, tile, tile_x, copy);
      else tile.run(t);
    }
    if (t.ahead != nullptr) t.ahead += (t.length + tiles - 1) / tiles * channel_block;
  }
}

/// A tile's pixels are looked up, tap by tap.
template <tile_set Tiles>
CTNN_INLINE void convolve_addresses(const window& c, const epilogue& end, int pixel, int last_pixel) {
  const bool planar = c.chan != 1;
  const int units = c.kernel_h * c.kernel_w * (planar ? c.channels : 1);
  tile_task t{};
  t.out_pitch = c.out_pitch;
  t.end = end;
  const std::ptrdiff_t block_floats = std::ptrdiff_t{c.kernel_h} * c.kernel_w * c.channels * channel_block;
  const bool heavy = !planar && round_up_to_block(c.out_channels) / channel_block * block_floats > far_weights;
  for (int first = pixel; first < last_pixel; first += pixel_block) {
    const int pixel_end = last_pixel - first < pixel_block ? last_pixel : first + pixel_block;
    for (int column = 0; column < c.out_channels;) {
      const int left = c.out_channels - column;
      const tile_shape tile = is_alone(c) ? choose_row<Tiles>(left) : choose_tile<Tiles>(left);
      // Plain floats know no caches: there the addresses of a tile serve all columns.
      const int width = lanes == 1 || left < tile.columns ? left : tile.columns;

      constexpr int cache = 8192;
      const int inputs = lanes == 1 ? max_run : cache / tile.columns < max_run ? cache / tile.columns : max_run;
      const int depth = planar ? 1 : c.channels;
      const int parts = (depth + inputs - 1) / inputs;
      const int channel_step = parts == 1 ? depth : ((depth + parts - 1) / parts + 3) / 4 * 4;
      int unit_step = inputs / channel_step < 1 ? 1 : inputs / channel_step;
      if (unit_step > max_units) unit_step = max_units;
      if (unit_step < units && unit_step > c.kernel_w) unit_step -= unit_step % c.kernel_w;
      bool first_part = true;
      t.start_pitch = c.residual_pitch;
      for (int channel = 0; channel < depth; channel += channel_step) {
        const int channel_end = depth - channel < channel_step ? depth : channel + channel_step;
        for (int unit = 0; unit == 0 || unit < units; unit += unit_step) {  // a phase may have no taps
          const int unit_end = units - unit < unit_step ? units : unit + unit_step;
          t.last = channel_end == depth && unit_end == units;
          const float* ahead = nullptr;
          if (heavy && (!t.last || width < left)) {
            const int next_unit = unit_end < units ? unit_end : 0;
            const int next_channel = next_unit != 0 ? channel : t.last ? 0 : channel_end;
            const int next_column = t.last ? column + width : column;
            ahead = c.weights + next_column / channel_block * block_floats + next_column % channel_block +
                    place_of(c, planar, next_unit, next_channel).step.weights;
          }
          sweep(c, {unit, unit_end, channel, channel_end, first_part}, planar, t, tile, column, column + width, first,
                pixel_end, ahead);
          first_part = false;
          t.start_pitch = c.out_pitch;
        }
      }
      column += width;
    }
  }
}

}  // namespace detail

/// Output pixels [pixel, last_pixel) of one group of one image. Shared by all layers of a network: nothing here depends
/// on constants but which ways and tiles it may take.
template <tile_set Tiles = all_tiles>
CTNN_NOINLINE void convolve(const window& c, const epilogue& end, int pixel, int last_pixel) {
  if constexpr (!Tiles.looks_up) convolve_panels<Tiles>(c, end, pixel, last_pixel);
  else if (detail::goes_by_panels(c)) convolve_panels<Tiles>(c, end, pixel, last_pixel);
  else detail::convolve_addresses<Tiles>(c, end, pixel, last_pixel);
}
/// All output pixels.
template <int = 0>
CTNN_INLINE void convolve(const window& c, const epilogue& end) { convolve<>(c, end, 0, c.out_height * c.out_width); }

/// What convolve() takes for all pixels.
constexpr tile_set tiles_of(const window& c) {
  if (detail::goes_by_panels(c)) return detail::tiles_of_panels(c);
  tile_set all = is_alone(c) ? tiles_of_row(c.out_channels) : tiles_of_columns(c.out_channels);
  all.looks_up = true;
  return all;
}
constexpr tile_set tiles_of(const op::conv2d& p, const arguments& a) {
  window c = window_of(p, a);
  if (!is_depthwise(p, a.in[0].shape.back(2)))
    return detail::gains_by_planes(c) ? detail::tiles_of_planes(c) : tiles_of(c);
  c.out_channels = p.out;
  if (c.chan == 1) return tiles_of_depthwise(c, a.in.size() > 1, detail::is_near(c));
  tile_set all;
  all.depthwise_apart = true;
  return all;
}
#endif

namespace detail {

/// All groups of an image, which `c` describes, or a share of them.
template <tile_set Tiles = all_tiles>
CTNN_INLINE void convolve_image(int groups, window& c, const epilogue& end, bool depthwise, const work_share& share) {
  if constexpr (Tiles.has_depthwise())
    if (depthwise) {
      if (share.count > 1) c = rows_of_window(c, share_of(share, c.out_height));
#if defined(CTNN_PLAIN)
      if (c.chan == 1) return convolve_by_channel<window, true>(c, c, end);
      return convolve_depthwise_planar(c, c, end);
#else
      if (c.chan == 1) return convolve_depthwise(c, end, choose_depthwise<Tiles>(c));
      if constexpr (Tiles.depthwise_apart) return convolve_depthwise_planar(c, c, end);
#endif
    }
#if !defined(CTNN_PLAIN)
  const bool planes = Tiles.has_planes() && gains_by_planes(c);
  int pixel = 0, last_pixel = c.out_height * c.out_width, group = 0, last_group = groups;
  if (share.count > 1) {
    const cut pixels{last_pixel, row_tiles}, columns{groups == 1 && !planes ? c.out_channels : 0, column_granule};
    // Every share of the pixels reads all weights, every share of the columns all inputs.
    const bool heavy = c.kernel_h * c.kernel_w * c.out_channels > c.height * c.width;
    const std::size_t way = choose_cut(share, {heavy ? columns : pixels, heavy ? pixels : columns, {groups, 1}});
    index_range part;
    if (way == 2) {
      part = share_of(share, groups);
      group = static_cast<int>(part.begin);
      last_group = static_cast<int>(part.end);
    } else if ((way == 0) == heavy) {
      part = share_of(share, columns.count, columns.granule);
      c = columns_of_window(c, part);
    } else {
      part = share_of(share, pixels.count, pixels.granule);
      pixel = static_cast<int>(part.begin);
      last_pixel = static_cast<int>(part.end);
    }
    if (part.size() <= 0) return;
  }
#endif
  const std::ptrdiff_t filter = static_cast<std::ptrdiff_t>(round_up_to_block(c.out_channels)) * c.kernel_h *
                                c.kernel_w * c.channels;
#if defined(CTNN_PLAIN)
  for (int g = 0; g < groups; ++g) {
    convolve(c, end);
#else
  for (int g = 0; g < last_group; ++g) {
    if constexpr (Tiles.has_planes())
      if (g >= group && planes) convolve_planes<Tiles>(c, end, pixel, last_pixel);
    if (g >= group && !planes) convolve<Tiles>(c, end, pixel, last_pixel);
#endif
    c.in += c.channels * c.chan;
    c.weights += filter;
    c.out += c.out_channels;
    if (c.bias != nullptr) c.bias += c.out_channels;
    c.slopes = from_column(c.slopes, c.out_channels);
    if (c.residual != nullptr) c.residual += c.out_channels;
  }
}

}  // namespace detail

#if defined(CTNN_PLAIN)

/// A convolution of a declared network in as few bytes of flash as tell what it does: numbers of its window, and where
/// its operands lie. Compilers that do not optimise for speed would make a page of code of it.
struct convolution_record {
  std::int16_t height, width, channels, out_height, out_width, out_channels, col, out_pitch, residual_pitch;
  bool planar, backwards, pointwise;
  std::int8_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  enum operand { in, weights, bias, residual, out, operands };
  std::int8_t bases[operands] = {memory_place::nowhere, memory_place::nowhere, memory_place::nowhere,
                                 memory_place::nowhere, memory_place::nowhere};  ///< of memory_place
  std::int32_t offsets[operands] = {};
  const epilogue* end = nullptr;
  void (*kernel)(const convolution_record&, const operand_addresses&, const epilogue&) = nullptr;

  constexpr convolution_record(const op::conv2d& p, const arguments& a) {
    const window c = window_of(p, a);
    const extents& x = a.in[0].shape;
    const bool depthwise = is_depthwise(p, x.back(2));
    height = static_cast<std::int16_t>(c.height);
    width = static_cast<std::int16_t>(c.width);
    channels = static_cast<std::int16_t>(c.channels);
    out_height = static_cast<std::int16_t>(c.out_height);
    out_width = static_cast<std::int16_t>(c.out_width);
    out_channels = static_cast<std::int16_t>(depthwise ? p.out : c.out_channels);
    col = static_cast<std::int16_t>(c.col);
    out_pitch = static_cast<std::int16_t>(c.out_pitch);
    residual_pitch = static_cast<std::int16_t>(c.residual_pitch);
    planar = c.chan != 1;
    backwards = c.backwards;
    pointwise = is_pointwise(c);
    kernel_h = static_cast<std::int8_t>(c.kernel_h);
    kernel_w = static_cast<std::int8_t>(c.kernel_w);
    stride_h = static_cast<std::int8_t>(c.stride_h);
    stride_w = static_cast<std::int8_t>(c.stride_w);
    dilation_h = static_cast<std::int8_t>(c.dilation_h);
    dilation_w = static_cast<std::int8_t>(c.dilation_w);
    pad_top = static_cast<std::int8_t>(c.pad_top);
    pad_left = static_cast<std::int8_t>(c.pad_left);
    // The one kernel that this convolution needs: no other is linked.
    if (!depthwise) kernel = &convolve<convolution_record>;
    else if (c.chan != 1) kernel = &convolve_depthwise_planar<convolution_record>;
    else kernel = out_channels % 8 == 0 && a.in.size() == 1 ? &convolve_by_channel<convolution_record, false>
                                                            : &convolve_by_channel<convolution_record, true>;
  }

  constexpr void place(operand which, const memory_place& p) {
    bases[which] = static_cast<std::int8_t>(p.base);
    offsets[which] = static_cast<std::int32_t>(p.offset);
  }

  /// Is it all? One image, one group (all channels of a depthwise convolution are), and all numbers fit.
  constexpr bool tells(const op::conv2d& p, const arguments& a, std::span<const memory_place> places) const {
    if (p.has_slopes() || p.residual_last) return false;
    const extents& x = a.in[0].shape;
    window c = window_of(p, a);
    if (is_depthwise(p, x.back(2))) c.out_channels = p.out;
    else if (p.groups != 1) return false;
    if (unpack() != c || (x.rank == 4 && x[0] != 1)) return false;
    for (const memory_place& m : places)
      if (m.base > 127 || m.offset > 2147483647) return false;
    return true;
  }

 private:
  /// The window without its addresses.
  constexpr window unpack() const;
};

constexpr CTNN_INLINE std::ptrdiff_t row_of(const convolution_record& c) { return c.col * c.width; }
constexpr CTNN_INLINE std::ptrdiff_t plane_of(const convolution_record& c) {
  return c.planar ? row_of(c) * c.height : 1;
}
constexpr CTNN_INLINE bool is_planar(const convolution_record& c) { return c.planar; }
constexpr CTNN_INLINE std::ptrdiff_t out_row_of(const convolution_record& c) { return c.out_pitch * c.out_width; }
constexpr CTNN_INLINE bool is_pointwise(const convolution_record& c) { return c.pointwise; }

namespace detail {
template <int = 0>
CTNN_SMALL CTNN_NOINLINE inline const float* address_of(const convolution_record& r, int operand, const frame& f) {
  return address_in(f, {r.bases[operand], r.offsets[operand]});
}
}  // namespace detail

constexpr window convolution_record::unpack() const {
  window c{};
  c.col = col;
  c.row = row_of(*this);
  c.chan = plane_of(*this);
  c.out_pitch = out_pitch;
  c.residual_pitch = residual_pitch;
  c.out_row = out_row_of(*this);
  c.height = height;
  c.width = width;
  c.channels = channels;
  c.out_height = out_height;
  c.out_width = out_width;
  c.out_channels = out_channels;
  c.kernel_h = kernel_h;
  c.kernel_w = kernel_w;
  c.stride_h = stride_h;
  c.stride_w = stride_w;
  c.dilation_h = dilation_h;
  c.dilation_w = dilation_w;
  c.pad_top = pad_top;
  c.pad_left = pad_left;
  c.last_y = height - span_of(kernel_h, dilation_h);
  c.last_x = width - span_of(kernel_w, dilation_w);
  c.backwards = backwards;
  return c;
}

template <int = 0>
CTNN_SMALL CTNN_NOINLINE inline void run(const convolution_record& r, const frame& f) {
  operand_addresses at{};
  at.in = detail::address_of(r, r.in, f);
  at.weights = detail::address_of(r, r.weights, f);
  at.bias = detail::address_of(r, r.bias, f);
  at.residual = detail::address_of(r, r.residual, f);
  at.out = const_cast<float*>(detail::address_of(r, r.out, f));
  r.kernel(r, at, *r.end);
}

#endif

namespace detail {
template <tile_set Tiles>
CTNN_INLINE void convolve_images(const op::conv2d& p, const arguments& a, window& c) {
  const epilogue end = epilogue_of(p.activation);
  const bool depthwise = is_depthwise(p, a.in[0].shape.back(2));
  const int images = a.in[0].shape.rank == 4 ? a.in[0].shape[0] : 1;
  if (depthwise) c.out_channels = p.out;
  if (images == 1) return convolve_image<Tiles>(p.groups, c, end, depthwise, a.share);
  // Images side by side as far as they go round: one stays in the cache of who computes it. All share each of the rest.
  const int planes = a.in[0].order == layout::nchw ? a.in[0].shape.back(2) : 1;
  const int rest = images % a.share.count;
  const index_range own = share_of(a.share, images - rest);
  for (int k = 0; k < own.size() + rest; ++k) {
    const bool alone = k < own.size();
    const auto n = static_cast<int>(alone ? own.begin + k : images - rest + k - own.size());
    window part = image_of(c, n, planes);
    convolve_image<Tiles>(p.groups, part, end, depthwise, alone ? work_share{} : a.share);
  }
}
}  // namespace detail

template <tile_set Tiles = all_tiles>
CTNN_INLINE void run(const op::conv2d& p, const arguments& a) {
  window c = window_of(p, a);
#if defined(CTNN_PLAIN)
  if (c.residual_last) c.residual = nullptr;
#endif
  detail::convolve_images<Tiles>(p, a, c);
#if defined(CTNN_PLAIN)
  // Plain kernels know nothing of it, which saves flash where nobody adds so.
  if (c.residual_last) {
    const tensor& y = a.out[0];
    add_rows({a.in[1].data, a.in[1].pitch}, y.data, y.pitch, static_cast<int>(y.shape.count() / p.out), p.out);
  }
#endif
}

// Of a signal, as of an image of one row.
#if !defined(CTNN_PLAIN)
constexpr tile_set tiles_of(const op::conv1d& p, const arguments& a) {
  const image_arguments image(a);
  return tiles_of(as_image(p), image.all);
}
#endif
template <tile_set Tiles = all_tiles>
CTNN_INLINE void run(const op::conv1d& p, const arguments& a) {
  const image_arguments image(a);
  run<Tiles>(as_image(p), image.all);
}

CTNN_END_TARGET

#endif
