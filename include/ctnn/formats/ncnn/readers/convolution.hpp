// SPDX-License-Identifier: BSL-1.0
// Convolutions of one and two dimensions, transposed ones, InnerProduct, and the per-channel layers with weights.
#pragma once

#include <algorithm>
#include <array>

#include "../../../base/int8.hpp"
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

/// Everything but the padding.
template <int Axes>
void set_windows(const layer_reader& l, op::convolution_windows<Axes>& op, bool grouped) {
  const int kernel = l.extent_or(1, 0, 1), dilation = l.extent_or(2, 1, 1), stride = l.extent_or(3, 1, 1);
  op.out = l.int_or(0, 0);
  op.kernel.back() = kernel;
  op.dilation.back() = dilation;
  op.stride.back() = stride;
  if constexpr (Axes == 2) {
    op.kernel[0] = l.extent_or(11, kernel, 1);
    op.dilation[0] = l.extent_or(12, dilation, 1);
    op.stride[0] = l.extent_or(13, stride, 1);
  }
  op.bias = l.flag_or(5, false);
  op.groups = grouped ? l.int_or(7, 1) : 1;
  op.activation = fused_activation(l);
}
template <int Axes>
op::conv<Axes> convolution_parameters(const layer_reader& l, bool grouped) {
  op::conv<Axes> op;
  set_windows(l, op, grouped);
  const padding_parameters p = read_padding(l, Axes == 2);
  if (l.float_or(18, 0) != 0 && (p.same != same_padding::none || p.pad != margins{}))
    layer_reader::refuse(18, "padding that is not zero");
  if constexpr (Axes == 2) op.pad = p.pad;
  else op.pad = {p.pad[1], p.pad[3]};
  op.same = p.same;
  return op;
}

/// What parameter 8 says of int8 weights: how many scales they have, and whether the output is int8 as well.
struct int8_parameters {
  int term = 0;
  bool depthwise = false;

  int8_parameters(const layer_reader& l, bool grouped) : term(l.int_or(8, 0)), depthwise(grouped) {
    if (term < 0) l.fail(8, "int8 scales of kind " + std::to_string(term));
  }
  explicit operator bool() const { return term != 0; }
  bool requantize() const { return term > 100; }
  /// Scales of an output's weights, in the file: one an output; of grouped convolutions one a group, or one.
  int scales(int out, int groups) const {
    if (!depthwise) return out;
    return term == 2 || term == 102 ? 1 : groups;
  }
};

/// A weight of ncnn's bytes, with a scale for each output and a bias of real numbers.
inline constexpr op::weight_element int8_weight{dtype::i8, true, false, true};
/// ncnn's bytes, until the weight file says their scale.
inline constexpr element int8_bytes{dtype::i8, {1, 0}, ir::rounding::away};

/// The bytes that a layer multiplies: it makes them of floats itself.
inline value_id int8_input(layer_reader& l, value_id x) {
  return l.network().at_value(x).type.rounded == ir::rounding::away
             ? x
             : l.helper(op::quantize{}, {x}, "quantize", int8_bytes);
}
/// Reads the scale of bytes, by which ncnn multiplies; it may be `known` from the layer before.
inline void read_int8_scale(layer_reader& l, value_id v, bool known) {
  const float stated = l.raw(1)[0], scale = stated == 0 && l.gives_zeros() ? 1 : stated;
  const ir::quantization q{1 / static_cast<double>(scale), 0};
  if (!(scale > 0) || check_quantization("scale", q, dtype::i8))
    l.fail("has an int8 scale of " + std::to_string(scale) + ", expected a number above 0");
  element& e = l.network().at_value(v).type;
  if (known && !(e.real == q)) layer_reader::refuse("int8 input of another scale than the layer's before");
  e.real = q;
}

/// Weights as bytes (quantized here if the file has them as floats), bias and scales of a layer that makes v of the
/// bytes x, which an earlier layer made if they are `given`.
inline void int8_weights(layer_reader& l, value_id x, bool given, value_id v, int out, int weight_size, bool bias,
                         bool requantize, int scales) {
  stored_weights weight = l.tagged_or_int8(v, 0, weight_size);
  std::size_t slot = 1;
  if (bias) l.read_raw(v, slot++, out);
  const std::vector<float> stated = l.raw(scales);
  std::vector<float> each;
  for (std::size_t o = 0; o < static_cast<std::size_t>(out); ++o)
    each.push_back(stated[o * stated.size() / static_cast<std::size_t>(out)]);
  l.set_weight(v, slot, each);
  read_int8_scale(l, x, given);
  if (requantize) read_int8_scale(l, v, false);
  const std::size_t rows = weight.floats.size() / static_cast<std::size_t>(out);
  for (std::size_t i = 0; i < weight.floats.size(); ++i)
    weight.bytes.push_back(quantize_int8(weight.floats[i] * each[i / rows]));
  l.set_bytes(v, 0, weight.bytes);
}

/// Reads weight and bias; `weight_size` is what the file declares.
inline void convolution_weights(layer_reader& l, value_id v, int out, int weight_size, bool bias) {
  l.read_tagged(v, 0, weight_size);
  if (bias) l.read_raw(v, 1, out);
}

/// The input of a fully connected layer: the rows of a matrix, or everything as one vector.
inline value_id rows_or_vector(layer_reader& l, value_id x, int out, int weight_size) {
  if (out < 1 || weight_size < 1 || weight_size % out != 0)
    l.fail("weight size " + std::to_string(weight_size) + " for " + std::to_string(out) + " outputs");
  const extents shape = l.shape(x);
  if (shape.rank != 1 && !(shape.rank == 2 && shape[1] == weight_size / out))
    return l.helper(op::flatten{}, {x}, "flatten");
  return x;
}
/// A matrix whose rows are as long as the weights' goes row by row; of anything else all elements are one row.
inline value_id fully_connected(layer_reader& l, value_id x, op::linear op, int weight_size) {
  if (op.out < 1 || weight_size < 1 || weight_size % op.out != 0)
    l.fail("weight size " + std::to_string(weight_size) + " for " + std::to_string(op.out) + " outputs");
  const extents shape = l.shape(x);
  if (!(shape.rank == 2 && shape[1] == weight_size / op.out)) op.axes = shape.rank;
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
  image.append(shape);
  return l.reshaped(v, image, "image");
}

template <bool grouped>
void convolution(layer_reader& l) {
  if (l.flag_or(19, false)) layer_reader::refuse(19, "weights as inputs");
  const int8_parameters int8(l, grouped);
  const auto op = convolution_parameters<2>(l, grouped);
  l.expect(1, 1);
  const value_id x = l.input();
  const int weight_size = l.int_or(6, 0);
  const bool vector = !grouped && l.shape(x).rank == 1 && op.kernel == pair{1, 1};
  if (int8) {
    const value_id image = vector ? l.reshaped(x, {l.shape(x)[0], 1, 1}, "image") : as_image(l, x);
    auto of_bytes = op;
    of_bytes.weight = int8_weight;
    const value_id bytes = int8_input(l, image),
                   v = l.node(of_bytes, {bytes}, int8.requantize() ? int8_bytes : element{});
    int8_weights(l, bytes, bytes == image, v, op.out, weight_size, op.bias, int8.requantize(),
                 int8.scales(op.out, op.groups));
    l.result(vector ? l.reshaped(v, {op.out}, "vector") : v);
    return;
  }
  if (vector) {
    l.result(fully_connected(l, x, {op.out, op.bias, op.activation}, weight_size));
    return;
  }
  const value_id v = l.node(op, {as_image(l, x)});
  convolution_weights(l, v, op.out, weight_size, op.bias);
  l.result(v);
}

inline void need_signal(layer_reader& l) {
  if (l.shape(l.input()).rank != 2) l.fail("input is " + describe(l.shape(l.input())) + ", expected 2 dimensions");
}

template <bool grouped>
void convolution_1d(layer_reader& l) {
  if (l.flag_or(19, false)) layer_reader::refuse(19, "weights as inputs");
  const auto op = convolution_parameters<1>(l, grouped);
  l.expect(1, 1);
  need_signal(l);
  const value_id v = l.node(op, {l.input()});
  convolution_weights(l, v, op.out, l.int_or(6, 0), op.bias);
  l.result(v);
}

/// The padding for a wanted output: the odd element of SAME_UPPER goes to the far side.
inline std::array<int, 2> cut_to(const layer_reader& l, int full, int wanted, same_padding same) {
  const int cut = full - wanted;
  if (cut < 0) l.fail("output of " + std::to_string(wanted) + " where there are " + std::to_string(full));
  const int small = cut / 2;
  return same == same_padding::upper ? std::array{small, cut - small} : std::array{cut - small, small};
}

template <int Axes, bool grouped>
void deconvolution(layer_reader& l) {
  if (l.flag_or(28, false)) layer_reader::refuse(28, "weights as inputs");
  op::conv_transpose<Axes> op;
  set_windows(l, op, grouped);
  const int right = l.extent_or(18, 0, 0), width = l.int_or(20, 0);
  std::array<int, Axes> wanted{};
  op.output_padding.back() = right;
  wanted.back() = width;
  const padding_parameters p = read_padding(l, Axes == 2);
  l.expect(1, 1);
  value_id x = l.input();
  if constexpr (Axes == 2) {
    op.output_padding[0] = l.extent_or(19, right, 0);
    wanted[0] = l.int_or(21, width);
    x = as_image(l, x);
    op.pad = p.pad;
  } else {
    need_signal(l);
    op.pad = {p.pad[1], p.pad[3]};
  }
  const extents in = l.shape(x);
  if (p.same != same_padding::none) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Axes); ++i) {
      if (wanted[i] < 1) layer_reader::refuse(20, "SAME padding without an output size");
      const std::int64_t full = op.extent(i, in[static_cast<int>(i) + 1]);
      if (full > 1 << 30) l.fail("input of " + describe(in) + " is too large");
      const auto cut = cut_to(l, static_cast<int>(full), wanted[i], p.same);
      op.pad[i] = cut[0];
      op.pad[i + static_cast<std::size_t>(Axes)] = cut[1];
    }
  } else if (width != 0 || wanted[0] != 0) {
    layer_reader::refuse(20, "output size of a transposed convolution with explicit padding");
  }
  const value_id v = l.node(op, {x});

  // The file has outputs first: (out, C / groups, kernel), a group after the other.
  const int weight_size = l.int_or(6, 0), group_out = op.out / op.groups, group_in = in[0] / op.groups;
  l.expect_weight(v, 0, weight_size);
  const std::vector<float> filed = l.tagged(weight_size);
  std::vector<float> weight(filed.size());
  const auto taps = static_cast<std::size_t>(op.taps());
  auto from = filed.begin();
  for (int g = 0; g < op.groups; ++g)
    for (int o = 0; o < group_out; ++o)
      for (int c = 0; c < group_in; ++c, from += static_cast<std::ptrdiff_t>(taps))
        std::copy_n(from, taps,
                    weight.begin() + static_cast<std::ptrdiff_t>((static_cast<std::size_t>(g * group_in + c) *
                                                                      static_cast<std::size_t>(group_out) +
                                                                  static_cast<std::size_t>(o)) *
                                                                 taps));
  l.set_weight(v, 0, weight);
  if (op.bias) l.read_raw(v, 1, op.out);
  l.result(v);
}

inline void inner_product(layer_reader& l) {
  const op::linear op{l.int_or(0, 0), l.flag_or(1, false), fused_activation(l)};
  l.expect(1, 1);
  const value_id x = l.input();
  const int size = l.int_or(2, 0);
  if (!int8_parameters(l, false)) {
    l.result(fully_connected(l, x, op, size));
    return;
  }
  const value_id rows = rows_or_vector(l, x, op.out, size);
  op::linear product = op;
  product.weight = int8_weight;
  const value_id bytes = int8_input(l, rows), v = l.node(product, {bytes});
  int8_weights(l, bytes, bytes == rows, v, op.out, size, op.bias, false, op.out);
  l.result(v);
}

/// ncnn's channels come first, whatever follows.
inline int first_axis(layer_reader& l, value_id x) { return spelled_axis(l.shape(x), 0); }

inline void batch_norm(layer_reader& l) {
  l.expect(1, 1);
  const int n = l.int_or(0, 0);
  const value_id v = l.node(op::batch_norm{l.float_or(1, 0), first_axis(l, l.input()), 1e-4f}, {l.input()});
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
  const value_id v = l.node(op::scale{bias, first_axis(l, l.input())}, {l.input()});
  l.read_raw(v, 0, n);
  if (bias) l.read_raw(v, 1, n);
  l.result(v);
}

inline void bias(layer_reader& l) {
  l.expect(1, 1);
  const value_id v = l.node(op::bias{first_axis(l, l.input())}, {l.input()});
  l.read_raw(v, 0, l.int_or(0, 0));
  l.result(v);
}

/// One slope for all channels is a leaky ReLU.
inline void prelu(layer_reader& l) {
  l.expect(1, 1);
  const int n = l.int_or(0, 0);
  const value_id x = l.input();
  if (n == 1) {
    const float slope = l.raw(1)[0];
    l.result(l.node(op::activation{{function::leaky_relu, slope}}, {x}));
    return;
  }
  const value_id v = l.node(op::prelu{first_axis(l, x)}, {x});
  l.read_raw(v, 0, n);
  l.result(v);
}

}  // namespace ctnn::ncnn::readers
