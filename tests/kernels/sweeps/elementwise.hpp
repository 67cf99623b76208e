// SPDX-License-Identifier: BSL-1.0
// What the element-wise kernels are put through, for every target: run(op, arguments).
#pragma once

#include <algorithm>

#include "../check.hpp"

namespace ctnn::ir::test {

/// Every function, with parameters that leave no branch out.
inline std::vector<activation_function> all_functions() {
  std::vector<activation_function> all;
  for (int k = 1; k < static_cast<int>(std::size(function_names)); ++k) {
    activation_function f{static_cast<function>(k), 0.7f, 0.4f};
    if (f.kind == function::clip) f.a = -1, f.b = 2;
    if (f.kind == function::hardsigmoid || f.kind == function::hardswish) f.a = 1.0f / 6, f.b = 0.5f;
    all.push_back(f);
  }
  return all;
}

template <class Run>
void sweep_elementwise(const Run& run) {
  options o;
  o.in_place = true;
  options special = o;
  special.special = true;
  for (int n : lengths()) {
    compare_same(run, op::activation{{function::relu}}, {{n}}, o);
    compare_same(run, op::dropout{0.25f}, {{n, 2, 3}}, o);
  }
  compare_same(run, op::identity{}, {{2, 7, 2, 3}}, o);
  compare_same(run, op::identity{}, {{5, 4}}, o);
  for (const activation_function& f : all_functions()) {
    using enum function;
    const auto is_one_of = [&](std::initializer_list<function> these) {
      return std::find(these.begin(), these.end(), f.kind) != these.end();
    };
    if (is_one_of({function::sqrt, rsqrt, function::log, function::log10})) o.low = 0.01f;
    if (is_one_of({function::log1p, function::atanh, function::asin, function::acos})) o.low = -0.99f, o.high = 0.99f;
    if (is_one_of({function::acosh})) o.low = 1.0f;
    const std::string name(name_of(f.kind));
    CAPTURE(name);
    compare_same(run, op::activation{f}, {{37}}, o);
    compare_same(run, op::activation{f}, {{19, 3, 5}}, o);
    compare_same(run, op::activation{f}, {{2, 33, 2, 3}}, o);
    special.signed_zeros = !is_one_of({relu, function::clip});
    compare_same(run, op::activation{f}, {{special_count * 16 + 5}}, special);
    // Where exponentials vanish and overflow, and where turns are many or no longer counted in floats.
    for (const float most : {200.0f, 20000.0f}) {
      options wide = o;
      wide.low = -most, wide.high = most;
      compare_same(run, op::activation{f}, {{259}}, wide);
    }
    o.low = -3.0f, o.high = 3.0f;
  }
}

}  // namespace ctnn::ir::test
