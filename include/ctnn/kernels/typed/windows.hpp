// SPDX-License-Identifier: BSL-1.0
// Convolutions and pooling over any number of axes, plain: taps are found once for each axis and position.
#pragma once

#include "../../graph/operators/windows.hpp"
#include "elementwise.hpp"

namespace ctnn::typed {

/// One axis: which taps of window w lie inside the input, and where.
struct axis_taps {
  std::int64_t windows, kernel, size, stride, dilation, before;
  axis_taps(const op::sliding& p, int axis, int extent, int taps, int count)
      : windows(count), kernel(taps), size(extent), stride(p.stride_at(axis)), dilation(p.dilation_at(axis)), before(p.padding_at(axis, extent, taps)[0]) {}
  std::int64_t start(std::int64_t w) const { return w * stride - before; }
  std::int64_t first(std::int64_t w) const { return start(w) >= 0 ? 0 : std::min(kernel, (-start(w) + dilation - 1) / dilation); }
  std::int64_t last(std::int64_t w) const { return start(w) >= size ? 0 : std::min(kernel, (size - 1 - start(w)) / dilation + 1); }
};

/// All windows of a plane and their taps inside the input.
class plane_windows {
 public:
  template <class Kernel>
  plane_windows(const op::sliding& p, const extents& x, Kernel kernel, const extents& y) : axes_(x.rank - 2) {
    for (int i = 0; i < axes_; ++i) {
      taps_.emplace_back(p, i, x[i + 2], kernel(i), y[i + 2]);
      stride_[i] = x.count(i + 3, x.rank);
      kernel_size_ *= taps_.back().kernel;
      window_count_ *= y[i + 2];
    }
  }
  std::int64_t windows() const { return window_count_; }
  std::int64_t taps() const { return kernel_size_; }

  struct tap {
    std::int64_t number, offset;
  };
  /// The taps of window w that are inside the input.
  const std::vector<tap>& inside(std::int64_t w) {
    std::int64_t at[max_rank]{};
    for (int i = axes_ - 1; i >= 0; --i) {
      at[i] = w % taps_[static_cast<std::size_t>(i)].windows;
      w /= taps_[static_cast<std::size_t>(i)].windows;
    }
    offsets_.assign(1, {0, 0});
    for (int i = 0; i < axes_; ++i) {
      const axis_taps& a = taps_[static_cast<std::size_t>(i)];
      const std::int64_t first = a.first(at[i]), last = a.last(at[i]), start = a.start(at[i]);
      wider_.clear();
      for (const tap& t : offsets_)
        for (std::int64_t k = first; k < last; ++k) wider_.push_back({t.number * a.kernel + k, t.offset + (start + k * a.dilation) * stride_[i]});
      offsets_.swap(wider_);
    }
    return offsets_;
  }

 private:
  int axes_;
  std::vector<axis_taps> taps_;
  std::int64_t stride_[max_rank]{}, kernel_size_ = 1, window_count_ = 1;
  std::vector<tap> offsets_, wider_;
};

/// y[n][o][window] = start(o) + sum of value(x) * value(weight); Sum is what products are added in.
template <class Sum, class X, class W, class XValue, class WValue, class Store>
void convolve(const op::convolution& p, const extents& x_shape, const extents& w_shape, const extents& y_shape, const X* x, const W* w,
              XValue x_value, WValue w_value, Store store) {
  plane_windows windows(p, x_shape, [&](int i) { return w_shape[i + 2]; }, y_shape);
  const std::int64_t plane = x_shape.count(2, x_shape.rank), taps = windows.taps(), outs = w_shape[0], per_group = w_shape[1];
  const std::int64_t group_outs = outs / p.groups;
  std::vector<Sum> column;
  std::vector<std::int64_t> numbers;
  for (std::int64_t n = 0; n < x_shape[0]; ++n)
    for (std::int64_t at = 0; at < windows.windows(); ++at) {
      const auto& inside = windows.inside(at);
      for (std::int64_t g = 0; g < p.groups; ++g) {
        // The window's inputs of one group, then one row of weights after the other.
        column.clear();
        numbers.clear();
        for (std::int64_t c = 0; c < per_group; ++c)
          for (const auto& t : inside) {
            column.push_back(x_value(x[(n * x_shape[1] + g * per_group + c) * plane + t.offset]));
            numbers.push_back(c * taps + t.number);
          }
        for (std::int64_t o = g * group_outs; o < (g + 1) * group_outs; ++o) {
          const W* row = w + o * per_group * taps;
          Sum sum{};
          for (std::size_t i = 0; i < column.size(); ++i) sum += column[i] * w_value(o, row[numbers[i]]);
          store((n * outs + o) * windows.windows() + at, o, sum);
        }
      }
    }
}

inline void run(const op::convolution& p, const arguments& a) {
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    const T* bias = b.in.size() == 3 ? elements<T>(b.in[2]) : nullptr;
    T* y = elements<T>(b.out[0]);
    convolve<T>(p, b.in[0].shape, b.in[1].shape, b.out[0].shape, elements<T>(b.in[0]), elements<T>(b.in[1]), [](T v) { return v; },
                [](std::int64_t, T v) { return v; },
                [&](std::int64_t i, std::int64_t o, T sum) { y[i] = bias ? sum + bias[o] : sum; });
  });
}

inline void run(const op::conv_transpose& p, const arguments& a) {
  const extents &x = a.in[0].shape, &w = a.in[1].shape, &out = a.out[0].shape;
  const int axes = x.rank - 2;
  const std::int64_t in_plane = x.count(2, x.rank), taps = w.count(2, w.rank), plane = out.count(2, out.rank);
  const std::int64_t group_in = x[1] / p.groups, group_out = w[1];
  // The innermost axis, and the others as rows.
  const int last = axes - 1;
  const std::int64_t width = x.back(0), rows = in_plane / width, stride = p.stride_at(last);
  const std::int64_t pad = p.geometry(last, x.back(0), w.back(0))[0];
  // Where row r goes under the tap's outer indices; -1: outside.
  const auto row_offset = [&](std::int64_t r, std::int64_t tap) {
    std::int64_t offset = 0;
    tap /= w.back(0);
    for (int d = last - 1; d >= 0; --d) {
      const std::int64_t to = r % x[d + 2] * p.stride_at(d) + tap % w[d + 2] * p.dilation_at(d) - p.geometry(d, x[d + 2], w[d + 2])[0];
      if (to < 0 || to >= out[d + 2]) return std::int64_t{-1};
      offset += to * out.count(d + 3, out.rank);
      r /= x[d + 2];
      tap /= w[d + 2];
    }
    return offset;
  };
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    for (std::int64_t i = 0; i < out.count(); ++i) y[i] = b.in.size() == 3 ? elements<T>(b.in[2])[i / plane % out[1]] : T{0};
    for (std::int64_t t = 0; t < taps; ++t) {
      const std::int64_t shift = t % w.back(0) * p.dilation_at(last) - pad;
      const std::int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
      const std::int64_t end = std::min(width, out.back(0) - 1 - shift < 0 ? 0 : (out.back(0) - 1 - shift) / stride + 1);
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t to = row_offset(r, t);
        if (to < 0) continue;
        for (std::int64_t n = 0; n < x[0]; ++n)
          for (std::int64_t c = 0; c < x[1]; ++c) {
            const T* from = elements<T>(b.in[0]) + (n * x[1] + c) * in_plane + r * width;
            const T* weight = elements<T>(b.in[1]) + c * group_out * taps + t;
            T* target = y + (n * out[1] + c / group_in * group_out) * plane + to + shift;
            for (std::int64_t o = 0; o < group_out; ++o, target += plane, weight += taps)
              for (std::int64_t i = begin; i < end; ++i) target[i * stride] += *weight * from[i];
          }
      }
    }
  });
}

inline void run(const op::pool_nd& p, const arguments& a) {
  const extents &x = a.in[0].shape, &y_shape = a.out[0].shape;
  plane_windows windows(p, x, [&](int i) { return p.kernel[static_cast<std::size_t>(i)]; }, y_shape);
  const std::int64_t plane = x.count(2, x.rank), planes = std::int64_t{x[0]} * x[1];
  // How many cells count in an average: with padding those inside the padded input.
  const auto cells = [&](std::int64_t w, std::size_t inside) {
    if (!p.count_include_pad) return static_cast<double>(inside);
    double n = 1;
    for (int i = x.rank - 3; i >= 0; --i) {
      const auto k = static_cast<std::size_t>(i);
      const std::int64_t at = w % y_shape[i + 2];
      w /= y_shape[i + 2];
      const auto pad = p.padding_at(i, x[i + 2], p.kernel[k]);
      std::int64_t count = 0;
      const std::int64_t room = x[i + 2] + pad[1] - (at * p.stride_at(i) - pad[0]);
      if (room > 0) count = std::min<std::int64_t>(p.kernel[k], (room - 1) / p.dilation_at(i) + 1);
      n *= static_cast<double>(count);
    }
    return n;
  };
  // The position of a plane's element if the plane were stored with its axes in reverse order.
  const auto column_major = [&](std::int64_t offset) {
    std::int64_t out = 0;
    for (int i = x.rank - 1; i >= 2; --i) {
      out += offset % x[i] * x.count(2, i);
      offset /= x[i];
    }
    return out;
  };
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    for (std::int64_t w = 0; w < windows.windows(); ++w) {
      const auto& inside = windows.inside(w);
      const double divisor = p.function == op::pool_function::average ? cells(w, inside.size()) : 1;
      for (std::int64_t c = 0; c < planes; ++c) {
        const T* from = elements<T>(b.in[0]) + c * plane;
        const std::int64_t to = c * windows.windows() + w;
        T& y = elements<T>(b.out[0])[to];
        if (p.function == op::pool_function::max) {
          std::int64_t best = inside.empty() ? -1 : inside[0].offset;
          for (const auto& t : inside)
            if (from[t.offset] > from[best]) best = t.offset;
          y = best < 0 ? std::numeric_limits<T>::lowest() : from[best];
          if (p.indices) elements<std::int64_t>(b.out[1])[to] = best < 0 ? -1 : c * plane + (p.column_major ? column_major(best) : best);
        } else if (p.function == op::pool_function::average) {
          double sum = 0;
          for (const auto& t : inside) sum += static_cast<double>(from[t.offset]);
          y = saturated<T>(divisor == 0 ? 0 : sum / divisor);
        } else {
          double sum = 0;
          for (const auto& t : inside) sum += std::pow(std::abs(static_cast<double>(from[t.offset])), p.p);
          y = saturated<T>(std::pow(sum, 1.0 / p.p));
        }
      }
    }
  });
}

inline void run(const op::max_unpool& p, const arguments& a) {
  const std::int64_t size = a.out[0].shape.count();
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    std::fill(y, y + size, T{0});
    for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i) y[index_at(p.name, a.in[1], i, size)] = elements<T>(a.in[0])[i];
  });
}

inline void run(const op::fold_blocks& p, const arguments& a) {
  const extents& y_shape = a.out[0].shape;
  extents counts = y_shape;
  for (int i = 2; i < y_shape.rank; ++i)
    if (p.count(i - 2, y_shape[i], p.block[static_cast<std::size_t>(i - 2)], false, counts[i])) return;
  plane_windows windows(p, y_shape, [&](int i) { return p.block[static_cast<std::size_t>(i)]; }, counts);
  const std::int64_t plane = y_shape.count(2, y_shape.rank);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    std::fill(y, y + y_shape.count(), T{0});
    for (std::int64_t w = 0; w < windows.windows(); ++w) {
      const auto& inside = windows.inside(w);
      for (std::int64_t c = 0; c < std::int64_t{y_shape[0]} * y_shape[1]; ++c)
        for (const auto& t : inside) y[c * plane + t.offset] += elements<T>(b.in[0])[(c * windows.taps() + t.number) * windows.windows() + w];
    }
  });
}

}  // namespace ctnn::typed
