// SPDX-License-Identifier: BSL-1.0
// Walks over elements and over pairs of them with broadcasting, for functions of any element types.
#pragma once

#include "../walks/loop_nest.hpp"
#include "dispatch.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// Integer arithmetic that wraps around.
template <class T>
T wrapped(std::uint64_t x) {
  return static_cast<T>(x);
}

/// f(x) for every element of input 0.
template <class T, class F>
void map_elements(const arguments& a, F f) {
  const T* x = elements<T>(a.in[0]);
  T* y = elements<T>(a.out[0]);
  const std::int64_t n = a.out[0].shape.count();
  for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]);
}

/// Elements of a row that are computed at once, by loops over neighbours that compilers make vectors of.
constexpr std::ptrdiff_t row_piece = 256;
constexpr bool are_neighbours(std::ptrdiff_t stride) { return stride == 0 || stride == 1; }
/// An operand of a row of n elements piece by piece: itself where elements are neighbours, else copies.
template <class T>
class row_pieces {
 public:
  row_pieces(const T* x, std::ptrdiff_t stride, std::ptrdiff_t n) : x_(x), stride_(stride) {
    if (stride == 0) std::fill_n(copies_, std::min(n, row_piece), *x);
  }
  /// The n elements from element i on.
  const T* from(std::ptrdiff_t i, std::ptrdiff_t n) {
    if (stride_ == 1) return x_ + i;
    if (stride_ != 0)
      for (std::ptrdiff_t k = 0; k < n; ++k) copies_[k] = x_[(i + k) * stride_];
    return copies_;
  }

 private:
  const T* x_;
  std::ptrdiff_t stride_;
  T copies_[row_piece];
};
/// f(first, count) for each piece.
template <class F>
void for_pieces(std::ptrdiff_t n, F f) {
  for (std::ptrdiff_t i = 0; i < n; i += row_piece) f(i, std::min(n - i, row_piece));
}

/// Elements of any type of numbers as T, piece by piece; others are refused for operator `op`.
template <class T>
class converted_pieces {
 public:
  converted_pieces(std::string_view op, const const_tensor& t, std::ptrdiff_t first, std::ptrdiff_t stride)
      : op_(op), x_(t), first_(first), stride_(stride) {}
  const T* from(std::ptrdiff_t i, std::ptrdiff_t n) {
    visit_number(op_, x_.type, [&]<class E>(tag<E>) {
      const E* x = elements<E>(x_) + first_ + i * stride_;
      for (std::ptrdiff_t k = 0; k < n; ++k) copies_[k] = static_cast<T>(x[k * stride_]);
    });
    return copies_;
  }

 private:
  std::string_view op_;
  const const_tensor& x_;
  std::ptrdiff_t first_, stride_;
  T copies_[row_piece];
};

/// A loop over n neighbours, y[i] = f(x[i], z[i]).
template <class Y, class X, class Z>
struct pair_loop {
  const void* f;
  void (*run)(const void* f, Y* y, const X* x, const Z* z, std::ptrdiff_t n);
};
template <class Y, class X, class Z, class F>
pair_loop<Y, X, Z> pair_loop_of(const F& f) {
  return {&f, [](const void* g, Y* y, const X* x, const Z* z, std::ptrdiff_t n) {
            const F h = *static_cast<const F*>(g);
            for (std::ptrdiff_t i = 0; i < n; ++i) y[i] = h(x[i], z[i]);
          }};
}

/// The walk of map_pairs, which all functions of these types share; pieces_of_z(offset, stride, n) reads operand z.
template <class Y, class X, class Z, class PiecesOfZ>
void walk_pairs(const arguments& a, pair_loop<Y, X, Z> loop, PiecesOfZ pieces_of_z) {
  loop_nest<3> nest = broadcast_loops(a.out[0], a.in[0], a.in[1]);
  if (a.out[0].shape.count() == 0) return;
  nest.require(1);
  const auto& row = nest.levels[nest.depth - 1];
  Y results[row_piece];
  loop_cursor<3> at(nest, 1);
  do {
    Y* const y = elements<Y>(a.out[0]) + at.offset[0];
    row_pieces<X> xs(elements<X>(a.in[0]) + at.offset[1], row.stride[1], row.extent);
    auto zs = pieces_of_z(at.offset[2], row.stride[2], row.extent);
    for_pieces(row.extent, [&](std::ptrdiff_t first, std::ptrdiff_t n) {
      Y* const to = row.stride[0] == 1 ? y + first : results;
      loop.run(loop.f, to, xs.from(first, n), zs.from(first, n), n);
      if (to == results)
        for (std::ptrdiff_t i = 0; i < n; ++i) y[(first + i) * row.stride[0]] = results[i];
    });
  } while (at.next());
}
/// y = f(x, z) with broadcasting; the operands' element types may differ.
template <class Y, class X, class Z, class F>
void map_pairs(const arguments& a, const F& f) {
  walk_pairs(a, pair_loop_of<Y, X, Z>(f), [&](std::ptrdiff_t offset, std::ptrdiff_t stride, std::ptrdiff_t n) {
    return row_pieces<Z>(elements<Z>(a.in[1]) + offset, stride, n);
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
