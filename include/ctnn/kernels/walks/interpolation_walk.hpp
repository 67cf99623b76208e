// SPDX-License-Identifier: BSL-1.0
// Where interpolated values come from, and interpolating row-major values of any element type along any number of axes
// without heap: static networks run it, too.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "../../graph/operators/interpolate.hpp"
#include "../share.hpp"
#include "../targets.hpp"

namespace ctnn::ir {

/// What is cut off a float fits 32 bits, because libgcc goes through doubles to 64.
template <class Real>
using whole_number = std::conditional_t<std::is_same_v<Real, float>, std::int32_t, std::int64_t>;

template <class Real>
constexpr Real floor_of(Real x) {
  const auto cut = static_cast<Real>(static_cast<whole_number<Real>>(x));
  return cut > x ? cut - 1 : cut;
}

/// x as a Real, without a routine for doubles: to nearest, halves to even. Too small for a normal float is 0.
template <class Real>
constexpr Real precisely(double x) {
  if constexpr (std::is_same_v<Real, double>) return x;
  else {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint32_t>(bits >> 63) << 31;
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023 + 127;
    if (exponent <= 0) return std::bit_cast<float>(sign);
    if (exponent >= 255) return std::bit_cast<float>(sign | 0x7f800000u);
    const std::uint64_t rest = bits & 0x1fffffff, half = 0x10000000;
    const auto kept = static_cast<std::uint32_t>(bits >> 29 & 0x7fffff);
    const std::uint32_t up = rest > half || (rest == half && kept % 2 != 0) ? 1 : 0;
    return std::bit_cast<float>(sign | ((static_cast<std::uint32_t>(exponent) << 23) + kept + up));
  }
}

/// What one output position of an axis is made of: `count` inputs from `first` on, some of them perhaps outside.
template <class Real>
class resampling {
 public:
  constexpr resampling() = default;
  /// Position i of the `out` that axis `axis` of the resized ones has after it had `in`.
  constexpr resampling(const op::interpolate& p, int axis, int in, int out, int i) : p_(&p), in_(in) {
    const Real given = precisely<Real>(p.scale.at(axis));
    const Real scale = given > 0 ? given : static_cast<Real>(out) / static_cast<Real>(in);
    x_ = p.fraction_bits > 0 ? static_cast<Real>(in_float(in, out, i)) : original(axis, scale, out, i);
    if (!(x_ < far && x_ > -far)) x_ = x_ > 0 ? far : -far;  // a region far away, or no number
    outside = p.crops() && (x_ < 0 || x_ > static_cast<Real>(in - 1));
    if (p.mode == op::interpolation::nearest) {
      first = static_cast<whole_number<Real>>(nearest(axis, scale, in, out, i));
      count = 1;
      return;
    }
    // Filters are stretched over more inputs when sampling down with antialias.
    shrink_ = p.antialias && scale < 1 ? scale : 1;
    Real reach = (p.mode == op::interpolation::cubic ? 2 : 1) / shrink_;
    if (!(reach < far)) reach = far;
    const std::int64_t before = static_cast<whole_number<Real>>(floor_of(-reach)) + 1;
    first = static_cast<whole_number<Real>>(floor_of(x_)) + before;
    count = static_cast<int>(2 - 2 * before);
    if (!p.exclude_outside && !p.antialias) return;
    Real sum = 0;
    for (int t = 0; t < count; ++t) sum += weight(t);
    if (sum != 0) share_ = 1 / sum;
  }
  constexpr int index(int t) const {
    const std::int64_t j = first + t;
    return j < 0 ? 0 : j >= in_ ? in_ - 1 : static_cast<int>(j);
  }
  constexpr Real weight(int t) const {
    if (p_->mode == op::interpolation::nearest) return 1;
    if (p_->fraction_bits > 0) return t == 0 ? 1 - fraction() : fraction();
    const std::int64_t j = first + t;
    if (p_->exclude_outside && (j < 0 || j >= in_)) return 0;
    const Real d = (static_cast<Real>(j) - x_) * shrink_, away = d < 0 ? -d : d;
    if (p_->mode == op::interpolation::cubic) return share_ * cubic(away, static_cast<Real>(p_->cubic_a));
    return away < 1 ? share_ * (1 - away) : 0;
  }

  std::int64_t first = 0;
  int count = 0;
  bool outside = false;  ///< gets the extrapolation value

 private:
  static constexpr Real half = 0.5f, far = 1e9f;
  /// Between the first input and the last.
  constexpr float in_float(int in, int out, int i) const {
    const int less = p_->coordinates == op::coordinates::align_corners && out != 1 ? 1 : 0;
    const float step = static_cast<float>(in - less) / static_cast<float>(out - less),
                last = static_cast<float>(in - 1);
    const float start = p_->coordinates == op::coordinates::half_pixel ? 0.5f * step - 0.5f : 0.0f;
    const float at = static_cast<float>(i) * step, x = at + start;
    return x < 0 ? 0 : x > last ? last : x;
  }
  /// The second neighbour's weight as the file's format has it, halves to even.
  constexpr Real fraction() const {
    const auto one = static_cast<Real>(1 << p_->fraction_bits);
    const Real exact = (x_ - static_cast<Real>(first)) * one, digits = floor_of(exact), rest = exact - digits;
    const bool odd = static_cast<whole_number<Real>>(digits) % 2 != 0;
    return (digits + (rest > half || (rest == half && odd) ? 1 : 0)) / one;
  }
  static constexpr Real cubic(Real x, Real a) {
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    return 0;
  }
  constexpr Real original(int axis, Real scale, int out, int i) const {
    using enum op::coordinates;
    const Real x = static_cast<Real>(i), last_in = static_cast<Real>(in_ - 1), last = static_cast<Real>(out - 1);
    switch (p_->coordinates) {
      case half_pixel: return (x + half) / scale - half;
      case half_pixel_symmetric: {
        const Real size = static_cast<Real>(in_), adjustment = static_cast<Real>(out) / (scale * size),
                   centre = half * size;
        return centre * (1 - adjustment) + (x + half) / scale - half;
      }
      case pytorch_half_pixel: return out > 1 ? (x + half) / scale - half : 0;
      case align_corners: return out > 1 ? x * last_in / last : 0;
      case asymmetric: return x / scale;
      case tf_half_pixel_for_nn: return (x + half) / scale;
      case tf_crop_and_resize: {
        const Real start = precisely<Real>(p_->roi[static_cast<std::size_t>(axis)]);
        const Real end = precisely<Real>(p_->roi[static_cast<std::size_t>(axis + p_->axes)]);
        return out > 1 ? start * last_in + x * (end - start) * last_in / last : half * (start + end) * last_in;
      }
    }
    return x;
  }
  constexpr Real nearest(int axis, Real scale, int in, int out, int i) const {
    using enum op::rounding;
    switch (p_->rounding) {
      case round_prefer_floor: return -floor_of(half - x_);
      case round_prefer_ceil: return floor_of(x_ + half);
      case floor: return floor_of(x_);
      case ceil: return -floor_of(-x_);
      case by_size: return scale < 1 ? -floor_of(-x_) : floor_of(x_);
      case torch: break;
    }
    const float step = p_->size.at(axis) != 0 ? static_cast<float>(in) / static_cast<float>(out)
                                              : 1.0f / static_cast<float>(precisely<Real>(p_->scale.at(axis)));
    return static_cast<Real>(static_cast<whole_number<Real>>(static_cast<float>(i) * step));
  }

  const op::interpolate* p_ = nullptr;
  int in_ = 0;
  Real x_ = 0, shrink_ = 1, share_ = 1;
};

// Firmware cores have no unit for doubles and few bytes for code that emulates them: positions are floats there.
inline namespace CTNN_PACKING {

#if defined(CTNN_PLAIN)
using precise = float;
#else
using precise = double;
#endif

/// Value = (1 - weight) x[first] + weight x[second]: along an axis of an image.
struct interpolation_tap {
  int first;
  int second;
  float weight;
};

constexpr interpolation_tap tap_of(const op::interpolate& p, int axis, int in, int out, int i) {
  const bool corners = p.coordinates == op::coordinates::align_corners;
  const precise scale = precisely<precise>(p.scale.at(axis));
  const bool by_sizes = scale == 0 || scale * static_cast<precise>(in) == static_cast<precise>(out);
  if (p.mode == op::interpolation::nearest || !by_sizes || (!corners && p.coordinates != op::coordinates::half_pixel)) {
    const resampling<precise> r(p, axis, in, out, i);
    if (r.count == 1) return {r.index(0), r.index(0), 0.0f};
    return {r.index(0), r.index(1), r.index(0) == r.index(1) ? 0.0f : static_cast<float>(r.weight(1))};
  }
  // Exact: position = above / below.
  const std::int64_t above = corners ? std::int64_t{i} * (in - 1) : (2 * std::int64_t{i} + 1) * in - out;
  const std::int64_t below = corners ? (out > 1 ? out - 1 : 1) : 2 * std::int64_t{out};
  if (above <= 0) return {0, 0, 0.0f};
  const int first = static_cast<int>(above / below);
  if (first >= in - 1) return {in - 1, in - 1, 0.0f};
  return {first, first + 1, static_cast<float>(above - first * below) / static_cast<float>(below)};
}

/// Taps of a position along all axes, as many as fit at a time.
class interpolation_taps {
 public:
  static constexpr int most = 64;
  struct tap {
    std::int64_t offset;
    precise weight;
  };

  /// Position `at` of the resized axes of y, counted row by row.
  interpolation_taps(const op::interpolate& p, const extents& x, const extents& y, std::int64_t at) : axes_(p.axes) {
    std::int64_t unit = 1;
    for (int i = axes_ - 1; i >= 0; --i) {
      const int a = x.rank - axes_ + i;
      along_[i] = sample{resampling<precise>(p, i, x[a], y[a], static_cast<int>(at % y[a])), unit};
      at /= y[a];
      unit *= x[a];
      outside = outside || along_[i].taps.outside;
      left_ *= along_[i].taps.count;
    }
  }
  bool next_chunk() {
    for (count = 0; count < most && left_ > 0; --left_) {
      tap t{0, 1};
      for (int i = 0; i < axes_; ++i) {
        t.offset += along_[i].taps.index(at_[i]) * along_[i].unit;
        t.weight *= along_[i].taps.weight(at_[i]);
      }
      if (t.weight != 0) chunk[count++] = t;
      for (int i = axes_ - 1; i >= 0; --i) {
        if (++at_[i] < along_[i].taps.count) break;
        at_[i] = 0;
      }
    }
    return count > 0;
  }

  tap chunk[most];
  int count = 0;
  bool outside = false;

 private:
  struct sample {
    resampling<precise> taps{};
    std::int64_t unit = 1;
  };
  int axes_;
  sample along_[max_rank]{};
  int at_[max_rank]{};
  std::int64_t left_ = 1;
};

/// All of it, or the share of it. Sums are Reals, which `store` makes elements of.
template <class T, class Real, class Store>
void interpolate_planes(const op::interpolate& p, const arguments& a, Store store) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  if (y.count() == 0) return;
  const int lead = x.rank - p.axes;
  const std::int64_t planes = x.count(0, lead), plane = x.count(lead, x.rank), positions = y.count(lead, y.rank);
  const index_range part = share_of(a.share, static_cast<std::ptrdiff_t>(positions));
  constexpr std::int64_t block = 64;
  for (std::int64_t at = part.begin; at < part.end; ++at)
    for (std::int64_t c = 0; c < planes; c += block) {
      const std::int64_t n = planes - c < block ? planes - c : block;
      const T* from = elements<T>(a.in[0]) + c * plane;
      T* to = elements<T>(a.out[0]) + c * positions + at;
      interpolation_taps taps(p, x, y, at);
      if (p.mode == op::interpolation::nearest && !taps.outside) {  // elements as they are
        taps.next_chunk();
        for (std::int64_t i = 0; i < n; ++i) to[i * positions] = from[i * plane + taps.chunk[0].offset];
        continue;
      }
      Real sums[block]{};
      if (taps.outside)
        for (Real& sum : sums) sum = static_cast<Real>(p.extrapolation);
      else
        while (taps.next_chunk())
          for (std::int64_t i = 0; i < n; ++i)
            for (int t = 0; t < taps.count; ++t)
              sums[i] +=
                  static_cast<Real>(taps.chunk[t].weight) * static_cast<Real>(from[i * plane + taps.chunk[t].offset]);
      for (std::int64_t i = 0; i < n; ++i) to[i * positions] = store(sums[i]);
    }
}

}  // namespace CTNN_PACKING
}  // namespace ctnn::ir
