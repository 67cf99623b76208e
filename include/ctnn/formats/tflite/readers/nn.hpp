// SPDX-License-Identifier: BSL-1.0
// Convolutions, pools, products with weights, normalisation: channels are brought to the front and back, which rules
// take away between two of them.
#pragma once

#include <algorithm>

#include "elementwise.hpp"

namespace ctnn::tflite::readers {

/// Input i, a weight, as numbers: scales of 8 bits are applied where the input is not of integers (a file whose weights
/// alone are small).
inline term real_weight(node_reader& n, std::size_t i) {
  const term t = n.input(i);
  if (n.type(t) == dtype::f16 || n.type(t) == dtype::bf16) return helping(n, [&] { return n.cast(t, dtype::f32); });
  if (is_floating(n.type(t))) return t;
  const stated_quantization* q = scales_of(n, n.node.inputs[i]);
  if (!q) node_reader::refuse("input " + std::to_string(i) + " of " + std::string(name_of(n.type(t))));
  return helping(n, [&] {
    op::dequantize op;
    op.axis = q->axis;
    const bool one = q->scale.size() == 1;
    const extents s = one ? extents{} : extents{static_cast<int>(q->scale.size())};
    std::vector<term> in{t, n.constant(s, q->scale)};
    if (std::ranges::any_of(q->zero, [](std::int64_t z) { return z != 0; })) {
      const auto zeros = std::make_shared<array>(s, dtype::i64);
      std::ranges::copy(q->zero, zeros->elements<std::int64_t>().begin());
      in.push_back(n.cast(n.constant(zeros), n.type(t)));
    }
    return n.add(op, in);
  });
}

inline void set_strides(node_reader& n, std::array<int, 2>& stride, std::array<int, 2>& dilation) {
  stride = {n.small("stride_h", 0), n.small("stride_w", 0)};
  dilation = {n.small("dilation_h_factor", 1), n.small("dilation_w_factor", 1)};
}
/// The type of sums, where it is said, can only be the usual one.
/// TensorProto::DataType's numbers: f32 is nothing said, i64 sums have inputs of 16 bits alone, and no other.
inline void check_sums(node_reader& n, std::size_t input = 0) {
  const std::int64_t type = n.integer("quantized_bias_type", 0);
  if (type != 0 && type != 1 && type != (n.type(n.input(input)) == dtype::i16 ? 7 : 6))
    node_reader::refuse("sums of " + std::string(element_name(static_cast<int>(type))));
}

/// What the options and shapes say of a convolution: x (N, H, W, C), a weight of (O, KH, KW, C / groups), or for each
/// channel (1, KH, KW, O).
template <bool each_channel>
void set_convolution(node_reader& n, op::conv2d& op) {
  n.expect(2, 3);
  require_rank(n, 0, 4);
  require_rank(n, 1, 4);
  const extents x = n.shape(n.input(0)), w = n.shape(n.input(1));
  op.out = each_channel ? w[3] : w[0];
  op.kernel = {w[1], w[2]};
  set_strides(n, op.stride, op.dilation);
  op.same = padding_of(n);
  op.bias = n.has(2);
  op.given = op.bias ? 3 : 1;
  if (each_channel) {
    if (w[0] != 1) n.fail("weight is " + describe(w) + ", expected 1 in front");
    op.groups = x[3];
    return;
  }
  if (w[3] < 1 || x[3] % w[3] != 0) n.fail("weight is " + describe(w) + " for an input of " + describe(x));
  op.groups = x[3] / w[3];
  check_sums(n);
}
/// The weight as (O, C / groups, KH, KW).
template <bool each_channel>
term weight_first(node_reader& n, term weight) {
  return each_channel ? n.permuted(weight, {3, 0, 1, 2}) : n.permuted(weight, {0, 3, 1, 2});
}
template <bool each_channel>
void convolution(node_reader& n) {
  op::conv2d op;
  set_convolution<each_channel>(n, op);
  const activation_function f = fused(n);
  const term weight = real_weight(n, 1);
  std::vector<term> in{channels_first(n, n.input(0)),
                       helping(n, [&] { return weight_first<each_channel>(n, weight); })};
  if (op.bias) in.push_back(n.input(2));
  n.result(channels_last(n, activated(n, f, n.add(op, in))));
}

/// What the output's shape says along an axis: `pad` are cut off in front, `full` there would be without a cut.
struct transposed_axis {
  std::int64_t size = 0, pad = 0, full = 0;
};
/// The size of the output, a weight (O, KH, KW, C), x (N, H, W, C) and a bias. What a convolution back would pad is cut
/// off.
inline std::array<transposed_axis, 2> set_transposed(node_reader& n, op::conv_transpose2d& op) {
  n.expect(3, 4);
  require_rank(n, 1, 4);
  require_rank(n, 2, 4);
  const integers wanted = n.whole(0);
  const extents x = n.shape(n.input(2)), w = n.shape(n.input(1));
  if (wanted.size() != 4) n.fail("the output's shape has " + std::to_string(wanted.size()) + " numbers, expected 4");
  if (wanted[0] != x[0] || wanted[3] != w[0])
    n.fail("the output's shape has a batch of " + std::to_string(wanted[0]) + " and " + std::to_string(wanted[3]) +
           " channels, expected " + std::to_string(x[0]) + " and " + std::to_string(w[0]));
  if (w[3] != x[3]) n.fail("weight is " + describe(w) + " for an input of " + describe(x));
  op.out = w[0];
  op.kernel = {w[1], w[2]};
  set_strides(n, op.stride, op.dilation);
  check_sums(n, 2);
  op.bias = n.has(3);
  op.given = op.bias ? 3 : 1;
  std::array<transposed_axis, 2> axes;
  const bool same = padding_of(n) == same_padding::upper;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t size = wanted[i + 1], stride = op.stride[i], kernel = op.kernel[i];
    if (stride < 1 || kernel < 1) n.fail("strides of " + std::to_string(stride) + " for a weight of " + describe(w));
    if (size < 1 || size > 1 << 28) n.fail("the output's shape has " + std::to_string(size));
    const std::int64_t back = same ? (size + stride - 1) / stride : (size + stride - kernel) / stride;
    const std::int64_t total = std::max<std::int64_t>((back - 1) * stride + kernel - size, 0);
    const std::int64_t full = (x[static_cast<int>(i) + 1] - std::int64_t{1}) * stride + kernel;
    axes[i] = {size, total / 2, full};
  }
  return axes;
}
inline void transposed_convolution(node_reader& n) {
  op::conv_transpose2d op;
  const auto axes = set_transposed(n, op);
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t after = axes[i].full - axes[i].pad - axes[i].size;
    op.pad[i] = n.to_int(axes[i].pad, "padding");
    op.pad[i + 2] = n.to_int(std::max<std::int64_t>(after, 0), "padding");
    op.output_padding[i] = n.to_int(std::max<std::int64_t>(-after, 0), "padding");
  }
  const activation_function f = fused(n);
  const term weight = helping(n, [&] { return n.permuted(real_weight(n, 1), {3, 0, 1, 2}); });
  std::vector<term> in{channels_first(n, n.input(2)), weight};
  if (op.bias) in.push_back(n.input(3));
  n.result(channels_last(n, activated(n, f, n.add(op, in))));
}

/// The shape that a product with (out, depth) has: rows of `depth` numbers, or the input's with another last axis.
inline extents product_shape(node_reader& n, const extents& x, const extents& w) {
  if (w.rank != 2) n.fail("weight is " + describe(w) + ", expected a matrix");
  const bool keeps = n.flag("keep_num_dims", false);
  if (w[1] < 1 || x.count() % w[1] != 0 || (keeps && (x.rank < 1 || x.back(0) != w[1])))
    n.fail("weight is " + describe(w) + " for an input of " + describe(x));
  if (!keeps) return {static_cast<int>(x.count() / w[1]), w[0]};
  extents out = x;
  out.back(0) = w[0];
  return out;
}

inline void fully_connected(node_reader& n) {
  n.expect(2, 3);
  if (n.flag("weights_format", false)) node_reader::refuse("shuffled weights");
  check_sums(n);
  const extents x = n.shape(n.input(0)), w = n.shape(n.input(1)), out = product_shape(n, x, w);
  op::linear op;
  op.out = w[0];
  op.bias = n.has(2);
  op.given = op.bias ? 3 : 1;
  const activation_function f = fused(n);
  extents rows = out;
  rows.back(0) = w[1];
  const term weight = real_weight(n, 1);
  std::vector<term> in{helping(n, [&] { return n.reshaped(n.input(0), rows); }), weight};
  if (op.bias) in.push_back(n.input(2));
  n.result(activated(n, f, n.add(op, in)));
}

inline op::pool windows_of(node_reader& n, op::pooling f) {
  n.expect(1, 1);
  require_rank(n, 0, 4);
  op::pool op;
  op.function = f;
  op.kernel = {n.small("filter_height", 0), n.small("filter_width", 0)};
  op.stride = {n.small("stride_h", 0), n.small("stride_w", 0)};
  for (const char* key : {"stride_h", "stride_w", "filter_height", "filter_width"})
    if (n.small(key, 0) < 1) n.fail(std::string(key) + " is " + std::to_string(n.small(key, 0)));
  op.same = padding_of(n);
  return op;
}
template <op::pooling f>
void pool(node_reader& n) {
  const op::pool op = windows_of(n, f);
  const term y = n.add(op, {channels_first(n, n.input(0))});
  n.result(channels_last(n, activated(n, fused(n), y)));
}
/// The root of the mean square.
inline void l2_pool(node_reader& n) {
  const op::pool op = windows_of(n, op::pooling::average);
  const activation_function f = fused(n);
  const term square = helping(n, [&] { return applied(n, {function::square}, n.input(0)); });
  const term y = n.add(op, {channels_first(n, square)});
  n.result(channels_last(n, activated(n, f, applied(n, {function::sqrt}, y))));
}

inline void softmax(node_reader& n) {
  n.expect(1, 1);
  const float beta = n.real("beta", 0);
  const term x = n.input();
  if (n.rank(x) < 1) n.fail("input is a scalar");
  if (beta == 1) return n.result(n.add(op::softmax{-1}, {x}));
  n.result(n.add(op::softmax{-1}, {helping(n, [&] {
                   return n.add(op::binary{op::binary_function::mul, beta}, {x});
                 })}));
}
inline void log_softmax(node_reader& n) {
  n.expect(1, 1);
  if (n.rank(n.input()) < 1) n.fail("input is a scalar");
  n.result(n.add(op::log_softmax{-1}, {n.input()}));
}
inline void l2_normalization(node_reader& n) {
  n.expect(1, 1);
  if (n.rank(n.input()) < 1) n.fail("input is a scalar");
  n.ignore("fused_activation_function");  // as TensorFlow Lite does
  n.result(n.add(op::lp_normalize{-1, 2}, {n.input()}));
}
/// The sum, not the mean, of squares.
inline void local_response_normalization(node_reader& n) {
  n.expect(1, 1);
  require_rank(n, 0, 4);
  const int radius = n.small("radius", 0);
  if (radius < 0 || radius > 1 << 20) n.fail("radius is " + std::to_string(radius));
  const int size = 2 * radius + 1;
  const op::local_response_norm op{size, n.real("alpha", 0) * static_cast<float>(size), n.real("beta", 0),
                                   n.real("bias", 0)};
  n.result(channels_last(n, n.add(op, {channels_first(n, n.input())})));
}

inline void batch_matmul(node_reader& n) {
  n.expect(2, 2);
  const op::matmul op{n.flag("adj_x", false), n.flag("adj_y", false)};
  for (std::size_t i = 0; i < 2; ++i)
    if (n.rank(n.input(i)) < 2) n.fail("input " + std::to_string(i) + " is " + describe(n.shape(n.input(i))));
  n.result(n.add(op, {n.input(0), real_weight(n, 1)}));
}

/// The new size of images, channels last.
template <op::interpolation mode>
op::interpolate resized(node_reader& n) {
  n.expect(2, 2);
  require_rank(n, 0, 4);
  const integers size = n.whole(1);
  if (size.size() != 2) n.fail("size has " + std::to_string(size.size()) + " numbers, expected 2");
  const bool corners = n.flag("align_corners", false), centers = n.flag("half_pixel_centers", false);
  if (corners && centers) n.fail("align_corners and half_pixel_centers exclude each other");
  constexpr bool nearest = mode == op::interpolation::nearest;
  op::interpolate op;
  op.mode = mode;
  op.size.clear();
  for (const std::int64_t v : size) {
    if (v < 1) n.fail("a size is " + std::to_string(v));
    op.size.push_back(n.to_int(v, "size"));
  }
  op.coordinates = corners   ? op::coordinates::align_corners
                   : centers ? (nearest ? op::coordinates::tf_half_pixel_for_nn : op::coordinates::half_pixel)
                             : op::coordinates::asymmetric;
  op.rounding = corners ? op::rounding::round_prefer_ceil : op::rounding::floor;
  return op;
}
template <op::interpolation mode>
void resize(node_reader& n) {
  const op::interpolate op = resized<mode>(n);
  n.result(channels_last(n, n.add(op, {channels_first(n, n.input(0))})));
}

}  // namespace ctnn::tflite::readers
