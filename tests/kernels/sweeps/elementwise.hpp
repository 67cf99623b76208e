// SPDX-License-Identifier: BSL-1.0
// What the element-wise kernels are put through, for every target: run(op, arguments).
#pragma once

#include "../check.hpp"

namespace ctnn::test {

inline const activation_function all_activations[] = {
    {function::relu},    {function::leaky_relu, 0.1f}, {function::clip, -1, 2}, {function::sigmoid},
    {function::tanh},    {function::elu, 0.7f},        {function::silu},        {function::hardsigmoid, 1.0f / 6, 0.5f},
    {function::mish},    {function::hardswish, 1.0f / 6, 0.5f}, {function::gelu},      {function::gelu_tanh}};

template <class Run>
void sweep_elementwise(const Run& run) {
  options o;
  o.in_place = true;
  for (int n : lengths()) {
    compare_same(run, op::activation{{function::relu}}, {{n}}, o);
    compare_same(run, op::dropout{0.25f}, {{n, 2, 3}}, o);
  }
  for (const activation_function& f : all_activations) {
    compare_same(run, op::activation{f}, {{19, 3, 5}}, o);
    compare_same(run, op::activation{f}, {{2, 33, 2, 3}}, o);
  }
  compare_same(run, op::identity{}, {{2, 7, 2, 3}}, o);
  compare_same(run, op::identity{}, {{5, 4}}, o);
  for (int f = 0; f < 20; ++f) {
    const auto kind = static_cast<op::unary_function>(f);
    using enum op::unary_function;
    const bool root = kind == op::unary_function::sqrt || kind == rsqrt || kind == op::unary_function::log ||
                      kind == op::unary_function::log10;
    const bool arc = kind == op::unary_function::asin || kind == op::unary_function::acos;
    if (root) o.low = 0.01f;
    if (arc) o.low = -1.0f, o.high = 1.0f;
    CAPTURE(f);
    compare_same(run, op::unary{kind}, {{37}}, o);
    compare_same(run, op::unary{kind}, {{17, 2, 3}}, o);
    o.low = -3.0f, o.high = 3.0f;
  }
}

}  // namespace ctnn::test
