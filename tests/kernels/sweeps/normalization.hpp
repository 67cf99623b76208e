// SPDX-License-Identifier: BSL-1.0
// What batch_norm, scale, bias, prelu, local_response_norm, layer_norm, softmax and log_softmax are put through.
#pragma once

#include "../check.hpp"

namespace ctnn::ir::test {

template <class Run>
void sweep_normalization(const Run& run) {
  options o;
  o.in_place = true;
  o.weights_positive = true;
  o.tolerance = 4e-6f;
  std::vector<extents> shapes{{2, 5, 3, 4}, {3, 40, 7, 6}, {6, 9}, {1, 1, 1}};
  for (int n : lengths()) {
    shapes.push_back({n});
    shapes.push_back({n, 2, 3});
    shapes.push_back({3, 1, n});
  }
  for (const extents& s : shapes) {
    compare_same(run, op::batch_norm{}, {s}, o);
    compare_same(run, op::scale{}, {s}, o);
    compare_same(run, op::scale{false}, {s}, o);
    compare_same(run, op::bias{}, {s}, o);
    compare_same(run, op::prelu{}, {s}, o);
    for (const function f : {function::relu, function::tanh}) {
      compare_same(run, op::scale{true, automatic_axis, {f}}, {s}, o);
      compare_same(run, op::bias{automatic_axis, {f}}, {s}, o);
      for (int axis = 0; axis < s.rank; ++axis) compare_same(run, op::scale{false, axis, {f}}, {s}, o);
    }
    for (int axis = 0; axis < s.rank; ++axis) {  // in both layouts, and (N, C), (N, C, L)
      compare_same(run, op::batch_norm{1e-5f, axis}, {s}, o);
      compare_same(run, op::scale{true, axis}, {s}, o);
      compare_same(run, op::prelu{axis - s.rank}, {s}, o);
    }
  }
  o.zero_weight = 3;                              // no variance: the root counts as 1e-4
  compare_same(run, op::batch_norm{0}, {{19, 2, 3}}, o);
}

template <class Run>
void sweep_local_response_norm(const Run& run) {
  options o;
  o.tolerance = 4e-6f;
  std::vector<extents> shapes{{2, 5, 3, 4}, {2, 40, 7, 6}, {1, 1, 1}};
  for (int n : lengths()) {
    shapes.push_back({n, 2, 3});
    shapes.push_back({3, 2, n});
  }
  for (const extents& s : shapes)
    for (bool within : {false, true})
      for (int size : {1, 3, 5, 8}) {
        compare_same(run, op::local_response_norm{size, 1, 0.75f, 1, within}, {s}, o);
        if (size == 3) compare_same(run, op::local_response_norm{size, 0.5f, 0.6f, 2, within}, {s}, o);
      }
}

template <class Run>
void sweep_layer_norm(const Run& run) {
  options o;
  o.tolerance = 1e-5f;
  const auto plain = [&](const op::layer_norm& p, const std::vector<extents>& shapes) {
    compare(run, p, shapes, std::vector<placement>(shapes.size() + (p.statistics ? 3u : 1u)), o);
  };
  for (int n : lengths()) {
    plain({-1, 1e-3f}, {{3, n}});
    plain({-1, 1e-3f}, {{3, n}, {n}, {n}});
    plain({1, 1e-3f, true}, {{5, 2, n}, {2, n}, {2, n}});
    plain({-1, 1e-3f}, {{2, 3, n}, {3, 1}, {1}});  // not along the rows
  }
  for (int n : lengths()) {
    compare(run, op::rms_norm{-1, 1e-3f}, {{3, n}}, std::vector<placement>(2), o);
    compare(run, op::rms_norm{-2, 1e-3f}, {{3, 2, n}, {2, n}}, std::vector<placement>(3), o);
  }
  plain({0, 1e-3f}, {{7, 5, 3}, {7, 5, 3}});
  plain({-2, 1e-3f}, {{2, 4, 4}, {4, 4}, {4}});
}

template <class Run>
void sweep_group_norm(const Run& run) {
  options o;
  o.tolerance = 1e-5f;
  o.in_place = true;
  const auto plain = [&](const op::group_norm& p, const extents& x) {
    const extents by_channel{channels(x, p.axis)}, by_group{p.groups};
    for (const extents& scale : {by_channel, by_group})
      for (const extents& bias : {by_channel, by_group})
        compare(run, p, {x, scale, bias}, std::vector<placement>(4), o);
  };
  for (int n : lengths()) {
    plain({1, 1e-3f, 1}, {3, n});
    plain({2, 1e-3f, -1}, {3, 2 * n});
    plain({3, 1e-3f, 1}, {2, 6, n});
    plain({3, 1e-3f}, {6, 2, n});  // of one image
    plain({2, 1e-3f, 2}, {3, 2, 4, n});
    plain({4, 1e-3f}, {2, 4, 3, n});
  }
  plain({5, 0.1f, 1}, {2, 5});  // groups of one number
}

template <class Run>
void sweep_statistics(const Run& run) {
  options o;
  o.tolerance = 1e-5f;
  o.in_place = true;
  for (int n : lengths()) {
    for (int p : {1, 2}) {
      compare(run, op::lp_normalize{-1, p}, {{3, n}}, {{}, {}}, o);
      compare(run, op::lp_normalize{0, p}, {{3, n}}, {{}, {}}, o);
      compare(run, op::lp_normalize{1, p}, {{2, n, 3}}, {{}, {}}, o);
      for (const float eps : {1e-12f, 1.5f, 1e6f}) compare(run, op::lp_normalize{1, p, eps}, {{2, n, 3}}, {{}, {}}, o);
    }
    for (const list<int>& axes : {list<int>{0, 2}, {1}, {2}, {0, 1}, {0, 1, 2}})
      for (const float eps : {0.0f, 1e-5f, 2.0f})
        compare(run, op::mean_variance_normalize{axes, eps}, {{3, 5, n}}, {{}, {}}, o);
  }
  for (int p : {1, 2}) {
    for (int axis = 0; axis < 5; ++axis) compare(run, op::lp_normalize{axis, p}, {{3, 1, 2, 4, 17}}, {{}, {}}, o);
    compare_with_specials(run, op::lp_normalize{1, p}, {2, 37}, {}, o);
    compare_with_specials(run, op::lp_normalize{0, p}, {3, 19}, {}, o);
    compare_with_specials(run, op::lp_normalize{1, p, 1e-3f}, {2, 37}, {}, o);
  }
  for (const list<int>& axes : {list<int>{0}, {3}, {0, 2, 3}, {1, 3}, {2, 3}, {0, 1, 2, 3}})
    compare(run, op::mean_variance_normalize{axes}, {{2, 19, 3, 5}}, {{}, {}}, o);
}

template <class Op, class Run>
void sweep_softmax(const Run& run) {
  options o;
  o.in_place = true;
  o.low = -30;
  for (int n : lengths()) {
    compare_same(run, Op{}, {{n}}, o);
    compare_same(run, Op{0}, {{n, 2, 3}}, o);
    compare_same(run, Op{0}, {{3, 2, n}}, o);
    compare_same(run, Op{-1}, {{3, 2, n}}, o);
    compare_same(run, Op{1}, {{3, n, 2}}, o);
  }
  compare_with_specials(run, Op{}, {37}, {}, o);
  compare_with_specials(run, Op{0}, {3, 19}, {}, o);
  compare_with_specials(run, Op{}, {1}, {}, o);
  for (int axis = 0; axis < 4; ++axis) compare_same(run, Op{axis}, {{2, 19, 3, 4}}, o);
  for (int axis = 0; axis < 3; ++axis) compare_any(run, Op{axis}, {{9, 3, 4}});
}

}  // namespace ctnn::ir::test
