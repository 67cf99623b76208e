// SPDX-License-Identifier: BSL-1.0
// What the operators that move elements are put through.
#pragma once

#include "../check.hpp"

namespace ctnn::ir::test {

template <class Run>
void sweep_movement(const Run& run) {
  options exact;
  exact.tolerance = 0;
  const auto permuted = [&](const extents& shape, list<int> order) {
    compare_any(run, op::permute{order}, {shape}, exact);
  };
  for (int n : lengths()) {
    permuted({n, 3, 5}, {0, 1, 2});               // changes of layout, among others
    permuted({3, n, 5}, {1, 2, 0});
    permuted({3, n, 2}, {2, 0, 1});  // pairs come apart
    permuted({19, n}, {1, 0});
    compare_any(run, op::concat{}, {{n, 2, 3}, {4, 2, 3}, {1, 2, 3}}, exact);
    compare_any(run, op::split{{3, n}, 0}, {{n + 3, 2, 3}}, exact);
    for (int groups : {1, 2, 5}) compare_any(run, op::channel_shuffle{groups}, {{groups * n, 2, 3}}, exact);
  }
  permuted({2, 17, 18, 19}, {0, 1, 2, 3});
  permuted({40, 33, 1}, {0, 1, 2});
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 4; ++c)
        if (a != b && b != c && a != c) permuted({2, 5, 6, 7}, {a, b, c, 6 - a - b - c});
  permuted({2, 3, 4, 2, 3}, {4, 2, 0, 1, 3});
  for (const pair& factor : {pair{1, 1}, pair{2, 2}, pair{3, 1}, pair{1, 4}, pair{2, 3}}) {
    const int block = factor[0] * factor[1];
    compare_any(run, op::pixel_shuffle{factor}, {{3 * block, 4, 5}}, exact);
    compare_any(run, op::pixel_shuffle{factor}, {{2, 17 * block, 3, 2}}, exact);
  }
  using enum op::pad_mode;
  for (const op::pad_mode mode : {constant, reflect, edge, wrap}) {
    compare_any(run, op::pad{mode, {0, 1, 2}, {0, 2, 1}, 0.5}, {{18, 4, 5}}, exact);
    compare_any(run, op::pad{mode, {1, 0, 0, 3}, {0, 2, 0, 0}, -1}, {{2, 3, 4, 5}}, exact);
    compare_any(run, op::pad{mode, {-1, 2}, {2, -3}, 7}, {{4, 6}}, exact);
    compare_any(run, op::pad{mode, {0, 40, 1}, {0, 35, 30}, 7}, {{18, 4, 5}}, exact);
  }
  compare_any(run, op::pad{constant, {-4, 4}, {4, 0}, 7}, {{4, 2}}, exact);  // nothing is left of the input
  compare_any(run, op::channel_shuffle{3}, {{2, 12, 3, 2}}, exact);
  compare_any(run, op::channel_shuffle{116}, {{232, 1, 5}}, exact);
  for (int axis = -3; axis < 3; ++axis) {
    list<int> sizes{2, 1, 2};
    compare_any(run, op::concat{axis}, {{5, 5, 5}, {5, 5, 5}}, exact);
    compare_any(run, op::split{sizes, axis}, {{5, 5, 5}}, exact);
    compare_any(run, op::slice{{axis}, {1}, {-1}}, {{5, 5, 5}}, exact);
    compare_any(run, op::slice{{axis + (axis >= 0)}, {-2}}, {{5, 5, 5, 5}}, exact);
    compare_any(run, op::slice{{axis}, {}, {}, {-1}}, {{5, 19, 5}}, exact);
    compare_any(run, op::slice{{axis}, {1}, {}, {3}}, {{2, 19, 20, 18}}, exact);
  }
  compare_any(run, op::slice{{0, -1, 1}, {3, 17, -1}, {1, 3, -20}, {-1, -2, -3}}, {{5, 19, 20}}, exact);
  compare_any(run, op::slice{{}, {1, 2}, {2, 18}}, {{5, 19, 20}}, exact);
  compare_any(run, op::full{{7, 3, 4}, 2.5f}, {}, exact);
  compare_any(run, op::full{{6}, -1}, {}, exact);
  compare_any(run, op::constant{{7, 3, 4}}, {}, exact);
  for (int to = 0; to < 2; ++to) {
    const placement from{to == 0 ? layout::nchw : layout::nhwc, 2};
    compare(run, op::flatten{}, {{7, 3, 4}}, {from, {}}, exact);
    compare(run, op::reshape{{4, -1}}, {{7, 3, 4}}, {from, {}}, exact);
    compare(run, op::flatten{1, 2}, {{2, 7, 3, 4}}, {from, {}}, exact);
  }
}

}  // namespace ctnn::ir::test
