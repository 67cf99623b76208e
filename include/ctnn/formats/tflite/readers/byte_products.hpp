// SPDX-License-Identifier: BSL-1.0
// Convolutions and products of bytes.
#pragma once

#include "quantized.hpp"

namespace ctnn::tflite::readers {

/// Where a layer of sums has its input, and its outputs in the weight; each output is repeated so often.
struct sums_at {
  std::size_t input = 0;
  int outputs = 0, channel_axis = 0, repeated = 1;
  bool rounded_twice = false;  ///< whatever is asked for
};
/// Those of a weight, of its type.
inline term zero_points(node_reader& n, const stated_quantization& of, dtype type) {
  const auto zeros = std::make_shared<array>(extents{static_cast<int>(of.zero.size())}, dtype::i64);
  std::ranges::copy(of.zero, zeros->elements<std::int64_t>().begin());
  return n.cast(n.constant(zeros), type);
}
/// A layer of sums of this shape, with the slots after the weight, which is the last of `in`. The bias is the node's
/// last input.
template <class Op>
term sums(node_reader& n, Op op, std::vector<term> in, const sums_at& at) {
  one_scale(n, n.node.inputs[at.input]);
  op.weight.type = n.type(n.input(1));
  if (!ir::is_byte(op.weight.type)) node_reader::refuse("weights of " + std::string(name_of(op.weight.type)));
  const stated_quantization* w = scales_of(n, n.node.inputs[1]);
  if (!w) n.fail("the weight has no scale");
  op.weight.zero_points = std::ranges::any_of(w->zero, [](std::int64_t z) { return z != 0; });
  op.weight.by_output = w->scale.size() > 1;
  if (op.weight.by_output && (w->axis != at.channel_axis || static_cast<int>(w->scale.size()) != at.outputs))
    n.fail("the weight has " + std::to_string(w->scale.size()) + " scales along axis " + std::to_string(w->axis) +
           ", expected " + std::to_string(at.outputs) + " along " + std::to_string(at.channel_axis));
  const auto repeated = [&](term t) {
    if (at.repeated == 1 || n.shape(t).count() == 1) return t;
    const term each = n.reshaped(t, {at.outputs, 1});
    return n.reshaped(n.add(op::expand{{at.outputs, at.repeated}}, {each}), {at.outputs * at.repeated});
  };
  if (op.bias) {
    const term bias = n.input(n.input_count() - 1);
    if (n.type(bias) != (n.type(in[0]) == dtype::i16 ? dtype::i64 : dtype::i32))
      node_reader::refuse("a bias of " + std::string(name_of(n.type(bias))));
    if (n.shape(bias).count() != at.outputs) n.fail("the bias is " + describe(n.shape(bias)));
    in.push_back(helping(n, [&] { return repeated(bias); }));
  }
  in.push_back(helping(n, [&] { return repeated(n.constant({static_cast<int>(w->scale.size())}, w->scale)); }));
  if (op.weight.zero_points) in.push_back(helping(n, [&] { return repeated(zero_points(n, *w, op.weight.type)); }));
  op.given = (slot_set{1} << (in.size() - 1)) - 1;
  ir::element made = byte_output(n, widths::wide);
  made.rounded = at.rounded_twice || made == dtype::i16 ? ir::rounding::twice : n.builder().options.rounding;
  return n.add_as(made, op, in);
}

template <bool each_channel>
void byte_convolution(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return convolution<each_channel>(n);
  op::conv2d op;
  set_convolution<each_channel>(n, op);
  op.activation = fused_bounds(n);
  const term x = channels_first(n, n.input(0)),
             weight = helping(n, [&] { return weight_first<each_channel>(n, n.input(1)); });
  n.result(channels_last(n, sums(n, op, {x, weight}, {.outputs = op.out, .channel_axis = each_channel ? 3 : 0})));
}

inline void byte_product(node_reader& n) {
  if (!bytes_at(n, 0, widths::wide)) return fully_connected(n);
  n.expect(2, 3);
  if (n.flag("weights_format", false)) node_reader::refuse("shuffled weights");
  check_sums(n);
  const extents w = n.shape(n.input(1)), out = product_shape(n, n.shape(n.input(0)), w);
  extents rows = out;
  rows.back(0) = w[1];
  op::linear op;
  op.out = w[0];
  op.bias = n.has(2);
  op.activation = fused_bounds(n);
  const term x = helping(n, [&] { return n.reshaped(n.input(0), rows); });
  n.result(sums(n, op, {x, n.input(1)}, {.outputs = w[0]}));
}

/// The images' products by the matrices that change places with the outputs' axis: bytes less their zero points.
inline void byte_batch_matmul(node_reader& n) {
  if (!bytes_at(n, 0)) return unscaled<batch_matmul>(n);
  n.expect(2, 2);
  if (!bytes_at(n, 1)) n.fail("input 1 has no scale");
  for (std::size_t i = 0; i < 2; ++i)
    if (n.rank(n.input(i)) < 2) n.fail("input " + std::to_string(i) + " is " + describe(n.shape(n.input(i))));
  term a = n.input(0);
  if (n.flag("adj_x", false)) {
    op::permute turned;
    for (int i = 0; i < n.rank(a); ++i) turned.order.push_back(i);
    std::swap(turned.order[turned.order.size() - 1], turned.order[turned.order.size() - 2]);
    a = helping(n, [&] { return n.add(turned, {a}); });
  }
  const term b = n.input(1);
  of_input(n, 1);
  n.result(n.add_as(byte_output(n), op::matmul{false, n.flag("adj_y", false)}, {a, b}));
}

/// Between pixels are zeros of the weight, which grows with the square of the stride.
inline constexpr int most_transposed_stride = 64;
/// The sums that reach one pixel of the result come from windows of as many pixels as a stride goes into the weight: a
/// convolution with as many outputs as there are pixels in a stride, whose outputs then lie side by side.
inline void byte_transposed_convolution(node_reader& n) {
  if (!bytes_at(n, 2, widths::wide)) return unscaled<transposed_convolution>(n);
  op::conv_transpose2d back;
  const auto axes = set_transposed(n, back);
  for (const int d : back.dilation)
    if (d != 1) node_reader::refuse("a dilation of " + std::to_string(d));
  for (const int s : back.stride)
    if (s > most_transposed_stride) node_reader::refuse("a stride of " + std::to_string(s));
  const extents x = n.shape(n.input(2)), w = n.shape(n.input(1));
  const int sh = back.stride[0], sw = back.stride[1], pixels = sh * sw, outs = w[0];
  op::conv2d op;
  op.out = n.to_int(std::int64_t{outs} * pixels, "outputs");
  op.bias = back.bias;
  op.activation = fused_bounds(n);
  extents wide = w, steps{outs};
  int windows[2], pixels_along[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const int a = static_cast<int>(i) + 1;
    const std::int64_t stride = back.stride[i], taps = (w[a] + stride - 1) / stride;
    op.kernel[i] = static_cast<int>(taps);
    wide[a] = n.to_int(taps * stride, "weight");
    steps.push_back(op.kernel[i]);
    steps.push_back(back.stride[i]);
    windows[i] = n.to_int(std::max<std::int64_t>((axes[i].pad + axes[i].size + stride - 1) / stride, x[a]), "windows");
    pixels_along[i] = n.to_int(windows[i] * stride, "output");
    op.pad[i] = op.kernel[i] - 1;
    op.pad[i + 2] = windows[i] - x[a];
  }
  steps.push_back(w[3]);
  const term weight = helping(n, [&] {
    op::pad zeros;
    const stated_quantization* w_scales = scales_of(n, n.node.inputs[1]);
    if (w_scales && !w_scales->zero.empty()) zeros.value = static_cast<double>(w_scales->zero[0]);
    zeros.before = {0, 0, 0, 0};
    zeros.after = {0, wide[1] - w[1], wide[2] - w[2], 0};
    const term whole = wide == w ? n.input(1) : n.add(zeros, {n.input(1)});
    const term by_step = n.permuted(n.reshaped(whole, steps), {0, 2, 4, 5, 1, 3});
    const op::slice turned{{4, 5}, {-1, -1}, {-(1 << 30), -(1 << 30)}, {-1, -1}};
    return n.reshaped(n.add(turned, {by_step}), {op.out, w[3], op.kernel[0], op.kernel[1]});
  });
  const term image = channels_first(n, n.input(2));
  const term y = helping(n, [&] {
    return sums(n, op, {image, weight}, {.input = 2, .outputs = outs, .repeated = pixels, .rounded_twice = true});
  });
  const term apart = n.permuted(n.reshaped(y, {x[0], outs, sh, sw, windows[0], windows[1]}), {0, 4, 2, 5, 3, 1});
  const term side_by_side = n.reshaped(apart, {x[0], pixels_along[0], pixels_along[1], outs});
  op::slice cut{{1, 2}, {}, {}};
  for (const transposed_axis& a : axes) {
    cut.start.push_back(n.to_int(a.pad, "padding"));
    cut.end.push_back(n.to_int(a.pad + a.size, "output"));
  }
  n.result(n.add(cut, {side_by_side}));
}

}  // namespace ctnn::tflite::readers
