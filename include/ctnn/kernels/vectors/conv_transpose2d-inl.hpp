// SPDX-License-Identifier: BSL-1.0
// conv_transpose2d as the plain convolutions it consists of (phases.hpp), on their micro-kernel: each writes every
// stride-th row and column of the output. No zeros between the inputs, no sums in memory.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_CONV_TRANSPOSE2D_INL_HPP)
#define CTNN_KERNELS_CONV_TRANSPOSE2D_INL_HPP
#define CTNN_KERNELS_CONV_TRANSPOSE2D_ENABLED
#endif
#elif defined(CTNN_KERNELS_CONV_TRANSPOSE2D_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_CONV_TRANSPOSE2D_INL_HPP
#undef CTNN_KERNELS_CONV_TRANSPOSE2D_INL_HPP
#else
#define CTNN_KERNELS_CONV_TRANSPOSE2D_INL_HPP
#endif
#define CTNN_KERNELS_CONV_TRANSPOSE2D_ENABLED
#endif

#if defined(CTNN_KERNELS_CONV_TRANSPOSE2D_ENABLED)
#undef CTNN_KERNELS_CONV_TRANSPOSE2D_ENABLED

#include "conv2d-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

/// What all phases of an image share: sizes, strides of memory, no taps.
template <int = 0>
CTNN_INLINE window transposed_window(const op::conv_transpose2d& p, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  window c{};
  c.in = x.data;
  c.weights = a.weights[0];
  c.bias = p.bias ? a.weights[1] : nullptr;
  c.out = y.data;
  c.height = x.shape.back(1);
  c.width = x.shape.back(0);
  c.channels = x.shape.back(2) / p.groups;
  c.col = x.pitch;
  c.row = c.width * c.col;
  c.chan = 1;
  c.out_height = y.shape.back(1);
  c.out_width = y.shape.back(0);
  c.out_channels = p.out / p.groups;
  c.out_pitch = y.pitch;
  c.out_row = c.out_pitch * c.out_width;
  c.stride_h = c.stride_w = 1;
#if !defined(CTNN_PLAIN)
  c.any_rows = a.any_rows;
#endif
  return c;
}

template <int = 0>
CTNN_INLINE void set_taps(window& c, const phase& y, const phase& x) {
  c.kernel_h = y.taps;
  c.kernel_w = x.taps;
  c.dilation_h = y.dilation;
  c.dilation_w = x.dilation;
  c.pad_top = y.pad;
  c.pad_left = x.pad;
  c.last_y = c.height - span_of(y.taps, y.dilation);
  c.last_x = c.width - span_of(x.taps, x.dilation);
}

/// All groups of an image, phase by phase; a share of each.
template <int = 0>
CTNN_NOINLINE inline void transpose_phases(const op::conv_transpose2d& p, const window& image, const epilogue& end,
                                           const work_share& share) {
  const bool depthwise = is_depthwise(p, image.channels * p.groups);
  // Of all groups and one tap.
  const auto filters = static_cast<std::ptrdiff_t>(
      depthwise ? round_up_to_block(p.out) : p.groups * round_up_to_block(image.out_channels) * image.channels);
  for (int first_y = 0; first_y < p.stride[0] && first_y < image.out_height; ++first_y)
    for (int first_x = 0; first_x < p.stride[1] && first_x < image.out_width; ++first_x) {
      const phase y = phase_of_output(p, 0, first_y, image.out_height),
                  x = phase_of_output(p, 1, first_x, image.out_width);
      window c = image;
      if (y.taps > 0 && x.taps > 0)
        c.weights += (static_cast<std::ptrdiff_t>(taps_before(p, 0, y.first_tap)) * p.kernel[1] +
                      static_cast<std::ptrdiff_t>(y.taps) * taps_before(p, 1, x.first_tap)) * filters;
      set_taps(c, y, x);
      c.out += first_y * image.out_row + first_x * image.out_pitch;
      c.out_row = p.stride[0] * image.out_row;
      c.out_pitch = p.stride[1] * image.out_pitch;
      c.out_height = y.count;
      c.out_width = x.count;
      if (depthwise) c.out_channels = p.out;
      convolve_image(p.groups, c, end, depthwise, share);
    }
}

/// One group: the phases of some places at a time as columns of one product, scattered afterwards.
template <int = 0>
CTNN_NOINLINE inline void transpose_joined(const op::conv_transpose2d& p, const window& group, const epilogue& end,
                                           const work_share& share) {
  constexpr int places = 48;
  alignas(64) float block[places * 64];
  float bias[64];
  const int sh = p.stride[0], sw = p.stride[1], outputs = group.out_channels, columns = sh * sw * outputs;
  for (int i = 0; group.bias != nullptr && i < columns; ++i) bias[i] = group.bias[i % outputs];
  window c = group;
  c.bias = group.bias == nullptr ? nullptr : bias;
  c.out = block;
  c.out_channels = columns;
  c.out_pitch = columns;
  phase y, x;
  y.taps = p.kernel[0] / sh;
  x.taps = p.kernel[1] / sw;
  // Output o is remainder (o + pad) % stride of place (o + pad) / stride.
  const int y_end = (group.out_height - 1 + p.pad[0]) / sh + 1, x_end = (group.out_width - 1 + p.pad[1]) / sw + 1;
  const int y_begin = p.pad[0] / sh, x_begin = p.pad[1] / sw;
  const int width = x_end - x_begin < places ? x_end - x_begin : places, height = places / width;
  const index_range part = share_of(share, y_end - y_begin, height);
  const int last = y_begin + static_cast<int>(part.end);
  for (int qy = y_begin + static_cast<int>(part.begin); qy < last; qy += height)
    for (int qx = x_begin; qx < x_end; qx += width) {
      y.pad = y.taps - 1 - qy;
      x.pad = x.taps - 1 - qx;
      set_taps(c, y, x);
      c.out_height = last - qy < height ? last - qy : height;
      c.out_width = x_end - qx < width ? x_end - qx : width;
      c.out_row = c.out_width * c.out_pitch;
      convolve(c, end);
      const float* from = block;
      for (int i = 0; i < c.out_height; ++i)
        for (int j = 0; j < c.out_width; ++j)
          for (int r = 0; r < sh * sw; ++r, from += outputs) {
            const int oy = (qy + i) * sh + r / sw - p.pad[0], ox = (qx + j) * sw + r % sw - p.pad[1];
            if (oy < 0 || oy >= group.out_height || ox < 0 || ox >= group.out_width) continue;
            float* to = group.out + oy * group.out_row + ox * group.out_pitch;
            for (int o = 0; o < outputs; ++o) to[o] = from[o];
          }
    }
}

template <int = 0>
CTNN_NOINLINE inline void transpose_images(const op::conv_transpose2d& p, const window& all, int images,
                                           const epilogue& end, const work_share& share) {
  for (int n = 0; n < images; ++n) {
    window image = image_of(all, n, 1);
    if constexpr (channel_block > 4) {
      const int channels = image.channels * p.groups;
      if (joins_phases(p, channels, channel_block)) {
        const std::int64_t columns = std::int64_t{image.out_channels} * p.stride[0] * p.stride[1];
        const std::int64_t taps = std::int64_t{p.kernel[0]} * p.kernel[1] / p.stride[0] / p.stride[1];
        for (int g = 0; g < p.groups; ++g) {
          transpose_joined(p, image, end, share);
          image.in += image.channels;
          image.weights += round_up_to_block(columns) * image.channels * taps;
          image.out += image.out_channels;
          if (image.bias != nullptr) image.bias += image.out_channels;
        }
        continue;
      }
    }
    transpose_phases(p, image, end, share);
  }
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::conv_transpose2d& p, const arguments& a) {
  const int images = a.in[0].shape.rank == 4 ? a.in[0].shape[0] : 1;
  detail::transpose_images(p, detail::transposed_window(p, a), images, epilogue_of(p.activation), a.share);
}
// Of a signal, as of an image of one row.
template <int = 0>
CTNN_INLINE void run(const op::conv_transpose1d& p, const arguments& a) {
  const image_arguments image(a);
  run(as_image(p), image.all);
}

CTNN_END_TARGET

#endif
