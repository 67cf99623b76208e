// SPDX-License-Identifier: BSL-1.0
// Kernels that may write their result over an input nobody else reads any more, though not element by element: they
// walk through both in the same direction, and the result keeps a distance.
#pragma once

#include "../graph/graph.hpp"
#include "../graph/operators/convolution.hpp"
#include "../graph/window.hpp"
#include "byte_packing.hpp"
#include "operator_code.hpp"
#include "tensor.hpp"

namespace ctnn::ir {

/// Distances in numbers between the first number of a result and that of the input it may lie over. A kernel that walks
/// forwards needs a result that begins at least `behind` before the input; one that walks backwards
/// (arguments::backwards) at least `ahead` after it.
struct overlap {
  bool possible = false;
  std::int64_t behind = 0, ahead = 0;
};

inline namespace CTNN_PACKING {

/// Rows of the result that the plain kernel of dense convolutions computes at the same time; of pixels if its windows
/// are pixels.
inline constexpr int convolution_rows = 4;

namespace overlap_detail {

/// What a walk by rows reads and writes. The input's channels may be planes of their own: there the first is read
/// through to its end while the result grows by all of its channels, and the last rows decide the distance.
struct row_walk {
  int count, rows = 1;      ///< of results, and how many of them are computed at the same time
  bool last_alone = false;  ///< the last `rows` of the walk one by one
  std::int64_t out_row = 1, in_row = 1;
  std::int64_t planes = 0;  ///< from the input's first plane to its last
  bool evenly = false;      ///< a row of the input for each of the result

  /// For results [first, end) rows of the input from first_of(first) to end_of(end - 1) are read.
  constexpr overlap distances(auto&& first_of, auto&& end_of) const {
    overlap o{true};
    for (int left = count; left > 0;) {
      const int now = left > rows ? rows : last_alone ? 1 : left, first = count - left;
      const std::int64_t behind = (first + now) * out_row - first_of(first) * in_row,
                         ahead = planes + end_of(left - 1) * in_row - (left - now) * out_row;
      if (behind > o.behind) o.behind = behind;
      if (ahead > o.ahead) o.ahead = ahead;
      // What hangs over the input may be computed apart, so that others are computed together.
      left -= last_alone ? now : 1;
      // In between distances grow evenly.
      if (evenly && first > rows && left > 3 * rows) left -= (left - 3 * rows) / rows * rows;
    }
    return o;
  }
};

}  // namespace overlap_detail

/// Of conv2d's first input. Only plain kernels walk row by row: others take caches' blocks, or several threads.
constexpr overlap overlap_of(const op::conv2d& p, const const_tensor& in, const const_tensor& out) {
  if (channel_block != 4 || out.order != layout::nhwc) return {};
  const extents &x = in.shape, &y = out.shape;
  const bool nchw = in.order == layout::nchw, planar = nchw && x.back(2) > 1, depthwise = is_depthwise(p, x.back(2));
  if ((!nchw && in.pitch != x.back(2)) || out.pitch != y.back(2) || (x.rank == 4 && x[0] != 1)) return {};
  if (p.groups != 1 && (planar || !depthwise)) return {};
  const margins pad = p.padding(x);
  const bool pointwise = !depthwise && p.kernel[0] * p.kernel[1] == 1 && p.stride[0] * p.stride[1] == 1 &&
                         x.back(0) == y.back(0) && x.back(1) == y.back(1);
  overlap_detail::row_walk walk{y.back(1)};
  if (!depthwise) walk.rows = convolution_rows;
  walk.out_row = y.back(0) * std::int64_t{out.pitch};
  walk.in_row = x.back(0) * std::int64_t{nchw ? 1 : in.pitch};
  walk.planes = planar ? (x.back(2) - 1) * x.back(1) * walk.in_row : 0;
  walk.last_alone = planar;
  if (pointwise) {  // pixel by pixel
    walk.count *= y.back(0);
    walk.out_row /= y.back(0);
    walk.in_row /= x.back(0);
    walk.evenly = true;
    return walk.distances([](std::int64_t i) { return i; }, [](std::int64_t i) { return i + 1; });
  }
  const auto clamped = [&](std::int64_t row) {
    return row < 0 ? std::int64_t{0} : row > x.back(1) ? std::int64_t{x.back(1)} : row;
  };
  const auto first_of = [&](int row) { return clamped(std::int64_t{row} * p.stride[0] - pad[0]); };
  const auto end_of = [&](int row) {
    return clamped(std::int64_t{row} * p.stride[0] - pad[0] + span_of(p.kernel[0], p.dilation[0]));
  };
  return walk.distances(first_of, end_of);
}

namespace overlap_detail {

/// Windows one after the other, row by row: a window is read before its result is written.
struct window_walk {
  window_axis rows, columns;
  int out_height = 1, out_width = 1;
  std::int64_t in_pixel = 1, out_pixel = 1;
  /// Channel by channel: some of a result may be written while other channels of the window are still to be read.
  bool by_channel = false;

  /// The first and the last window along an axis, and those where padding begins and ends to matter: in between
  /// distances grow evenly.
  struct turns {
    int at[12], count = 0;

    constexpr turns(const window_axis& a, int windows) {
      const std::int64_t inner = (a.size - a.span() + a.before) / a.stride;
      const int before = a.before / a.stride, after = inner < 0 ? 0 : static_cast<int>(inner);
      for (const int center : {0, before, after, windows - 1})
        for (int i = center - 1; i <= center + 1; ++i) add(i, windows);
    }
    constexpr void add(int i, int windows) {
      if (i < 0 || i >= windows) return;
      for (int k = 0; k < count; ++k)
        if (at[k] == i) return;
      at[count++] = i;
    }
  };

  static constexpr std::int64_t clamped(std::int64_t i, std::int64_t most) { return i < 0 ? 0 : i > most ? most : i; }
  /// The first pixel that a window or one after it reads, and past the last that it or one before it does.
  constexpr std::int64_t first_read(int oy, int ox) const {
    const std::int64_t row = clamped(rows.start(oy), rows.size);
    if (oy + 1 < out_height && clamped(rows.start(oy + 1), rows.size) == row) return row * columns.size;
    return row * columns.size + clamped(columns.start(ox), columns.size);
  }
  constexpr std::int64_t end_read(int oy, int ox) const {
    const auto last_row = [&](int i) { return clamped(rows.start(i) + rows.span(), rows.size); };
    const std::int64_t row = last_row(oy);
    if (row == 0) return 0;
    if (oy > 0 && last_row(oy - 1) == row) return row * columns.size;
    return (row - 1) * columns.size + clamped(columns.start(ox) + columns.span(), columns.size);
  }

  constexpr overlap distances() const {
    overlap o{true};
    const turns y(rows, out_height), x(columns, out_width);
    for (int i = 0; i < y.count; ++i)
      for (int j = 0; j < x.count; ++j) {
        const std::int64_t n = std::int64_t{y.at[i]} * out_width + x.at[j];
        const std::int64_t behind = n * out_pixel - first_read(y.at[i], x.at[j]) * in_pixel,
                           ahead = end_read(y.at[i], x.at[j]) * in_pixel - (by_channel ? n : n + 1) * out_pixel;
        if (behind > o.behind) o.behind = behind;
        if (ahead > o.ahead) o.ahead = ahead;
      }
    return o;
  }
};

}  // namespace overlap_detail

/// Of firmware's kernels of bytes (vectors/bytes-plain-inl.hpp), in bytes.
constexpr overlap byte_overlap_of(const graph_view& g, const node& n, const extents& in, const extents& out) {
  if (in.rank == 4 && in[0] != 1) return {};  // images are walked forwards
  overlap_detail::window_walk walk;
  if (is_byte_convolution(n) && byte_rows_of(g, n)) {
    const op::conv2d p = byte_convolution_of(g, n);
    walk.by_channel = p.groups > 1;
    if (walk.by_channel && !byte_rows_of(g, n).depthwise) return {};
    const auto pad = p.padding(in);
    walk.rows = {in.back(1), p.kernel[0], p.stride[0], p.dilation[0], pad[0]};
    walk.columns = {in.back(0), p.kernel[1], p.stride[1], p.dilation[1], pad[1]};
  } else if (n.type == &type_of<op::pool>) {
    auto p = decode<op::pool>(g.fields_of(n.fields));
    if (p.axes == 1) p = as_image(p);
    walk.by_channel = true;
    walk.rows = p.along(0, in.back(1));
    walk.columns = p.along(1, in.back(0));
  } else {
    return {};
  }
  walk.out_height = out.back(1);
  walk.out_width = out.back(0);
  walk.in_pixel = in.back(2);
  walk.out_pixel = out.back(2);
  return walk.distances();
}

/// Of a node's first input, its result being the only one.
constexpr overlap overlap_of(const graph_view& g, const node& n, const const_tensor& in, const const_tensor& out) {
  if (n.type == &type_of<op::conv2d> && computes_f32(g, n))
    return overlap_of(decode<op::conv2d>(g.fields_of(n.fields)), in, out);
  if (n.type == &type_of<op::conv1d> && computes_f32(g, n))
    return overlap_of(as_image(decode<op::conv1d>(g.fields_of(n.fields))), as_image(in), as_image(out));
  if (!byte_kernel_of(g, n).there || in.order == layout::nchw || out.order != in.order) return {};
  const bool signal = in.order == layout::nwc;
  overlap o = byte_overlap_of(g, n, signal ? with_row(in.shape) : in.shape, signal ? with_row(out.shape) : out.shape);
  o.behind = words(o.behind, dtype::i8);
  o.ahead = words(o.ahead, dtype::i8);
  return o;
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
