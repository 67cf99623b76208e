// SPDX-License-Identifier: BSL-1.0
// Per-channel affine operators and prelu; either layout, any pitch, in place if wanted.

#if defined(CTNN_PLAIN)
#if !defined(CTNN_KERNELS_NORMALIZATION_INL_HPP)
#define CTNN_KERNELS_NORMALIZATION_INL_HPP
#define CTNN_KERNELS_NORMALIZATION_ENABLED
#endif
#elif defined(CTNN_KERNELS_NORMALIZATION_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef CTNN_KERNELS_NORMALIZATION_INL_HPP
#undef CTNN_KERNELS_NORMALIZATION_INL_HPP
#else
#define CTNN_KERNELS_NORMALIZATION_INL_HPP
#endif
#define CTNN_KERNELS_NORMALIZATION_ENABLED
#endif

#if defined(CTNN_KERNELS_NORMALIZATION_ENABLED)
#undef CTNN_KERNELS_NORMALIZATION_ENABLED

#include "../../graph/operators/elementwise.hpp"
#include "../../graph/operators/normalization.hpp"
#include "../reference/normalization.hpp"
#include "../simd/rows-inl.hpp"

CTNN_BEGIN_TARGET

namespace detail {

struct affine_function {
  vec factor, offset;
  CTNN_INLINE vec operator()(vec x) const { return mul_add(x, factor, offset); }
};
struct offset_function {
  vec offset;
  CTNN_INLINE vec operator()(vec x) const { return add(x, offset); }
};
struct slope_function {
  vec slope;
  CTNN_INLINE vec operator()(vec x) const { return select(less(x, zero()), mul(x, slope), x); }
};

// Where the numbers of a channel come from: at(c) gives the function for all of channel c, part(c, n) that for the
// channels c to c + n, one a lane.

struct batch_norm_source {
  const op::batch_norm& p;
  const float *gamma, *beta, *mean, *variance;
  CTNN_INLINE affine_function at(int c) const {
    const auto f = batch_norm_affine(p, gamma[c], beta[c], mean[c], variance[c]);
    return {set(f.factor), set(f.offset)};
  }
  CTNN_INLINE affine_function part(int c, int n) const {
    const vec root = sqrt(add(load_bounded(variance + c, n), set(p.eps)));
    const vec factor = div(load_bounded(gamma + c, n), select(equal(root, zero()), set(p.zero_root), root));
    return {factor, sub(load_bounded(beta + c, n), mul(load_bounded(mean + c, n), factor))};
  }
};
struct scale_source {
  const float *factor, *offset;  ///< offset may be null: then -0, which changes no bit of the product
  CTNN_INLINE affine_function at(int c) const { return {set(factor[c]), set(offset != nullptr ? offset[c] : -0.0f)}; }
  CTNN_INLINE affine_function part(int c, int n) const {
    return {load_bounded(factor + c, n), offset != nullptr ? load_bounded(offset + c, n) : set(-0.0f)};
  }
};
struct bias_source {
  const float* offset;
  CTNN_INLINE offset_function at(int c) const { return {set(offset[c])}; }
  CTNN_INLINE offset_function part(int c, int n) const { return {load_bounded(offset + c, n)}; }
};
struct slope_source {
  const float* slope;
  CTNN_INLINE slope_function at(int c) const { return {set(slope[c])}; }
  CTNN_INLINE slope_function part(int c, int n) const { return {load_bounded(slope + c, n)}; }
};

/// A source's functions with an activation applied in registers.
template <class Function, class Activation>
struct activated_function {
  Function f;
  Activation then;
  CTNN_INLINE vec operator()(vec x) const { return then(f(x)); }
};
template <class Source, class Activation>
struct activated_source {
  Source source;
  Activation then;
  CTNN_INLINE auto at(int c) const { return activated(source.at(c)); }
  CTNN_INLINE auto part(int c, int n) const { return activated(source.part(c, n)); }

 private:
  template <class Function>
  CTNN_INLINE activated_function<Function, Activation> activated(const Function& f) const {
    return {f, then};
  }
};

// What passes over some numbers again while they are in the nearest cache.

struct nothing_more {
  static constexpr bool passes = false;
  CTNN_INLINE void operator()(std::ptrdiff_t, float*) const {}
};
struct activation_over {
  static constexpr bool passes = true;
  activation_function f;
  CTNN_INLINE void operator()(std::ptrdiff_t n, float* y) const { activate_row(f, n, y); }
};

/// Planes of `plane` contiguous numbers, one a channel.
template <class Source, class Then>
CTNN_NOINLINE void channel_planes(const Source& source, const Then& then, std::ptrdiff_t images, int channels,
                                  std::ptrdiff_t plane, const float* x, float* y) {
  for (std::ptrdiff_t n = 0; n < images; ++n)
    for (int c = 0; c < channels; ++c, x += plane, y += plane) {
      const std::ptrdiff_t block = Then::passes ? row_block : plane;
      for (std::ptrdiff_t i = 0; i < plane; i += block) {
        const std::ptrdiff_t part = plane - i < block ? plane - i : block;
        map_row(source.at(c), part, x + i, y + i);
        then(part, y + i);
      }
    }
}

/// Pixels of `channels` contiguous numbers. Some pixels at a time, so that they stay in the cache from one group of
/// channels to the next.
template <class Source, class Then>
CTNN_NOINLINE void channel_pixels(const Source& source, const Then& then, std::ptrdiff_t pixels, int channels,
                                  const float* x, std::ptrdiff_t dx, float* y, std::ptrdiff_t dy) {
  constexpr std::ptrdiff_t block = 32;
  for (std::ptrdiff_t at = 0; at < pixels; at += block) {
    const std::ptrdiff_t end = pixels - at < block ? pixels : at + block;
    for (int c = 0; c < channels; c += lanes) {
      const int n = channels - c < lanes ? channels - c : lanes;
      const auto f = source.part(c, n);
      if (n == lanes)
        for (std::ptrdiff_t i = at; i < end; ++i) storeu(f(loadu(x + i * dx + c)), y + i * dy + c);
      else
        for (std::ptrdiff_t i = at; i < end; ++i) store_part(f(load_part(x + i * dx + c, n)), y + i * dy + c, n);
    }
    if (Then::passes && dy == channels) then((end - at) * dy, y + at * dy);
    else if (Then::passes)
      for (std::ptrdiff_t i = at; i < end; ++i) then(channels, y + i * dy);
  }
}

/// Pixels of `length` contiguous numbers in nhwc, of one channel each: `channels` lie along the images, rows or
/// columns, and go on every `period` pixels.
template <class Source, class Then>
CTNN_NOINLINE void pixels_of_channels(const Source& source, const Then& then, index_range pixels, std::ptrdiff_t period,
                                      int channels, int length, const float* x, std::ptrdiff_t dx, float* y,
                                      std::ptrdiff_t dy) {
  for (std::ptrdiff_t i = pixels.begin; i < pixels.end; ++i) {
    map_row(source.at(static_cast<int>(i / period % channels)), length, x + i * dx, y + i * dy);
    then(length, y + i * dy);
  }
}

/// Both layouts; an nchw value with planes of one element is as good as pixels.
template <class Source, class Then = nothing_more>
CTNN_INLINE void per_channel(const Source& source, int channels_at, const arguments& a, const Then& then = {}) {
  const const_tensor& x = a.in[0];
  const tensor& y = a.out[0];
  const int axis = channel_axis(x.shape, channels_at), channels = x.shape[axis];
  const auto images = static_cast<std::ptrdiff_t>(x.shape.count(0, axis));
  const auto plane = static_cast<std::ptrdiff_t>(x.shape.count(axis + 1, x.shape.rank));
  const bool together = x.order != layout::nchw;
  const int last = x.shape.rank - 1 - axes_of_pixels(x.order);  // the axis that lies innermost then
  if (together && axis != last) {
    const int length = x.channels();
    const std::ptrdiff_t period = axis < last ? plane / length : plane;
    pixels_of_channels(source, then, share_of(a.share, static_cast<std::ptrdiff_t>(x.shape.count()) / length), period,
                       channels, length, x.data, x.pitch, y.data, y.pitch);
  } else if (together || plane == 1) {
    const std::ptrdiff_t dx = together ? x.pitch : channels, dy = together ? y.pitch : channels;
    const index_range part = share_of(a.share, images * plane);
    channel_pixels(source, then, part.size(), channels, x.data + part.begin * dx, dx, y.data + part.begin * dy, dy);
  } else if (a.share.index == 0) {
    channel_planes(source, then, images, channels, plane, x.data, y.data);
  }
}

template <class Source>
struct channels_with {
  Source source;
  int axis;
  const arguments& a;
  template <class Activation>
  CTNN_INLINE void operator()(const Activation& f) const {
    per_channel(activated_source<Source, Activation>{source, f}, axis, a);
  }
};

/// The same with an activation: in registers where the compiler knows which, or it is none or relu.
template <class Source>
CTNN_INLINE void per_channel_activated(const Source& source, int axis, const activation_function& f,
                                       const arguments& a) {
#if defined(CTNN_PLAIN)
  with_activation(f, channels_with<Source>{source, axis, a});
#else
  if (!f) per_channel(source, axis, a);
  else if (f.kind == function::relu) channels_with<Source>{source, axis, a}(activate<function::relu>{});
  else per_channel(source, axis, a, activation_over{f});
#endif
}

}  // namespace detail

template <int = 0>
CTNN_INLINE void run(const op::batch_norm& p, const arguments& a) {
  detail::per_channel(detail::batch_norm_source{p, a.weights[0], a.weights[1], a.weights[2], a.weights[3]}, p.axis, a);
}

template <int = 0>
CTNN_INLINE void run(const op::scale& p, const arguments& a) {
  const detail::scale_source source{a.weights[0], p.bias ? a.weights[1] : nullptr};
  detail::per_channel_activated(source, p.axis, p.activation, a);
}

template <int = 0>
CTNN_INLINE void run(const op::bias& p, const arguments& a) {
  detail::per_channel_activated(detail::bias_source{a.weights[0]}, p.axis, p.activation, a);
}

template <int = 0>
CTNN_INLINE void run(const op::prelu& p, const arguments& a) {
  detail::per_channel(detail::slope_source{a.weights[0]}, p.axis, a);
}

CTNN_END_TARGET

#endif
