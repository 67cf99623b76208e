// SPDX-License-Identifier: BSL-1.0
// Linear layers, and convolutions and pooling over any number of axes, plain: taps are found once for each axis and
// position.
#pragma once

#include "../../graph/operators/convolution.hpp"
#include "../../graph/operators/linear.hpp"
#include "../../graph/operators/windows.hpp"
#include "../walks/pooling_walk.hpp"
#include "byte_products.hpp"
#include "elementwise.hpp"
#include "wide_products.hpp"

namespace ctnn::ir::typed {

/// One axis: which taps of window w lie inside the input, and where.
struct axis_taps {
  std::int64_t windows = 0, kernel = 0, size = 0, stride = 1, dilation = 1, before = 0;
  axis_taps() = default;
  axis_taps(const op::sliding& p, int axis, int extent, int taps, int count)
      : windows(count),
        kernel(taps),
        size(extent),
        stride(p.stride_at(axis)),
        dilation(p.dilation_at(axis)),
        before(p.padding_at(axis, extent, taps)[0]) {}
  std::int64_t start(std::int64_t w) const { return w * stride - before; }
  std::int64_t first(std::int64_t w) const {
    return start(w) >= 0 ? 0 : std::min(kernel, (-start(w) + dilation - 1) / dilation);
  }
  std::int64_t last(std::int64_t w) const {
    return start(w) >= size ? 0 : std::min(kernel, (size - 1 - start(w)) / dilation + 1);
  }
};

/// All windows of a plane and their taps inside the input.
class plane_windows {
 public:
  template <class Kernel>
  plane_windows(const op::sliding& p, const extents& x, Kernel kernel, const extents& y) : axes_(x.rank - 2) {
    for (int i = 0; i < axes_; ++i) {
      taps_[i] = axis_taps(p, i, x[i + 2], kernel(i), y[i + 2]);
      stride_[i] = x.count(i + 3, x.rank);
      kernel_size_ *= taps_[i].kernel;
      window_count_ *= y[i + 2];
    }
  }
  std::int64_t windows() const { return window_count_; }
  std::int64_t taps() const { return kernel_size_; }

  struct tap {
    std::int64_t number = 0, offset = 0;
  };
  /// The taps of window w that are inside the input, in their order.
  template <class List>
  void find_inside(std::int64_t w, List& found) const {
    found.clear();
    std::int64_t first[max_rank]{}, last[max_rank]{}, start[max_rank]{}, at[max_rank]{};
    for (int i = axes_ - 1; i >= 0; --i) {
      const axis_taps& a = taps_[i];
      const std::int64_t here = w % a.windows;
      w /= a.windows;
      at[i] = first[i] = a.first(here);
      last[i] = a.last(here);
      start[i] = a.start(here);
      if (first[i] >= last[i]) return;
    }
    for (int moved = 0; moved >= 0;) {
      tap t;
      for (int i = 0; i < axes_; ++i) {
        t.number = t.number * taps_[i].kernel + at[i];
        t.offset += (start[i] + at[i] * taps_[i].dilation) * stride_[i];
      }
      found.push_back(t);
      for (moved = axes_ - 1; moved >= 0 && ++at[moved] == last[moved]; --moved) at[moved] = first[moved];
    }
  }

 private:
  int axes_;
  axis_taps taps_[max_rank];
  std::int64_t stride_[max_rank]{}, kernel_size_ = 1, window_count_ = 1;
};

/// store(place, output channel, sum of x * weight) for every window.
template <class T, class Store>
void convolve(const op::sliding& p, int groups, const extents& x_shape, const extents& w_shape, const extents& y_shape,
              const T* x, const T* w, scratch_memory memory, Store store) {
  plane_windows windows(p, x_shape, [&](int i) { return w_shape[i + 2]; }, y_shape);
  const std::int64_t plane = x_shape.count(2, x_shape.rank), taps = windows.taps(), outs = w_shape[0],
                     per_group = w_shape[1];
  const std::int64_t group_outs = outs / groups;
  auto inside = memory.list<plane_windows::tap>(taps);
  auto column = memory.list<T>(per_group * taps);
  auto numbers = memory.list<std::int64_t>(per_group * taps);
  for (std::int64_t n = 0; n < x_shape[0]; ++n)
    for (std::int64_t at = 0; at < windows.windows(); ++at) {
      windows.find_inside(at, inside);
      for (std::int64_t g = 0; g < groups; ++g) {
        // The window's inputs of one group, then one row of weights after the other.
        column.clear();
        numbers.clear();
        for (std::int64_t c = 0; c < per_group; ++c)
          for (const auto& t : inside) {
            column.push_back(x[(n * x_shape[1] + g * per_group + c) * plane + t.offset]);
            numbers.push_back(c * taps + t.number);
          }
        for (std::int64_t o = g * group_outs; o < (g + 1) * group_outs; ++o) {
          const T* row = w + o * per_group * taps;
          T sum{};
          for (std::size_t i = 0; i < column.size(); ++i) sum += column[i] * row[numbers[i]];
          store((n * outs + o) * windows.windows() + at, o, sum);
        }
      }
    }
}

/// The second input, if there is one, onto the result.
template <class T>
void add_residual(const arguments& a) {
  if (a.in.size() < 2) return;
  T* y = elements<T>(a.out[0]);
  const T* more = elements<T>(a.in[1]);
  const std::int64_t n = a.out[0].shape.count();
  for (std::int64_t i = 0; i < n; ++i) y[i] = y[i] + more[i];
}

inline void run(const op::linear& p, const arguments& a, scratch_memory memory) {
  if (p.weight && a.in[0].type == dtype::i16) return multiply_wide(p, a);
  if (p.weight) return multiply_bytes(p, a, memory);
  if (p.weight.is_packed()) refuse_at_run_time(p.name, "packed weights have kernels for vectors alone");
  if (a.share.index > 0) return;
  const std::int64_t depth = p.depth(a.in[0].shape), rows = a.in[0].shape.count() / depth;
  for_floating_weights(p, a, [&]<class T>(const arguments& b, const auto& weights, tag<T>) {
    const T* x = elements<T>(b.in[0]);
    const T* begins = b.in.size() == 2 && !p.residual_last ? elements<T>(b.in[1]) : nullptr;
    T* y = elements<T>(b.out[0]);
    for (std::int64_t r = 0; r < rows; ++r, x += depth)
      for (std::int64_t o = 0; o < p.out; ++o) {
        T sum = p.bias ? weights[1][o] : T{0};
        for (std::int64_t k = 0; k < depth; ++k) sum += weights[0][o * depth + k] * x[k];
        *y++ = begins ? sum + *begins++ : sum;
      }
    activate<T>(p.activation, b.out[0]);
    if (p.residual_last) add_residual<T>(b);
  });
}

/// As (N, C, ...).
inline extents with_batch(extents x, int axes) {
  if (x.rank == axes + 2) return x;
  extents y{1};
  y.append(x);
  return y;
}

template <int Axes>
void run(const op::conv<Axes>& p, const arguments& a, scratch_memory memory) {
  if (p.weight && a.in[0].type == dtype::i16) return convolve_wide(p, a);
  if (p.weight) return convolve_bytes(p, a, memory);
  if (a.share.index > 0) return;
  const extents x = with_batch(a.in[0].shape, Axes), y = with_batch(a.out[0].shape, Axes);
  op::sliding windows;
  const auto pad = p.padding(x);
  for (std::size_t i = 0; i < static_cast<std::size_t>(Axes); ++i) {
    windows.stride.push_back(p.stride[i]);
    windows.dilation.push_back(p.dilation[i]);
    windows.before.push_back(pad[i]);
    windows.after.push_back(pad[i + static_cast<std::size_t>(Axes)]);
  }
  extents w{p.out, x[1] / p.groups};
  for (int k : p.kernel) w.push_back(k);
  const bool residual_last = p.residual_last;
  for_floating_weights(p, a, [&]<class T>(const arguments& b, const auto& weights, tag<T>) {
    T* to = elements<T>(b.out[0]);
    const T* begins = b.in.size() == 2 && !residual_last ? elements<T>(b.in[1]) : nullptr;
    const T* slopes = p.has_slopes() ? weights[p.slopes()] : nullptr;
    convolve(windows, p.groups, x, w, y, elements<T>(b.in[0]), weights[0], memory,
             [&](std::int64_t i, std::int64_t o, T sum) {
               if (p.bias) sum += weights[1][o];
               if (begins) sum += begins[i];
               to[i] = slopes && sum < T{0} ? sum * slopes[o] : sum;
             });
    activate<T>(p.activation, b.out[0]);
    if (residual_last) add_residual<T>(b);
  });
}

template <int Axes>
void run(const op::conv_transpose<Axes>& p, const arguments& a) {
  const extents x = with_batch(a.in[0].shape, Axes), out = with_batch(a.out[0].shape, Axes);
  std::int64_t taps = p.taps();
  const std::int64_t in_plane = x.count(2, x.rank), plane = out.count(2, out.rank);
  const std::int64_t group_in = x[1] / p.groups, group_out = p.out / p.groups;
  // The innermost axis, and the others as rows.
  constexpr int last = Axes - 1;
  const std::int64_t width = x.back(0), rows = in_plane / width, stride = p.stride[last], last_kernel = p.kernel[last];
  // Where row r goes under the tap's outer indices; -1: outside.
  const auto row_offset = [&](std::int64_t r, std::int64_t tap) {
    std::int64_t offset = 0;
    tap /= last_kernel;
    for (int d = last - 1; d >= 0; --d) {
      const auto k = static_cast<std::size_t>(d);
      const std::int64_t to = r % x[d + 2] * p.stride[k] + tap % p.kernel[k] * p.dilation[k] - p.pad[k];
      if (to < 0 || to >= out[d + 2]) return std::int64_t{-1};
      offset += to * out.count(d + 3, out.rank);
      r /= x[d + 2];
      tap /= p.kernel[k];
    }
    return offset;
  };
  for_floating_weights(p, a, [&]<class T>(const arguments& b, const auto& weights, tag<T>) {
    T* y = elements<T>(b.out[0]);
    for (std::int64_t i = 0; i < out.count(); ++i) y[i] = p.bias ? weights[1][i / plane % out[1]] : T{0};
    for (std::int64_t t = 0; t < taps; ++t) {
      const std::int64_t shift = t % last_kernel * p.dilation[last] - p.pad[last];
      const std::int64_t begin = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
      const std::int64_t end =
          std::min(width, out.back(0) - 1 - shift < 0 ? 0 : (out.back(0) - 1 - shift) / stride + 1);
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t to = row_offset(r, t);
        if (to < 0) continue;
        for (std::int64_t n = 0; n < x[0]; ++n)
          for (std::int64_t c = 0; c < x[1]; ++c) {
            const T* from = elements<T>(b.in[0]) + (n * x[1] + c) * in_plane + r * width;
            const T* weight = weights[0] + c * group_out * taps + t;
            T* target = y + (n * out[1] + c / group_in * group_out) * plane + to + shift;
            for (std::int64_t o = 0; o < group_out; ++o, target += plane, weight += taps)
              for (std::int64_t i = begin; i < end; ++i) target[i * stride] += *weight * from[i];
          }
      }
    }
    activate<T>(p.activation, b.out[0]);
  });
}

inline void run(const op::pool& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) { pool_planes<T>(p, b); });
}

inline void run(const op::max_unpool& p, const arguments& a) {
  const std::int64_t size = a.out[0].shape.count();
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    T* y = elements<T>(a.out[0]);
    std::fill(y, y + size, T{0});
    for (std::int64_t i = 0; i < a.in[0].shape.count(); ++i)
      y[index_at(p.name, a.in[1], i, size)] = elements<T>(a.in[0])[i];
  });
}

inline void run(const op::fold_blocks& p, const arguments& a, scratch_memory memory) {
  const extents& y_shape = a.out[0].shape;
  extents counts = y_shape;
  for (int i = 2; i < y_shape.rank; ++i)
    if (p.count(i - 2, y_shape[i], p.block[static_cast<std::size_t>(i - 2)], false, counts[i])) return;
  plane_windows windows(p, y_shape, [&](int i) { return p.block[static_cast<std::size_t>(i)]; }, counts);
  const std::int64_t plane = y_shape.count(2, y_shape.rank);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    std::fill(y, y + y_shape.count(), T{0});
    auto inside = memory.list<plane_windows::tap>(windows.taps());
    for (std::int64_t w = 0; w < windows.windows(); ++w) {
      windows.find_inside(w, inside);
      for (std::int64_t c = 0; c < std::int64_t{y_shape[0]} * y_shape[1]; ++c)
        for (const auto& t : inside)
          y[c * plane + t.offset] += elements<T>(b.in[0])[(c * windows.taps() + t.number) * windows.windows() + w];
    }
  });
}

}  // namespace ctnn::ir::typed
