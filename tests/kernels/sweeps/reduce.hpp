// SPDX-License-Identifier: BSL-1.0
// What reductions are put through: every function, rows and columns around the lanes of every target, axes apart from
// each other, every layout.
#pragma once

#include "../check.hpp"

namespace ctnn::ir::test {

template <class Run>
void sweep_reduce(const Run& run) {
  options o;
  o.tolerance = 2e-5f;
  for (int f = 0; f <= static_cast<int>(op::reduction::sum_square); ++f) {
    const auto function = static_cast<op::reduction>(f);
    const bool positive = function == op::reduction::log_sum, product = function == op::reduction::prod;
    o.low = positive || product ? 0.7f : -3;
    o.high = product ? 1.4f : 3;
    for (int n : lengths()) {
      compare_same(run, op::reduce{function, {-1}, false}, {{3, n}}, o);
      compare_same(run, op::reduce{function, {0}, true}, {{3, n}}, o);
    }
    for (const list<int>& axes : {list<int>{}, {0}, {1}, {2}, {3}, {1, 3}, {0, 2}, {-1, -2}, {0, 1, 3}})
      for (bool keep : {false, true}) {
        compare_any(run, op::reduce{function, axes, keep}, {{2, 19, 3, 5}}, o);
        compare(run, op::reduce{function, axes, keep}, {{3, 1, 2, 4, 17}}, {{}, {}}, o);
      }
    compare_with_specials(run, op::reduce{function, {1}, false}, {2, 37}, {}, o);
    compare_with_specials(run, op::reduce{function, {1}, false}, {2, 70}, {}, o);
    compare_with_specials(run, op::reduce{function, {0}, false}, {3, 19}, {}, o);
    compare_any(run, op::reduce{function, {0}, false}, {{70, 2, 3}}, o);
    compare_any(run, op::reduce{function, {1, 2}, true}, {{70, 9, 8}}, o);
  }
  compare(run, op::reduce{op::reduction::max, {0}, false}, {{1}}, {{}, {}}, o);
}

}  // namespace ctnn::ir::test
