// SPDX-License-Identifier: BSL-1.0
// How conv3d of floats goes through a volume: in strips of output rows, and in a strip from plane to plane. What a
// window reaches of the input is copied with its channels last, one plane at a time, so that each plane of taps is a
// convolution of an image.
#pragma once

#include "../window.hpp"

namespace ctnn::ir {

struct volume_strips {
  int depth = 0;  ///< output planes
  int rows = 0;   ///< of output in a strip; fewer in the last one
  int strips = 0;
  int input_rows = 0;                              ///< that the windows of a strip reach
  int planes = 0;                                  ///< of input that are kept
  std::int64_t places = 0;                         ///< of strips: images, strips and output planes
  std::int64_t input_plane = 0, output_plane = 0;  ///< numbers in a strip of one plane
  int parts = 0;                                   ///< for which there is memory

  /// Of a conv3d with input (C, D, H, W) or (N, C, D, H, W) and output likewise.
  template <class Conv>
  constexpr volume_strips(const Conv& p, const extents& in, const extents& out) {
    const int height = in.back(1), reach = reach_of(p, 1, in), stride = p.stride[1] < height ? p.stride[1] : height;
    depth = out.back(2);
    planes = reach_of(p, 0, in);
    const std::int64_t in_row = std::int64_t{in.back(0)} * in.back(3), out_row = std::int64_t{out.back(0)} * p.out;
    // As many rows as leave a part's memory in the second cache, but some pixels.
    const std::int64_t fixed = planes * reach * in_row, each = planes * stride * in_row + out_row;
    const std::int64_t fit = (second_cache - fixed) / (each < 1 ? 1 : each) + 1;
    const std::int64_t least = least_pixels / (out.back(0) < 1 ? 1 : out.back(0)) + 1;
    const std::int64_t most = out.back(1), wanted = fit < least ? least : fit;
    const std::int64_t step = wanted < most ? wanted : most;
    strips = step < 1 ? 0 : static_cast<int>((most + step - 1) / step);
    rows = strips == 0 ? 0 : static_cast<int>((most + strips - 1) / strips);
    const std::int64_t reached = (rows - std::int64_t{1}) * p.stride[1] + reach;
    input_rows = static_cast<int>(reached < height ? reached : height);
    places = (in.rank == 5 ? in[0] : 1) * std::int64_t{strips} * depth;
    input_plane = input_rows * in_row;
    output_plane = rows * out_row;
    parts = static_cast<int>(places < most_parts ? places : most_parts);
  }

  /// Bytes of a part: the planes, which of them are there, and a strip of results.
  constexpr std::int64_t scratch_of_part() const {
    return scratch_for(planes * input_plane, sizeof(float)) + scratch_for(planes, sizeof(int)) +
           scratch_for(output_plane, sizeof(float));
  }
  constexpr std::int64_t scratch() const { return parts * scratch_of_part(); }

 private:
  static constexpr std::int64_t second_cache = 96 * 1024;  // in numbers
  static constexpr int least_pixels = 48, most_parts = 4;

  /// What a window reaches along an axis, of the input's extent.
  template <class Conv>
  static constexpr int reach_of(const Conv& p, int axis, const extents& in) {
    const auto k = static_cast<std::size_t>(axis);
    const std::int64_t reach = (std::int64_t{p.kernel[k]} - 1) * p.dilation[k] + 1;
    const int size = in.back(2 - axis);
    return static_cast<int>(reach < size ? reach : size);
  }
};

}  // namespace ctnn::ir
