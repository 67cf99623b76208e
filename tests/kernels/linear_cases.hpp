// SPDX-License-Identifier: BSL-1.0
// The sweep of matrix products that every target's linear must get right, against plain loops in double precision.
#pragma once

#include <algorithm>

#include <ctnn/graph/operators/linear.hpp>

#include "convolution_cases.hpp"

namespace ctnn::ir {
namespace {

using linear_kernel = void (*)(const op::linear&, const arguments&);

/// With a residual it is added, or what y holds is and y is written over it.
enum class residual_is { none, apart, in_place };

inline void check_linear(const op::linear& p, const extents& shape, linear_kernel kernel,
                         residual_is residual = residual_is::none) {
  extents out;
  REQUIRE(!p.infer({&shape, 1}, {&out, 1}));
  random_numbers random;
  const int depth = shape.back(0);
  const auto x = random.many(shape.count()), bias = random.many(p.out);
  const auto weight = random.many(static_cast<std::int64_t>(p.out) * depth);
  const auto slots = p.weights({&shape, 1});
  std::vector<float> packed(static_cast<std::size_t>(packed_count(p, 0, slots[0].shape)));
  pack(p, 0, slots[0].shape, weight.data(), packed.data());
  auto before = random.many(out.count());
  before.push_back(untouched);
  const std::vector<float> added = before;
  auto y = before;
  const const_tensor in[] = {{x.data(), shape, layout::nchw, 0},
                             {residual == residual_is::in_place ? y.data() : added.data(), out, layout::nchw, 0}};
  const tensor result{y.data(), out, layout::nchw, 0};
  const float* w[2] = {packed.data(), bias.data()};
  const arguments a{{in, residual == residual_is::none ? 1u : 2u}, {&result, 1}, {w, p.bias ? 2u : 1u}};
  std::vector<std::vector<float>> by_parts;
  for (int parts : test::part_counts) {
    test::in_parts{kernel, parts}(p, a);
    by_parts.push_back(y);
    std::copy(before.begin(), before.end(), y.begin());
  }
  kernel(p, a);
  for (const auto& z : by_parts) CHECK(test::same_bits(y, z));
  int wrong = 0;
  for (std::size_t i = 0; i + 1 < y.size(); ++i) {
    const auto row = static_cast<int>(i) / p.out, o = static_cast<int>(i) % p.out;
    double sum = p.bias ? static_cast<double>(bias[static_cast<std::size_t>(o)]) : 0.0, size = 1;
    const double more = residual != residual_is::none ? static_cast<double>(added[i]) : 0;
    if (!p.residual_last) sum += more;
    for (int k = 0; k < depth; ++k) {
      const double product = static_cast<double>(x[static_cast<std::size_t>(row * depth + k)]) *
                             static_cast<double>(weight[static_cast<std::size_t>(o * depth + k)]);
      sum += product;
      size += std::fabs(product);
    }
    const auto active = static_cast<double>(apply(p.activation, static_cast<float>(sum)));
    const double want = p.residual_last ? active + more : active;
    if (!(std::fabs(static_cast<double>(y[i]) - want) <= 1e-6 * size)) ++wrong;
  }
  CAPTURE(depth);
  CAPTURE(p.out);
  CAPTURE(shape.rank);
  CHECK(wrong == 0);
  CHECK(y.back() == untouched);
}

inline void sweep_linear(linear_kernel kernel) {
  for (int depth : {1, 7, 64, 1000})
    for (int out : {1, 3, 10, 16, 17, 40, 64, 70, 130}) {
      check_linear({out}, {depth}, kernel);
      check_linear({out, false, {function::relu}}, {1, depth}, kernel);
      check_linear({out, true, {function::tanh}}, {2, 7, depth}, kernel);
      check_linear({out, true, {function::clip, -0.2f, 0.5f}}, {13, depth}, kernel);
      check_linear({out}, {depth}, kernel, residual_is::in_place);
      check_linear({out, false, {function::relu}}, {13, depth}, kernel, residual_is::in_place);
      check_linear({out, true, {function::silu}}, {2, 7, depth}, kernel, residual_is::apart);
      for (const function f : {function::relu, function::silu}) {
        op::linear p{out, true, {f}};
        p.residual_last = true;
        check_linear(p, {depth}, kernel, residual_is::apart);
        check_linear(p, {2, 7, depth}, kernel, residual_is::apart);
      }
    }
}

}  // namespace
}  // namespace ctnn::ir
