// SPDX-License-Identifier: BSL-1.0
// Pooling of row-major planes over any number of axes, for every element type: a row of windows at a time, one tap
// after the other, so that the inner loop runs over neighbours. Without heap: static networks run it, too.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "../../base/math.hpp"
#include "../../base/requantize.hpp"
#include "../../graph/operators/pooling.hpp"
#include "../share.hpp"
#include "../tensor.hpp"

namespace ctnn::ir {

constexpr std::int64_t smaller(std::int64_t a, std::int64_t b) { return b < a ? b : a; }

/// One axis of a pooling window: `cells` inside the input, `step` apart from `first` on, and how many an average
/// divides by.
struct pooling_window {
  int first, cells, step, divisor;
};

constexpr pooling_window pool_window_at(const op::pool& p, const window_axis& a, int i) {
  const int start = a.start(i);
  if (start >= 0 && start + a.span() <= a.size)  // nearly all; spares three divisions
    return {start, a.taps, a.dilation, a.taps};
  const auto taps_below = [&](std::int64_t bound) {  // those at a position less than bound
    const std::int64_t n = bound <= start ? 0 : (bound - start - 1) / a.dilation + 1;
    return static_cast<int>(n < a.taps ? n : a.taps);
  };
  const int skipped = taps_below(0), cells = taps_below(a.size) - skipped;
  const int divisor = p.divisor_whole       ? a.taps
                      : p.count_include_pad ? taps_below(std::int64_t{a.size} + a.after)
                                            : cells;
  return {start + skipped * a.dilation, cells, a.dilation, divisor};
}
constexpr pooling_window adaptive_window(int size, int count, int i) {
  const auto at = [&](int k, int more) { return static_cast<int>((std::int64_t{size} * k + more) / count); };
  const int first = at(i, 0), cells = at(i + 1, count - 1) - first;
  return {first, cells, 1, cells};
}

namespace detail {

/// The largest, where a NaN is larger than any number.
template <class T>
struct largest_of_row {
  static constexpr T start =
      std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  static constexpr T add(T so_far, T v) { return v > so_far || v != v ? v : so_far; }
};
template <class T>
struct sum_of_row {
  static constexpr T start{};
  static constexpr T add(T so_far, T v) { return static_cast<T>(so_far + v); }
};
template <class T>
struct powers_of_row {
  static constexpr T start{};
  int p;
  T add(T so_far, T v) const {
    T power = v < T{} ? static_cast<T>(-v) : v;
    const T factor = power;
    for (int i = 1; i < p; ++i) power = static_cast<T>(power * factor);
    return static_cast<T>(so_far + power);
  }
  T root(T sum) const {
    if (p == 1) return sum;
    using real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const auto s = static_cast<real>(sum);
    return static_cast<T>(p == 2 ? math::of<real>::sqrt(s) : math::of<real>::pow(s, real{1} / static_cast<real>(p)));
  }
};

}  // namespace detail

/// The rows `part` of all rows of the output. `where` gets the positions of maxima if it is not null.
template <class T>
class pooling_walk {
 public:
  pooling_walk(const op::pool& p, const extents& x, const extents& y)
      : p_(p), last_(p.axes - 1), plane_(x.count(x.rank - p.axes, x.rank)), width_(y.back(0)) {
    const int lead = x.rank - p.axes;
    for (int i = 0; i < p.axes; ++i) {
      axis_[i] = p.along(i, x[lead + i]);
      windows_[i] = y[lead + i];
      stride_[i] = x.count(lead + i + 1, x.rank);
    }
    const window_axis& a = axis_[last_];
    const std::int64_t least = a.before - (width_ - std::int64_t{1}) * a.stride,
                       last = std::int64_t{a.size} - 1 + a.before;
    first_tap_ = least <= 0 ? 0 : (least - 1) / a.dilation + 1;
    past_tap_ = last < 0 ? 0 : smaller(a.taps, last / a.dilation + 1);
  }

  void run(const T* x, T* y, std::int64_t* where, index_range part) const {
    const std::int64_t rows = rows_of_a_plane();
    for (std::ptrdiff_t r = part.begin; r < part.end; ++r) {
      T* to = y + r * width_;
      const T* from = x + r / rows * plane_;
      if constexpr (sizeof(T) <= 2)
        if (p_.function == op::pooling::average) {
          average_bytes(from, to, r % rows);
          continue;
        }
      if (p_.function == op::pooling::average) {
        const count others = row(detail::sum_of_row<T>{}, from, to, r % rows);
        for (int j = 0; j < width_; ++j) {
          const count cells = others * static_cast<count>(pool_window_at(p_, axis_[last_], j).divisor);
          to[j] = cells > 0 ? static_cast<T>(to[j] / static_cast<T>(cells)) : T{};
        }
      } else if (p_.function == op::pooling::lp) {
        const detail::powers_of_row<T> powers{p_.p};
        row(powers, from, to, r % rows);
        for (int j = 0; j < width_; ++j) to[j] = powers.root(to[j]);
      } else {
        row(detail::largest_of_row<T>{}, from, to, r % rows);
        if (where) find(x, from - x, to, where + r * width_, r % rows);
      }
    }
  }
  /// Maxima of bytes by a target's kernels: of some rows of windows the lines are compared first, many cells at once,
  /// then all cells beside each other, of which every stride-th is a window's.
  void find_largest(const std::uint8_t* x, std::uint8_t* y, index_range some, bool is_signed,
                    const integer_kernels& with) const {
    std::uint8_t cells[bytes_at_once], windows[bytes_at_once];
    const window_axis& a = axis_[last_];
    const std::int64_t at_once = (most_line - a.span()) / a.stride, rows = rows_of_a_plane();
    for (std::int64_t first = 0; first < width_; first += at_once) {
      const std::int64_t n = smaller(at_once, width_ - first), start = first * a.stride - a.before,
                         begin = start > 0 ? start : 0, pitch = n * a.stride + a.span(),
                         end = smaller(start + (n - 1) * a.stride + a.span(), a.size),
                         high = bytes_at_once / pitch;
      for (std::ptrdiff_t top = some.begin; top < some.end; top += static_cast<std::ptrdiff_t>(high)) {
        const std::int64_t lines_here = smaller(high, some.end - top);
        std::memset(cells, is_signed ? 128 : 0, static_cast<std::size_t>(lines_here * pitch));
        const std::uint8_t* from = x + top / rows * plane_ + begin;
        std::int64_t row = top % rows;
        for (std::int64_t l = 0; l < lines_here && begin < end; ++l) {
          largest_of compared(with, end - begin, is_signed, cells + l * pitch + (begin - start));
          lines(row, [&](std::int64_t offset) { compared.add(from + offset); });
          compared.end();
          if (++row < rows) continue;
          row = 0;
          from += plane_;
        }
        largest_of compared(with, lines_here * pitch - a.span(), is_signed, windows);
        for (int k = 0; k < a.taps; ++k) compared.add(cells + std::int64_t{k} * a.dilation);
        compared.end();
        for (std::int64_t l = 0; l < lines_here; ++l) {
          std::uint8_t* const to = y + (top + l) * width_ + first;
          if (a.stride > 1) with.take_every(windows + l * pitch, a.stride, n, to);
          else std::memcpy(to, windows + l * pitch, static_cast<std::size_t>(n));
        }
      }
    }
  }
  /// Whether that has room for a window.
  bool has_lines() const { return axis_[last_].span() + axis_[last_].stride <= most_line; }
  std::int64_t rows_of_a_plane() const {
    std::int64_t n = 1;
    for (int i = 0; i < last_; ++i) n *= windows_[i];
    return n;
  }

 private:
  /// Of a line of windows, and of several of them, when bytes are compared.
  static constexpr std::int64_t most_line = 1024, bytes_at_once = 4096;

  /// Collects lines and compares as many at once as there is room for.
  class largest_of {
   public:
    largest_of(const integer_kernels& with, std::int64_t n, bool is_signed, std::uint8_t* to)
        : with_(with), n_(n), to_(to), signed_(is_signed) {}
    void add(const std::uint8_t* line) {
      if (count_ == most) end();
      if (count_ == 0 && begun_) lines_[count_++] = to_;
      lines_[count_++] = line;
    }
    void end() {
      if (count_ > 0) with_.largest(lines_, count_, n_, signed_, to_);
      begun_ = begun_ || count_ > 0;
      count_ = 0;
    }

   private:
    static constexpr int most = 8;
    const integer_kernels& with_;
    std::int64_t n_;
    std::uint8_t* to_;
    const std::uint8_t* lines_[most];
    int count_ = 0;
    bool signed_, begun_ = false;
  };

  /// Cells of a window, of which padding may make more than any integer holds. Firmware cores have no unit for doubles.
  using count = std::conditional_t<std::is_same_v<T, float>, float, double>;

  /// f(offset) for the first cell of every line of cells of row r's windows; returns what the outer axes divide by.
  template <class F>
  count lines(std::int64_t r, F f) const {
    pooling_window w[max_rank];
    std::int64_t offset = 0, left = 1;
    count divisor = 1;
    for (int i = last_ - 1; i >= 0; --i) {
      const std::int64_t outer = r < windows_[i] ? 0 : r / windows_[i];  // nearly always; spares two divisions
      w[i] = pool_window_at(p_, axis_[i], static_cast<int>(r - outer * windows_[i]));
      r = outer;
      offset += w[i].first * stride_[i];
      left *= w[i].cells;
      divisor *= static_cast<count>(w[i].divisor);
    }
    int at[max_rank]{};
    for (; left > 0; --left) {
      f(offset);
      for (int i = last_ - 1; i >= 0; --i) {
        offset += w[i].step * stride_[i];
        if (++at[i] < w[i].cells) break;
        offset -= at[i] * w[i].step * stride_[i];
        at[i] = 0;
      }
    }
    return divisor;
  }
  /// f(j, offset in the line) for the windows j of a row that tap k finds a cell in.
  template <class F>
  void along_row(std::int64_t k, F f) const {
    const window_axis& a = axis_[last_];
    const std::int64_t shift = k * a.dilation - a.before, end = a.size - shift;
    const std::int64_t first = shift >= 0 ? 0 : (-shift + a.stride - 1) / a.stride;
    const std::int64_t past = end <= 0 ? 0 : (end - 1) / a.stride + 1;
    f(first, past < width_ ? past : width_, shift, a.stride);
  }
  template <class Function>
  count row(const Function& function, const T* from, T* to, std::int64_t r) const {
    for (int j = 0; j < width_; ++j) to[j] = Function::start;
    return lines(r, [&](std::int64_t offset) {
      for (std::int64_t k = first_tap_; k < past_tap_; ++k)
        along_row(k, [&](std::int64_t first, std::int64_t past, std::int64_t shift, int stride) {
          const T* line = from + offset + shift;
          if (stride == 1)
            for (std::int64_t j = first; j < past; ++j) to[j] = function.add(to[j], line[j]);
          else
            for (std::int64_t j = first; j < past; ++j) to[j] = function.add(to[j], line[j * stride]);
        });
    });
  }
  /// Averages of integers of 8 and 16 bits: their sums are none.
  void average_bytes(const T* from, T* to, std::int64_t r) const {
    for (int j = 0; j < width_; ++j) {
      const pooling_window w = pool_window_at(p_, axis_[last_], j);
      std::int64_t sum = 0, cells = 0;
      lines(r, [&](std::int64_t offset) {
        for (int k = 0; k < w.cells; ++k) sum += from[offset + w.first + std::int64_t{k} * w.step];
        cells += w.cells;
      });
      to[j] = static_cast<T>(average_of_integers(sum, cells));
    }
  }
  /// Where the first cell is that holds each window's maximum.
  void find(const T* x, std::int64_t plane, const T* largest, std::int64_t* where, std::int64_t r) const {
    for (int j = 0; j < width_; ++j) where[j] = -1;
    lines(r, [&](std::int64_t offset) {
      for (std::int64_t k = first_tap_; k < past_tap_; ++k)
        along_row(k, [&](std::int64_t first, std::int64_t past, std::int64_t shift, int stride) {
          for (std::int64_t j = first; j < past; ++j) {
            const std::int64_t at = offset + shift + j * stride;
            const T v = x[plane + at];
            if (where[j] < 0 && (v == largest[j] || v != v))
              where[j] = plane + (p_.column_major ? column_major(at) : at);
          }
        });
    });
  }
  /// The position of a plane's cell if the plane were stored with its axes in reverse order.
  std::int64_t column_major(std::int64_t at) const {
    std::int64_t out = 0, unit = plane_;
    for (int i = last_; i >= 0; --i) {
      unit /= axis_[i].size;
      out += at % axis_[i].size * unit;
      at /= axis_[i].size;
    }
    return out;
  }

  const op::pool& p_;
  int last_;
  std::int64_t plane_;
  int width_;
  window_axis axis_[max_rank]{};
  std::int64_t windows_[max_rank]{}, stride_[max_rank]{};
  std::int64_t first_tap_, past_tap_;  ///< along a line, those that any window has in the input: padding may be wide
};

/// All of it, or the share of it.
template <class T>
void pool_planes(const op::pool& p, const arguments& a) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  if (y.count() == 0) return;
  const pooling_walk<T> walk(p, x, y);
  const index_range some = share_of(a.share, static_cast<std::ptrdiff_t>(y.count() / y.back(0)));
  if constexpr (sizeof(T) == 1)
    if (p.function == op::pooling::max && !p.indices && a.integers && a.integers->kernels && walk.has_lines())
      return walk.find_largest(elements<std::uint8_t>(a.in[0]), elements<std::uint8_t>(a.out[0]), some,
                               std::is_signed_v<T>, *a.integers->kernels);
  walk.run(elements<T>(a.in[0]), elements<T>(a.out[0]), p.indices ? elements<std::int64_t>(a.out[1]) : nullptr, some);
}

}  // namespace ctnn::ir
