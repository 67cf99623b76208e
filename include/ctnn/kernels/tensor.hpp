// SPDX-License-Identifier: BSL-1.0
// What a kernel is given: where the numbers are, how they lie, and the packed weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "../base/element.hpp"
#include "../base/shape.hpp"
#include "integer_products.hpp"

namespace ctnn::ir {

/// How a value lies in memory.
/// nchw: row-major in the order of the shape, without gaps, any rank.
/// nhwc: rank 3 and 4 only; element (n, c, y, x) at ((n H + y) W + x) pitch + c. A pitch above C means the value is a
/// part of a wider one: concatenations along the channels are placements, not copies.
/// nwc: the same of signals, rank 2 and 3; element (n, c, x) at (n W + x) pitch + c, as of an image of one row.
enum class layout : std::uint8_t { nchw, nwc, nhwc };

/// Axes behind the channels in a layout that has those innermost.
constexpr int axes_of_pixels(layout order) { return static_cast<int>(order); }

/// conv2d reads the user's plain image directly; with more channels than this a conversion to nhwc pays.
inline constexpr int few_channels = 4;

template <class T>
struct basic_tensor {
  T* data = nullptr;
  extents shape{};
  layout order = layout::nchw;
  int pitch = 0;            ///< nhwc, nwc: elements from one pixel to the next
  dtype type = dtype::f32;  ///< of the elements; `data` is where they lie, whatever they are

  /// Channels of one that is not nchw.
  constexpr int channels() const { return shape.back(axes_of_pixels(order)); }

  constexpr operator basic_tensor<const T>() const
    requires(!std::is_const_v<T>)
  {
    return {data, shape, order, pitch, type};
  }
};

/// The elements of a tensor that holds Ts.
template <class T>
T* elements(const basic_tensor<float>& t) {
  return static_cast<T*>(static_cast<void*>(t.data));
}
template <class T>
const T* elements(const basic_tensor<const float>& t) {
  return static_cast<const T*>(static_cast<const void*>(t.data));
}

/// The numbers of a tensor that holds Ts; floats also in constants.
template <class T, class F>
constexpr auto numbers_of(const basic_tensor<F>& t) {
  if constexpr (std::is_same_v<T, float>) return t.data;
  else return elements<T>(t);
}

using tensor = basic_tensor<float>;
using const_tensor = basic_tensor<const float>;

/// What kernels of integers are given besides: the chosen target's loops (null: plain ones), and the elements of
/// inputs, without those that are weights, and of results (null: integers that stand for themselves).
struct integer_arguments {
  const integer_kernels* kernels = nullptr;
  const element *of = nullptr, *made = nullptr;
};

/// Which part of a kernel's work to do: part `index` of `count` (share.hpp says how kernels cut it).
struct work_share {
  int index = 0, count = 1;
};

/// Arguments of `run(const Op&, const arguments&)`, the kernel of operator Op. Definitions (reference/) take those of
/// any numbers T.
template <class T>
struct basic_arguments {
  std::span<const basic_tensor<const T>> in;
  std::span<const basic_tensor<T>> out;
  std::span<const T* const> weights;  ///< packed (packing.hpp), in the order of Op::weights()
  work_share share{};                 ///< only kernels that divide (share.hpp) are given less than all
  const integer_arguments* integers = nullptr;
  bool backwards = false;  ///< from the last result to the first (overlap.hpp)
  bool any_rows = false;   ///< one row, or pixel, alone is added up as it would be among others

  /// The element of input i, and of result k.
  constexpr element of(std::size_t i) const { return integers && integers->of ? integers->of[i] : element(in[i].type); }
  constexpr element made(std::size_t k = 0) const {
    return integers && integers->made ? integers->made[k] : element(out[k].type);
  }
};

using arguments = basic_arguments<float>;

/// Distance in elements between neighbours along `axis`, for kernels that walk any layout.
template <class T>
constexpr std::ptrdiff_t stride_of(const basic_tensor<T>& t, int axis) {
  if (t.order == layout::nchw) return static_cast<std::ptrdiff_t>(t.shape.count(axis + 1, t.shape.rank));
  const int from_end = t.shape.rank - 1 - axis, channels = axes_of_pixels(t.order);
  if (from_end == channels) return 1;
  std::ptrdiff_t step = t.pitch;
  for (int i = 0; i < from_end && i < channels; ++i) step *= t.shape.back(i);  // pixels inside one of this axis
  return step;
}

/// A signal's shape, or that of a weight over one axis, with an axis of one row.
constexpr extents with_row(extents s) {
  s.push_back(s.back(0));
  s.back(1) = 1;
  return s;
}
/// A signal as an image of one row, which is how kernels of images see it: the same numbers.
template <class T>
constexpr basic_tensor<T> as_image(basic_tensor<T> t) {
  t.shape = with_row(t.shape);
  if (t.order == layout::nwc) t.order = layout::nhwc;
  return t;
}

/// What a kernel over signals is given, as one over images takes it: at most an input, a residual and a result.
struct image_arguments {
  constexpr explicit image_arguments(const arguments& a) : all(a) {
    for (std::size_t i = 0; i < a.in.size() && i < in.size(); ++i) in[i] = as_image(a.in[i]);
    out = as_image(a.out[0]);
    all.in = {in.data(), a.in.size() < in.size() ? a.in.size() : in.size()};
    all.out = {&out, 1};
  }
  image_arguments(const image_arguments&) = delete;
  image_arguments& operator=(const image_arguments&) = delete;

  std::array<const_tensor, 2> in{};
  tensor out{};
  arguments all;
};

}  // namespace ctnn::ir
