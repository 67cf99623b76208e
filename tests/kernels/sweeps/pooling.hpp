// SPDX-License-Identifier: BSL-1.0
// What pool, adaptive_pool and interpolate are put through.
#pragma once

#include "../check.hpp"

namespace ctnn::ir::test {

template <class Run>
void sweep_pooling(const Run& run) {
  for (op::pooling function : {op::pooling::max, op::pooling::average}) {
    for (int c : lengths()) {
      op::pool p;
      p.function = function;
      p.kernel = {3, 3};
      p.stride = {2, 2};
      p.pad = {1, 1, 1, 1};
      compare_nhwc(run, p, {c, 5, 6});
      op::adaptive_pool global;
      global.function = function;
      compare_nhwc(run, global, {c, 7, 7});
      global.flatten = true;
      compare_nhwc(run, global, {c, 7, 7});
      compare_nhwc(run, global, {2, c, 3, 5});
      compare(run, global, {{2, 3, 4, c}}, {{}, {}});
    }
    for (int n : lengths())  // windows side by side in a row
      for (int stride : {1, 2, 3})
        for (int pad : {0, 1}) {
          op::pool p;
          p.function = function;
          p.kernel = {2, 3};
          p.stride = {1, stride};
          p.pad = {pad};
          compare(run, p, {{2, 2, 5, n + 2}}, {{}, {}});
          p.dilation = {1, 2};
          compare(run, p, {{2, 2, 3, n + 4}}, {{}, {}});
        }
    for (int n : {1030, 2400})  // longer than what is taken at once, and windows that are
      for (int taps : {3, 500, 700}) {
        op::pool p;
        p.function = function;
        p.kernel = {2, taps};
        p.stride = {2, 2};
        p.pad = {1, 5};
        compare(run, p, {{1, 2, 3, n}}, {{}, {}}, {.tolerance = 1e-4f});
      }
    for (int c : {2, 37}) {
      op::pool row;
      row.function = function;
      row.kernel = {1, 2};
      compare_with_specials(run, row, {1, 2, c}, {});
    }
    op::adaptive_pool whole{function};
    compare_with_specials(run, whole, {2, 5, 9}, {});
    op::pool window;
    window.function = function;
    window.kernel = {2, 2};
    for (int c : {1, 3, 21, 37}) compare_with_specials(run, window, {c, 3, 3}, {layout::nhwc, 0});
    for (int flags = 0; flags < 8; ++flags) {
      for (same_padding same : {same_padding::none, same_padding::upper, same_padding::lower}) {
        op::pool p;
        p.function = function;
        p.kernel = {3, 2};
        p.stride = {2, 3};
        p.pad = {1, 0, 2, 1};
        p.same = same;
        p.ceil = (flags & 1) != 0;
        p.count_include_pad = (flags & 2) != 0;
        p.divisor_whole = (flags & 4) != 0;
        for (const by_axis& dilation : {by_axis{1}, by_axis{1, 3}, by_axis{2}}) {
          p.dilation = dilation;
          compare_nhwc(run, p, {5, 8, 9});
          compare_nhwc(run, p, {2, 21, 7, 11});
          for (int along : {1, 2, 3}) {
            p.stride = {2, along};
            compare(run, p, {{2, 3, 7, 11}}, {{}, {}});
          }
        }
      }
    }
    for (const by_axis& size : {by_axis{1}, by_axis{3, 2}, by_axis{0, 5}, by_axis{7, 9}, by_axis{12, 3}})
      compare_nhwc(run, op::adaptive_pool{function, size}, {2, 18, 7, 9});
  }
}

/// One axis and three, row-major, and norms.
template <class Run>
void sweep_other_pooling(const Run& run) {
  for (op::pooling function : {op::pooling::max, op::pooling::average, op::pooling::lp})
    for (int flags = 0; flags < 4; ++flags)
      for (same_padding same : {same_padding::none, same_padding::upper, same_padding::lower}) {
        op::pool p;
        p.function = function;
        p.p = 1 + flags;
        p.same = same;
        p.ceil = (flags & 1) != 0;
        p.count_include_pad = (flags & 2) != 0;
        p.axes = 1;
        p.kernel = {3};
        p.pad = {2, 1};
        for (int stride : {0, 1, 2})
          for (int dilation : {1, 2}) {
            p.stride = {stride};
            p.dilation = {dilation};
            for (int n : {7, 16, 33}) compare(run, p, {{2, 3, n}}, {{}, {}});
          }
        p.axes = 3;
        p.kernel = {1, 3, 2};
        p.stride = {1, 2, 3};
        p.dilation = {1, 2, 1};
        p.pad = {0, 1, 1};
        compare(run, p, {{3, 4, 7, 8}}, {{}, {}});
        compare(run, p, {{2, 3, 3, 9, 5}}, {{}, {}});
      }
  for (op::pooling function : {op::pooling::max, op::pooling::average}) {
    for (int n : {1, 4, 0}) compare(run, op::adaptive_pool{function, {n}, false, 1}, {{2, 3, 9}}, {{}, {}});
    compare(run, op::adaptive_pool{function, {2, 1, 3}, false, 3}, {{2, 3, 5, 4, 7}}, {{}, {}});
    compare(run, op::adaptive_pool{function, {1}, true, 3}, {{3, 5, 4, 7}}, {{}, {}});
  }
}

template <class Run>
void sweep_interpolate(const Run& run, float tolerance = 2e-6f) {
  for (auto mode : {op::interpolation::nearest, op::interpolation::linear}) {
    for (auto how : {op::coordinates::half_pixel, op::coordinates::align_corners, op::coordinates::asymmetric}) {
      for (int c : lengths()) compare_nhwc(run, op::interpolate{mode, 2, {7, 3}, {0.0}, how}, {c, 3, 4});
      for (const by_axis& size : {by_axis{1}, by_axis{5}, by_axis{10, 12}, by_axis{2, 20}}) {
        compare_nhwc(run, op::interpolate{mode, 2, size, {0.0}, how}, {2, 9, 5, 6});
        compare_nhwc(run, op::interpolate{mode, 2, size, {0.0}, how}, {9, 1, 1});
        compare_nhwc(run, op::interpolate{mode, 2, size, {0.0}, how, op::rounding::round_prefer_ceil}, {2, 9, 5, 6});
      }
      compare_nhwc(run, op::interpolate{mode, 2, {0}, {2, 1.75}, how}, {5, 5, 6});
    }
  }
  // Row-major: nearest elements of planes, other axes, cubic, filters that shrink, regions.
  for (int n : lengths())
    for (const by_axis& size : {by_axis{6, 2 * n}, by_axis{7, n}, by_axis{2, 3 * n + 1}, by_axis{260, 307}}) {
      using enum op::coordinates;
      compare(run, op::interpolate{op::interpolation::nearest, 2, size}, {{2, 2, 3, n}}, {{}, {}});
      compare(run, op::interpolate{op::interpolation::nearest, 2, size, {0.0}, asymmetric, op::rounding::floor},
              {{3, 3, n}}, {{}, {}});
    }
  using enum op::coordinates;
  for (auto mode : {op::interpolation::nearest, op::interpolation::linear, op::interpolation::cubic})
    for (auto how : {half_pixel, half_pixel_symmetric, pytorch_half_pixel, align_corners, asymmetric,
                     tf_half_pixel_for_nn, tf_crop_and_resize})
      for (int flags = 0; flags < 4; ++flags) {
        op::interpolate p{mode, 1, {7}, {0.0}, how, op::rounding::floor};
        p.exclude_outside = (flags & 1) != 0;
        p.antialias = (flags & 2) != 0;
        p.extrapolation = 9;
        p.roi = {0.25, 1.25};
        compare(run, p, {{3, 19}}, {{}, {}}, {.tolerance = tolerance});
        p.axes = 3;
        p.size = {4, 2, 9};
        p.roi = {0, 0.25, -0.5, 1, 0.75, 1};
        compare(run, p, {{70, 3, 5, 6}}, {{}, {}}, {.tolerance = tolerance});
      }
}

}  // namespace ctnn::ir::test
