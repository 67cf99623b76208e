// SPDX-License-Identifier: BSL-1.0
// Reductions, plain.
#pragma once

#include <limits>

#include "../../graph/operators/reduce.hpp"
#include "../../base/math.hpp"
#include "coordinates.hpp"

namespace ctnn::ir::reference {

/// The sum, product, ... of `n` numbers; all(f) calls f with each of them.
template <class T>
constexpr T reduced_value(op::reduction f, std::int64_t n, const auto& all) {
  using enum op::reduction;
  const T infinity = std::numeric_limits<T>::infinity();
  T total = f == prod ? T{1} : f == max || f == log_sum_exp ? -infinity : f == min ? infinity : T{};
  const auto each = [&](auto join) { all([&](T v) { total = join(total, v); }); };
  switch (f) {
    case sum:
    case mean:
    case log_sum: each([](T t, T v) { return t + v; }); break;
    case l1: each([](T t, T v) { return t + math::of<T>::abs(v); }); break;
    case l2:
    case sum_square: each([](T t, T v) { return t + v * v; }); break;
    case prod: each([](T t, T v) { return t * v; }); break;
    case min: each([](T t, T v) { return math::of<T>::min(t, v); }); break;
    case max:
    case log_sum_exp: each([](T t, T v) { return math::of<T>::max(t, v); }); break;
  }
  if (f == mean) return total / static_cast<T>(n);
  if (f == l2) return math::of<T>::sqrt(total);
  if (f == log_sum) return math::of<T>::log(total);
  if (f != log_sum_exp || !(math::of<T>::abs(total) < infinity)) return total;
  const T top = total;
  total = T{};
  each([&](T t, T v) { return t + math::of<T>::exp(v - top); });
  return top + math::of<T>::log(total);
}

template <class T>
constexpr void run(const op::reduce& p, const basic_arguments<T>& a) {
  const basic_tensor<const T>& x = a.in[0];
  const unsigned bits = p.reduced(x.shape);
  const auto is_reduced = [&](int axis) { return (bits >> axis & 1u) != 0; };
  // Elements that differ along reduced axes only come together.
  extents together = x.shape;
  for (int i = 0; i < together.rank; ++i)
    if (!is_reduced(i)) together[i] = 1;
  detail::for_each_place(a.out[0].shape, [&](const detail::coordinates& at, std::int64_t place) {
    detail::coordinates first{};
    for (int i = 0, k = 0; i < x.shape.rank; ++i) {
      if (!is_reduced(i)) first[static_cast<std::size_t>(i)] = at[static_cast<std::size_t>(k)];
      k += p.keep || !is_reduced(i) ? 1 : 0;
    }
    const std::int64_t begin = detail::place_of(x.shape, first);
    a.out[0].data[place] = reduced_value<T>(p.function, together.count(), [&](auto take) {
      detail::for_each_place(together, [&](const detail::coordinates& more, std::int64_t) {
        take(x.data[begin + detail::place_of(x.shape, more)]);
      });
    });
  });
}

}  // namespace ctnn::ir::reference
