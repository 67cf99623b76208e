// SPDX-License-Identifier: BSL-1.0
// The functions of one and two elements that static networks have, for every element type.
#pragma once

#include <cmath>
#include <limits>

#include "../../graph/operators/elementwise.hpp"
#include "../reference/elementwise.hpp"
#include "dispatch.hpp"
#include "real.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

/// Integer arithmetic that wraps around.
template <class T>
T wrapped(std::uint64_t x) {
  return static_cast<T>(x);
}
template <class T>
T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>)
      if (b == -1) return wrapped<T>(0 - static_cast<std::uint64_t>(a));
    return static_cast<T>(a / b);
  }
}
template <class T>
T power(T a, double b) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::pow(a, static_cast<T>(b)));
  } else {
    if (b >= 0 && b == std::floor(b) && b < 1e6) {  // exact, wrapping around
      std::uint64_t base = static_cast<std::uint64_t>(a), result = 1;
      for (std::uint64_t n = static_cast<std::uint64_t>(b); n > 0; n >>= 1, base *= base)
        if (n & 1u) result *= base;
      return wrapped<T>(result);
    }
    return saturated<T>(std::pow(static_cast<double>(a), b));
  }
}
/// NaN wins, as in numpy.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return a < b || a != a ? a : b;
}

template <class T>
T binary_value(op::binary_function f, T a, T b) {
  using enum op::binary_function;
  if constexpr (std::is_floating_point_v<T>) {
    switch (f) {
      case add: return a + b;
      case sub: return a - b;
      case mul: return a * b;
      case rsub: return b - a;
      default: break;
    }
  } else {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    switch (f) {
      case add: return wrapped<T>(x + y);
      case sub: return wrapped<T>(x - y);
      case mul: return wrapped<T>(x * y);
      case rsub: return wrapped<T>(y - x);
      default: break;
    }
  }
  switch (f) {
    case div: return divide(a, b);
    case rdiv: return divide(b, a);
    case maximum: return larger(a, b);
    case minimum: return smaller(a, b);
    case pow: return power(a, static_cast<double>(b));
    case prelu: return a < 0 ? binary_value(mul, a, b) : a;
    default: return power(b, static_cast<double>(a));
  }
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

/// What integers know: the bounds in double, which has them exactly or saturates.
template <class T>
  requires std::is_integral_v<T>
T applied(const activation_function& f, T x) {
  const auto negative = [](T v) { return wrapped<T>(0 - static_cast<std::uint64_t>(v)); };
  const double v = static_cast<double>(x), a = static_cast<double>(f.a), b = static_cast<double>(f.b);
  switch (f.kind) {
    case function::none:
    case function::floor:
    case function::ceil:
    case function::round:
    case function::trunc: return x;
    case function::relu: return x < 0 ? T{0} : x;
    case function::clip: return v < a ? saturated<T>(a) : v > b ? saturated<T>(b) : x;
    case function::shrink: return v < -a ? saturated<T>(v + b) : v > a ? saturated<T>(v - b) : T{0};
    case function::abs: return x < 0 ? negative(x) : x;
    case function::neg: return negative(x);
    case function::sign: return x > 0 ? T{1} : x == 0 ? T{0} : static_cast<T>(-1);
    case function::square: return binary_value(op::binary_function::mul, x, x);
    default: refuse_at_run_time(name_of(f.kind), "it is not a function of integers");
  }
}

template <class T>
void activate(const activation_function& f, const tensor& t) {
  if (!f) return;
  T* y = elements<T>(t);
  const std::int64_t n = t.shape.count();
  for (std::int64_t i = 0; i < n; ++i) y[i] = applied(f, y[i]);
}

inline void copy_bytes(const arguments& a) {
  const auto n = static_cast<std::size_t>(a.out[0].shape.count() * size_of(a.out[0].type));
  if (n != 0 && a.out[0].data != a.in[0].data) std::memcpy(a.out[0].data, a.in[0].data, n);
}

inline void run(const op::identity&, const arguments& a) { copy_bytes(a); }
inline void run(const op::dropout& p, const arguments& a) {
  if (p.scale == 1) return copy_bytes(a);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    map_elements<T>(b, [&](T x) { return x * static_cast<T>(p.scale); });
  });
}
inline void run(const op::activation& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    copy_bytes(b);
    activate<T>(p.activation, b.out[0]);
  });
}

inline void run(const op::binary& p, const arguments& a) {
  // ONNX Pow takes an exponent of another type.
  if (!p.scalar && a.in[0].type != a.in[1].type) {
    if (p.function != op::binary_function::pow) refuse(p.name, a.in[1].type);
    visit_number(p.name, a.in[0].type, [&]<class T>(tag<T>) {
      const auto f = [](T x, double e) { return power(x, e); };
      walk_pairs(a, pair_loop_of<T, T, double>(f), [&](std::ptrdiff_t offset, std::ptrdiff_t stride, std::ptrdiff_t) {
        return converted_pieces<double>(p.name, a.in[1], offset, stride);
      });
    });
    return;
  }
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    if (p.scalar) {
      const T s = saturated<T>(*p.scalar);
      map_elements<T>(b, [&](T x) { return binary_value(p.function, x, s); });
    } else {
      map_pairs<T, T, T>(b, [&](T x, T z) { return binary_value(p.function, x, z); });
    }
    activate<T>(p.activation, b.out[0]);
  });
}

inline void run(const op::eltwise& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    T* y = elements<T>(b.out[0]);
    const std::int64_t n = b.out[0].shape.count();
    for (std::size_t k = 0; k < b.in.size(); ++k) {
      const T* x = elements<T>(b.in[k]);
      const bool weighted = p.function == op::eltwise_function::sum && !p.coefficients.empty();
      const T w = weighted ? saturated<T>(p.coefficients[k]) : T{1};
      using enum op::binary_function;
      const auto f = p.function == op::eltwise_function::sum    ? add
                     : p.function == op::eltwise_function::prod ? mul
                                                                : maximum;
      for (std::int64_t i = 0; i < n; ++i) {
        const T v = weighted ? binary_value(mul, w, x[i]) : x[i];
        y[i] = k == 0 ? v : binary_value(f, y[i], v);
      }
    }
    activate<T>(p.activation, b.out[0]);
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
