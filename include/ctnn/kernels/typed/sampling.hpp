// SPDX-License-Identifier: BSL-1.0
// Values between the elements: for each axis and output position a few inputs and their weights, combined axis by axis.
#pragma once

#include "../../graph/operators/sampling.hpp"
#include "../../graph/operators/windows.hpp"
#include "../walks/interpolation_walk.hpp"
#include "elementwise.hpp"
#include "pointwise.hpp"
#include "windows.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

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

inline void run(const op::interpolate& p, const arguments& a) {
  visit_element(p.name, a.in[0].type, [&]<class T>(tag<T>) {
    using real = std::conditional_t<std::is_same_v<T, float>, float, double>;
    interpolate_planes<T, real>(p, a, [&](real v) {
      if constexpr (!std::is_integral_v<T>) return saturated<T>(v);
      else return saturated<T>(p.fraction_bits > 0 ? std::floor(v + real{0.5}) : std::nearbyint(v));
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

inline void run(const op::grid_sample& p, const arguments& a, scratch_memory memory) {
  const extents &x = a.in[0].shape, &g = a.in[1].shape;
  const int axes = x.rank - 2;
  const std::int64_t plane = x.count(2, x.rank), points = g.count(1, g.rank - 1);
  struct tap {
    std::int64_t offset;
    double weight;
  };
  static_vector<tap, 64> taps, wider;  // four for each of three axes
  // The taps along one axis for a coordinate of -1 to 1.
  const auto along = [&](double v, int size, static_vector<sample_tap, 4>& out) {
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
    if (p.mode == op::interpolation::nearest) at = std::nearbyint(at);
    if (at < low || at > high) {
      if (p.padding == op::grid_padding::border) at = std::clamp(at, 0.0, size - 1.0);
      if (p.padding == op::grid_padding::reflection) at = reflected(at, low, high);
    }
    const double base = std::floor(at), t = at - base;
    const auto i = static_cast<std::int64_t>(base);
    if (p.mode == op::interpolation::nearest) {
      out.push_back({place(static_cast<std::int64_t>(at)), 1});
    } else if (p.mode == op::interpolation::linear) {
      out.push_back({place(i), 1 - t});
      out.push_back({place(i + 1), t});
    } else {
      for (int k = -1; k <= 2; ++k) out.push_back({place(i + k), cubic_weight(t - k, -0.75)});
    }
  };
  const std::span<double> grid = memory.take<double>(g.count());
  const arguments only_grid{a.in.subspan(1, 1), {}, {}};
  for_floating(p.name, only_grid, [&]<class G>(const arguments& b, tag<G>) {
    std::copy_n(elements<G>(b.in[0]), grid.size(), grid.begin());
  });
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    static_vector<sample_tap, 4> own;
    for (std::int64_t n = 0; n < x[0]; ++n)
      for (std::int64_t i = 0; i < points; ++i) {
        const double* at = grid.data() + (n * points + i) * axes;
        taps = {{0, 1}};
        for (int d = 0; d < axes; ++d) {
          along(at[axes - 1 - d], x[d + 2], own);
          wider.clear();
          for (const tap& t : taps)
            for (const sample_tap& o : own)
              if (o.index >= 0) wider.push_back({t.offset + o.index * x.count(d + 3, x.rank), t.weight * o.weight});
          taps = wider;
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

inline void run(const op::roi_align& p, const arguments& a, scratch_memory memory) {
  const extents& x = a.in[0].shape;
  const int height = x[2], width = x[3];
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    const std::span<double> sums = memory.take<double>(x[1]), tops = memory.take<double>(x[1]);
    for (std::int64_t r = 0; r < b.in[1].shape[0]; ++r) {
      const T* roi = elements<T>(b.in[1]) + r * 4;
      const std::int64_t image = index_at(p.name, b.in[2], r, x[0]);
      const double half = p.half_pixel ? 0.5 : 0, scale = static_cast<double>(p.spatial_scale);
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
        refuse_at_run_time(p.name, "region % needs % samples a cell", r, samples[0] * samples[1]);
      const double count = static_cast<double>(std::max<std::int64_t>(samples[0] * samples[1], 1));
      for (int cy = 0; cy < p.size[0]; ++cy)
        for (int cx = 0; cx < p.size[1]; ++cx) {
          std::fill(sums.begin(), sums.end(), 0.0);
          std::fill(tops.begin(), tops.end(),
                    samples[0] * samples[1] == 0 ? 0.0 : -std::numeric_limits<double>::infinity());
          for (std::int64_t i = 0; i < samples[0]; ++i)
            for (std::int64_t j = 0; j < samples[1]; ++j) {
              const four_taps t(
                  start[0] + (cy + (static_cast<double>(i) + 0.5) / static_cast<double>(samples[0])) * cell[0],
                  start[1] + (cx + (static_cast<double>(j) + 0.5) / static_cast<double>(samples[1])) * cell[1], height,
                  width);
              const T* from = elements<T>(b.in[0]) + image * x[1] * height * width;
              for (std::size_t c = 0; c < sums.size(); ++c, from += std::int64_t{height} * width)
                for (int k = 0; k < 4; ++k) {
                  const double v = t.weight[k] * static_cast<double>(from[t.offset[k]]);
                  sums[c] += v;
                  tops[c] = std::max(tops[c], v);
                }
            }
          for (std::size_t c = 0; c < sums.size(); ++c)
            y[((r * x[1] + static_cast<std::int64_t>(c)) * p.size[0] + cy) * p.size[1] + cx] =
                static_cast<T>(p.maximum ? tops[c] : sums[c] / count);
        }
    }
  });
}

inline void run(const op::roi_pool& p, const arguments& a) {
  const extents& x = a.in[0].shape;
  const std::int64_t plane = std::int64_t{x[2]} * x[3];
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    for (std::int64_t r = 0; r < b.in[1].shape[0]; ++r) {
      const T* roi = elements<T>(b.in[1]) + r * 5;
      const double which = static_cast<double>(roi[0]);
      if (!(which >= 0 && which < x[0]))
        refuse_at_run_time(p.name, "image % of a region is none of %", saturated<std::int64_t>(which), x[0]);
      const auto image = static_cast<std::int64_t>(which);
      // Pixels of a cell, in f32 as others have it: the last may end a pixel further than the region.
      const auto pixels = [&](int axis, int cell) {
        const auto edge = [&](int i) {
          return saturated<int>(std::round(static_cast<double>(static_cast<float>(roi[i]) * p.spatial_scale)));
        };
        const std::int64_t from = edge(2 - axis), size = std::max<std::int64_t>(edge(4 - axis) - from + 1, 1);
        const float each = static_cast<float>(size) / static_cast<float>(p.size[static_cast<std::size_t>(axis)]);
        const auto at = [&](float place) {
          return std::clamp<std::int64_t>(saturated<std::int64_t>(static_cast<double>(place)) + from, 0, x[axis + 2]);
        };
        return std::pair(at(std::floor(static_cast<float>(cell) * each)),
                         at(std::ceil(static_cast<float>(cell + 1) * each)));
      };
      for (std::int64_t c = 0; c < x[1]; ++c) {
        const T* from = elements<T>(b.in[0]) + (image * x[1] + c) * plane;
        for (int cy = 0; cy < p.size[0]; ++cy)
          for (int cx = 0; cx < p.size[1]; ++cx) {
            const auto [top, bottom] = pixels(0, cy);
            const auto [left, right] = pixels(1, cx);
            const bool empty = top >= bottom || left >= right;
            double most = empty ? 0 : -std::numeric_limits<double>::infinity();
            for (std::int64_t i = top; i < bottom; ++i)
              for (std::int64_t j = left; j < right; ++j)
                most = std::max(most, static_cast<double>(from[i * x[3] + j]));
            *y++ = static_cast<T>(most);
          }
      }
    }
  });
}

inline void run(const op::deform_conv& p, const arguments& a, scratch_memory memory) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  const extents w{p.out, x[1] / p.groups, p.kernel[0], p.kernel[1]};
  const int taps = w[2] * w[3];
  const margins pad = p.padding(x);
  const std::int64_t plane = std::int64_t{y[2]} * y[3], image = std::int64_t{x[2]} * x[3];
  const std::int64_t per_offset = x[1] / p.offset_groups, group_out = w[0] / p.groups;
  for_floating_weights(p, a, [&]<class T>(const arguments& b, const auto& weights, tag<T>) {
    const T* offset = elements<T>(b.in[1]);
    const T* bias = p.bias ? weights[1] : nullptr;
    const T* mask = b.in.size() == 3 ? elements<T>(b.in[2]) : nullptr;
    const std::span<double> column = memory.take<double>(std::int64_t{x[1]} * taps);
    for (std::int64_t n = 0; n < x[0]; ++n)
      for (std::int64_t at = 0; at < plane; ++at) {
        for (int t = 0; t < taps; ++t)
          for (std::int64_t g = 0; g < p.offset_groups; ++g) {
            const std::int64_t k = (n * p.offset_groups + g) * taps + t;
            const double dy = static_cast<double>(offset[2 * k * plane + at]),
                         dx = static_cast<double>(offset[(2 * k + 1) * plane + at]);
            const double top =
                static_cast<double>(at / y[3] * p.stride[0] + std::int64_t{t / w[3]} * p.dilation[0]) - pad[0] + dy;
            const double left =
                static_cast<double>(at % y[3] * p.stride[1] + std::int64_t{t % w[3]} * p.dilation[1]) - pad[1] + dx;
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
          const T* row = weights[0] + o * w[1] * taps;
          const double* from = column.data() + o / group_out * w[1] * taps;
          double sum = bias ? static_cast<double>(bias[o]) : 0;
          for (std::int64_t i = 0; i < std::int64_t{w[1]} * taps; ++i) sum += static_cast<double>(row[i]) * from[i];
          elements<T>(b.out[0])[(n * w[0] + o) * plane + at] = static_cast<T>(sum);
        }
      }
    activate<T>(p.activation, b.out[0]);
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
