// SPDX-License-Identifier: BSL-1.0
// The sweep of convolutions that every target's kernel must get right, against plain loops in double precision.
// In an anonymous namespace: the hosted and the plain kernels are tested by translation units of one program.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <ctnn/kernels/packing.hpp>
#include <ctnn/kernels/tensor.hpp>
#include <ctnn/kernels/winograd.hpp>

#include "parts.hpp"

namespace ctnn::ir {
namespace {

struct random_numbers {
  std::uint32_t state = 12345;
  float next() {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  std::vector<float> many(std::int64_t count) {
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& v : x) v = next();
    return x;
  }
};

constexpr float untouched = 1e30f;

/// nchw numbers placed in memory as `order` says, gaps filled with a number that would show.
inline std::vector<float> place(const std::vector<float>& from, const extents& shape, layout order, int pitch) {
  if (order == layout::nchw) return from;
  const int c = shape.back(2), pixels = shape.back(0) * shape.back(1), n = shape.rank == 4 ? shape[0] : 1;
  std::vector<float> to(static_cast<std::size_t>(n) * static_cast<std::size_t>(pixels * pitch), untouched);
  for (int b = 0; b < n; ++b)
    for (int i = 0; i < c; ++i)
      for (int p = 0; p < pixels; ++p)
        to[static_cast<std::size_t>((b * pixels + p) * pitch + i)] =
            from[static_cast<std::size_t>((b * c + i) * pixels + p)];
  return to;
}

struct convolution_case {
  op::conv2d op;
  extents in;
  layout order = layout::nhwc;
  int more_in = 0, more_out = 0;  ///< pitch beyond the channels
  bool residual = false;
  int size = 0;  ///< by F(size, 3), with weights packed so unless op.winograd says each_run; or directly
};

/// Of a sum, in the sum of its absolute products: C 9 at most by F(m, 3), whose bounds winograd.hpp tells.
constexpr double tolerance_by(int size) { return size == 0 ? 1e-6 : winograd_error(size); }

using convolution_kernel = void (*)(const op::conv2d&, const arguments&);

/// With a residual also as one that is added last.
inline void check_convolution(const convolution_case& t, convolution_kernel kernel, bool in_place = false) {
  const op::conv2d& p = t.op;
  extents out;
  REQUIRE(!p.infer({&t.in, 1}, {&out, 1}));
  random_numbers random;
  const auto x = random.many(t.in.count()), r = random.many(out.count());
  const auto slots = p.weights({&t.in, 1});
  const auto weight = random.many(slots[0].shape.count()), bias = random.many(p.out), slopes = random.many(p.out);
  const bool by_taps = t.size == 0 || p.winograd == op::winograd_use::each_run;
  std::vector<float> packed(static_cast<std::size_t>(by_taps ? packed_count(p, 0, slots[0].shape)
                                                             : winograd_packed_count(t.size, slots[0].shape)));
  if (by_taps) pack(p, 0, slots[0].shape, weight.data(), packed.data());
  else pack_winograd(t.size, slots[0].shape, weight.data(), packed.data());

  const int in_pitch = t.in.back(2) + t.more_in, out_pitch = p.out + t.more_out, residual_pitch = p.out + 3;
  const auto placed = place(x, t.in, t.order, in_pitch);
  auto added = place(r, out, layout::nhwc, in_place ? out_pitch : residual_pitch);
  auto y = place(r, out, layout::nhwc, out_pitch);
  const const_tensor in[2] = {{placed.data(), t.in, t.order, in_pitch},
                              {in_place ? y.data() : added.data(), out, layout::nhwc,
                               in_place ? out_pitch : residual_pitch}};
  const tensor result{y.data(), out, layout::nhwc, out_pitch};
  const auto before = y;
  pool<const float*> w(1, packed.data());
  if (p.bias) w.push_back(bias.data());
  if (p.has_slopes()) w.push_back(slopes.data());
  REQUIRE(w.size() == slots.size());
  const arguments a{{in, t.residual ? 2u : 1u}, {&result, 1}, {w.data(), w.size()}};
  std::vector<std::vector<float>> by_parts;
  for (int parts : test::part_counts) {
    test::in_parts{kernel, parts}(p, a);
    by_parts.push_back(y);
    std::copy(before.begin(), before.end(), y.begin());
  }
  kernel(p, a);
  for (const auto& z : by_parts) CHECK(test::same_bits(y, z));

  const margins pad = p.padding(t.in);
  const int n = t.in.rank == 4 ? t.in[0] : 1, c = t.in.back(2), h = t.in.back(1), width = t.in.back(0);
  const int per_group = c / p.groups, out_per_group = p.out / p.groups;
  int wrong = 0;
  double largest = 0;
  for (int b = 0; b < n; ++b)
    for (int o = 0; o < p.out; ++o)
      for (int oy = 0; oy < out.back(1); ++oy)
        for (int ox = 0; ox < out.back(0); ++ox) {
          double sum = p.bias ? static_cast<double>(bias[static_cast<std::size_t>(o)]) : 0.0, size = 1;
          for (int i = 0; i < per_group; ++i)
            for (int ky = 0; ky < p.kernel[0]; ++ky)
              for (int kx = 0; kx < p.kernel[1]; ++kx) {
                const int iy = oy * p.stride[0] - pad[0] + ky * p.dilation[0];
                const int ix = ox * p.stride[1] - pad[1] + kx * p.dilation[1];
                if (iy < 0 || ix < 0 || iy >= h || ix >= width) continue;
                const int channel = o / out_per_group * per_group + i;
                const auto xi = static_cast<std::size_t>(((b * c + channel) * h + iy) * width + ix);
                const auto wi = static_cast<std::size_t>(((o * per_group + i) * p.kernel[0] + ky) * p.kernel[1] + kx);
                const double product = static_cast<double>(x[xi]) * static_cast<double>(weight[wi]);
                sum += product;
                size += std::fabs(product);
              }
          const int pixel = (b * out.back(1) + oy) * out.back(0) + ox;
          const double more =
              t.residual ? static_cast<double>(
                               r[static_cast<std::size_t>(((b * p.out + o) * out.back(1) + oy) * out.back(0) + ox)])
                         : 0;
          if (!p.residual_last) sum += more;
          const double slope = p.has_slopes() && sum < 0 ? static_cast<double>(slopes[static_cast<std::size_t>(o)]) : 1;
          const double active = slope * static_cast<double>(apply(p.activation, static_cast<float>(sum)));
          const double want = p.residual_last ? active + more : active;
          const auto got = static_cast<double>(y[static_cast<std::size_t>(pixel * out_pitch + o)]);
          if (t.size != 0) size = 1 + 9 * c;
          largest = std::fmax(largest, std::fabs(got - want) / size);
          if (!(std::fabs(got - want) <= tolerance_by(t.size) * size)) ++wrong;
        }
  for (std::size_t i = 0; i < y.size(); ++i)
    if (static_cast<int>(i) % out_pitch >= p.out && y[i] != untouched) ++wrong;
  CAPTURE(c);
  CAPTURE(p.out);
  CAPTURE(p.kernel[1]);
  CAPTURE(p.stride[1]);
  CAPTURE(p.groups);
  CAPTURE(h);
  CAPTURE(largest);
  CHECK(wrong == 0);
  if (!t.residual || p.residual_last || in_place) return;
  convolution_case other = t;
  other.op.residual_last = true;
  if (!other.op.activation) other.op.activation = {function::relu};
  check_convolution(other, kernel);
}

inline op::conv2d convolution(int out, int kernel, int stride, int pad, int groups = 1) {
  op::conv2d p;
  p.out = out;
  p.kernel = {kernel, kernel};
  p.stride = {stride, stride};
  p.pad = {pad, pad, pad, pad};
  p.groups = groups;
  p.winograd = op::winograd_use::none;  // cases say by what they go
  return p;
}

inline void sweep_dense(convolution_kernel kernel) {
  for (int c : {1, 3, 5, 16, 17})
    for (int o : {1, 3, 5, 16, 17, 24, 40, 64, 100}) {
      check_convolution({convolution(o, 3, 1, 1), {c, 7, 6}}, kernel);
      check_convolution({convolution(o, 1, 1, 0), {c, 5, 5}, layout::nhwc, 3, 5}, kernel);
      check_convolution({convolution(o, 3, 2, 0), {c, 9, 11}, layout::nchw}, kernel);
    }
  for (int c : {130, 600, 1030}) check_convolution({convolution(40, 3, 1, 1), {c, 4, 5}}, kernel);
  check_convolution({convolution(24, 1, 1, 0), {1030, 2, 3}, layout::nhwc, 2}, kernel);
  check_convolution({convolution(70, 1, 1, 0), {33, 1, 1}}, kernel);
  check_convolution({convolution(20, 1, 1, 0), {2, 37, 31}}, kernel);
}

/// Pixels that stand as rows of a matrix: every remainder of tiles and panels, maps of few pixels, strides.
inline void sweep_rows(convolution_kernel kernel) {
  for (int pixels = 1; pixels <= 27; ++pixels)
    for (int o : {7, 24, 33}) check_convolution({convolution(o, 1, 1, 0), {5, 1, pixels}}, kernel);
  for (int o = 15; o <= 26; ++o) {
    check_convolution({convolution(o, 1, 1, 0), {9, 3, 5}, layout::nhwc, 2, 1, true}, kernel);
    check_convolution({convolution(o + 32, 1, 1, 0), {6, 4, 4}, layout::nhwc, 0, 0, true}, kernel, true);
  }
  for (int o : {48, 70, 96, 130}) check_convolution({convolution(o, 1, 1, 0), {12, 5, 5}}, kernel);
  for (int size = 1; size <= 7; ++size)
    for (int k : {1, 3}) check_convolution({convolution(40, k, 1, k / 2), {8, size, size}}, kernel);
  for (int stride : {1, 2, 3})
    for (int size : {6, 47}) check_convolution({convolution(40, 1, stride, 0), {2, 10, 7, size}}, kernel);
  for (int depth : {129, 385, 513, 1100}) check_convolution({convolution(20, 1, 1, 0), {depth, 2, 5}}, kernel);
  check_convolution({convolution(24, 1, 1, 0), {4, 30, 29}}, kernel);
  check_convolution({convolution(18, 3, 1, 0), {16, 5, 26}}, kernel);
  check_convolution({convolution(18, 3, 1, 0), {300, 3, 24}}, kernel);
}

/// Few input channels: copied in strips with their padding.
inline void sweep_stems(convolution_kernel kernel) {
  const int kernels[][2] = {{3, 3}, {5, 5}, {7, 7}, {10, 4}, {1, 3}};
  for (int c : {1, 2, 3, 4})
    for (layout order : {layout::nhwc, layout::nchw})
      for (const auto& k : kernels)
        for (int stride : {1, 2, 3, 4}) {
          op::conv2d p = convolution(stride == 2 ? 24 : 6, 3, stride, 0);
          p.kernel = {k[0], k[1]};
          p.pad = {k[0] / 2, k[1] - 1, 0, k[1] / 2};
          check_convolution({p, {c, 19, 16 + stride}, order, order == layout::nhwc ? 1 : 0, 2, stride == 3}, kernel);
        }
  // Wider and higher than a strip.
  for (layout order : {layout::nhwc, layout::nchw}) {
    check_convolution({convolution(5, 7, 2, 3), {3, 9, 1300}, order}, kernel);
    check_convolution({convolution(5, 3, 1, 1), {1, 300, 50}, order}, kernel);
    check_convolution({convolution(3, 3, 1, 2), {3, 4, 4600}, order}, kernel);
  }
  op::conv2d p = convolution(17, 3, 2, 1);
  p.dilation = {3, 1};
  check_convolution({p, {2, 3, 20, 11}, layout::nchw}, kernel);
  p.pad = {30, 30, 30, 30};  // whole strips of zeros
  check_convolution({p, {3, 2, 3}, layout::nchw}, kernel);
}

inline constexpr activation_function activations_to_try[] = {{function::prelu},
                                                             {function::relu},
                                                             {function::leaky_relu, 0.1f},
                                                             {function::clip, -0.5f, 0.75f},
                                                             {function::sigmoid},
                                                             {function::tanh},
                                                             {function::hardsigmoid, 1.0f / 6, 0.5f},
                                                             {function::hardswish, 1.0f / 6, 0.5f},
                                                             {function::elu, 0.7f},
                                                             {function::silu},
                                                             {function::mish},
                                                             {function::gelu},
                                                             {function::gelu_tanh}};

/// Few output channels: every number of them, rows that end anywhere in a vector of pixels, parts of wide rows.
inline void sweep_few_outputs(convolution_kernel kernel) {
  for (int o = 1; o <= 8; ++o) {
    for (layout order : {layout::nhwc, layout::nchw})
      for (int width : {4, 12, 15, 16, 17, 31, 70, 141})
        check_convolution({convolution(o, 5, 1, 2), {2, 7, width}, order, 0, width % 3}, kernel);
    for (int stride : {2, 3, 5}) check_convolution({convolution(o, 7, stride, 3), {1, 15, 16 * stride + 3}}, kernel);
    op::conv2d p = convolution(o, 5, 2, 3);
    p.dilation = {2, 3};
    check_convolution({p, {2, 3, 17, 70}, layout::nchw}, kernel);
    p.stride = {1, 3};
    p.bias = false;
    check_convolution({p, {3, 17, 130}, layout::nhwc, 1}, kernel);
    p.pad = {40, 40, 40, 40};  // results of padding alone
    check_convolution({p, {1, 5, 6}}, kernel);
    check_convolution({convolution(3 * o, 5, 1, 2, 3), {6, 6, 30}}, kernel);
    check_convolution({convolution(o, 3, 1, 1), {30, 5, 100}, layout::nchw}, kernel);
    check_convolution({convolution(o, 3, 1, 1), {200, 3, 40}}, kernel);
    for (const activation_function& f : activations_to_try) {
      op::conv2d q = convolution(o, 5, 1, 0);
      q.activation = f;
      check_convolution({q, {1, 8, 36}}, kernel);
      check_convolution({q, {1, 7, 23}, layout::nhwc, 0, 2}, kernel);
    }
  }
}

inline void sweep_options(convolution_kernel kernel) {
  for (layout order : {layout::nhwc, layout::nchw})
    for (int kernel_size : {1, 2, 3, 5, 7})
      for (int stride : {1, 2, 3})
        for (int dilation : {1, 2}) {
          op::conv2d p = convolution(18, kernel_size, stride, 0);
          p.dilation = {dilation, dilation};
          p.pad = {kernel_size / 2, kernel_size - 1, kernel_size, 0};
          p.bias = stride != 2;
          check_convolution({p, {3, 13, 14}, order, 0, 2}, kernel);
          check_convolution({p, {2, 4, 13, 14}, order, order == layout::nhwc ? 4 : 0, 0, true}, kernel);
        }
  op::conv2d uneven = convolution(9, 3, 1, 0);
  uneven.kernel = {10, 4};
  uneven.stride = {2, 1};
  uneven.same = same_padding::upper;
  for (layout order : {layout::nhwc, layout::nchw}) check_convolution({uneven, {1, 49, 10}, order}, kernel);
  for (int groups : {2, 4})
    for (int o : {4, 8, 36, 64})
      for (layout order : {layout::nhwc, layout::nchw})
        check_convolution({convolution(o, 3, 1, 1, groups), {8, 6, 6}, order, 0, 1, true}, kernel);
  check_convolution({convolution(12, 3, 1, 1, 6), {6, 6, 6}}, kernel);
}

inline void sweep_depthwise(convolution_kernel kernel) {
  for (int c : {2, 3, 5, 16, 17, 24, 40, 100})
    for (int kernel_size : {3, 5})
      for (int stride : {1, 2}) {
        check_convolution({convolution(c, kernel_size, stride, kernel_size / 2, c), {c, 12, 21}}, kernel);
        check_convolution({convolution(c, kernel_size, stride, 0, c), {c, 7, 6}, layout::nhwc, 5, 6, true}, kernel);
        check_convolution({convolution(c, kernel_size, stride, 2, c), {c, 7, 5}, layout::nchw}, kernel);
      }
  for (int width = 1; width <= 26; ++width)
    for (int kernel_size : {3, 5})
      for (int stride : {1, 2}) {
        op::conv2d p = convolution(19, kernel_size, stride, 0, 19);
        p.pad = {1, width % kernel_size, 1, (width + 3) % kernel_size};
        if (width + p.pad[1] + p.pad[3] >= kernel_size) check_convolution({p, {19, 5, width}}, kernel);
        p = convolution(6, kernel_size, stride, kernel_size / 2, 6);
        check_convolution({p, {6, 4, width}, layout::nhwc, 1}, kernel);
      }
  for (int pad : {3, 4, 9})
    for (int stride : {1, 2}) check_convolution({convolution(18, 3, stride, pad, 18), {18, 4, 5}}, kernel);
  check_convolution({convolution(72, 3, 1, 1, 72), {72, 62, 61}}, kernel);
  op::conv2d p = convolution(20, 3, 1, 0, 20);
  p.dilation = {2, 3};
  p.pad = {5, 1, 0, 7};
  p.bias = false;
  check_convolution({p, {2, 20, 15, 24}}, kernel);
  p.kernel = {1, 7};
  check_convolution({p, {20, 5, 24}}, kernel);
}

inline void sweep_activations(convolution_kernel kernel) {
  for (const activation_function& f : activations_to_try) {
    op::conv2d p = convolution(21, 3, 1, 1);
    p.activation = f;
    check_convolution({p, {6, 7, 6}, layout::nhwc, 0, 3, true}, kernel);
    check_convolution({p, {6, 7, 6}, layout::nhwc, 0, 3, true}, kernel, true);
    check_convolution({p, {400, 3, 4}}, kernel);
    p.groups = 21;
    check_convolution({p, {21, 5, 12}, layout::nhwc, 0, 3, true}, kernel);
  }
}

/// Slopes are of outputs: every kernel must take those of the columns it is at.
inline void sweep_slopes(convolution_kernel kernel) {
  const auto with_slopes = [&](op::conv2d p, const extents& x, layout order = layout::nhwc, bool residual = false) {
    p.activation = {function::prelu};
    check_convolution({p, x, order, 0, residual ? 3 : 0, residual}, kernel);
    p.bias = false;
    check_convolution({p, x, order, 0, residual ? 3 : 0, residual}, kernel);
  };
  for (int o : {1, 7, 16, 33, 100}) {
    with_slopes(convolution(o, 1, 1, 0), {9, 5, 5}, layout::nhwc, true);
    with_slopes(convolution(o, 1, 1, 0), {9, 1, 1});
    with_slopes(convolution(o, 3, 2, 1), {3, 9, 33}, layout::nchw);
    with_slopes(convolution(o, 3, 1, 1), {2, 40, 4, 5});
    with_slopes(convolution(3 * o, 3, 1, 1, 3), {6, 5, 5}, layout::nhwc, true);
    with_slopes(convolution(o, 3, 1, 1, o), {o, 6, 9});
    with_slopes(convolution(o, 5, 2, 2, o), {2, o, 9, 9});
    with_slopes(convolution(o, 3, 1, 1, o), {o, 6, 7}, layout::nchw);
  }
  with_slopes(convolution(24, 1, 1, 0), {1030, 2, 3});
}

}  // namespace
}  // namespace ctnn::ir
