// SPDX-License-Identifier: BSL-1.0
// Kernels that may write their result over an input nobody else reads any more, though not element by element: they
// walk through both in the same direction, and the result keeps a distance.
#pragma once

#include "../graph/graph.hpp"
#include "../graph/operators/convolution.hpp"
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

/// A kernel reads, for results [first, first + rows), rows of the input from that of `first` on to that of the last.
constexpr overlap by_rows(int count, int rows, std::int64_t out_row, std::int64_t in_row, auto&& first_of,
                          auto&& end_of) {
  overlap o{true};
  for (int first = 0; first < count; ++first) {
    const int end = first + rows < count ? first + rows : count;
    const std::int64_t behind = end * out_row - first_of(first) * in_row,
                       ahead = end_of(end - 1) * in_row - first * out_row;
    if (behind > o.behind) o.behind = behind;
    if (ahead > o.ahead) o.ahead = ahead;
  }
  return o;
}

}  // namespace overlap_detail

/// Of conv2d's first input. Only plain kernels walk row by row: others take caches' blocks, or several threads.
constexpr overlap overlap_of(const op::conv2d& p, const const_tensor& in, const const_tensor& out) {
  if (channel_block != 4 || in.order != layout::nhwc || out.order != layout::nhwc) return {};
  const extents &x = in.shape, &y = out.shape;
  const bool depthwise = is_depthwise(p, x.back(2));
  if (in.pitch != x.back(2) || out.pitch != y.back(2) || (x.rank == 4 && x[0] != 1) || (p.groups != 1 && !depthwise))
    return {};
  const margins pad = p.padding(x);
  const std::int64_t in_pixel = in.pitch, out_pixel = out.pitch;
  const bool pointwise = p.kernel[0] * p.kernel[1] == 1 && p.stride[0] * p.stride[1] == 1 && x.back(0) == y.back(0) &&
                         x.back(1) == y.back(1);
  if (pointwise && !depthwise) {
    // Of any four pixels, the first ones and the last ones lie worst.
    const std::int64_t pixels = y.count() / out_pixel, rest = pixels < convolution_rows ? 0 : pixels - convolution_rows;
    const std::int64_t behind = (pixels - rest) * out_pixel, last_behind = pixels * out_pixel - rest * in_pixel;
    const std::int64_t ahead = (pixels - rest) * in_pixel, last_ahead = pixels * in_pixel - rest * out_pixel;
    return {true, behind > last_behind ? behind : last_behind, ahead > last_ahead ? ahead : last_ahead};
  }
  const auto clamped = [&](std::int64_t row) {
    return row < 0 ? std::int64_t{0} : row > x.back(1) ? std::int64_t{x.back(1)} : row;
  };
  const auto first_of = [&](int row) { return clamped(std::int64_t{row} * p.stride[0] - pad[0]); };
  const auto end_of = [&](int row) {
    return clamped(std::int64_t{row} * p.stride[0] - pad[0] + span_of(p.kernel[0], p.dilation[0]));
  };
  return overlap_detail::by_rows(y.back(1), depthwise ? 1 : convolution_rows, out_pixel * y.back(0),
                                 in_pixel * x.back(0), first_of, end_of);
}

/// Of a node's first input, its result being the only one.
constexpr overlap overlap_of(const graph_view& g, const node& n, const const_tensor& in, const const_tensor& out) {
  if (n.type == &type_of<op::conv2d> && computes_f32(g, n))
    return overlap_of(decode<op::conv2d>(g.fields_of(n.fields)), in, out);
  return {};
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
