// SPDX-License-Identifier: BSL-1.0
// Pooling, Reduction, LRN and Interp.
#pragma once

#include <algorithm>

#include "../reductions.hpp"
#include "convolution.hpp"

namespace ctnn::ncnn::readers {

/// The window parameters of Pooling (or Pooling1D) for an input of (height, width).
inline op::pool pooling_parameters(const layer_reader& l, bool two_dimensional, op::pooling kind, int height,
                                   int width) {
  op::pool op;
  op.function = kind;
  op.axes = two_dimensional ? 2 : 1;
  const int kernel = l.extent_or(1, 0, 1), stride = l.extent_or(2, 1, 1), left = l.extent_or(3, 0, 0);
  const int right = l.extent_or(14, left, 0), top = two_dimensional ? l.extent_or(13, left, 0) : 0;
  const pair window{two_dimensional ? l.extent_or(11, kernel, 1) : 1, kernel};
  const pair step{two_dimensional ? l.extent_or(12, stride, 1) : 1, stride};
  margins pad{top, left, two_dimensional ? l.extent_or(15, top, 0) : 0, right};
  const int mode = l.int_or(5, 0);
  const bool average = kind == op::pooling::average;
  op.count_include_pad = op.divisor_whole = average && l.flag_or(6, false);
  if (mode == 0) {
    // "Full": the far side grows until the last window fits. PyTorch's ceil mode drops a window that would start in
    // that growth, so where the two differ the growth is spelled out.
    const int size[2] = {height, width};
    margins grown = pad;
    bool needed = false, as_ceil = true;
    for (unsigned i = 0; i < 2; ++i) {
      const int room = size[i] + pad[i] + pad[i + 2] - window[i];
      const int rest = room > 0 ? room % step[i] : 0;
      if (rest == 0) continue;
      needed = true;
      grown[i + 2] += step[i] - rest;
      const int count = room / step[i] + 2;
      if (window_count(size[i], pad[i], pad[i + 2], window[i], step[i], true) != count) as_ceil = false;
    }
    if (needed && as_ceil) op.ceil = true;
    else pad = grown;
  } else if (mode == 2 || mode == 3) {
    // ncnn ignores the padding that is given, but counts the one it adds.
    if (average && pad != margins{}) layer_reader::refuse(5, "SAME average pooling with explicit padding");
    pad = {};
    op.same = mode == 2 ? same_padding::upper : same_padding::lower;
    op.count_include_pad = op.divisor_whole = average;
  } else if (mode != 1) {
    layer_reader::refuse(5, "padding mode " + std::to_string(mode));
  }
  if (two_dimensional) {
    op.kernel = {window[0], window[1]};
    op.stride = {step[0], step[1]};
    op.pad = {pad[0], pad[1], pad[2], pad[3]};
  } else {
    op.kernel = {window[1]};
    op.stride = {step[1]};
    op.pad = {pad[1], pad[3]};
  }
  return op;
}

inline op::pooling pooling_kind(const layer_reader& l) {
  const int type = l.int_or(0, 0);
  if (type != 0 && type != 1) layer_reader::refuse(0, "pooling type " + std::to_string(type));
  return type == 0 ? op::pooling::max : op::pooling::average;
}

inline void pooling(layer_reader& l) {
  const op::pooling kind = pooling_kind(l);
  const bool global = l.flag_or(4, false), adaptive = l.flag_or(7, false);
  l.expect(1, 1);
  const value_id x = as_image(l, l.input());
  if (global) {
    l.result(l.node(op::adaptive_pool{kind, {1}, true}, {x}));
  } else if (adaptive) {
    const int w = l.int_or(8, 0), h = l.int_or(18, w);
    for (int n : {w, h})
      if (n != -233 && n < 1) l.fail(8, "output size " + std::to_string(n));
    l.result(l.node(op::adaptive_pool{kind, {h == -233 ? 0 : h, w == -233 ? 0 : w}}, {x}));
  } else {
    const extents in = l.shape(x);
    l.result(l.node(pooling_parameters(l, true, kind, in[1], in[2]), {x}));
  }
}

inline void pooling_1d(layer_reader& l) {
  const op::pooling kind = pooling_kind(l);
  const bool global = l.flag_or(4, false), adaptive = l.flag_or(7, false);
  l.expect(1, 1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  if (in.rank != 2) l.fail("input is " + describe(in) + ", expected 2 dimensions");
  if (global) return l.result(l.node(op::adaptive_pool{kind, {1}, true, 1}, {x}));
  if (!adaptive) return l.result(l.node(pooling_parameters(l, false, kind, 1, in[1]), {x}));
  const int w = l.int_or(8, 0);
  if (w != -233 && w < 1) l.fail(8, "output size " + std::to_string(w));
  l.result(l.node(op::adaptive_pool{kind, {w == -233 ? 0 : w}, false, 1}, {x}));
}

/// A reduction of ctnn's, times parameter 2.
inline void reduction(layer_reader& l) {
  const int operation = l.int_or(0, 0);
  if (operation < 0 || operation >= static_cast<int>(std::size(reductions)))
    layer_reader::refuse(0, "reduction " + std::to_string(operation));
  op::reduce op{reductions[operation]};
  op.keep = l.flag_or(4, false);
  const bool all = l.flag_or(1, true);
  const std::vector<int> axes = l.ints_or(3);
  if (!all && !axes.empty() && !l.flag_or(5, false)) layer_reader::refuse(5, "axes that count a batch");
  l.expect(1, 1);
  const value_id x = l.input();
  const int rank = l.shape(x).rank;
  for (int axis : axes) {
    const int a = normal_axis(axis, rank);
    if (a < 0 || a >= rank) l.fail(3, "axis " + std::to_string(axis));
    if (!all && std::find(op.axes.begin(), op.axes.end(), a) == op.axes.end()) op.axes.push_back(a);
  }
  value_id v = l.node(op, {x});
  if (const float coefficient = l.float_or(2, 1); coefficient != 1)
    v = l.with_scalar(op::binary_function::mul, v, coefficient, "coefficient");
  l.result(l.shape(v).rank == 0 ? l.reshaped(v, {1}) : v);
}

inline void lrn(layer_reader& l) {
  const int region = l.int_or(0, 0), size = l.extent_or(1, 5, 1);
  if ((region != 0 && region != 1) || size % 2 == 0)
    layer_reader::refuse("region " + std::to_string(region) + " of size " + std::to_string(size));
  l.expect(1, 1);
  const value_id x = l.input();
  if (l.shape(x).rank != 3) layer_reader::refuse("input that is not 3-D");
  l.result(l.node(op::local_response_norm{size, l.float_or(2, 1), l.float_or(3, 0.75f), l.float_or(4, 1), region == 1},
                  {x}));
}

inline void interp(layer_reader& l) {
  const int type = l.int_or(0, 0);
  if (type != 1 && type != 2) layer_reader::refuse(0, "interpolation " + std::to_string(type));
  if (l.has(9)) layer_reader::refuse(9, "size expression");
  op::interpolate op;
  op.mode = type == 1 ? op::interpolation::nearest : op::interpolation::linear;
  if (l.flag_or(6, false) && type != 1) op.coordinates = op::coordinates::align_corners;
  pair size{l.int_or(3, 0), l.int_or(4, 0)};
  const float scale[2] = {l.float_or(1, 1), l.float_or(2, 1)};
  double factor[2]{};
  l.expect_outputs(1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  if (in.rank != 3) layer_reader::refuse("input that is not 3-D");
  if (l.input_count() == 2) {
    const extents like = l.shape(l.input(1));
    if (like.rank < 2) l.fail("the input that gives the size is " + describe(like));
    size = {like.back(1), like.back(0)};
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (size[i] < 0) l.fail(3, "output size " + std::to_string(size[i]));
    if (size[i] > 0) continue;
    const float scaled = static_cast<float>(in[static_cast<int>(i) + 1]) * scale[i];
    if (!(scaled >= 1 && scaled < 1e9f)) l.fail(1, "scale " + std::to_string(scale[i]));
    // ncnn's bilinear goes by the sizes, its nearest by the scale.
    if (op.mode == op::interpolation::nearest) factor[i] = static_cast<double>(scale[i]);
    else size[i] = static_cast<int>(scaled);
  }
  op.size = {size[0], size[1]};
  op.scale = {factor[0], factor[1]};
  l.result(l.node(op, {x}));
}

}  // namespace ctnn::ncnn::readers
