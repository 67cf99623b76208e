// SPDX-License-Identifier: BSL-1.0
// The sweep of transposed convolutions that every target's kernel must get right, against the reference kernel.
// In an anonymous namespace: the hosted and the plain kernels are tested by translation units of one program.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include <ctnn/kernels/reference/convolution.hpp>

#include "convolution_cases.hpp"

namespace ctnn::ir {
namespace {

struct transposed_case {
  op::conv_transpose2d op;
  extents in;
  int more_in = 0, more_out = 0;  ///< pitch beyond the channels
};

using transposed_kernel = void (*)(const op::conv_transpose2d&, const arguments&);

inline void check_transposed(const transposed_case& t, transposed_kernel kernel) {
  const op::conv_transpose2d& p = t.op;
  extents out;
  REQUIRE(!p.infer({&t.in, 1}, {&out, 1}));
  random_numbers random;
  const auto x = random.many(t.in.count()), bias = random.many(p.out);
  const extents shape = p.weights({&t.in, 1})[0].shape;
  const auto weight = random.many(shape.count());
  std::vector<float> packed(static_cast<std::size_t>(packed_count(p, 0, shape)));
  pack(p, 0, shape, weight.data(), packed.data());

  const int in_pitch = t.in.back(2) + t.more_in, out_pitch = p.out + t.more_out;
  const auto placed = place(x, t.in, layout::nhwc, in_pitch);
  auto y = place(std::vector<float>(static_cast<std::size_t>(out.count()), untouched), out, layout::nhwc, out_pitch);
  const const_tensor in{placed.data(), t.in, layout::nhwc, in_pitch};
  const tensor result{y.data(), out, layout::nhwc, out_pitch};
  const float* w[2] = {packed.data(), bias.data()};
  const arguments a{{&in, 1}, {&result, 1}, {w, p.bias ? 2u : 1u}};
  kernel(p, a);
  for (const int parts : test::part_counts) {
    auto again =
        place(std::vector<float>(static_cast<std::size_t>(out.count()), untouched), out, layout::nhwc, out_pitch);
    again.swap(y);
    const tensor other{y.data(), out, layout::nhwc, out_pitch};
    test::in_parts{kernel, parts}(p, arguments{a.in, {&other, 1}, a.weights});
    CHECK(test::same_bits(y, again));
  }

  std::vector<float> want(static_cast<std::size_t>(out.count()));
  const const_tensor plain_in{x.data(), t.in};
  const tensor plain_out{want.data(), out};
  const float* logical[2] = {weight.data(), bias.data()};
  reference::run(p, arguments{{&plain_in, 1}, {&plain_out, 1}, {logical, p.bias ? 2u : 1u}});
  const auto expected = place(want, out, layout::nhwc, out_pitch);
  // Sums of products below 1 in another order.
  const double terms = static_cast<double>(t.in.back(2) / p.groups) * p.kernel[0] * p.kernel[1] + 1;
  int wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(std::fabs(static_cast<double>(y[i]) - static_cast<double>(expected[i])) <= 1e-6 * terms)) ++wrong;
  CAPTURE(t.in.back(2));
  CAPTURE(t.in.back(1));
  CAPTURE(t.in.back(0));
  CAPTURE(p.out);
  CAPTURE(p.kernel[1]);
  CAPTURE(p.stride[1]);
  CAPTURE(p.dilation[1]);
  CAPTURE(p.pad[1]);
  CAPTURE(p.groups);
  CHECK(wrong == 0);
}

inline op::conv_transpose2d transposed(int out, int kernel, int stride, int pad, int groups = 1) {
  op::conv_transpose2d p;
  p.out = out;
  p.kernel = {kernel, kernel};
  p.stride = {stride, stride};
  p.pad = {pad, pad, pad, pad};
  p.groups = groups;
  return p;
}

/// Few outputs, whose phases are joined, and many; rows shorter and longer than a tile.
inline void sweep_transposed_sizes(transposed_kernel kernel) {
  for (int out : {1, 3, 5, 15, 16, 17, 40, 70})
    for (int c : {1, 3, 16, 19}) {
      check_transposed({transposed(out, 4, 2, 1), {c, 5, 6}}, kernel);
      check_transposed({transposed(out, 2, 2, 0), {c, 3, 7}, 3, 5}, kernel);
      check_transposed({transposed(out, 3, 2, 1), {c, 7, 5}, 0, 1}, kernel);
    }
  for (int c : {130, 600}) check_transposed({transposed(40, 4, 2, 1), {c, 3, 5}}, kernel);
  check_transposed({transposed(3, 4, 2, 3), {64, 9, 61}, 1, 2}, kernel);
  check_transposed({transposed(20, 4, 2, 3), {8, 9, 61}, 1, 2}, kernel);
  check_transposed({transposed(70, 2, 2, 0), {33, 1, 1}}, kernel);
  check_transposed({transposed(21, 1, 1, 0), {33, 4, 3}}, kernel);
}

/// Taps more and fewer than strides, dilations that share a factor with them, phases without taps, batches, groups.
inline void sweep_transposed_options(transposed_kernel kernel) {
  for (int kernel_size : {1, 2, 3, 5, 6})
    for (int stride : {1, 2, 3, 4})
      for (int dilation : {1, 2, 3})
        for (int out : {4, 18}) {
          op::conv_transpose2d p = transposed(out, kernel_size, stride, 0);
          p.dilation = {dilation, dilation};
          p.output_padding = {stride - 1, dilation};
          p.bias = stride != 2;
          check_transposed({p, {3, 5, 4}, 0, 2}, kernel);
          const int most = (kernel_size - 1) * dilation;
          p.pad = {most / 2, most, most / 3, 0};
          check_transposed({p, {2, 4, 6, 5}, 4}, kernel);
          p.stride[1] = 1;
          check_transposed({p, {4, 6, 7}, 4}, kernel);
        }
  op::conv_transpose2d far = transposed(5, 1, 1 << 20, 0);  // most phases have neither taps nor outputs
  far.pad = {0, 1, 0, (1 << 20) - 3};
  check_transposed({far, {2, 1, 2}}, kernel);
  for (int groups : {2, 4})
    for (int out : {4, 8, 36, 64}) {
      check_transposed({transposed(out, 3, 2, 1, groups), {8, 6, 6}, 0, 1}, kernel);
      check_transposed({transposed(out, 4, 2, 1, groups), {8, 6, 6}, 0, 1}, kernel);
    }
}

inline void sweep_transposed_depthwise(transposed_kernel kernel) {
  for (int c : {2, 3, 16, 17, 40, 100})
    for (int kernel_size : {2, 3, 4, 5, 6})
      for (int stride : {1, 2, 3})
        check_transposed({transposed(c, kernel_size, stride, kernel_size / 3, c), {c, 6, 13}, 2, 3}, kernel);
  op::conv_transpose2d p = transposed(20, 3, 3, 0, 20);
  p.dilation = {2, 3};
  p.pad = {2, 1, 0, 4};
  p.output_padding = {1, 2};
  p.bias = false;
  check_transposed({p, {2, 20, 5, 4}}, kernel);
}

inline void sweep_transposed_activations(transposed_kernel kernel) {
  for (const activation_function& f :
       {activation_function{function::relu}, activation_function{function::leaky_relu, 0.1f},
        activation_function{function::clip, -0.5f, 0.75f}, activation_function{function::sigmoid},
        activation_function{function::hardswish, 1.0f / 6, 0.5f}, activation_function{function::mish}})
    for (int out : {3, 21}) {
      op::conv_transpose2d p = transposed(out, 4, 2, 1);
      p.activation = f;
      check_transposed({p, {6, 7, 6}, 0, 3}, kernel);
      check_transposed({p, {400, 3, 4}}, kernel);
      p.groups = out;
      check_transposed({p, {out, 5, 12}, 0, 3}, kernel);
    }
}

}  // namespace
}  // namespace ctnn::ir
