// SPDX-License-Identifier: BSL-1.0
// Questions about one element, its bits, bounds and conversions between element types.
#pragma once

#include "../../graph/operators/pointwise.hpp"
#include "elementwise.hpp"

CTNN_BEGIN_LOOPS
namespace ctnn::ir::typed {

inline void run(const op::bitwise_not& p, const arguments& a) {
  if (a.in[0].type == dtype::boolean)
    return map_elements<std::uint8_t>(a, [](std::uint8_t x) { return static_cast<std::uint8_t>(x == 0); });
  visit_integer(p.name, a.in[0].type,
                [&]<class T>(tag<T>) { map_elements<T>(a, [](T x) { return static_cast<T>(~x); }); });
}

template <class F>
void map_to_boolean(std::string_view op, const arguments& a, F f) {
  for_floating(op, a, [&]<class T>(const arguments& b, tag<T>) {
    const T* x = elements<T>(b.in[0]);
    auto* y = elements<std::uint8_t>(b.out[0]);
    const std::int64_t n = b.out[0].shape.count();
    for (std::int64_t i = 0; i < n; ++i) y[i] = f(x[i]) ? 1 : 0;
  });
}
inline void run(const op::is_nan& p, const arguments& a) {
  map_to_boolean(p.name, a, [](auto x) { return x != x; });
}
inline void run(const op::is_inf& p, const arguments& a) {
  if (p.positive && p.negative)
    return map_to_boolean(p.name, a, []<class T>(T x) { return std::abs(x) == std::numeric_limits<T>::infinity(); });
  // No number is NaN.
  const float sought = p.positive   ? std::numeric_limits<float>::infinity()
                       : p.negative ? -std::numeric_limits<float>::infinity()
                                    : std::numeric_limits<float>::quiet_NaN();
  map_to_boolean(p.name, a, [sought]<class T>(T x) { return x == static_cast<T>(sought); });
}

/// By itself: in a lambda what it captures might change with each y, and the loop would not become one of vectors.
template <class From, class To>
void convert_row(std::int64_t n, const From* x, To* y) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = converted<To>(x[i]);
}

inline void run(const op::cast& p, const arguments& a) {
  if (a.in[0].type == a.out[0].type) return copy_bytes(a);
  const std::int64_t n = a.out[0].shape.count();
  visit_element(p.name, a.in[0].type, [&]<class From>(tag<From>) {
    const From* x = elements<From>(a.in[0]);
    if (a.out[0].type == dtype::boolean) {
      auto* y = elements<std::uint8_t>(a.out[0]);
      for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] != 0 ? 1 : 0;
      return;
    }
    visit_number(p.name, a.out[0].type, [&]<class To>(tag<To>) { convert_row(n, x, elements<To>(a.out[0])); });
  });
}

inline void run(const op::bit_cast&, const arguments& a) { copy_bytes(a); }

inline void run(const op::clamp& p, const arguments& a) {
  for_numbers(p.name, a, [&]<class T>(const arguments& b, tag<T>) {
    std::size_t next = 1;
    const T low = p.low ? *elements<T>(b.in[next++]) : T{};
    const T high = p.high ? *elements<T>(b.in[next]) : T{};
    map_elements<T>(b, [&](T x) {
      if (p.low) x = larger(x, low);
      return p.high ? smaller(x, high) : x;
    });
  });
}

}  // namespace ctnn::ir::typed
CTNN_END_LOOPS
