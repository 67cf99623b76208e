// SPDX-License-Identifier: BSL-1.0
// Functions of one element that only loaded models have, and conversions between element types.
#pragma once

#include "../../graph/operators/pointwise.hpp"
#include "elementwise.hpp"

namespace ctnn::typed {

template <class T>
T pointwise_value(const op::pointwise& p, T x) {
  const T a = static_cast<T>(p.a), b = static_cast<T>(p.b), one = 1;
  using enum op::pointwise_function;
  switch (p.function) {
    case erf: return std::erf(x);
    case sinh: return std::sinh(x);
    case cosh: return std::cosh(x);
    case asinh: return std::asinh(x);
    case acosh: return std::acosh(x);
    case atanh: return std::atanh(x);
    case softplus: return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
    case softsign: return x / (one + std::abs(x));
    case selu: return b * (x > 0 ? x : a * std::expm1(x));
    case celu: return std::max(x, T{0}) + std::min(T{0}, a * std::expm1(x / a));
    case thresholded_relu: return x > a ? x : T{0};
    case swish: return x / (one + std::exp(-a * x));
    case clip6: return std::min(std::max(x, T{0}), T{6});
    case log1p: return std::log1p(x);
    case expm1: return std::expm1(x);
    default: return x;
  }
}

inline void run(const op::pointwise& p, const arguments& a) {
  using enum op::pointwise_function;
  if (p.function == logical_not) return map_elements<std::uint8_t>(a, [](std::uint8_t x) { return static_cast<std::uint8_t>(x == 0); });
  if (p.function == bit_not)
    return visit_integer(p.name, a.in[0].type, [&]<class T>(tag<T>) { map_elements<T>(a, [](T x) { return static_cast<T>(~x); }); });
  if (p.function == sign)
    return for_numbers(p.name, a, []<class T>(const arguments& b, tag<T>) {
      map_elements<T>(b, [](T x) { return x > 0 ? T{1} : x == 0 ? T{0} : x < 0 ? static_cast<T>(-1) : x; });
    });
  if (p.function == shrink)
    return for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
      map_elements<T>(b, [&](T x) {
        const double v = static_cast<double>(x);
        if (v < -p.a) return saturated<T>(v + p.b);
        if (v > p.a) return saturated<T>(v - p.b);
        return T{0};
      });
    });
  for_floating(p.name, a, [&]<class T>(const arguments& b, tag<T>) { map_elements<T>(b, [&](T x) { return pointwise_value(p, x); }); });
}

template <class F>
void map_to_boolean(std::string_view op, const arguments& a, F f) {
  for_floating(op, a, [&]<class T>(const arguments& b, tag<T>) {
    const T* x = elements<T>(b.in[0]);
    auto* y = elements<std::uint8_t>(b.out[0]);
    for (std::int64_t i = 0; i < b.out[0].shape.count(); ++i) y[i] = f(x[i]) ? 1 : 0;
  });
}
inline void run(const op::is_nan& p, const arguments& a) {
  map_to_boolean(p.name, a, [](auto x) { return std::isnan(x); });
}
inline void run(const op::is_inf& p, const arguments& a) {
  map_to_boolean(p.name, a, [&](auto x) { return std::isinf(x) && (x > 0 ? p.positive : p.negative); });
}

inline void run(const op::cast& p, const arguments& a) {
  if (a.in[0].type == p.to) return copy_bytes(a);
  in_floats(a, [&](const arguments& b) {
    const std::int64_t n = b.out[0].shape.count();
    visit_element(p.name, b.in[0].type, [&]<class From>(tag<From>) {
      const From* x = elements<From>(b.in[0]);
      if (b.out[0].type == dtype::boolean) {
        auto* y = elements<std::uint8_t>(b.out[0]);
        for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] != 0 ? 1 : 0;
        return;
      }
      visit_number(p.name, b.out[0].type, [&]<class To>(tag<To>) {
        To* y = elements<To>(b.out[0]);
        for (std::int64_t i = 0; i < n; ++i) y[i] = converted<To>(x[i]);
      });
    });
  });
}

inline void run(const op::clamp& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    std::size_t next = 1;
    const T low = p.low ? *elements<T>(b.in[next++]) : T{};
    const T high = p.high ? *elements<T>(b.in[next]) : T{};
    map_elements<T>(b, [&](T x) {
      if (p.low && x < low) x = low;
      return p.high && x > high ? high : x;
    });
  });
}

}  // namespace ctnn::typed
