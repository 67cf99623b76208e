// SPDX-License-Identifier: BSL-1.0
// int8_conv2d and int8_linear as ncnn layers with int8 weights.
#pragma once

#include "arithmetic.hpp"

namespace ctnn::ncnn::writers {

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
  w.b.bin.raw(w.weight(slot++));
  if (requantize) w.b.bin.raw(w.weight(slot));
}

inline void int8_conv2d(node_writer& w) {
  w.need_rank(3, 3);
  const op::int8_conv2d op = w.get<op::int8_conv2d>();
  parameter_list p = convolution_parameters(op, static_cast<std::int64_t>(w.weight(0).size()));
  const bool grouped = op.groups != 1;
  p.integer(8, (grouped ? 1 : 2) + (op.requantize ? 100 : 0), 0);
  const bool separate = !fuse_activation(p, op.activation);
  if (separate && op.requantize) throw inexpressible{"an activation between sums and bytes"};
  const std::string result = before_activation(w, separate);
  w.layer(grouped ? "ConvolutionDepthWise" : "Convolution", {w.in()}, {result}, p);
  int8_arrays(w, op.bias, op.requantize, op.out, op.groups, !grouped);
  if (separate) activation_layer(w, op.activation, result, w.out());
}

inline void int8_linear(node_writer& w) {
  const op::int8_linear op = w.get<op::int8_linear>();
  w.need_rank(1, 2);
  if (w.input_shape().rank == 2 && w.input_shape()[0] == 1) throw inexpressible{"a matrix of one row"};
  parameter_list p;
  p.integer(0, op.out, 0).integer(1, op.bias, 0).integer(2, static_cast<std::int64_t>(w.weight(0).size()), 0).integer(8, 2, 0);
  const bool separate = !fuse_activation(p, op.activation);
  const std::string result = before_activation(w, separate);
  w.layer("InnerProduct", {w.in()}, {result}, p);
  int8_arrays(w, op.bias, false, op.out, 1, true);
  if (separate) activation_layer(w, op.activation, result, w.out());
}

}  // namespace ctnn::ncnn::writers
