// SPDX-License-Identifier: BSL-1.0
// Reductions, plain.
#pragma once

#include <limits>

#include "../../graph/operators/reduce.hpp"
#include "../../base/math.hpp"
#include "coordinates.hpp"

namespace ctnn::ir::reference {

/// The sum, product, ... of `n` numbers; all(f) calls f with each of them.
constexpr float reduced_value(op::reduction f, std::int64_t n, const auto& all) {
  using enum op::reduction;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float total = f == prod ? 1.0f : f == max || f == log_sum_exp ? -infinity : f == min ? infinity : 0.0f;
  const auto each = [&](auto join) { all([&](float v) { total = join(total, v); }); };
  switch (f) {
    case sum: case mean: case log_sum: each([](float t, float v) { return t + v; }); break;
    case l1: each([](float t, float v) { return t + math::abs(v); }); break;
    case l2: case sum_square: each([](float t, float v) { return t + v * v; }); break;
    case prod: each([](float t, float v) { return t * v; }); break;
    case min: each([](float t, float v) { return math::min(t, v); }); break;
    case max: case log_sum_exp: each([](float t, float v) { return math::max(t, v); }); break;
  }
  if (f == mean) return total / static_cast<float>(n);
  if (f == l2) return math::sqrt(total);
  if (f == log_sum) return math::log(total);
  if (f != log_sum_exp || !(math::abs(total) < infinity)) return total;
  const float top = total;
  total = 0;
  each([&](float t, float v) { return t + math::exp(v - top); });
  return top + math::log(total);
}

constexpr void run(const op::reduce& p, const arguments& a) {
  const const_tensor& x = a.in[0];
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
    a.out[0].data[place] = reduced_value(p.function, together.count(), [&](auto take) {
      detail::for_each_place(together, [&](const detail::coordinates& more, std::int64_t) {
        take(x.data[begin + detail::place_of(x.shape, more)]);
      });
    });
  });
}

}  // namespace ctnn::ir::reference
