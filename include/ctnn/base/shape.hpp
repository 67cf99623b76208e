// SPDX-License-Identifier: BSL-1.0
// Extents of a tensor, outermost first as in PyTorch: (C, H, W) unbatched, (N, C, H, W) batched.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "namespaces.hpp"

namespace ctnn {

inline constexpr int max_rank = 10;

struct extents {
  int rank = 0;
  int dims[max_rank]{};

  constexpr extents() = default;
  constexpr extents(std::initializer_list<int> list) {
    for (int d : list) push_back(d);
  }

  constexpr void push_back(int d) { dims[rank++] = d; }
  /// Axes [first, last) of x behind these, or all.
  constexpr void append(const extents& x, int first, int last) {
    for (int i = first; i < last; ++i) push_back(x.dims[i]);
  }
  constexpr void append(const extents& x) { append(x, 0, x.rank); }
  /// The axes from this one on.
  constexpr extents from(int axis) const {
    extents y;
    y.append(*this, axis, rank);
    return y;
  }
  /// With one axis more.
  constexpr extents with_axis(int axis, int size) const {
    extents y;
    y.append(*this, 0, axis);
    y.push_back(size);
    y.append(*this, axis, rank);
    return y;
  }
  constexpr extents without_axis(int axis) const {
    extents y;
    y.append(*this, 0, axis);
    y.append(*this, axis + 1, rank);
    return y;
  }

  constexpr int& operator[](int axis) { return dims[axis]; }
  constexpr int operator[](int axis) const { return dims[axis]; }
  /// Counted from the innermost: back(0) is W of (C, H, W).
  constexpr int back(int from_end) const { return dims[rank - 1 - from_end]; }
  constexpr int& back(int from_end) { return dims[rank - 1 - from_end]; }

  /// Number of elements; 1 for rank 0.
  constexpr std::int64_t count() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }
  /// Product of dims[first, last).
  constexpr std::int64_t count(int first, int last) const {
    std::int64_t n = 1;
    for (int i = first; i < last; ++i) n *= dims[i];
    return n;
  }

  friend constexpr bool operator==(const extents& a, const extents& b) {
    if (a.rank != b.rank) return false;
    for (int i = 0; i < a.rank; ++i)
      if (a.dims[i] != b.dims[i]) return false;
    return true;
  }
};

/// -1 is the last axis; a result outside [0, rank) is for the caller to refuse.
constexpr int normal_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }

}  // namespace ctnn
