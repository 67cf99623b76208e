// SPDX-License-Identifier: BSL-1.0
// Sliding windows: sizes, strides and padding, shared by convolutions and pooling.
#pragma once

#include <array>

#include "operator.hpp"

namespace ctnn::ir {

using pair = std::array<int, 2>;     ///< (height, width)
using margins = std::array<int, 4>;  ///< top, left, bottom, right (ONNX's order)

/// `upper` puts the odd row or column of SAME padding at the bottom and right (TensorFlow, ONNX SAME_UPPER).
enum class same_padding { none, upper, lower };

constexpr int span_of(int kernel, int dilation) { return (kernel - 1) * dilation + 1; }

/// The padding before and after one axis, in numbers: SAME is worked out, anything else passes through. Of a window too
/// large to count, which infer() refuses after it, as much as there can be.
constexpr pair resolve_padding(pair pad, same_padding same, int kernel, int stride, int dilation, int size) {
  if (same == same_padding::none) return pad;
  const std::int64_t span = (std::int64_t{kernel} - 1) * dilation + 1;
  const std::int64_t total = span + (size - 1) / stride * stride - size;
  const int sum = total <= 0 ? 0 : total < 2147483647 ? static_cast<int>(total) : 2147483647;
  const int small = sum / 2, large = sum - small;
  return same == same_padding::upper ? pair{small, large} : pair{large, small};
}

/// The padding in numbers for an input of (height, width): SAME is worked out, anything else passes through.
constexpr margins resolve_padding(const margins& pad, same_padding same, pair kernel, pair stride, pair dilation,
                                  int height, int width) {
  const pair rows = resolve_padding({pad[0], pad[2]}, same, kernel[0], stride[0], dilation[0], height);
  const pair columns = resolve_padding({pad[1], pad[3]}, same, kernel[1], stride[1], dilation[1], width);
  return {rows[0], columns[0], rows[1], columns[1]};
}

/// Positions of a window along one axis; `ceil` lets the last one hang over the end (PyTorch's ceil_mode: it must
/// still start inside the input or its leading padding).
constexpr int window_count(int size, int before, int after, int window, int stride, bool ceil) {
  const int room = size + before + after - window;
  if (!ceil) return room / stride + 1;
  const int n = (room + stride - 1) / stride + 1;
  return (n - 1) * stride >= size + before ? n - 1 : n;
}

/// No dilation of a window is larger, nor a pool's kernel or stride: what is a few times as large is an int. (Of one
/// window a convolution's stride may be anything, and a kernel is as large as its input.)
inline constexpr int most_of_window = 1 << 24;

/// Numbers for the spatial axes in turn (or for all their sides: those before each axis, then those after), repeated as
/// often as needed. A graph holds the fewest that say the same, so that (2, 2) and (2) are one thing.
template <class T>
struct repeated : list<T> {
  using list<T>::list;
  constexpr T at(int i) const { return this->items[static_cast<std::size_t>(i) % this->count]; }
  constexpr std::size_t period() const {
    for (std::size_t n = 1; n < this->count; ++n) {
      bool repeats = this->count % n == 0;
      for (std::size_t i = n; i < this->count && repeats; ++i) repeats = this->items[i] == this->items[i - n];
      if (repeats) return n;
    }
    return this->count;
  }
  /// Can it go around `places`, every number at least `least`?
  constexpr problem check(std::string_view what, int places, int least) const {
    const int n = static_cast<int>(this->count);
    if (n == 0 || places % n != 0) return {mistake::option_out_of_range, what, {n}, {places}};
    for (T v : *this)
      if (!(v >= static_cast<T>(least) && v <= static_cast<T>(most_of_window)))
        return {mistake::option_out_of_range,
                what,
                {static_cast<int>(v)},
                {v > static_cast<T>(most_of_window) ? most_of_window : least}};
    return {};
  }
};
using by_axis = repeated<int>;

namespace detail {
template <class T>
struct is_list<repeated<T>> : std::true_type {};
template <class T>
struct number_of<repeated<T>> {
  using type = T;
};
}  // namespace detail

/// How a window of `taps` cells slides along one axis.
struct window_axis {
  int size = 1, taps = 1, stride = 1, dilation = 1, before = 0, after = 0;

  constexpr std::int64_t span() const { return (std::int64_t{taps} - 1) * dilation + 1; }
  constexpr std::int64_t room() const { return std::int64_t{size} + before + after; }
  constexpr int start(int window) const { return window * stride - before; }
};

}  // namespace ctnn::ir
