// SPDX-License-Identifier: BSL-1.0
// Sliding windows over (H, W): sizes, strides and padding, shared by convolutions and pooling.
#pragma once

#include <array>

#include "../base/problem.hpp"

namespace ctnn {

using pair = std::array<int, 2>;     ///< (height, width)
using margins = std::array<int, 4>;  ///< top, left, bottom, right (ONNX's order)

/// `upper` puts the odd row or column of SAME padding at the bottom and right (TensorFlow, ONNX SAME_UPPER).
enum class same_padding { none, upper, lower };

constexpr int span_of(int kernel, int dilation) { return (kernel - 1) * dilation + 1; }

/// The padding in numbers for an input of (height, width): SAME is worked out, anything else passes through.
constexpr margins resolve_padding(const margins& pad, same_padding same, pair kernel, pair stride, pair dilation,
                                  int height, int width) {
  if (same == same_padding::none) return pad;
  const int size[2] = {height, width};
  margins out{};
  for (unsigned i = 0; i < 2; ++i) {
    const int total = span_of(kernel[i], dilation[i]) + (size[i] - 1) / stride[i] * stride[i] - size[i];
    const int sum = total > 0 ? total : 0;
    const int small = sum / 2, large = sum - small;
    out[i] = same == same_padding::upper ? small : large;
    out[i + 2] = same == same_padding::upper ? large : small;
  }
  return out;
}

/// Positions of a window along one axis; `ceil` lets the last one hang over the end (PyTorch's ceil_mode: it must
/// still start inside the input or its leading padding).
constexpr int window_count(int size, int before, int after, int window, int stride, bool ceil) {
  const int room = size + before + after - window;
  if (!ceil) return room / stride + 1;
  const int n = (room + stride - 1) / stride + 1;
  return (n - 1) * stride >= size + before ? n - 1 : n;
}

}  // namespace ctnn
