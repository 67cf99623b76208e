// SPDX-License-Identifier: BSL-1.0
// Reductions, plain.
#pragma once

#include <limits>

#include "../../graph/operators/reduce.hpp"
#include "../../base/math.hpp"
#include "../walks/reduction_walk.hpp"

namespace ctnn::ir::reference {

/// The sum, product, ... over the loops of `nest` from x on, `none` if `n` of them is nothing.
constexpr float reduced_value(op::reduction f, const float* x, const loop_nest<1>& nest, std::int64_t n) {
  using enum op::reduction;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float total = f == prod ? 1.0f : f == max || f == log_sum_exp ? -infinity : f == min ? infinity : 0.0f;
  const auto each = [&](auto join) {
    if (n == 0) return;
    loop_cursor<1> at(nest, 0);
    do total = join(total, x[at.offset[0]]);
    while (at.next());
  };
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
  const tensor& y = a.out[0];
  if (y.shape.count() == 0) return;
  const reduction_walk walk(y, a.in[0], p.reduced(a.in[0].shape));
  const std::int64_t n = a.in[0].shape.count() / y.shape.count();
  loop_cursor<2> at(walk.kept, 0);
  do y.data[at.offset[0]] = reduced_value(p.function, n == 0 ? nullptr : a.in[0].data + at.offset[1], walk.reduced, n);
  while (at.next());
}

}  // namespace ctnn::ir::reference
