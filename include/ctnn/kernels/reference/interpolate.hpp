// SPDX-License-Identifier: BSL-1.0
// interpolate, by ONNX Resize's definition: each element from where it lies in the input, in double.
#pragma once

#include "../../graph/operators/interpolate.hpp"
#include "coordinates.hpp"

namespace ctnn::ir::reference {

namespace detail {

constexpr double whole_below(double x) {
  const auto cut = static_cast<double>(static_cast<std::int64_t>(x));
  return cut > x ? cut - 1 : cut;
}
constexpr double whole_above(double x) { return -whole_below(-x); }

/// One axis of an interpolation.
struct resized_axis {
  const op::interpolate& p;
  int number, in, out;
  double scale = p.scale.at(number) > 0 ? p.scale.at(number) : static_cast<double>(out) / static_cast<double>(in);

  /// x_original of x_resized = i. A region far away, or no number, is far away.
  constexpr double original(int i) const {
    const double x = p.fraction_bits > 0 ? static_cast<double>(in_float(i)) : by_definition(i);
    constexpr double far = 1e9;
    return x < far && x > -far ? x : x > 0 ? far : -far;
  }
  constexpr double by_definition(int i) const {
    using enum op::coordinates;
    const double x = i, size = in, results = out;
    switch (p.coordinates) {
      case half_pixel: return (x + 0.5) / scale - 0.5;
      case half_pixel_symmetric: {
        const double adjustment = results / (scale * size), centre = size / 2;
        return centre * (1 - adjustment) + (x + 0.5) / scale - 0.5;
      }
      case pytorch_half_pixel: return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
      case align_corners: return out > 1 ? x * (size - 1) / (results - 1) : 0;
      case asymmetric: return x / scale;
      case tf_half_pixel_for_nn: return (x + 0.5) / scale;
      case tf_crop_and_resize: break;
    }
    const double start = p.roi[static_cast<std::size_t>(number)],
                 end = p.roi[static_cast<std::size_t>(number + p.axes)];
    return out > 1 ? start * (size - 1) + x * (end - start) * (size - 1) / (results - 1)
                   : 0.5 * (start + end) * (size - 1);
  }
  /// How TensorFlow Lite places bytes: between the first input and the last.
  constexpr float in_float(int i) const {
    const bool corners = p.coordinates == op::coordinates::align_corners && out != 1;
    const float step = static_cast<float>(corners ? in - 1 : in) / static_cast<float>(corners ? out - 1 : out);
    const float start = p.coordinates == op::coordinates::half_pixel ? 0.5f * step - 0.5f : 0.0f;
    const float x = static_cast<float>(i) * step + start, last = static_cast<float>(in - 1);
    return x < 0 ? 0 : x > last ? last : x;
  }
  constexpr double nearest(int i) const {
    const double x = original(i);
    switch (p.rounding) {
      case op::rounding::round_prefer_floor: return whole_above(x - 0.5);
      case op::rounding::round_prefer_ceil: return whole_below(x + 0.5);
      case op::rounding::floor: return whole_below(x);
      case op::rounding::ceil: return whole_above(x);
      case op::rounding::by_size: return scale < 1 ? whole_above(x) : whole_below(x);
      case op::rounding::torch: break;
    }
    const float step = p.size.at(number) != 0 ? static_cast<float>(in) / static_cast<float>(out)
                                              : 1.0f / static_cast<float>(p.scale.at(number));
    return whole_below(static_cast<double>(static_cast<float>(i) * step));
  }
  /// A filter stretched by 1 / shrink: what input j has to do with position x.
  constexpr double filter(std::int64_t j, double x, double shrink) const {
    if (p.exclude_outside && (j < 0 || j >= in)) return 0;
    const double d = (static_cast<double>(j) - x) * shrink, s = d < 0 ? -d : d;
    if (p.mode == op::interpolation::linear) return s < 1 ? 1 - s : 0;
    const auto a = static_cast<double>(p.cubic_a);  // Keys' filter
    return s <= 1  ? (a + 2) * s * s * s - (a + 3) * s * s + 1
           : s < 2 ? a * s * s * s - 5 * a * s * s + 8 * a * s - 4 * a
                   : 0;
  }
};

/// The inputs of one axis that a position is made of: from `first` on, those outside being the edge.
class position_along {
 public:
  constexpr position_along() = default;
  constexpr position_along(const op::interpolate& p, int axis, int in, int out, int i) : last_(in - 1) {
    const resized_axis along{p, axis, in, out};
    const double x = along.original(i);
    outside = p.crops() && (x < 0 || x > static_cast<double>(in - 1));
    if (p.mode == op::interpolation::nearest) {
      first_ = static_cast<std::int64_t>(along.nearest(i));
      weights_.push_back(1);
      return;
    }
    if (p.fraction_bits > 0) {  // weights as files of bytes have them, halves to even
      first_ = static_cast<std::int64_t>(x);
      const double one = static_cast<double>(1 << p.fraction_bits), exact = (x - static_cast<double>(first_)) * one;
      const double below = whole_below(exact), rest = exact - below;
      const bool odd = static_cast<std::int64_t>(below) % 2 != 0;
      const double second = (below + (rest > 0.5 || (rest == 0.5 && odd) ? 1 : 0)) / one;
      weights_.push_back(1 - second);
      weights_.push_back(second);
      return;
    }
    const double shrink = p.antialias && along.scale < 1 ? along.scale : 1;
    double reach = (p.mode == op::interpolation::cubic ? 2 : 1) / shrink, sum = 0;
    if (!(reach < 1e9)) reach = 1e9;
    first_ = static_cast<std::int64_t>(whole_above(x - reach));
    for (std::int64_t j = first_; static_cast<double>(j) <= x + reach; ++j) {
      weights_.push_back(along.filter(j, x, shrink));
      sum += weights_[weights_.size() - 1];
    }
    if ((p.antialias || p.exclude_outside) && sum != 0)
      for (double& w : weights_) w /= sum;
  }

  bool outside = false;  ///< gets the extrapolation value

  constexpr int count() const { return static_cast<int>(weights_.size()); }
  constexpr int index(int t) const {
    const std::int64_t j = first_ + t;
    return j < 0 ? 0 : j > last_ ? last_ : static_cast<int>(j);
  }
  constexpr double weight(int t) const { return weights_[static_cast<std::size_t>(t)]; }

 private:
  int last_ = 0;
  std::int64_t first_ = 0;
  pool<double> weights_;
};

}  // namespace detail

/// Floats are summed in double.
template <class T>
constexpr void run(const op::interpolate& p, const basic_arguments<T>& a) {
  using sum_type = std::conditional_t<std::is_same_v<T, float>, double, T>;
  const basic_tensor<const T>& x = a.in[0];
  const extents& y = a.out[0].shape;
  const int lead = y.rank - p.axes;
  pool<pool<detail::position_along>> positions;  // of each axis that gets another size
  for (int i = 0; i < p.axes; ++i) {
    positions.push_back({});
    for (int k = 0; k < y[lead + i]; ++k)
      positions[static_cast<std::size_t>(i)].push_back(detail::position_along(p, i, x.shape[lead + i], y[lead + i], k));
  }
  detail::for_each_place(y, [&](const detail::coordinates& at, std::int64_t place) {
    const auto along = [&](int i) -> const detail::position_along& {
      return positions[static_cast<std::size_t>(i)][static_cast<std::size_t>(at[static_cast<std::size_t>(lead + i)])];
    };
    bool outside = false;
    extents taps;
    for (int i = 0; i < p.axes; ++i) {
      outside = outside || along(i).outside;
      taps.push_back(along(i).count());
    }
    sum_type sum{};
    bool first = true;  // one number alone is itself: -0, too
    detail::for_each_place(taps, [&](const detail::coordinates& tap, std::int64_t) {
      detail::coordinates from = at;
      double weight = 1;
      for (int i = 0; i < p.axes; ++i) {
        from[static_cast<std::size_t>(lead + i)] = along(i).index(tap[static_cast<std::size_t>(i)]);
        weight *= along(i).weight(tap[static_cast<std::size_t>(i)]);
      }
      if (weight == 0) return;
      const auto term = static_cast<sum_type>(weight) * static_cast<sum_type>(x.data[detail::place_of(x.shape, from)]);
      sum = first ? term : sum + term;
      first = false;
    });
    a.out[0].data[place] = outside ? static_cast<T>(p.extrapolation) : static_cast<T>(sum);
  });
}

}  // namespace ctnn::ir::reference
