// SPDX-License-Identifier: BSL-1.0
// What binary and eltwise are put through.
#pragma once

#include "../check.hpp"

namespace ctnn::ir::test {

template <class Run>
void sweep_binary(const Run& run) {
  options o;
  o.low = 0.1f;                                   // so that powers exist
  o.in_place = true;
  const activation_function relu{function::clip, 0.2f, 4};
  for (int f = 0; f <= static_cast<int>(op::binary_function::prelu); ++f) {
    CAPTURE(f);
    op::binary p;
    p.function = static_cast<op::binary_function>(f);
    compare_same(run, p, {{37}, {37}}, o);
    compare_same(run, p, {{2, 19, 2, 3}, {2, 19, 2, 3}}, o);
    options special = o;
    special.special = true;
    special.signed_zeros = p.function != op::binary_function::maximum && p.function != op::binary_function::minimum;
    compare_same(run, p, {{special_pairs}, {special_pairs}}, special);
    for (const float scalar : special_numbers) {
      p.scalar = scalar;
      compare_same(run, p, {{special_count * 16 + 5}}, special);
    }
    p.scalar = {};
    options wide = o;
    wide.low = 1e-3f, wide.high = 40;
    compare_same(run, p, {{259}, {259}}, wide);
    if (p.function == op::binary_function::pow) {
      options negative = special;
      negative.special = false;
      negative.low = -3;
      compare_same(run, p, {{259}, {259}}, negative);
      for (const float scalar : {3.0f, -3.0f, 4.0f, 2.5f, 16777217.0f}) {
        p.scalar = scalar;
        compare_same(run, p, {{259}}, negative);
      }
      p.scalar = {};
    }
    p.activation = relu;
    compare_same(run, p, {{37, 5, 7}, {37, 5, 7}}, o);
    compare_any(run, p, {{5, 3, 4}, {5, 1, 1}});
    compare_any(run, p, {{5, 1, 1}, {5, 3, 4}});
    p.scalar = 1.5f;
    compare_same(run, p, {{2, 19, 2, 3}}, o);
    compare_same(run, p, {{35}}, o);
  }
  for (int n : lengths()) compare_same(run, op::binary{}, {{n}, {n}}, o);
  const std::vector<extents> pairs[] = {{{7, 3, 4}, {7, 3, 4}},    {{7, 3, 4}, {1}},
                                        {{1}, {7, 3, 4}},          {{7, 3, 4}, {4}},
                                        {{7, 3, 4}, {3, 1}},       {{7, 3, 4}, {7, 1, 4}},
                                        {{7, 3, 4}, {1, 3, 4}},    {{7, 1, 4}, {1, 3, 1}},
                                        {{2, 7, 3, 4}, {7, 1, 1}}, {{2, 7, 3, 4}, {2, 1, 3, 4}},
                                        {{2, 1, 3, 1}, {7, 1, 4}}, {{3, 4}, {2, 7, 3, 4}},
                                        {{1, 1, 1}, {1, 1, 1}},    {{2, 3, 2, 3, 2}, {3, 1, 3, 1}},
                                        {{40, 5}, {40, 1}}};
  for (const auto& shapes : pairs)
    for (op::binary_function f :
         {op::binary_function::add, op::binary_function::sub, op::binary_function::rdiv, op::binary_function::prelu}) {
      op::binary p;
      p.function = f;
      options any;
      any.low = f == op::binary_function::prelu ? -1.0f : 0.5f;
      any.tolerance = 4e-6f;
      compare_any(run, p, shapes, any);
    }
  for (int f = 0; f < 3; ++f) {
    CAPTURE(f);
    op::eltwise p;
    p.function = static_cast<op::eltwise_function>(f);
    compare_same(run, p, {{37}, {37}}, o);
    compare_same(run, p, {{19, 2, 3}, {19, 2, 3}, {19, 2, 3}}, o);
    options special = o;
    special.special = true;
    compare_same(run, p, {{special_pairs}, {special_pairs}}, special);
    p.activation = relu;
    p.coefficients = {0.5f, -2.0f, 3.0f};
    compare_same(run, p, {{2, 19, 2, 3}, {2, 19, 2, 3}, {2, 19, 2, 3}}, o);
    compare_same(run, p, {{1500}, {1500}, {1500}}, o);
  }
}

}  // namespace ctnn::ir::test
