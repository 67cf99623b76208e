// SPDX-License-Identifier: BSL-1.0
// The functions of one and two elements that static networks have, for every element type.
#pragma once

#include <cmath>
#include <limits>

#include "../../graph/operators/elementwise.hpp"
#include "../reference/elementwise.hpp"
#include "dispatch.hpp"

namespace ctnn::typed {

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

/// y = f(x, z) with broadcasting; the operands' element types may differ.
template <class Y, class X, class Z, class F>
void map_pairs(const arguments& a, F f) {
  loop_nest<3> nest = broadcast_loops(a.out[0], a.in[0], a.in[1]);
  if (a.out[0].shape.count() == 0) return;
  nest.require(1);
  const auto& row = nest.levels[nest.depth - 1];
  loop_cursor<3> at(nest, 1);
  do {
    Y* y = elements<Y>(a.out[0]) + at.offset[0];
    const X* x = elements<X>(a.in[0]) + at.offset[1];
    const Z* z = elements<Z>(a.in[1]) + at.offset[2];
    for (std::ptrdiff_t i = 0; i < row.extent; ++i) y[i * row.stride[0]] = f(x[i * row.stride[1]], z[i * row.stride[2]]);
  } while (at.next());
}

template <class T>
T activated(const activation_function& f, T x) {
  const T a = static_cast<T>(f.a), b = static_cast<T>(f.b), zero = 0, one = 1;
  const auto gate = [&] { return std::min(std::max(a * x + b, zero), one); };
  const auto logistic = [&] { return one / (one + std::exp(-x)); };
  switch (f.kind) {
    case function::none: return x;
    case function::relu: return x > 0 || x != x ? x : zero;
    case function::leaky_relu: return x < 0 ? a * x : x;
    case function::clip: return x < a ? a : (x > b ? b : x);
    case function::sigmoid: return logistic();
    case function::tanh: return std::tanh(x);
    case function::hardsigmoid: return gate();
    case function::hardswish: return x * gate();
    case function::elu: return x < 0 ? a * std::expm1(x) : x;
    case function::silu: return x * logistic();
    case function::mish: return x * std::tanh(std::log1p(std::exp(x)));
    case function::gelu: return static_cast<T>(0.5) * x * (one + std::erf(x * static_cast<T>(0.70710678118654752440)));
    case function::gelu_tanh:
      return static_cast<T>(0.5) * x * (one + std::tanh(static_cast<T>(0.79788456080286535588) * (x + static_cast<T>(0.044715) * x * x * x)));
  }
  return x;
}

/// Integers know relu and clip.
template <class T>
void activate(const activation_function& f, const tensor& t) {
  if (!f) return;
  T* y = elements<T>(t);
  const std::int64_t n = t.shape.count();
  if constexpr (std::is_floating_point_v<T>) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = activated(f, y[i]);
  } else {
    if (f.kind != function::relu && f.kind != function::clip) refuse(op::activation::name, t.type);
    const double low = f.kind == function::relu ? 0 : static_cast<double>(f.a);
    const double high = f.kind == function::relu ? std::numeric_limits<double>::infinity() : static_cast<double>(f.b);
    for (std::int64_t i = 0; i < n; ++i) {
      const double x = static_cast<double>(y[i]);
      if (x < low) y[i] = saturated<T>(low);
      else if (x > high) y[i] = saturated<T>(high);
    }
  }
}

inline void copy_bytes(const arguments& a) {
  const auto n = static_cast<std::size_t>(a.out[0].shape.count() * size_of(a.out[0].type));
  if (n != 0 && a.out[0].data != a.in[0].data) std::memcpy(a.out[0].data, a.in[0].data, n);
}

inline void run(const op::identity&, const arguments& a) { copy_bytes(a); }
inline void run(const op::dropout& p, const arguments& a) {
  if (p.scale == 1) return copy_bytes(a);
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) { map_elements<T>(b, [&](T x) { return x * static_cast<T>(p.scale); }); });
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
    in_floats(a, [&](const arguments& b) {
      if (p.function != op::binary_function::pow) refuse(p.name, b.in[1].type);
      visit_number(p.name, b.in[0].type, [&]<class T>(tag<T>) {
        visit_number(p.name, b.in[1].type, [&]<class E>(tag<E>) {
          map_pairs<T, T, E>(b, [](T x, E e) { return power(x, static_cast<double>(e)); });
        });
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
      const auto f = p.function == op::eltwise_function::sum ? add : p.function == op::eltwise_function::prod ? mul : maximum;
      for (std::int64_t i = 0; i < n; ++i) {
        const T v = weighted ? binary_value(mul, w, x[i]) : x[i];
        y[i] = k == 0 ? v : binary_value(f, y[i], v);
      }
    }
    activate<T>(p.activation, b.out[0]);
  });
}

template <class T>
T unary_value(op::unary_function f, T x) {
  using enum op::unary_function;
  switch (f) {
    case neg:
      if constexpr (std::is_floating_point_v<T>) return -x;
      else return wrapped<T>(0 - static_cast<std::uint64_t>(x));
    case abs:
      if constexpr (std::is_floating_point_v<T>) return std::abs(x);
      else if constexpr (std::is_signed_v<T>) return x < 0 ? wrapped<T>(0 - static_cast<std::uint64_t>(x)) : x;
      else return x;
    case square: return binary_value(op::binary_function::mul, x, x);
    default: break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    switch (f) {
      case floor: return std::floor(x);
      case ceil: return std::ceil(x);
      case sqrt: return std::sqrt(x);
      case rsqrt: return 1 / std::sqrt(x);
      case exp: return std::exp(x);
      case log: return std::log(x);
      case sin: return std::sin(x);
      case cos: return std::cos(x);
      case tan: return std::tan(x);
      case asin: return std::asin(x);
      case acos: return std::acos(x);
      case atan: return std::atan(x);
      case reciprocal: return 1 / x;
      case tanh: return std::tanh(x);
      case log10: return std::log10(x);
      case round: return std::nearbyint(x);
      case trunc: return std::trunc(x);
      default: break;
    }
  } else {
    if (f == floor || f == ceil || f == round || f == trunc) return x;
    throw error("operator 'unary' has no such function of integers");
  }
  return x;
}

inline void run(const op::unary& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    map_elements<T>(b, [&](T x) { return unary_value(p.function, x); });
  });
}

}  // namespace ctnn::typed
