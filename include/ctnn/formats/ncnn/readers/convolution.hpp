// SPDX-License-Identifier: BSL-1.0
// Convolutions of one and two dimensions, transposed ones, InnerProduct, and the per-channel layers with weights.
#pragma once

#include "data.hpp"
#include "elementwise.hpp"
#include "rearranging.hpp"

namespace ctnn::ncnn::readers {

struct padding_parameters {
  margins pad{};
  same_padding same = same_padding::none;
};

/// Parameters 4, 14, 15, 16 (left, top, right, bottom), or SAME as -233 or -234. A 1-D layer has no top and bottom.
inline padding_parameters read_padding(const layer_reader& l, bool two_dimensional) {
  const int left = l.int_or(4, 0), right = l.int_or(15, left);
  const int top = two_dimensional ? l.int_or(14, left) : 0;
  const int bottom = two_dimensional ? l.int_or(16, top) : 0;
  const bool all_same = left == right && (!two_dimensional || (top == left && bottom == left));
  if (all_same && left == -233) return {{}, same_padding::upper};
  if (all_same && left == -234) return {{}, same_padding::lower};
  for (int p : {left, right, top, bottom})
    if (p < 0 || p > 32767) l.fail("padding " + std::to_string(p) + " is out of range, expected 0 to 32767");
  return {{top, left, bottom, right}, same_padding::none};
}

inline op::conv2d convolution_parameters(const layer_reader& l, bool two_dimensional, bool grouped) {
  op::conv2d op;
  op.out = l.int_or(0, 0);
  const int kernel = l.extent_or(1, 0, 1), dilation = l.extent_or(2, 1, 1), stride = l.extent_or(3, 1, 1);
  op.kernel = {two_dimensional ? l.extent_or(11, kernel, 1) : 1, kernel};
  op.dilation = {two_dimensional ? l.extent_or(12, dilation, 1) : 1, dilation};
  op.stride = {two_dimensional ? l.extent_or(13, stride, 1) : 1, stride};
  op.bias = l.flag_or(5, false);
  op.groups = grouped ? l.int_or(7, 1) : 1;
  op.activation = fused_activation(l);
  return op;
}

/// Refuses what only some files have.
inline void refuse_int8(const layer_reader& l, int id) {
  if (l.int_or(id, 0) != 0) layer_reader::refuse(id, "int8 weights");
}

/// Reads weight and bias; `weight_size` is what the file declares.
inline void convolution_weights(layer_reader& l, value_id v, int out, int weight_size, bool bias) {
  l.read_tagged(v, 0, weight_size);
  if (bias) l.read_raw(v, 1, out);
}

inline value_id fully_connected(layer_reader& l, value_id x, const op::linear& op, int weight_size) {
  if (op.out < 1 || weight_size < 1 || weight_size % op.out != 0)
    l.fail("weight size " + std::to_string(weight_size) + " for " + std::to_string(op.out) + " outputs");
  const extents shape = l.shape(x);
  if (shape.rank != 1 && !(shape.rank == 2 && shape[1] == weight_size / op.out))
    x = l.helper(op::flatten{}, {x}, "flatten");
  const value_id v = l.node(op, {x});
  convolution_weights(l, v, op.out, weight_size, op.bias);
  return v;
}

/// (h, w) is one channel, (w) one row of one channel.
inline value_id as_image(layer_reader& l, value_id v) {
  extents shape = l.shape(v);
  if (shape.rank > 3) layer_reader::refuse("4-D input");
  if (shape.rank == 3) return v;
  extents image;
  for (int i = shape.rank; i < 3; ++i) image.push_back(1);
  for (int i = 0; i < shape.rank; ++i) image.push_back(shape[i]);
  return l.reshaped(v, image, "image");
}

template <bool grouped>
void convolution(layer_reader& l) {
  if (l.flag_or(19, false)) layer_reader::refuse(19, "weights as inputs");
  refuse_int8(l, 8);
  op::conv2d op = convolution_parameters(l, true, grouped);
  const padding_parameters p = read_padding(l, true);
  if (l.float_or(18, 0) != 0 && (p.same != same_padding::none || p.pad != margins{}))
    layer_reader::refuse(18, "padding that is not zero");
  l.expect(1, 1);
  op.pad = p.pad;
  op.same = p.same;
  const value_id x = l.input();
  const int weight_size = l.int_or(6, 0);
  if (!grouped && l.shape(x).rank == 1 && op.kernel == pair{1, 1}) {
    l.result(fully_connected(l, x, {op.out, op.bias, op.activation}, weight_size));
    return;
  }
  const value_id v = l.node(op, {as_image(l, x)});
  convolution_weights(l, v, op.out, weight_size, op.bias);
  l.result(v);
}

/// (C, L) as an image of one row.
inline value_id as_row(layer_reader& l, value_id v) {
  const extents shape = l.shape(v);
  if (shape.rank != 2) l.fail("input is " + describe(shape) + ", expected 2 dimensions");
  return l.reshaped(v, {shape[0], 1, shape[1]}, "row");
}
inline void result_from_row(layer_reader& l, value_id v) {
  const extents shape = l.shape(v);
  l.result(l.reshaped(v, {shape[0], shape[2]}, "signal"));
}

template <bool grouped>
void convolution_1d(layer_reader& l) {
  if (l.flag_or(19, false)) layer_reader::refuse(19, "weights as inputs");
  op::conv2d op = convolution_parameters(l, false, grouped);
  const padding_parameters p = read_padding(l, false);
  if (l.float_or(18, 0) != 0 && (p.same != same_padding::none || p.pad != margins{}))
    layer_reader::refuse(18, "padding that is not zero");
  l.expect(1, 1);
  op.pad = p.pad;
  op.same = p.same;
  const value_id v = l.node(op, {as_row(l, l.input())});
  convolution_weights(l, v, op.out, l.int_or(6, 0), op.bias);
  result_from_row(l, v);
}

/// Along one axis a transposed convolution of stride s is a plain one with ceil(k / s) taps whose s results a position
/// interleave: output s q + r takes taps r, r + s, r + 2 s, ... of the kernel at inputs q, q - 1, q - 2, ...
struct transposed_axis {
  int kernel, stride, taps, size, cut, out;

  transposed_axis(const layer_reader& l, int k, int s, int in, int before, int after, int extra)
      : kernel(k), stride(s), taps((k + s - 1) / s), size(in), cut(before) {
    out = (in - 1) * s + k + extra - before - after;
    if (out < 1) l.fail("padding leaves no output");
    if (k + extra > taps * s) layer_reader::refuse("output padding larger than the kernel's reach");
  }
};

template <bool grouped>
void deconvolution(layer_reader& l) {
  if (l.flag_or(28, false)) layer_reader::refuse(28, "weights as inputs");
  refuse_int8(l, 8);
  op::conv2d op = convolution_parameters(l, true, grouped);
  if (op.dilation != pair{1, 1}) layer_reader::refuse(2, "dilation of a transposed convolution");
  if (l.int_or(20, 0) != 0 || l.int_or(21, 0) != 0) layer_reader::refuse(20, "output size of a transposed convolution");
  const padding_parameters p = read_padding(l, true);
  if (p.same != same_padding::none) layer_reader::refuse(4, "SAME padding of a transposed convolution");
  const int right = l.extent_or(18, 0, 0), bottom = l.extent_or(19, right, 0);
  l.expect(1, 1);
  const value_id x = as_image(l, l.input());
  const extents in = l.shape(x);
  const auto reach = checked_multiply(std::max(in[1], in[2]), 32768);
  if (!reach || *reach > 1 << 30) l.fail("input of " + describe(in) + " is too large");
  const transposed_axis h(l, op.kernel[0], op.stride[0], in[1], p.pad[0], p.pad[2], bottom);
  const transposed_axis w(l, op.kernel[1], op.stride[1], in[2], p.pad[1], p.pad[3], right);

  const int out = op.out, area = h.stride * w.stride;
  if (op.groups < 1 || out < 1 || in[0] % op.groups != 0 || out % op.groups != 0 || out > (1 << 24) / area)
    l.fail(std::to_string(op.groups) + " groups, " + std::to_string(in[0]) + " channels, " + std::to_string(out) +
           " outputs");
  const int depth = in[0] / op.groups;
  const auto kernel_area = checked_multiply(h.kernel, w.kernel);
  const auto taps = checked_multiply(*kernel_area, static_cast<std::int64_t>(out) * depth);
  if (!taps || *taps != l.int_or(6, 0))
    l.fail(6, "weight size " + std::to_string(l.int_or(6, 0)) + ", expected " + std::to_string(taps.value_or(-1)));
  const std::vector<float> weight = l.tagged(*taps);
  const std::vector<float> bias = op.bias ? l.raw(out) : std::vector<float>();

  op.out = out * area;
  op.kernel = {h.taps, w.taps};
  op.stride = {1, 1};
  op.pad = {h.taps - 1, w.taps - 1, h.taps - 1, w.taps - 1};
  value_id v = l.node(op, {x});
  const auto each = checked_multiply(static_cast<std::int64_t>(op.out) * depth, std::int64_t{h.taps} * w.taps);
  if (!each || *each > l.builder().limits.value_elements) l.fail("too many weights");
  l.builder().weights.take_memory(*each, l.layer.name);
  std::vector<float> arranged(static_cast<std::size_t>(*each));
  std::size_t at = 0;
  for (int o = 0; o < out; ++o)
    for (int ry = 0; ry < h.stride; ++ry)
      for (int rx = 0; rx < w.stride; ++rx)
        for (int c = 0; c < depth; ++c)
          for (int ty = h.taps - 1; ty >= 0; --ty)
            for (int tx = w.taps - 1; tx >= 0; --tx, ++at) {
              const int ky = ry + h.stride * ty, kx = rx + w.stride * tx;
              if (ky < h.kernel && kx < w.kernel)
                arranged[at] = weight[((static_cast<std::size_t>(o) * static_cast<std::size_t>(depth) +
                                        static_cast<std::size_t>(c)) * static_cast<std::size_t>(h.kernel) +
                                       static_cast<std::size_t>(ky)) * static_cast<std::size_t>(w.kernel) +
                                      static_cast<std::size_t>(kx)];
            }
  l.set_weight(v, 0, arranged);
  if (op.bias) {
    std::vector<float> repeated;
    for (float b : bias) repeated.insert(repeated.end(), static_cast<std::size_t>(area), b);
    l.set_weight(v, 1, repeated);
  }
  if (h.stride != 1 || w.stride != 1) v = l.helper(op::pixel_shuffle{{h.stride, w.stride}}, {v}, "pixels");
  v = sliced(l, v, 1, h.cut, h.cut + h.out);
  l.result(sliced(l, v, 2, w.cut, w.cut + w.out));
}

inline void inner_product(layer_reader& l) {
  refuse_int8(l, 8);
  const op::linear op{l.int_or(0, 0), l.flag_or(1, false), fused_activation(l)};
  l.expect(1, 1);
  l.result(fully_connected(l, l.input(), op, l.int_or(2, 0)));
}

/// The channel axis of a 4-D value is the first in ncnn.
inline value_id per_channel_input(layer_reader& l) {
  const value_id v = l.input();
  if (l.shape(v).rank > 3) layer_reader::refuse("4-D input");
  return v;
}

inline void batch_norm(layer_reader& l) {
  l.expect(1, 1);
  const int n = l.int_or(0, 0);
  const value_id v = l.node(op::batch_norm{l.float_or(1, 0)}, {per_channel_input(l)});
  for (std::size_t slot : {0u, 2u, 3u, 1u}) l.read_raw(v, slot, n);  // slope, mean, variance, bias
  l.result(v);
}

inline void scale(layer_reader& l) {
  const int n = l.int_or(0, 0);
  const bool bias = l.flag_or(1, false);
  if (n == -233) {
    if (bias) layer_reader::refuse(1, "bias of a scale that is an input");
    l.expect(2, 1);
    const value_id x = l.input(0), by = l.input(1);
    extents shape = l.shape(x);
    if (shape.rank < 1 || l.shape(by).count() != shape[0])
      l.fail("scale is " + describe(l.shape(by)) + " for an input of " + describe(shape));
    for (int i = 1; i < shape.rank; ++i) shape[i] = 1;
    l.result(l.node(op::binary{op::binary_function::mul}, {x, l.reshaped(by, shape, "factor")}));
    return;
  }
  l.expect(1, 1);
  const value_id v = l.node(op::scale{bias}, {per_channel_input(l)});
  l.read_raw(v, 0, n);
  if (bias) l.read_raw(v, 1, n);
  l.result(v);
}

inline void bias(layer_reader& l) {
  l.expect(1, 1);
  const value_id v = l.node(op::bias{}, {per_channel_input(l)});
  l.read_raw(v, 0, l.int_or(0, 0));
  l.result(v);
}

/// One slope for all channels is a leaky ReLU.
inline void prelu(layer_reader& l) {
  l.expect(1, 1);
  const int n = l.int_or(0, 0);
  const value_id x = per_channel_input(l);
  if (n == 1) {
    const float slope = l.raw(1)[0];
    l.result(l.node(op::activation{{function::leaky_relu, slope}}, {x}));
    return;
  }
  const value_id v = l.node(op::prelu{}, {x});
  l.read_raw(v, 0, n);
  l.result(v);
}

}  // namespace ctnn::ncnn::readers
