// SPDX-License-Identifier: BSL-1.0
// Pooling, Reduction, LRN and Interp.
#pragma once

#include "convolution.hpp"

namespace ctnn::ncnn::readers {

/// The window parameters of Pooling (or Pooling1D) for an input of (height, width).
inline op::pool2d pooling_parameters(const layer_reader& l, bool two_dimensional, op::pooling kind, int height, int width) {
  op::pool2d op;
  op.function = kind;
  const int kernel = l.extent_or(1, 0, 1), stride = l.extent_or(2, 1, 1), left = l.extent_or(3, 0, 0);
  const int right = l.extent_or(14, left, 0), top = two_dimensional ? l.extent_or(13, left, 0) : 0;
  op.kernel = {two_dimensional ? l.extent_or(11, kernel, 1) : 1, kernel};
  op.stride = {two_dimensional ? l.extent_or(12, stride, 1) : 1, stride};
  op.pad = {top, left, two_dimensional ? l.extent_or(15, top, 0) : 0, right};
  const int mode = l.int_or(5, 0);
  const bool average = kind == op::pooling::average;
  op.count_include_pad = op.divisor_whole = average && l.flag_or(6, false);
  if (mode == 0) {
    // "Full": the far side grows until the last window fits. PyTorch's ceil mode drops a window that would start in
    // that growth, so where the two differ the growth is spelled out.
    const int size[2] = {height, width};
    margins grown = op.pad;
    bool needed = false, as_ceil = true;
    for (unsigned i = 0; i < 2; ++i) {
      const int room = size[i] + op.pad[i] + op.pad[i + 2] - op.kernel[i];
      const int rest = room > 0 ? room % op.stride[i] : 0;
      if (rest == 0) continue;
      needed = true;
      grown[i + 2] += op.stride[i] - rest;
      const int count = room / op.stride[i] + 2;
      if (window_count(size[i], op.pad[i], op.pad[i + 2], op.kernel[i], op.stride[i], true) != count) as_ceil = false;
    }
    if (needed && as_ceil) op.ceil = true;
    else op.pad = grown;
  } else if (mode == 2 || mode == 3) {
    // ncnn ignores the padding that is given, but counts the one it adds.
    if (average && op.pad != margins{}) layer_reader::refuse(5, "SAME average pooling with explicit padding");
    op.pad = {};
    op.same = mode == 2 ? same_padding::upper : same_padding::lower;
    op.count_include_pad = op.divisor_whole = average;
  } else if (mode != 1) {
    layer_reader::refuse(5, "padding mode " + std::to_string(mode));
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
    l.result(l.node(op::adaptive_pool2d{kind, {1, 1}, true}, {x}));
  } else if (adaptive) {
    const int w = l.int_or(8, 0), h = l.int_or(18, w);
    for (int n : {w, h})
      if (n != -233 && n < 1) l.fail(8, "output size " + std::to_string(n));
    l.result(l.node(op::adaptive_pool2d{kind, {h == -233 ? 0 : h, w == -233 ? 0 : w}}, {x}));
  } else {
    const extents in = l.shape(x);
    l.result(l.node(pooling_parameters(l, true, kind, in[1], in[2]), {x}));
  }
}

inline void pooling_1d(layer_reader& l) {
  const op::pooling kind = pooling_kind(l);
  const bool global = l.flag_or(4, false), adaptive = l.flag_or(7, false);
  l.expect(1, 1);
  const value_id x = as_row(l, l.input());
  if (global) {
    l.result(l.node(op::adaptive_pool2d{kind, {1, 1}, true}, {x}));
    return;
  }
  if (adaptive) {
    const int w = l.int_or(8, 0);
    if (w != -233 && w < 1) l.fail(8, "output size " + std::to_string(w));
    result_from_row(l, l.node(op::adaptive_pool2d{kind, {1, w == -233 ? 0 : w}}, {x}));
    return;
  }
  result_from_row(l, l.node(pooling_parameters(l, false, kind, 1, l.shape(x)[2]), {x}));
}

/// Over any axes: what is kept comes first, then one global pooling of (kept, 1, reduced).
inline void reduction(layer_reader& l) {
  using enum op::unary_function;
  enum { sum, absolute_sum, square_sum, mean, most, least, product, norm1, norm2, log_sum, log_sum_exp };
  const int operation = l.int_or(0, 0);
  if (operation < 0 || operation > log_sum_exp || operation == product)
    layer_reader::refuse(0, "reduction " + std::to_string(operation));
  const bool all = l.flag_or(1, true), keep = l.flag_or(4, false);
  const float coefficient = l.float_or(2, 1);
  std::vector<int> axes = l.ints_or(3);
  if (!all && !axes.empty() && !l.flag_or(5, false)) layer_reader::refuse(5, "axes that count a batch");
  l.expect(1, 1);
  value_id v = l.input();
  const extents in = l.shape(v);
  std::vector<bool> reduced(static_cast<std::size_t>(in.rank), all || axes.empty());
  if (!all)
    for (int axis : axes) {
      const int a = normal_axis(axis, in.rank);
      if (a < 0 || a >= in.rank) l.fail(3, "axis " + std::to_string(axis));
      reduced[static_cast<std::size_t>(a)] = true;
    }
  extents kept, result;
  op::permute order;
  for (bool round : {false, true})
    for (int i = 0; i < in.rank; ++i)
      if (reduced[static_cast<std::size_t>(i)] == round) order.order.push_back(i);
  for (int i = 0; i < in.rank; ++i) {
    const bool gone = reduced[static_cast<std::size_t>(i)];
    if (!gone) kept.push_back(in[i]);
    if (!gone || keep) result.push_back(gone ? 1 : in[i]);
  }
  if (result.rank == 0) result.push_back(1);
  const int outer = static_cast<int>(kept.count()), inner = static_cast<int>(in.count() / kept.count());

  if (operation == absolute_sum || operation == norm1) v = l.helper(op::unary{abs}, {v}, "abs");
  if (operation == square_sum || operation == norm2) v = l.helper(op::unary{square}, {v}, "square");
  if (operation == log_sum_exp) v = l.helper(op::unary{exp}, {v}, "exp");
  if (operation == least) v = l.helper(op::unary{neg}, {v}, "neg");
  const bool trailing_image = in.rank == 3 && !reduced[0] && reduced[1] && reduced[2];
  if (!trailing_image) {
    bool sorted = true;
    for (std::size_t i = 0; i < order.order.size(); ++i) sorted = sorted && order.order[i] == static_cast<int>(i);
    if (!sorted) v = l.helper(order, {v}, "permute");
    v = l.reshaped(v, {outer, 1, inner}, "columns");
  }
  const bool extreme = operation == most || operation == least;
  const bool flat = !(trailing_image && keep);
  v = l.node(op::adaptive_pool2d{extreme ? op::pooling::max : op::pooling::average, {1, 1}, flat}, {v});
  float factor = coefficient;
  if (!extreme && operation != mean) {
    const bool last_step = operation == norm2 || operation == log_sum || operation == log_sum_exp;
    const float count = static_cast<float>(inner) * (last_step ? 1 : coefficient);
    if (count != 1) v = l.with_scalar(op::binary_function::mul, v, count, "sum");
    if (!last_step) factor = 1;
  }
  if (operation == norm2) v = l.helper(op::unary{sqrt}, {v}, "sqrt");
  if (operation == log_sum || operation == log_sum_exp) v = l.helper(op::unary{log}, {v}, "log");
  if (operation == least) v = l.helper(op::unary{neg}, {v}, "least");
  if (factor != 1) v = l.with_scalar(op::binary_function::mul, v, factor, "coefficient");
  l.result(l.reshaped(v, result));
}

inline void lrn(layer_reader& l) {
  const int region = l.int_or(0, 0), size = l.extent_or(1, 5, 1);
  if ((region != 0 && region != 1) || size % 2 == 0) layer_reader::refuse("region " + std::to_string(region) + " of size " + std::to_string(size));
  l.expect(1, 1);
  const value_id x = l.input();
  if (l.shape(x).rank != 3) layer_reader::refuse("input that is not 3-D");
  l.result(l.node(op::local_response_norm{size, l.float_or(2, 1), l.float_or(3, 0.75f), l.float_or(4, 1), region == 1}, {x}));
}

inline void interp(layer_reader& l) {
  const int type = l.int_or(0, 0);
  if (type != 1 && type != 2) layer_reader::refuse(0, "interpolation " + std::to_string(type));
  if (l.has(9)) layer_reader::refuse(9, "size expression");
  op::interpolate op;
  op.mode = type == 1 ? op::interpolation::nearest : op::interpolation::bilinear;
  op.align_corners = l.flag_or(6, false);
  op.size = {l.int_or(3, 0), l.int_or(4, 0)};
  const float scale[2] = {l.float_or(1, 1), l.float_or(2, 1)};
  l.expect_outputs(1);
  const value_id x = l.input();
  const extents in = l.shape(x);
  if (in.rank != 3) layer_reader::refuse("input that is not 3-D");
  if (l.input_count() == 2) {
    const extents like = l.shape(l.input(1));
    if (like.rank < 2) l.fail("the input that gives the size is " + describe(like));
    op.size = {like.back(1), like.back(0)};
  }
  for (unsigned i = 0; i < 2; ++i) {
    if (op.size[i] < 0) l.fail(3, "output size " + std::to_string(op.size[i]));
    if (op.size[i] > 0) continue;
    const float scaled = static_cast<float>(in[static_cast<int>(i) + 1]) * scale[i];
    if (!(scaled >= 1 && scaled < 1e9f)) l.fail(1, "scale " + std::to_string(scale[i]));
    // ncnn's bilinear goes by the sizes, its nearest by the scale.
    if (op.mode == op::interpolation::nearest) op.scale[i] = scale[i];
    else op.size[i] = static_cast<int>(scaled);
  }
  l.result(l.node(op, {x}));
}

}  // namespace ctnn::ncnn::readers
