// SPDX-License-Identifier: BSL-1.0
// The functions of one and two elements that static networks have, for every element type.
#pragma once

#include <cmath>
#include <limits>

#include "../../graph/operators/elementwise.hpp"
#include "../reference/elementwise.hpp"
#include "byte_functions.hpp"
#include "real.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

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
  if (a.of(0).real) return map_bytes(p.activation, a);
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    copy_bytes(b);
    activate<T>(p.activation, b.out[0]);
  });
}

inline void run(const op::binary& p, const arguments& a) {
  if (a.made().real && p.combines_bytes() && a.of(0).real) return combine_bytes(p, a);
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
