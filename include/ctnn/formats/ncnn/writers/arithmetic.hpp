// SPDX-License-Identifier: BSL-1.0
// Operators that calculate, as ncnn layers.
#pragma once

#include <limits>

#include "../node_writer.hpp"

namespace ctnn::ncnn::writers {

/// A layer of its own for an activation.
inline void activation_layer(node_writer& w, const activation_function& f, const std::string& from, const std::string& to) {
  constexpr float most = std::numeric_limits<float>::max();
  parameter_list p;
  const char* type = "Noop";
  switch (f.kind) {
    case function::none: break;
    case function::relu: type = "ReLU"; break;
    case function::leaky_relu: type = "ReLU", p.real(0, f.a, 0); break;
    case function::clip: type = "Clip", p.real(0, f.a, -most).real(1, f.b, most); break;
    case function::sigmoid: type = "Sigmoid"; break;
    case function::tanh: type = "TanH"; break;
    case function::hardsigmoid: type = "HardSigmoid", p.real(0, f.a, 0.2f).real(1, f.b, 0.5f); break;
    case function::hardswish: type = "HardSwish", p.real(0, f.a, 0.2f).real(1, f.b, 0.5f); break;
    case function::elu: type = "ELU", p.real(0, f.a, 0.1f); break;
    case function::silu: type = "Swish"; break;
    case function::mish: type = "Mish"; break;
    case function::gelu: type = "GELU"; break;
    case function::gelu_tanh: type = "GELU", p.integer(0, 1, 0); break;
  }
  w.layer(type, {from}, {to}, p);
}

/// Parameters 9 and 10 of convolutions and InnerProduct; false if ncnn cannot fuse this one.
inline bool fuse_activation(parameter_list& p, const activation_function& f) {
  const float both[2] = {f.a, f.b};
  switch (f.kind) {
    case function::none: return true;
    case function::relu: p.integer(9, 1, 0); return true;
    case function::leaky_relu: p.integer(9, 2, 0).reals(10, std::span(both, 1)); return true;
    case function::clip: p.integer(9, 3, 0).reals(10, both); return true;
    case function::sigmoid: p.integer(9, 4, 0); return true;
    case function::mish: p.integer(9, 5, 0); return true;
    case function::hardswish: p.integer(9, 6, 0).reals(10, both); return true;
    default: return false;
  }
}

/// Where a layer writes if `rest` still has to be applied to its result.
inline std::string before_activation(node_writer& w, bool separate) { return separate ? w.between("linear") : w.out(); }

inline void activation(node_writer& w) {
  activation_layer(w, w.get<op::activation>().activation, w.in(), w.out());
}

/// Parameters of convolutions but the activation.
inline parameter_list convolution_parameters(const op::conv2d& op, std::int64_t weights) {
  parameter_list p;
  p.integer(0, op.out, 0).integer(1, op.kernel[1], 0).integer(11, op.kernel[0], op.kernel[1]);
  p.integer(2, op.dilation[1], 1).integer(12, op.dilation[0], op.dilation[1]);
  p.integer(3, op.stride[1], 1).integer(13, op.stride[0], op.stride[1]);
  if (op.same != same_padding::none) p.integer(4, op.same == same_padding::upper ? -233 : -234, 0);
  else
    p.integer(4, op.pad[1], 0).integer(14, op.pad[0], op.pad[1]).integer(15, op.pad[3], op.pad[1])
        .integer(16, op.pad[2], op.pad[0]);
  return p.integer(5, op.bias, 0).integer(6, weights, 0).integer(7, op.groups, 1);
}

inline void conv2d(node_writer& w) {
  w.need_rank(3, 3);
  const op::conv2d op = w.get<op::conv2d>();
  const std::span<const float> weight = w.weight(0);
  parameter_list p = convolution_parameters(op, static_cast<std::int64_t>(weight.size()));
  const bool residual = w.input_count() == 2;
  const bool separate = residual || !fuse_activation(p, op.activation);
  const bool activate_after = separate && op.activation;
  std::string result = residual ? w.between("product") : before_activation(w, separate);
  w.layer(op.groups == 1 ? "Convolution" : "ConvolutionDepthWise", {w.in()}, {result}, p);
  w.b.bin.tagged(weight);
  if (op.bias) w.b.bin.raw(w.weight(1));
  if (residual) {
    const std::string sum = before_activation(w, activate_after);
    w.layer("BinaryOp", {result, w.in(1)}, {sum});
    result = sum;
  }
  if (activate_after) activation_layer(w, op.activation, result, w.out());
}

inline void conv_transpose2d(node_writer& w) {
  w.need_rank(3, 3);
  const op::conv_transpose2d op = w.get<op::conv_transpose2d>();
  const std::span<const float> weight = w.weight(0);
  parameter_list p;
  p.integer(0, op.out, 0).integer(1, op.kernel[1], 0).integer(11, op.kernel[0], op.kernel[1]);
  p.integer(2, op.dilation[1], 1).integer(12, op.dilation[0], op.dilation[1]);
  p.integer(3, op.stride[1], 1).integer(13, op.stride[0], op.stride[1]);
  p.integer(4, op.pad[1], 0).integer(14, op.pad[0], op.pad[1]).integer(15, op.pad[3], op.pad[1]).integer(16, op.pad[2], op.pad[0]);
  p.integer(18, op.output_padding[1], 0).integer(19, op.output_padding[0], op.output_padding[1]);
  p.integer(5, op.bias, 0).integer(6, static_cast<std::int64_t>(weight.size()), 0).integer(7, op.groups, 1);
  const bool separate = !fuse_activation(p, op.activation);
  const std::string result = before_activation(w, separate);
  w.layer(op.groups == 1 ? "Deconvolution" : "DeconvolutionDepthWise", {w.in()}, {result}, p);
  // Outputs first, a group after the other.
  const auto groups = static_cast<std::size_t>(op.groups), outputs = static_cast<std::size_t>(op.out) / groups;
  const auto taps = static_cast<std::size_t>(op.kernel[0]) * static_cast<std::size_t>(op.kernel[1]);
  const std::size_t depth = weight.size() / (groups * outputs * taps);
  std::vector<float> filed;
  filed.reserve(weight.size());
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t o = 0; o < outputs; ++o)
      for (std::size_t c = 0; c < depth; ++c) {
        const auto from = weight.subspan(((g * depth + c) * outputs + o) * taps, taps);
        filed.insert(filed.end(), from.begin(), from.end());
      }
  w.b.bin.tagged(filed);
  if (op.bias) w.b.bin.raw(w.weight(1));
  if (separate) activation_layer(w, op.activation, result, w.out());
}

inline void linear(node_writer& w) {
  const op::linear op = w.get<op::linear>();
  const extents in = w.input_shape();
  parameter_list p;
  const std::span<const float> weight = w.weight(0);
  p.integer(0, op.out, 0).integer(1, op.bias, 0).integer(2, static_cast<std::int64_t>(weight.size()), 0);
  const bool separate = !fuse_activation(p, op.activation);
  // ncnn goes through a matrix row by row if they are as long as the weights', else all elements are one vector.
  const int depth = static_cast<int>(op.depth(in)), rows = static_cast<int>(in.count() / depth);
  const bool whole = op.axes == in.rank;
  std::string from = w.in();
  if (whole ? in.rank > 3 || (in.rank == 2 && in[0] == 1) : in.rank > 2 && rows == 1) from = w.reshaped(from, {depth}, "vector");
  else if (!whole && in.rank > 2) from = w.reshaped(from, {rows, depth}, "rows");
  const bool reshape_after = (!whole && (in.rank > 2 || rows == 1)) || (op.ones > 0 && !w.b.kept_flat.contains(w.id()));
  std::string result = reshape_after ? w.between("product") : before_activation(w, separate);
  w.layer("InnerProduct", {from}, {result}, p);
  w.b.bin.tagged(weight);
  if (op.bias) w.b.bin.raw(w.weight(1));
  if (reshape_after) {
    const std::string shaped = before_activation(w, separate);
    w.layer("Reshape", {result}, {shaped}, parameter_list().shape(w.output_shape()));
    result = shaped;
  }
  if (separate) activation_layer(w, op.activation, result, w.out());
}

inline void batch_norm(node_writer& w) {
  w.need_rank(1, 3);
  w.layer("BatchNorm", {w.in()}, {w.out()},
          parameter_list().integer(0, w.input_shape()[0], 0).real(1, w.get<op::batch_norm>().eps, 0));
  for (std::size_t slot : {0u, 2u, 3u, 1u}) w.b.bin.raw(w.weight(slot));  // slope, mean, variance, bias
}
inline void scale(node_writer& w) {
  w.need_rank(1, 3);
  const bool bias = w.get<op::scale>().bias;
  w.layer("Scale", {w.in()}, {w.out()}, parameter_list().integer(0, w.input_shape()[0], 0).integer(1, bias, 0));
  w.b.bin.raw(w.weight(0));
  if (bias) w.b.bin.raw(w.weight(1));
}
inline void bias(node_writer& w) {
  w.need_rank(1, 3);
  w.layer("Bias", {w.in()}, {w.out()}, parameter_list().integer(0, w.input_shape()[0], 0));
  w.b.bin.raw(w.weight(0));
}
inline void local_response_norm(node_writer& w) {
  w.need_rank(3, 3);
  const op::local_response_norm op = w.get<op::local_response_norm>();
  if (op.size % 2 == 0) throw inexpressible{"a window of even size"};
  w.layer("LRN", {w.in()}, {w.out()},
          parameter_list().integer(0, op.within, 0).integer(1, op.size, 5).real(2, op.alpha, 1).real(3, op.beta, 0.75f).real(4, op.k, 1));
}
inline void prelu(node_writer& w) {
  w.need_rank(1, 3);
  w.layer("PReLU", {w.in()}, {w.out()}, parameter_list().integer(0, w.input_shape()[0], 0));
  w.b.bin.raw(w.weight(0));
}

inline void unary(node_writer& w) {
  w.layer("UnaryOp", {w.in()}, {w.out()},
          parameter_list().integer(0, static_cast<int>(w.get<op::unary>().function), 0));
}

/// Trailing-axis broadcasting in ncnn's terms: operands of one rank, or one that ncnn lines up the same way.
inline std::string operand(node_writer& w, std::size_t i) {
  const extents own = w.input_shape(i), other = w.input_shape(1 - i);
  if (own.rank >= other.rank) return w.in(i);
  if (own.rank == 1 && own[0] != other[0]) return w.in(i);  // ncnn's second choice is the innermost axis
  extents full;
  for (int k = own.rank; k < other.rank; ++k) full.push_back(1);
  for (int k = 0; k < own.rank; ++k) full.push_back(own[k]);
  return w.reshaped(w.in(i), full, i == 0 ? "first" : "second");
}

inline void binary(node_writer& w) {
  const op::binary op = w.get<op::binary>();
  parameter_list p;
  p.integer(0, static_cast<int>(op.function), 0);
  std::vector<std::string> from;
  if (op.scalar) {
    p.integer(1, 1, 0).real(2, *op.scalar, 0);
    from = {w.in()};
  } else {
    for (std::size_t i : {0u, 1u}) {
      // A reshape that only appended inner extents of 1 has been absorbed: ncnn lines such operands up by itself.
      const node_id maker = w.b.g.at_value(w.input(i)).producer;
      if (w.b.absorbed.contains(maker)) from.push_back(w.b.blob(w.b.g.inputs(w.b.g.at(maker))[0]));
      else from.push_back(operand(w, i));
    }
  }
  const std::string result = before_activation(w, static_cast<bool>(op.activation));
  w.layer("BinaryOp", from, {result}, p);
  if (op.activation) activation_layer(w, op.activation, result, w.out());
}

inline void eltwise(node_writer& w) {
  const op::eltwise op = w.get<op::eltwise>();
  parameter_list p;
  p.integer(0, static_cast<int>(op.function), 0);
  if (!op.coefficients.empty()) p.reals(1, {op.coefficients.data(), op.coefficients.size()});
  std::vector<std::string> from;
  for (std::size_t i = 0; i < w.input_count(); ++i) from.push_back(w.in(i));
  const std::string result = before_activation(w, static_cast<bool>(op.activation));
  w.layer("Eltwise", from, {result}, p);
  if (op.activation) activation_layer(w, op.activation, result, w.out());
}

inline void softmax(node_writer& w) {
  const int axis = normal_axis(w.get<op::softmax>().axis, w.input_shape().rank);
  w.layer("Softmax", {w.in()}, {w.out()}, parameter_list().integer(0, axis, 0).integer(1, axis != 0, 0));
}

inline void pool2d(node_writer& w) {
  w.need_rank(3, 3);
  const op::pool2d op = w.get<op::pool2d>();
  const extents in = w.input_shape();
  const bool average = op.function == op::pooling::average;
  const bool whole = average && (op.count_include_pad || op.divisor_whole);
  const pair step = op.step();
  margins pad = op.padding(in);
  int mode = 1;
  if (op.same != same_padding::none && whole == average) {
    mode = op.same == same_padding::upper ? 2 : 3;
    pad = {};
  } else if (op.ceil) {
    // ncnn's "full" mode keeps every window that begins inside the padded input; PyTorch's ceil mode drops some.
    margins grown = pad;
    bool full = true, grows = false;
    for (unsigned i = 0; i < 2; ++i) {
      const int size = in.back(1 - static_cast<int>(i));
      const int room = size + pad[i] + pad[i + 2] - op.kernel[i];
      if (room % step[i] == 0) continue;
      if (window_count(size, pad[i], pad[i + 2], op.kernel[i], step[i], true) == room / step[i] + 1) {
        full = false;
        continue;
      }
      grown[i + 2] += step[i] - room % step[i];
      grows = true;
    }
    if (grows && average && op.count_include_pad && !op.divisor_whole)
      throw inexpressible{"an average that counts padding but not what ceil mode adds"};
    if (full && grows) mode = 0;
    else pad = grown;
  }
  parameter_list p;
  p.integer(0, average, 0).integer(1, op.kernel[1], 0).integer(11, op.kernel[0], op.kernel[1]);
  p.integer(2, step[1], 1).integer(12, step[0], step[1]);
  p.integer(3, pad[1], 0).integer(13, pad[0], pad[1]).integer(14, pad[3], pad[1]).integer(15, pad[2], pad[0]);
  p.integer(5, mode, 0);
  if (mode < 2) p.integer(6, whole, 0);
  w.layer("Pooling", {w.in()}, {w.out()}, p);
}

inline void adaptive_pool2d(node_writer& w) {
  w.need_rank(3, 3);
  const op::adaptive_pool2d op = w.get<op::adaptive_pool2d>();
  parameter_list p;
  p.integer(0, op.function == op::pooling::average, 0);
  if (op.flatten) {
    p.integer(4, 1, 0);
  } else {
    const int width = op.size[1] ? op.size[1] : -233, height = op.size[0] ? op.size[0] : -233;
    p.integer(7, 1, 0).integer(8, width, 0).integer(18, height, width);
  }
  w.layer("Pooling", {w.in()}, {w.out()}, p);
}

inline void interpolate(node_writer& w) {
  w.need_rank(3, 3);
  const op::interpolate op = w.get<op::interpolate>();
  parameter_list p;
  const bool nearest = op.mode == op::interpolation::nearest;
  p.integer(0, nearest ? 1 : 2, 0);
  if (nearest && op.size == pair{0, 0}) p.real(1, op.scale[0], 1).real(2, op.scale[1], 1);
  else p.integer(3, w.output_shape()[1], 0).integer(4, w.output_shape()[2], 0);
  p.integer(6, op.align_corners, 0);
  w.layer("Interp", {w.in()}, {w.out()}, p);
}

}  // namespace ctnn::ncnn::writers
