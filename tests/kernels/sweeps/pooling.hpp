// SPDX-License-Identifier: BSL-1.0
// What pool2d, adaptive_pool2d and interpolate are put through.
#pragma once

#include "../check.hpp"

namespace ctnn::test {

template <class Run>
void sweep_pooling(const Run& run) {
  for (op::pooling function : {op::pooling::max, op::pooling::average}) {
    for (int c : lengths()) {
      op::pool2d p;
      p.function = function;
      p.kernel = {3, 3};
      p.stride = {2, 2};
      p.pad = {1, 1, 1, 1};
      compare_nhwc(run, p, {c, 5, 6});
      op::adaptive_pool2d global;
      global.function = function;
      compare_nhwc(run, global, {c, 7, 7});
      global.flatten = true;
      compare_nhwc(run, global, {c, 7, 7});
      compare_nhwc(run, global, {2, c, 3, 5});
    }
    for (int flags = 0; flags < 8; ++flags) {
      for (same_padding same : {same_padding::none, same_padding::upper, same_padding::lower}) {
        op::pool2d p;
        p.function = function;
        p.kernel = {3, 2};
        p.stride = {2, 3};
        p.pad = {1, 0, 2, 1};
        p.same = same;
        p.ceil = (flags & 1) != 0;
        p.count_include_pad = (flags & 2) != 0;
        p.divisor_whole = (flags & 4) != 0;
        compare_nhwc(run, p, {5, 8, 9});
        compare_nhwc(run, p, {2, 21, 4, 11});
      }
    }
    for (pair size : {pair{1, 1}, pair{3, 2}, pair{0, 5}, pair{7, 9}, pair{12, 3}})
      compare_nhwc(run, op::adaptive_pool2d{function, size}, {2, 18, 7, 9});
  }
}

template <class Run>
void sweep_interpolate(const Run& run) {
  for (auto mode : {op::interpolation::nearest, op::interpolation::bilinear}) {
    for (bool corners : {false, true}) {
      for (int c : lengths()) compare_nhwc(run, op::interpolate{mode, {7, 3}, {0, 0}, corners}, {c, 3, 4});
      for (pair size : {pair{1, 1}, pair{5, 5}, pair{10, 12}, pair{2, 20}}) {
        compare_nhwc(run, op::interpolate{mode, size, {0, 0}, corners}, {2, 9, 5, 6});
        compare_nhwc(run, op::interpolate{mode, size, {0, 0}, corners}, {9, 1, 1});
      }
      compare_nhwc(run, op::interpolate{mode, {0, 0}, {2, 1.7f}, corners}, {5, 5, 6});
    }
  }
}

}  // namespace ctnn::test
