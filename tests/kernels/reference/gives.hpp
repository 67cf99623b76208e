// SPDX-License-Identifier: BSL-1.0
// gives(operator, inputs, weights, numbers): the reference kernel computes just these. For static_assert and for CHECK.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include <ctnn/graph/operators.hpp>
#include <ctnn/kernels/reference/reference.hpp>

namespace ctnn::ir::test {

struct operand {
  extents shape;
  std::span<const float> numbers;
};

/// Outputs follow one another in `want`; an element may be off by `tolerance` (1 + |want|).
template <class Op>
constexpr bool gives(const Op& p, std::initializer_list<operand> in, std::initializer_list<const float*> weights,
                     std::initializer_list<float> want, float tolerance = 1e-6f) {
  extents shapes[8];
  const_tensor inputs[8];
  std::size_t n = 0;
  for (const operand& x : in) {
    if (static_cast<std::size_t>(x.shape.count()) != x.numbers.size()) return false;
    shapes[n] = x.shape;
    inputs[n++] = {x.numbers.data(), x.shape};
  }
  extents out_shapes[4];
  if (p.infer(std::span<const extents>(shapes, n), out_shapes)) return false;
  float y[256]{};
  tensor outs[4];
  float* at = y;
  const auto count = static_cast<std::size_t>(output_count(p));
  for (std::size_t i = 0; i < count; ++i) {
    outs[i] = {at, out_shapes[i]};
    at += out_shapes[i].count();
  }
  if (static_cast<std::size_t>(at - y) != want.size()) return false;
  reference::run(p, arguments{std::span<const const_tensor>(inputs, n), std::span<const tensor>(outs, count),
                              std::span<const float* const>(weights.begin(), weights.size())});
  const float* got = y;
  for (float w : want) {
    const float g = *got++;
    if (!(g == w || math::abs(g - w) <= tolerance * (1 + math::abs(w)))) return false;
  }
  return true;
}

inline constexpr float one_to_nine[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
inline constexpr float all_ones[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

}  // namespace ctnn::ir::test
