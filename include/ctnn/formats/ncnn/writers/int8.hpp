// SPDX-License-Identifier: BSL-1.0
// Convolutions and products of bytes as ncnn layers with int8 weights.
#pragma once

#include "arithmetic.hpp"

namespace ctnn::ncnn::writers {

/// ncnn's scale of bytes, by which real numbers are multiplied.
inline void int8_scale(node_writer& w, const element& e) {
  const float scale = static_cast<float>(1 / e.real.scale);
  w.b.bin.raw({&scale, 1});
}
/// Weight, bias and scales in ncnn's order; `per_output`: a scale for each output, otherwise for each group.
inline void int8_arrays(node_writer& w, bool bias, bool requantize, int out, int groups, bool per_output) {
  w.b.bin.int8(w.weight(0));
  std::size_t slot = 1;
  if (bias) w.b.bin.raw(w.weight(slot++));
  const std::span<const float> each = w.weight(slot++);
  std::vector<float> scales(each.begin(), each.end());
  if (!per_output) {
    const auto group = static_cast<std::size_t>(out / groups);
    for (std::size_t o = 0; o < scales.size(); ++o)
      if (scales[o] != scales[o / group * group]) throw inexpressible{"scales that differ within a group"};
    for (std::size_t g = 0; g < static_cast<std::size_t>(groups); ++g) scales[g] = scales[g * group];
    scales.resize(static_cast<std::size_t>(groups));
  }
  w.b.bin.raw(scales);
  int8_scale(w, w.b.g.at_value(w.input()).type);
  if (requantize) int8_scale(w, w.result_type());
}

inline void need_ncnn_arithmetic(const node_writer& w, const op::weight_element& weight) {
  if (w.b.g.at_value(w.input()).type.rounded != ir::rounding::away || !weight.by_output)
    throw inexpressible{"zero points, or one scale for all weights"};
}

/// Layers quantize what they read themselves: a blob holds the floats.
inline void quantize(node_writer& w) {
  if (w.result_type().rounded != ir::rounding::away) throw inexpressible{"bytes in another arithmetic than ncnn's"};
  if (w.b.outputs.contains(w.output())) throw inexpressible{"bytes as a network output"};
  w.b.blobs[static_cast<std::size_t>(w.output())] = w.in();
  if (const auto at = w.b.forms.find(w.input()); at != w.b.forms.end()) w.b.forms[w.output()] = at->second;
}

/// ncnn makes bytes for its convolutions alone: maxima and what moves elements take floats, and who reads these
/// quantizes them by the same scale.
inline bool makes_bytes(const node_writer& w, dtype to, bool separate_activation) {
  if (to != dtype::i8) return false;
  if (w.b.outputs.contains(w.output())) {
    if (separate_activation) throw inexpressible{"an activation between sums and bytes"};
    return true;
  }
  if (separate_activation) return false;
  const graph_view& g = w.b.g;
  for (const node_id reader : w.b.readers[static_cast<std::size_t>(w.output())])
    if (const operator_type* const type = g.at(reader).type;
        type != &type_of<op::conv2d> && type != &type_of<op::linear>)
      return false;
  return true;
}

inline void int8_convolution(node_writer& w) {
  w.need_rank(3, 3);
  const auto op = w.get<op::conv2d>();
  need_ncnn_arithmetic(w, op.weight);
  parameter_list p = convolution_parameters<2>(op, static_cast<std::int64_t>(w.weight(0).size()));
  const bool grouped = op.groups != 1, separate = !fuse_activation(p, op.activation);
  const bool requantize = makes_bytes(w, w.result_type(), separate);
  p.integer(8, (grouped ? 1 : 2) + (requantize ? 100 : 0), 0);
  const std::string result = before_activation(w, separate);
  w.layer(grouped ? "ConvolutionDepthWise" : "Convolution", {w.in()}, {result}, p);
  int8_arrays(w, op.bias, requantize, op.out, op.groups, !grouped);
  if (separate) activation_layer(w, op.activation, result, w.out());
}

inline void int8_product(node_writer& w) {
  const auto op = w.get<op::linear>();
  need_ncnn_arithmetic(w, op.weight);
  w.need_rank(1, 2);
  if (w.input_shape().rank == 2 && w.input_shape()[0] == 1) throw inexpressible{"a matrix of one row"};
  if (op.transposed || op.axes != 1 || op.ones != 0 ||
      (w.result_type() != dtype::f32 && w.b.outputs.contains(w.output())))
    throw inexpressible{"a product that is no layer of ncnn's"};
  const int out = op.out;
  const auto size = static_cast<std::int64_t>(w.weight(0).size());
  parameter_list p;
  p.integer(0, out, 0).integer(1, op.bias, 0).integer(2, size, 0).integer(8, 2, 0);
  const bool separate = !fuse_activation(p, op.activation);
  const std::string result = before_activation(w, separate);
  w.layer("InnerProduct", {w.in()}, {result}, p);
  int8_arrays(w, op.bias, false, out, 1, true);
  if (separate) activation_layer(w, op.activation, result, w.out());
}

template <int Axes>
void conv(node_writer& w) {
  if (!w.get<op::conv<Axes>>().weight) return conv_of_reals<Axes>(w);
  if constexpr (Axes == 2) int8_convolution(w);
  else throw inexpressible{"a signal of bytes"};
}
inline void linear(node_writer& w) {
  const op::weight_element weight = w.get<op::linear>().weight;
  if (weight.is_packed()) throw inexpressible{"a weight of " + std::to_string(weight.bits) + " bits"};
  return weight ? int8_product(w) : linear_of_reals(w);
}

}  // namespace ctnn::ncnn::writers
