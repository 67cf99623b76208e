// SPDX-License-Identifier: BSL-1.0
// A layer of sums of products of bytes, for firmware: its record, how its sums become bytes, and the windows it is
// computed at.
#pragma once

#include "../../base/requantize.hpp"
#include "../byte_packing.hpp"
#include "../tensor.hpp"

CTNN_BEGIN_FAST_CODE

namespace ctnn::ir {
namespace plain {

/// What the results of sums are moved by and lie between.
struct byte_results {
  std::int8_t zero, low, high;

  constexpr std::int8_t of(std::int32_t x) const {
    x += zero;
    return static_cast<std::int8_t>(x < low ? low : x > high ? high : x);
  }
};
constexpr byte_results results_of(const activation_function& bounds, const element& as) {
  const op::byte_bounds b(bounds, as);
  return {static_cast<std::int8_t>(as.real.zero), static_cast<std::int8_t>(b.low), static_cast<std::int8_t>(b.high)};
}

namespace detail {

/// For each output what its sum begins with, and its factor.
struct row_constants {
  std::int32_t start;
  std::uint32_t factor;
};
/// The byte of a sum, by any factor and between any bounds.
CTNN_NOINLINE inline std::int8_t byte_of(std::int32_t sum, std::uint32_t factor, const byte_results& to) {
  return to.of(fixed_factor::product(factor, sum));
}
}  // namespace detail

/// Rows of weights at every window of images, or (one pixel) of vectors.
struct byte_layer {
  struct part {  ///< one image, one group
    const std::int8_t *x, *weights;
    const detail::row_constants* rows;
    std::int8_t *y, *memory;
  };
  void (*kernel)(const byte_layer&, const part&);
  byte_results results;
  std::int8_t outside;  ///< the byte that stands for 0 in the input
  bool backwards;
  int images, groups, height, width, channels, pitch;  ///< channels of one group; numbers of a pixel
  int out_height, out_width, outs, out_pitch;          ///< outs of one group
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, top, left;
  int fours;

  constexpr int windows() const { return out_height * out_width; }
};

namespace detail {

/// The other loops' constants: sums of two operands are a x + b z + start, of 2^32.
struct byte_sum {
  byte_results results;
  std::int64_t a, b, start;
};
/// Cells of a pooling window, and how far apart they lie.
struct pooled_cells {
  int rows, columns;
  std::ptrdiff_t row_step, column_step;
};
/// To the nearest, halves away from 0.
constexpr std::int32_t average_of(std::int32_t total, int count) {
  return (total < 0 ? total - count / 2 : total + count / 2) / count;
}

/// Are all factors below 1/2?
inline bool has_small_factors(const byte_layer& k, const row_constants* rows) {
  std::uint32_t any = 0;
  for (int o = 0; o < k.outs; ++o) any |= rows[o].factor;
  return any >> 31 == 0;
}

/// The windows of an image one after the other, forwards or backwards.
struct window_position {
  int oy, ox;

  explicit window_position(const byte_layer& k)
      : oy(k.backwards ? k.out_height - 1 : 0), ox(k.backwards ? k.out_width - 1 : 0) {}
  CTNN_INLINE void next(const byte_layer& k) {
    if (k.backwards) {
      if (--ox < 0) {
        ox = k.out_width - 1;
        --oy;
      }
    } else if (++ox == k.out_width) {
      ox = 0;
      ++oy;
    }
  }
};

/// What a window reads, in order: take(from, bytes), or leave(bytes) where nothing is. `together`: taps of a row that
/// lie side by side are one piece.
template <class Take, class Leave>
CTNN_INLINE void for_each_piece(const byte_layer& k, const std::int8_t* x, const window_position& at, bool together,
                                Take&& take, Leave&& leave) {
  const int first = at.ox * k.stride_w - k.left, channels = k.channels;
  const int taps = together ? k.kernel_w : 1, past = k.width - taps;
  int iy = at.oy * k.stride_h - k.top;
  for (int ky = 0; ky < k.kernel_h; ++ky, iy += k.dilation_h) {
    const bool row_inside = iy >= 0 && iy < k.height;
    for (int kx = 0, ix = first; kx < k.kernel_w; kx += taps, ix += k.dilation_w) {
      int begin = ix < 0 ? -ix : 0, end = ix > past ? taps - (ix - past) : taps;
      if (!row_inside || begin >= end) begin = end = taps;
      leave(begin * channels);
      if (begin < end)
        take(x + (static_cast<std::ptrdiff_t>(iy) * k.width + ix + begin) * k.pitch, (end - begin) * channels);
      leave((taps - end) * channels);
    }
  }
}
/// Do taps of a row lie side by side?
CTNN_INLINE bool has_rows_together(const byte_layer& k) { return k.dilation_w == 1 && k.pitch == k.channels; }
/// Where a window of one pixel reads, if it lies on the image; else null.
CTNN_INLINE const std::int8_t* pixel_of(const byte_layer& k, const std::int8_t* x, const window_position& at) {
  const int ix = at.ox * k.stride_w - k.left, iy = at.oy * k.stride_h - k.top;
  const bool inside = k.kernel_h == 1 && k.kernel_w == 1 && ix >= 0 && ix < k.width && iy >= 0 && iy < k.height;
  return inside ? x + (static_cast<std::ptrdiff_t>(iy) * k.width + ix) * k.pitch : nullptr;
}

}  // namespace detail

}  // namespace plain
}  // namespace ctnn::ir

CTNN_END_FAST_CODE
