// SPDX-License-Identifier: BSL-1.0
// Comparisons, logic, remainders and choices with broadcasting, for every element type.
#pragma once

#include "../../graph/operators/pairwise.hpp"
#include "elementwise.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

inline void run(const op::compare& p, const arguments& a) {
  using enum op::comparison;
  arguments b = a;
  const const_tensor swapped[] = {a.in[1], a.in[0]};
  if (p.function == greater || p.function == greater_equal) b.in = swapped;  // x > z is z < x
  visit_element(p.name, a.in[0].type, [&]<class T>(tag<T>) {
    const auto map = [&](auto f) {
      map_pairs<std::uint8_t, T, T>(b, [f](T x, T z) { return static_cast<std::uint8_t>(f(x, z)); });
    };
    switch (p.function) {
      case equal: return map([](T x, T z) { return x == z; });
      case not_equal: return map([](T x, T z) { return x != z; });
      case less:
      case greater: return map([](T x, T z) { return x < z; });
      case less_equal:
      case greater_equal: return map([](T x, T z) { return x <= z; });
    }
  });
}

inline void run(const op::logic& p, const arguments& a) {
  using enum op::logic_function;
  visit_size(a.out[0].type, [&]<class T>(tag<T>) {
    const auto map = [&](auto f) { map_pairs<T, T, T>(a, [f](T x, T z) { return static_cast<T>(f(x, z)); }); };
    constexpr T bits = std::numeric_limits<T>::digits;
    switch (p.function) {
      case logical_and: return map([](T x, T z) { return x != 0 && z != 0; });
      case logical_or: return map([](T x, T z) { return x != 0 || z != 0; });
      case logical_xor: return map([](T x, T z) { return (x != 0) != (z != 0); });
      case bit_and: return map([](T x, T z) { return x & z; });
      case bit_or: return map([](T x, T z) { return x | z; });
      case bit_xor: return map([](T x, T z) { return x ^ z; });
      case shift_left: return map([](T x, T z) { return z < bits ? static_cast<std::uint64_t>(x) << z : 0; });
      case shift_right: return map([](T x, T z) { return z < bits ? static_cast<std::uint64_t>(x) >> z : 0; });
    }
  });
}

template <class T>
T remainder_value(bool truncated, T a, T b) {
  T r;
  if constexpr (std::is_floating_point_v<T>) {
    r = std::fmod(a, b);
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return 0;
    r = static_cast<T>(a % b);
  }
  if (truncated || r == 0) return r;
  return (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
}

inline void run(const op::remainder& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    map_pairs<T, T, T>(b, [&](T x, T z) { return remainder_value(p.truncated, x, z); });
  });
}

inline void run(const op::where&, const arguments& a) {
  const tensor& out = a.out[0];
  if (out.shape.count() == 0) return;
  loop_nest<4> nest;
  for (int i = 0; i < out.shape.rank; ++i) {
    const auto stride = [&](const const_tensor& t) {
      const int own = i - (out.shape.rank - t.shape.rank);
      return own < 0 || t.shape[own] == 1 ? std::ptrdiff_t{0} : stride_of(t, own);
    };
    nest.push_back({out.shape[i], {stride_of(out, i), stride(a.in[0]), stride(a.in[1]), stride(a.in[2])}});
  }
  nest.require(1);
  const auto& row = nest.levels[nest.depth - 1];
  visit_size(out.type, [&]<class T>(tag<T>) {
    loop_cursor<4> at(nest, 1);
    do {
      T* y = elements<T>(out) + at.offset[0];
      const auto* c = elements<std::uint8_t>(a.in[0]) + at.offset[1];
      const T* x = elements<T>(a.in[1]) + at.offset[2];
      const T* z = elements<T>(a.in[2]) + at.offset[3];
      if (row.stride[0] == 1 && are_neighbours(row.stride[1]) && are_neighbours(row.stride[2]) &&
          are_neighbours(row.stride[3])) {
        row_pieces<std::uint8_t> cs(c, row.stride[1], row.extent);
        row_pieces<T> xs(x, row.stride[2], row.extent), zs(z, row.stride[3], row.extent);
        for_pieces(row.extent, [&](std::ptrdiff_t first, std::ptrdiff_t n) {
          const std::uint8_t* w = cs.from(first, n);
          const T *u = xs.from(first, n), *v = zs.from(first, n);
          T* to = y + first;
          for (std::ptrdiff_t i = 0; i < n; ++i) {  // by bits: both are read, so no branch is in the way of vectors
            const T chosen = static_cast<T>(0 - static_cast<T>(w[i] != 0));
            to[i] = static_cast<T>((u[i] & chosen) | (v[i] & static_cast<T>(~chosen)));
          }
        });
        continue;
      }
      for (std::ptrdiff_t i = 0; i < row.extent; ++i)
        y[i * row.stride[0]] = c[i * row.stride[1]] != 0 ? x[i * row.stride[2]] : z[i * row.stride[3]];
    } while (at.next());
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
