// SPDX-License-Identifier: BSL-1.0
// Values between the elements: for each axis and output position a few inputs and their weights, combined axis by axis.
#pragma once

#include "../../graph/operators/sampling.hpp"
#include "../../graph/operators/windows.hpp"
#include "elementwise.hpp"
#include "pointwise.hpp"

namespace ctnn::typed {

/// Weights of inputs; index -1 stands for zero.
struct sample_tap {
  std::int64_t index;
  double weight;
};

inline double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// Where output position i of an axis lies in the input.
inline double original_position(const op::resize& p, int axis, int i, int in, int out) {
  const auto k = static_cast<std::size_t>(axis);
  const double scale = p.scales[k], x = i;
  using enum op::resize_coordinates;
  switch (p.coordinates) {
    case half_pixel: return (x + 0.5) / scale - 0.5;
    case half_pixel_symmetric: {
      const double adjustment = out / (scale * in), centre = in / 2.0;
      return centre * (1 - adjustment) + (x + 0.5) / scale - 0.5;
    }
    case pytorch_half_pixel: return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
    case align_corners: return out > 1 ? x * (in - 1) / (out - 1) : 0;
    case asymmetric: return x / scale;
    case tf_half_pixel_for_nn: return (x + 0.5) / scale;
    case tf_crop_and_resize: {
      const double start = p.roi[k], end = p.roi[k + p.sizes.size()];
      return out > 1 ? start * (in - 1) + x * (end - start) * (in - 1) / (out - 1) : 0.5 * (start + end) * (in - 1);
    }
  }
  return x;
}

/// The taps of one output position; `outside` tells that it gets the extrapolation value.
inline void resize_taps(const op::resize& p, int axis, int i, int in, int out, std::vector<sample_tap>& taps, bool& outside) {
  double x = original_position(p, axis, i, in, out);
  if (!(std::abs(x) < 1e9)) x = x > 0 ? 1e9 : -1e9;  // a region far away, or no number
  outside = p.coordinates == op::resize_coordinates::tf_crop_and_resize && (x < 0 || x > in - 1);
  taps.clear();
  const auto inside = [&](std::int64_t j) { return j < 0 ? 0 : (j >= in ? in - 1 : j); };
  if (p.mode == op::resize_mode::nearest) {
    double r = 0;
    using enum op::resize_rounding;
    switch (p.rounding) {
      case round_prefer_floor: r = std::ceil(x - 0.5); break;
      case round_prefer_ceil: r = std::floor(x + 0.5); break;
      case floor: r = std::floor(x); break;
      case ceil: r = std::ceil(x); break;
      case by_size: r = p.scales[static_cast<std::size_t>(axis)] < 1 ? std::ceil(x) : std::floor(x); break;
    }
    taps.push_back({inside(static_cast<std::int64_t>(r)), 1});
    return;
  }
  // Filters are stretched over more inputs when sampling down with antialias.
  const double shrink = p.antialias ? std::min(p.scales[static_cast<std::size_t>(axis)], 1.0) : 1;
  const double reach = (p.mode == op::resize_mode::cubic ? 2 : 1) / shrink;
  const auto base = static_cast<std::int64_t>(std::floor(x));
  const std::int64_t first = static_cast<std::int64_t>(std::floor(-reach)) + 1, last = 1 - first;
  double sum = 0;
  for (std::int64_t j = base + first; j <= base + last; ++j) {
    const double d = (static_cast<double>(j) - x) * shrink;
    double w = p.mode == op::resize_mode::cubic ? cubic_weight(d, static_cast<double>(p.cubic_a)) : std::max(0.0, 1 - std::abs(d));
    if (p.exclude_outside && (j < 0 || j >= in)) w = 0;
    sum += w;
    if (w != 0) taps.push_back({inside(j), w});
  }
  if ((p.exclude_outside || p.antialias) && sum != 0)
    for (sample_tap& t : taps) t.weight /= sum;
}

inline void run(const op::resize& p, const arguments& a) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  if (y.count() == 0) return;
  in_floats(a, [&](const arguments& b) {
    visit_element(p.name, b.in[0].type, [&]<class T>(tag<T>) {
      using real = std::conditional_t<std::is_same_v<T, float>, float, double>;
      std::vector<real> now(elements<T>(b.in[0]), elements<T>(b.in[0]) + x.count()), next;
      std::vector<bool> outside(static_cast<std::size_t>(y.count()), false);
      bool any_outside = false;
      extents shape = x;
      std::vector<sample_tap> taps;
      for (int axis = 0; axis < x.rank; ++axis) {
        const bool crop = p.coordinates == op::resize_coordinates::tf_crop_and_resize;
        if (x[axis] == y[axis] && p.scales[static_cast<std::size_t>(axis)] == 1 && !crop) continue;
        const std::int64_t outer = shape.count(0, axis), inner = shape.count(axis + 1, shape.rank), in = x[axis], out = y[axis];
        next.assign(static_cast<std::size_t>(outer * out * inner), real{});
        for (std::int64_t i = 0; i < out; ++i) {
          bool gone = false;
          resize_taps(p, axis, static_cast<int>(i), x[axis], y[axis], taps, gone);
          for (std::int64_t o = 0; o < outer; ++o) {
            real* to = next.data() + (o * out + i) * inner;
            for (const sample_tap& t : taps) {
              const real* from = now.data() + (o * in + t.index) * inner;
              const real w = static_cast<real>(t.weight);
              for (std::int64_t r = 0; r < inner; ++r) to[r] += w * from[r];
            }
          }
          if (!gone) continue;
          any_outside = true;
          const around s(y, axis);
          for (std::int64_t o = 0; o < s.outer; ++o)
            for (std::int64_t r = 0; r < s.inner; ++r) outside[static_cast<std::size_t>((o * s.size + i) * s.inner + r)] = true;
        }
        shape[axis] = y[axis];
        now.swap(next);
      }
      T* to = elements<T>(b.out[0]);
      for (std::size_t i = 0; i < now.size(); ++i) {
        real v = any_outside && outside[i] ? static_cast<real>(p.extrapolation) : now[i];
        if constexpr (std::is_integral_v<T>)
          if (p.mode != op::resize_mode::nearest) v = std::nearbyint(v);
        to[i] = saturated<T>(v);
      }
    });
  });
}

/// x mirrored into [low, high].
inline double reflected(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  if (x < low) {
    const double d = low - x, n = std::trunc(d / range), r = d - n * range;
    return std::fmod(n, 2) == 0 ? low + r : high - r;
  }
  if (x > high) {
    const double d = x - high, n = std::trunc(d / range), r = d - n * range;
    return std::fmod(n, 2) == 0 ? high - r : low + r;
  }
  return x;
}

inline void run(const op::grid_sample& p, const arguments& a) {
  const extents &x = a.in[0].shape, &g = a.in[1].shape;
  const int axes = x.rank - 2;
  const std::int64_t plane = x.count(2, x.rank), points = g.count(1, g.rank - 1);
  struct tap {
    std::int64_t offset;
    double weight;
  };
  std::vector<tap> taps, wider;
  // The taps along one axis for a coordinate of -1 to 1.
  const auto along = [&](double v, int size, std::vector<sample_tap>& out) {
    out.clear();
    const double low = p.align_corners ? 0 : -0.5, high = p.align_corners ? size - 1.0 : size - 0.5;
    double at = p.align_corners ? (v + 1) / 2 * (size - 1) : ((v + 1) * size - 1) / 2;
    if (!(std::abs(at) < 1e9)) at = at > 0 ? 1e9 : -1e9;  // far away, or no number
    const auto place = [&](std::int64_t i) -> std::int64_t {
      if (i >= 0 && i < size) return i;
      if (p.padding == op::grid_padding::zeros) return -1;
      if (p.padding == op::grid_padding::border) return i < 0 ? 0 : size - 1;
      const auto r = static_cast<std::int64_t>(reflected(static_cast<double>(i), low, high));
      return std::clamp<std::int64_t>(r, 0, size - 1);
    };
    if (p.mode == op::resize_mode::nearest) at = std::nearbyint(at);
    if (at < low || at > high) {
      if (p.padding == op::grid_padding::border) at = std::clamp(at, 0.0, size - 1.0);
      if (p.padding == op::grid_padding::reflection) at = reflected(at, low, high);
    }
    const double base = std::floor(at), t = at - base;
    const auto i = static_cast<std::int64_t>(base);
    if (p.mode == op::resize_mode::nearest) {
      out.push_back({place(static_cast<std::int64_t>(at)), 1});
    } else if (p.mode == op::resize_mode::linear) {
      out.push_back({place(i), 1 - t});
      out.push_back({place(i + 1), t});
    } else {
      for (int k = -1; k <= 2; ++k) out.push_back({place(i + k), cubic_weight(t - k, -0.75)});
    }
  };
  std::vector<double> grid(static_cast<std::size_t>(g.count()));
  const arguments only_grid{a.in.subspan(1, 1), {}, {}};
  for_floating(p.name, only_grid, [&]<class G>(const arguments& b, tag<G>) { std::copy_n(elements<G>(b.in[0]), grid.size(), grid.begin()); });
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    std::vector<sample_tap> own;
    for (std::int64_t n = 0; n < x[0]; ++n)
      for (std::int64_t i = 0; i < points; ++i) {
        const double* at = grid.data() + (n * points + i) * axes;
        taps.assign(1, {0, 1});
        for (int d = 0; d < axes; ++d) {
          along(at[axes - 1 - d], x[d + 2], own);
          wider.clear();
          for (const tap& t : taps)
            for (const sample_tap& o : own)
              if (o.index >= 0) wider.push_back({t.offset + o.index * x.count(d + 3, x.rank), t.weight * o.weight});
          taps.swap(wider);
        }
        for (std::int64_t c = 0; c < x[1]; ++c) {
          const T* from = elements<T>(b.in[0]) + (n * x[1] + c) * plane;
          double sum = 0;
          for (const tap& t : taps) sum += t.weight * static_cast<double>(from[t.offset]);
          elements<T>(b.out[0])[(n * x[1] + c) * points + i] = static_cast<T>(sum);
        }
      }
  });
}

inline void run(const op::affine_grid& p, const arguments& a) {
  const int axes = static_cast<int>(p.size.size()) - 2;
  const extents& y_shape = a.out[0].shape;
  const std::int64_t points = y_shape.count(1, 1 + axes);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    for (std::int64_t n = 0; n < y_shape[0]; ++n) {
      const T* theta = elements<T>(b.in[0]) + n * axes * (axes + 1);
      for (std::int64_t i = 0; i < points; ++i) {
        double at[3]{};  // x first
        std::int64_t rest = i;
        for (int d = axes - 1; d >= 0; --d) {
          const int size = y_shape[1 + d];
          const double k = static_cast<double>(rest % size);
          rest /= size;
          at[axes - 1 - d] = !p.align_corners ? (2 * k + 1) / size - 1 : size > 1 ? 2 * k / (size - 1) - 1 : 0;
        }
        for (int r = 0; r < axes; ++r) {
          double sum = static_cast<double>(theta[r * (axes + 1) + axes]);
          for (int c = 0; c < axes; ++c) sum += static_cast<double>(theta[r * (axes + 1) + c]) * at[c];
          *y++ = static_cast<T>(sum);
        }
      }
    }
  });
}

/// Four neighbours of a point and their weights; all 0 outside.
struct four_taps {
  std::int64_t offset[4]{};
  double weight[4]{};
  four_taps(double y, double x, int height, int width) {
    if (!(y >= -1 && y <= height && x >= -1 && x <= width)) return;
    y = std::max(y, 0.0);
    x = std::max(x, 0.0);
    int top = static_cast<int>(y), left = static_cast<int>(x), bottom = top + 1, right = left + 1;
    if (top >= height - 1) y = top = bottom = height - 1;
    if (left >= width - 1) x = left = right = width - 1;
    const double v = y - top, u = x - left;
    const int rows[] = {top, top, bottom, bottom}, columns[] = {left, right, left, right};
    const double weights[] = {(1 - v) * (1 - u), (1 - v) * u, v * (1 - u), v * u};
    for (int i = 0; i < 4; ++i) {
      offset[i] = std::int64_t{rows[i]} * width + columns[i];
      weight[i] = weights[i];
    }
  }
};

inline void run(const op::roi_align& p, const arguments& a) {
  const extents& x = a.in[0].shape;
  const int height = x[2], width = x[3];
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    std::vector<four_taps> taps;
    for (std::int64_t r = 0; r < b.in[1].shape[0]; ++r) {
      const T* roi = elements<T>(b.in[1]) + r * 4;
      const std::int64_t image = index_at(p.name, b.in[2], r, x[0]);
      const double half = p.half_pixel ? 0.5 : 0, scale = static_cast<double>(p.scale);
      double start[2], cell[2];
      std::int64_t samples[2];
      for (int i = 0; i < 2; ++i) {  // y, x
        start[i] = static_cast<double>(roi[1 - i]) * scale - half;
        double size = static_cast<double>(roi[3 - i]) * scale - half - start[i];
        if (!p.half_pixel) size = std::max(size, 1.0);
        cell[i] = size / p.size[static_cast<std::size_t>(i)];
        const double wanted = p.samples > 0 ? p.samples : std::ceil(cell[i]);
        samples[i] = wanted > 0 && wanted < 1e4 ? static_cast<std::int64_t>(wanted) : 0;
      }
      if (samples[0] * samples[1] > 1 << 20)
        throw error("operator 'roi_align': region " + std::to_string(r) + " needs " + std::to_string(samples[0] * samples[1]) + " samples a cell");
      const double count = static_cast<double>(std::max<std::int64_t>(samples[0] * samples[1], 1));
      for (int cy = 0; cy < p.size[0]; ++cy)
        for (int cx = 0; cx < p.size[1]; ++cx) {
          taps.clear();
          for (std::int64_t i = 0; i < samples[0]; ++i)
            for (std::int64_t j = 0; j < samples[1]; ++j)
              taps.emplace_back(start[0] + (cy + (static_cast<double>(i) + 0.5) / static_cast<double>(samples[0])) * cell[0],
                                start[1] + (cx + (static_cast<double>(j) + 0.5) / static_cast<double>(samples[1])) * cell[1], height, width);
          for (std::int64_t c = 0; c < x[1]; ++c) {
            const T* from = elements<T>(b.in[0]) + (image * x[1] + c) * height * width;
            double sum = 0, top = -std::numeric_limits<double>::infinity();
            for (const four_taps& t : taps)
              for (int i = 0; i < 4; ++i) {
                const double v = t.weight[i] * static_cast<double>(from[t.offset[i]]);
                sum += v;
                top = std::max(top, v);
              }
            y[((r * x[1] + c) * p.size[0] + cy) * p.size[1] + cx] = static_cast<T>(p.maximum ? (taps.empty() ? 0 : top) : sum / count);
          }
        }
    }
  });
}

inline void run(const op::deform_conv& p, const arguments& a) {
  const extents &x = a.in[0].shape, &w = a.in[1].shape, &y = a.out[0].shape;
  const int taps = w[2] * w[3];
  const std::int64_t plane = std::int64_t{y[2]} * y[3], image = std::int64_t{x[2]} * x[3];
  const std::int64_t per_offset = x[1] / p.offset_groups, group_out = w[0] / p.groups;
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T* offset = elements<T>(b.in[2]);
    const T* bias = p.bias ? elements<T>(b.in[3]) : nullptr;
    const T* mask = p.mask ? elements<T>(b.in.back()) : nullptr;
    std::vector<double> column(static_cast<std::size_t>(std::int64_t{x[1]} * taps));
    for (std::int64_t n = 0; n < x[0]; ++n)
      for (std::int64_t at = 0; at < plane; ++at) {
        for (int t = 0; t < taps; ++t)
          for (std::int64_t g = 0; g < p.offset_groups; ++g) {
            const std::int64_t k = (n * p.offset_groups + g) * taps + t;
            const double dy = static_cast<double>(offset[2 * k * plane + at]), dx = static_cast<double>(offset[(2 * k + 1) * plane + at]);
            const double top = static_cast<double>(at / y[3] * p.stride_at(0) + std::int64_t{t / w[3]} * p.dilation_at(0)) - p.padding_at(0, x[2], w[2])[0] + dy;
            const double left = static_cast<double>(at % y[3] * p.stride_at(1) + std::int64_t{t % w[3]} * p.dilation_at(1)) - p.padding_at(1, x[3], w[3])[0] + dx;
            const double strength = mask ? static_cast<double>(mask[k * plane + at]) : 1;
            // Bilinear, with zeros around the image.
            sample_tap neighbours[4];
            const double fy = std::floor(top), fx = std::floor(left);
            for (int i = 0; i < 4; ++i) {
              const double r = fy + i / 2, c = fx + i % 2;
              const bool inside = r >= 0 && r < x[2] && c >= 0 && c < x[3];
              neighbours[i] = {inside ? static_cast<std::int64_t>(r) * x[3] + static_cast<std::int64_t>(c) : -1,
                               (1 - std::abs(top - r)) * (1 - std::abs(left - c)) * strength};
            }
            for (std::int64_t c = g * per_offset; c < (g + 1) * per_offset; ++c) {
              const T* from = elements<T>(b.in[0]) + (n * x[1] + c) * image;
              double v = 0;
              for (const sample_tap& s : neighbours)
                if (s.index >= 0) v += s.weight * static_cast<double>(from[s.index]);
              column[static_cast<std::size_t>(c * taps + t)] = v;
            }
          }
        for (std::int64_t o = 0; o < w[0]; ++o) {
          const T* row = elements<T>(b.in[1]) + o * w[1] * taps;
          const double* from = column.data() + o / group_out * w[1] * taps;
          double sum = bias ? static_cast<double>(bias[o]) : 0;
          for (std::int64_t i = 0; i < std::int64_t{w[1]} * taps; ++i) sum += static_cast<double>(row[i]) * from[i];
          elements<T>(b.out[0])[(n * w[0] + o) * plane + at] = static_cast<T>(sum);
        }
      }
  });
}

}  // namespace ctnn::typed
