// SPDX-License-Identifier: BSL-1.0
// pool and adaptive_pool, plain: each window cell by cell.
#pragma once

#include <limits>
#include <type_traits>

#include "../../base/compiler.hpp"
#include "../../base/math.hpp"
#include "../../base/requantize.hpp"
#include "../../graph/operators/pooling.hpp"
#include "coordinates.hpp"

namespace ctnn::ir::reference {

namespace detail {

/// Takes a window's cells in and gives what they are pooled to.
template <class T>
struct pooled_cells {
  using sum = std::conditional_t<sizeof(T) == 1, std::int64_t, T>;
  op::pooling function;
  sum value;

  constexpr explicit pooled_cells(op::pooling f)
      : function(f),
        value(f != op::pooling::max                  ? sum{}
              : std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                     : std::numeric_limits<T>::lowest()) {}
  constexpr bool add(T v) {
    const bool larger = v > value || (v != v && value == value);
    if (function == op::pooling::max) value = larger ? v : value;
    else value = static_cast<sum>(value + v);
    return larger;
  }
  constexpr T result(auto cells) const {
    if (function == op::pooling::max) return static_cast<T>(value);
    if constexpr (sizeof(T) == 1) return static_cast<T>(average_of_integers(value, cells));
    else return cells > 0 ? static_cast<T>(value / static_cast<T>(cells)) : T{};
  }
};

/// Taps of a window from `start` on that lie before `end`.
constexpr int taps_before(const window_axis& w, std::int64_t start, std::int64_t end) {
  const std::int64_t n = end > start ? (end - start + w.dilation - 1) / w.dilation : 0;
  return static_cast<int>(n < w.taps ? n : w.taps);
}

/// place_of() in values whose planes, of the axes from `lead` on, have their axes the other way round.
constexpr std::int64_t place_by_columns(const extents& shape, int lead, const coordinates& at) {
  std::int64_t place = 0;
  for (int i = 0; i < lead; ++i) place = place * shape[i] + at[static_cast<std::size_t>(i)];
  for (int i = shape.rank - 1; i >= lead; --i) place = place * shape[i] + at[static_cast<std::size_t>(i)];
  return place;
}

}  // namespace detail

/// A window's taps lie `dilation` apart from place * stride - padding on. Those outside of the input are no cells; an
/// average counts cells, or taps that are in the padding, too, or all.
template <class T>
constexpr void run(const op::pool& p, const basic_arguments<T>& a) {
  const extents& x = a.in[0].shape;
  const int lead = x.rank - p.axes;
  window_axis axes[max_rank]{};
  for (int i = 0; i < p.axes; ++i) axes[i] = p.along(i, x[lead + i]);
  detail::for_each_place(a.out[0].shape, [&](const detail::coordinates& at, std::int64_t place) {
    extents cells;
    detail::coordinates first = at;  // cell of the input
    float counted = 1;
    for (int i = 0; i < p.axes; ++i) {
      const window_axis& w = axes[i];
      int& begin = first[static_cast<std::size_t>(lead + i)];
      const std::int64_t start = std::int64_t{begin} * w.stride - w.before;
      const int outside = detail::taps_before(w, start, 0), inside = detail::taps_before(w, start, w.size) - outside;
      begin = static_cast<int>(start + std::int64_t{outside} * w.dilation);
      cells.push_back(inside);
      const std::int64_t padded = std::int64_t{w.size} + w.after;
      counted *= static_cast<float>(p.divisor_whole       ? w.taps
                                    : p.count_include_pad ? detail::taps_before(w, start, padded)
                                                          : inside);
    }
    detail::pooled_cells<T> pooled(p.function);
    std::int64_t best = -1;
    detail::for_each_place(cells, [&](const detail::coordinates& cell, std::int64_t) {
      detail::coordinates from = first;
      for (int i = 0; i < p.axes; ++i)
        from[static_cast<std::size_t>(lead + i)] += cell[static_cast<std::size_t>(i)] * axes[i].dilation;
      const T v = a.in[0].data[detail::place_of(x, from)];
      const T term = p.function == op::pooling::lp ? math::of<T>::pow(v < 0 ? -v : v, static_cast<T>(p.p)) : v;
      const bool is_best = pooled.add(term) || best < 0;
      if (!p.indices || !is_best) return;
      best = p.column_major ? detail::place_by_columns(x, lead, from) : detail::place_of(x, from);
    });
    a.out[0].data[place] = p.function == op::pooling::lp ? math::of<T>::pow(pooled.value, T{1} / static_cast<T>(p.p))
                                                         : pooled.result(counted);
    if constexpr (std::is_same_v<T, float>)
      if (p.indices && !CTNN_IN_CONSTANT()) elements<std::int64_t>(a.out[1])[place] = best;
  });
}

/// The planes from `x` on, for every element type.
template <class T>
constexpr void adaptive_pool_planes(const op::adaptive_pool& p, const extents& shape, const T* x, T* y) {
  const int lead = shape.rank - p.axes;
  const std::int64_t plane = shape.count(lead, shape.rank);
  std::int64_t windows = 1;
  for (int i = 0; i < p.axes; ++i) windows *= p.count(i, shape[lead + i]);
  for (std::int64_t c = shape.count(0, lead); c > 0; --c, x += plane)
    for (std::int64_t w = 0; w < windows; ++w) {
      int first[max_rank]{}, cells[max_rank]{}, all = 1;
      std::int64_t left = w;
      for (int i = p.axes - 1; i >= 0; --i) {
        const int size = shape[lead + i], n = p.count(i, size);
        const std::int64_t k = left % n;
        first[i] = static_cast<int>(size * k / n);
        cells[i] = static_cast<int>((size * (k + 1) + n - 1) / n) - first[i];
        all *= cells[i];
        left /= n;
      }
      detail::pooled_cells<T> pooled(p.function);
      for (int t = 0; t < all; ++t) {
        std::int64_t offset = 0, unit = 1;
        for (int i = p.axes - 1, cell = t; i >= 0; cell /= cells[i], unit *= shape[lead + i], --i)
          offset += (first[i] + cell % cells[i]) * unit;
        pooled.add(x[offset]);
      }
      *y++ = pooled.result(all);
    }
}
template <class T>
constexpr void run(const op::adaptive_pool& p, const basic_arguments<T>& a) {
  adaptive_pool_planes(p, a.in[0].shape, a.in[0].data, a.out[0].data);
}

}  // namespace ctnn::ir::reference
