// SPDX-License-Identifier: BSL-1.0
// pool and adaptive_pool, plain: each window cell by cell.
#pragma once

#include <limits>
#include <type_traits>

#include "../../base/compiler.hpp"
#include "../../base/math.hpp"
#include "../../base/requantize.hpp"
#include "../../graph/operators/pooling.hpp"
#include "../tensor.hpp"
#include "../walks/pooling_walk.hpp"

namespace ctnn::ir::reference {

namespace detail {

/// Takes a window's cells in and gives what they are pooled to.
template <class T>
struct pooled_cells {
  using sum = std::conditional_t<sizeof(T) == 1, std::int64_t, T>;
  op::pooling function;
  sum value = function != op::pooling::max           ? sum{}
              : std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                     : std::numeric_limits<T>::lowest();

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

}  // namespace detail

constexpr void run(const op::pool& p, const arguments& a) {
  const extents &x = a.in[0].shape, &y = a.out[0].shape;
  const int lead = x.rank - p.axes;
  const std::int64_t planes = x.count(0, lead), plane = x.count(lead, x.rank), windows = y.count(lead, y.rank);
  window_axis axis[max_rank]{};
  for (int i = 0; i < p.axes; ++i) axis[i] = p.along(i, x[lead + i]);
  for (std::int64_t c = 0; c < planes; ++c)
    for (std::int64_t w = 0; w < windows; ++w) {
      pooling_window window[max_rank]{};
      std::int64_t cells = 1, left = w;
      float counted = 1;
      for (int i = p.axes - 1; i >= 0; --i) {
        window[i] = pool_window_at(p, axis[i], static_cast<int>(left % y[lead + i]));
        cells *= window[i].cells;
        counted *= static_cast<float>(window[i].divisor);
        left /= y[lead + i];
      }
      detail::pooled_cells<float> pooled{p.function};
      std::int64_t best = -1;
      for (std::int64_t t = 0; t < cells; ++t) {
        // The cell's position, from the last axis to the first; `reversed`: in a plane with its axes the other way
        // round.
        std::int64_t tap = t, offset = 0, unit = 1, reversed = 0, reversed_unit = plane;
        for (int i = p.axes - 1; i >= 0; --i) {
          const pooling_window& b = window[i];
          const std::int64_t at = b.first + tap % b.cells * b.step;
          reversed_unit /= axis[i].size;
          reversed += at * reversed_unit;
          offset += at * unit;
          unit *= axis[i].size;
          tap /= b.cells;
        }
        const float v = a.in[0].data[c * plane + offset];
        const float term = p.function == op::pooling::lp ? math::pow(v < 0 ? -v : v, static_cast<float>(p.p)) : v;
        if (pooled.add(term) || best < 0) best = c * plane + (p.column_major ? reversed : offset);
      }
      a.out[0].data[c * windows + w] = p.function == op::pooling::lp
                                           ? math::pow(pooled.value, 1.0f / static_cast<float>(p.p))
                                           : pooled.result(counted);
      if (p.indices && !CTNN_IN_CONSTANT()) elements<std::int64_t>(a.out[1])[c * windows + w] = best;
    }
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
      detail::pooled_cells<T> pooled{p.function};
      for (int t = 0; t < all; ++t) {
        std::int64_t offset = 0, unit = 1;
        for (int i = p.axes - 1, cell = t; i >= 0; cell /= cells[i], unit *= shape[lead + i], --i)
          offset += (first[i] + cell % cells[i]) * unit;
        pooled.add(x[offset]);
      }
      *y++ = pooled.result(all);
    }
}
constexpr void run(const op::adaptive_pool& p, const arguments& a) {
  adaptive_pool_planes(p, a.in[0].shape, a.in[0].data, a.out[0].data);
}

}  // namespace ctnn::ir::reference
