// SPDX-License-Identifier: BSL-1.0
// The geometry of a convolution as its kernels see it: addresses, distances and numbers, no layouts or options.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_WINDOW_INL_HPP)
#define CTNN_KERNELS_WINDOW_INL_HPP
#define CTNN_KERNELS_WINDOW_ENABLED
#endif
#elif defined(CTNN_KERNELS_WINDOW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_WINDOW_INL_HPP
#undef CTNN_KERNELS_WINDOW_INL_HPP
#else
#define CTNN_KERNELS_WINDOW_INL_HPP
#endif
#define CTNN_KERNELS_WINDOW_ENABLED
#endif

#if defined(CTNN_KERNELS_WINDOW_ENABLED)
#undef CTNN_KERNELS_WINDOW_ENABLED

#include "../../graph/operators/convolution.hpp"
#include "../share.hpp"
#include "../simd/simd-inl.hpp"
#include "../tensor.hpp"

CTNN_BEGIN_TARGET

/// Inputs in a run at most; so many zeros stand in for a tap in the padding.
constexpr int max_run = channel_block == 4 ? 64 : 512;
alignas(64) inline constexpr float zeros[max_run] = {};

/// Where a convolution's operands lie.
struct operand_addresses {
  const float* in;
  const float* weights;
  const float* bias;      ///< may be null
  const float* slopes;    ///< of prelu; null for other functions
  const float* residual;  ///< may be null
  float* out;

  friend constexpr bool operator==(const operand_addresses&, const operand_addresses&) = default;
};

struct window : operand_addresses {
  std::ptrdiff_t row, col, chan;  ///< input elements from y to y + 1, x to x + 1, c to c + 1
  std::ptrdiff_t out_pitch, residual_pitch;
  std::ptrdiff_t out_row;  ///< output elements from y to y + 1: out_width out_pitch where nothing lies between
  int height, width, channels;              ///< of the input; channels of a group
  int out_height, out_width, out_channels;  ///< channels of a group; of all groups for the depthwise kernel
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
  int last_y, last_x;  ///< largest position of a window that ends inside the input
  bool residual_last;  ///< the residual is added to what the activation gives
  bool backwards;      ///< the last rows of results first (plain kernels; overlap.hpp)
#if !defined(CTNN_PLAIN)
  bool any_rows;  ///< of arguments
#endif

  friend constexpr bool operator==(const window&, const window&) = default;
};

constexpr CTNN_INLINE window window_of(const op::conv2d& p, const arguments& a) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const margins pad = p.padding(x.shape);
  window c{};
  c.in = x.data;
  c.weights = a.weights[0];
  c.bias = p.bias ? a.weights[1] : nullptr;
  c.slopes = p.has_slopes() ? a.weights[p.slopes()] : nullptr;
  c.out = y.data;
  c.height = x.shape.back(1);
  c.width = x.shape.back(0);
  c.channels = x.shape.back(2) / p.groups;
  const bool planar = x.order == layout::nchw;
  c.col = planar ? 1 : x.pitch;
  c.row = c.width * c.col;
  c.chan = planar && c.channels * p.groups > 1 ? c.height * c.row : 1;
  c.out_height = y.shape.back(1);
  c.out_width = y.shape.back(0);
  c.out_channels = p.out / p.groups;
  c.out_pitch = y.pitch;
  c.out_row = c.out_pitch * c.out_width;
  if (a.in.size() > 1) {
    c.residual = a.in[1].data;
    c.residual_pitch = a.in[1].pitch;
    c.residual_last = p.residual_last;
  }
  c.kernel_h = p.kernel[0];
  c.kernel_w = p.kernel[1];
  // A single window strides nowhere, however far that were.
  c.stride_h = c.out_height == 1 ? 1 : p.stride[0];
  c.stride_w = c.out_width == 1 ? 1 : p.stride[1];
  c.dilation_h = p.dilation[0];
  c.dilation_w = p.dilation[1];
  c.pad_top = pad[0];
  c.pad_left = pad[1];
  c.last_y = c.height - span_of(c.kernel_h, c.dilation_h);
  c.last_x = c.width - span_of(c.kernel_w, c.dilation_w);
  c.backwards = a.backwards;
#if !defined(CTNN_PLAIN)
  c.any_rows = a.any_rows;
#endif
  return c;
}

/// What of a window follows from its other numbers, and is left out where space matters (convolution_record).
constexpr CTNN_INLINE std::ptrdiff_t row_of(const window& c) { return c.row; }
constexpr CTNN_INLINE std::ptrdiff_t plane_of(const window& c) { return c.chan; }
constexpr CTNN_INLINE bool is_planar(const window& c) { return c.chan != 1; }
constexpr CTNN_INLINE std::ptrdiff_t out_row_of(const window& c) { return c.out_row; }
/// Is the only pixel added up in a way of its own?
constexpr CTNN_INLINE bool is_alone(const window& c) {
#if defined(CTNN_PLAIN)
  return c.out_height * c.out_width == 1;
#else
  return c.out_height * c.out_width == 1 && !c.any_rows;
#endif
}
/// With 1 x 1 windows all pixels stand below each other.
constexpr CTNN_INLINE bool is_pointwise(const window& c) {
  return c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_top == 0 &&
         c.pad_left == 0 && c.last_y == c.out_height - 1 && c.last_x == c.out_width - 1 &&
         c.out_row == c.out_width * c.out_pitch;
}

/// Output rows [y, y_end) and columns [x, x_end).
struct pixel_box {
  int y, y_end, x, x_end;
};
/// Pixels [pixel, last_pixel) of rows of `width`: the end of a row, whole rows, the begin of a row.
struct pixel_boxes {
  pixel_box at[3]{};
  int count = 0;

  constexpr CTNN_INLINE pixel_boxes(int width, int pixel, int last_pixel) {
    const int y = pixel / width, x = pixel % width, y_end = last_pixel / width, x_end = last_pixel % width;
    if (y == y_end) {
      add({y, y + 1, x, x_end});
      return;
    }
    if (x > 0) add({y, y + 1, x, width});
    add({x > 0 ? y + 1 : y, y_end, 0, width});
    add({y_end, y_end + 1, 0, x_end});
  }
  constexpr CTNN_INLINE const pixel_box* begin() const { return at; }
  constexpr CTNN_INLINE const pixel_box* end() const { return at + count; }

 private:
  constexpr CTNN_INLINE void add(const pixel_box& box) {
    if (box.y < box.y_end && box.x < box.x_end) at[count++] = box;
  }
};

/// Elements from one image of a batch to the next. `planes` is how many channels lie one after the other: one in nhwc.
CTNN_INLINE std::ptrdiff_t to_next_image(const window& c, int planes) { return c.height * c.row * planes; }
CTNN_INLINE std::ptrdiff_t to_next_output(const window& c) { return c.out_row * c.out_height; }
CTNN_INLINE std::ptrdiff_t to_next_residual(const window& c) { return c.residual_pitch * c.out_height * c.out_width; }
/// Image n of a batch whose first image is `c`.
CTNN_INLINE window image_of(const window& c, int n, int planes) {
  window image = c;
  image.in += n * to_next_image(c, planes);
  image.out += n * to_next_output(c);
  if (c.residual != nullptr) image.residual += n * to_next_residual(c);
  return image;
}

/// Some rows of the output, as if they were all: the padding above moves with them.
CTNN_INLINE window rows_of_window(const window& c, const index_range& rows) {
  window part = c;
  part.pad_top -= static_cast<int>(rows.begin) * c.stride_h;
  part.out_height = static_cast<int>(rows.size());
  part.out += rows.begin * c.out_row;
  if (c.residual != nullptr) part.residual += rows.begin * c.out_width * c.residual_pitch;
  return part;
}
/// Some output channels of the only group, beginning with a block.
CTNN_INLINE window columns_of_window(const window& c, const index_range& channels) {
  window part = c;
  part.out_channels = static_cast<int>(channels.size());
  part.weights += channels.begin * c.kernel_h * c.kernel_w * c.channels;
  part.out += channels.begin;
  if (c.bias != nullptr) part.bias += channels.begin;
  if (c.slopes != nullptr) part.slopes += channels.begin;
  if (c.residual != nullptr) part.residual += channels.begin;
  return part;
}

CTNN_END_TARGET

#endif
