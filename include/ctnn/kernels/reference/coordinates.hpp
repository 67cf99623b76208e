// SPDX-License-Identifier: BSL-1.0
// Elements by their coordinates: how definitions go through values, which are plain, row by row. Kernels go by walks/,
// of which nothing is used here, so that what is wrong there shows.
#pragma once

#include <array>
#include <cstdint>

#include "../tensor.hpp"

namespace ctnn::ir::reference {

namespace detail {

using coordinates = std::array<int, max_rank>;

/// Which element of a value of this shape has these coordinates.
constexpr std::int64_t place_of(const extents& shape, const coordinates& at) {
  std::int64_t place = 0;
  for (int i = 0; i < shape.rank; ++i) place = place * shape[i] + at[static_cast<std::size_t>(i)];
  return place;
}

/// f(coordinates, place) for each element of a value of this shape, in order.
template <class F>
constexpr void for_each_place(const extents& shape, F f) {
  const std::int64_t n = shape.count();
  coordinates at{};
  for (std::int64_t place = 0; place < n; ++place) {
    f(at, place);
    for (int i = shape.rank - 1; i >= 0; --i) {
      int& c = at[static_cast<std::size_t>(i)];
      if (++c < shape[i]) break;
      c = 0;
    }
  }
}

}  // namespace detail

}  // namespace ctnn::ir::reference
