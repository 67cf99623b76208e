// SPDX-License-Identifier: BSL-1.0
// Convolutions and pooling over one to three axes.
#include <algorithm>

#include "run_typed.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

/// A convolution (or transposed one) whose weights are inputs, of the weight's sizes.
template <class Op>
array convolved(Op p, const array& x, const array& w, const array* bias = nullptr) {
  constexpr bool transposed = requires { p.output_padding; };
  p.out = transposed ? w.shape()[1] * p.groups : w.shape()[0];
  for (std::size_t i = 0; i < p.kernel.size(); ++i) p.kernel[i] = w.shape()[static_cast<int>(i) + 2];
  p.bias = bias != nullptr;
  p.given = bias ? 3 : 1;
  std::vector<array> in{x, w};
  if (bias) in.push_back(*bias);
  return run_typed(p, in)[0];
}

}  // namespace

TEST_CASE("convolution over one, two and three axes") {
  op::conv1d p;
  require_near(convolved(p, make<float>({1, 1, 4}, {1, 2, 3, 4}), make<float>({1, 1, 2}, {1, 10})), {1, 1, 3},
               {21, 32, 43});
  require_near(convolved(p, make<float>({1, 4}, {1, 2, 3, 4}), make<float>({1, 1, 2}, {1, 10})), {1, 3}, {21, 32, 43});
  p.pad = {1, 0};
  p.stride = {2};
  const array five = make<double>({1}, {5});
  require_near(convolved(p, make<double>({1, 1, 4}, {1, 2, 3, 4}), make<double>({1, 1, 2}, {1, 10}), &five), {1, 1, 2},
               {15, 37});
  op::conv2d q;
  q.groups = 2;
  q.same = same_padding::upper;
  const array x = make<float>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
              w = make<float>({2, 1, 2, 2}, {1, 1, 1, 1, 1, 0, 0, 0});
  require_near(convolved(q, x, w), {1, 2, 2, 2}, {10, 6, 7, 4, 5, 6, 7, 8});
  q.activation = {function::clip, 0, 6};
  require_near(convolved(q, x, w), {1, 2, 2, 2}, {6, 6, 6, 4, 5, 6, 6, 6});
  op::conv3d r;
  r.dilation = {1, 1, 2};
  require_near(convolved(r, counting<float>({1, 1, 2, 1, 3}), make<float>({1, 1, 2, 1, 2}, {1, 1, 1, 1})),
               {1, 1, 1, 1, 1}, {10});
}

TEST_CASE("linear adds its residual before the activation, or behind it") {
  op::linear p{2, false, {function::relu}};
  p.given = 1;
  const std::vector<array> in{make<double>({2, 2}, {1, 2, 3, 4}), make<double>({2, 2}, {1, -5, 0.5, -20}),
                              make<double>({2, 2}, {1, 1, 0, 2})};
  require_near(run_typed(p, in)[0], {2, 2}, {4, 0, 7.5, 0});
  p.residual_last = true;
  require_near(run_typed(p, in)[0], {2, 2}, {4, -1, 7.5, -12});
  op::conv2d c;
  c.out = 1;
  c.kernel = {1, 1};
  c.bias = false;
  c.activation = {function::relu};
  c.residual_last = true;
  c.given = 1;
  const std::vector<array> image{make<double>({1, 1, 3}, {1, -2, 3}), make<double>({1, 1, 3}, {-5, -5, 0}),
                                 make<double>({1, 1, 1, 1}, {2})};
  require_near(run_typed(c, image)[0], {1, 1, 3}, {-3, -5, 6});
}

TEST_CASE("transposed convolution") {
  op::conv_transpose1d p;
  const array x = make<float>({1, 1, 2}, {1, 2}), w = make<float>({1, 1, 3}, {1, 10, 100}),
              thousand = make<float>({1}, {1000});
  require_near(convolved(p, x, w), {1, 1, 4}, {1, 12, 120, 200});
  p.stride = {2};
  require_near(convolved(p, x, w, &thousand), {1, 1, 5}, {1001, 1010, 1102, 1020, 1200});
  p.output_padding = {1};
  p.pad = {1, 1};
  require_near(convolved(p, x, w), {1, 1, 4}, {10, 102, 20, 200});
  op::conv_transpose2d s;
  s.stride = {2, 2};
  const array ones = make<float>({1, 1, 2, 2}, {1, 1, 1, 1});
  require_near(convolved(s, ones, make<float>({1, 1, 2, 2}, {1, 2, 3, 4})), {1, 1, 4, 4},
               {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4});
  op::conv_transpose1d g;
  g.groups = 2;
  require_near(convolved(g, make<float>({1, 2, 1}, {1, 2}), make<float>({2, 2, 1}, {1, 2, 3, 4})), {1, 4, 1},
               {1, 2, 6, 8});
  // A convolution and its transpose are adjoint: <conv(x), y> = <x, transpose(y)>; with three axes as well.
  const auto adjoint = [](auto c, auto t, const extents& x_shape, const extents& w_shape) {
    c.stride.front() = t.stride.front() = 2;
    c.pad[0] = c.pad[c.kernel.size()] = t.pad[0] = t.pad[c.kernel.size()] = 1;
    const array a = counting<float>(x_shape, 0.25f), k = counting<float>(w_shape, 0.125f);
    const array ca = convolved(c, a, k), y = counting<float>(ca.shape(), 0.5f);
    const array ty = convolved(t, y, k);
    REQUIRE(ty.shape() == a.shape());
    double left = 0, right = 0;
    for (std::size_t i = 0; i < ca.size(); ++i) left += double{ca[i]} * y[i];
    for (std::size_t i = 0; i < a.size(); ++i) right += double{a[i]} * ty[i];
    CHECK(left == doctest::Approx(right));
  };
  adjoint(op::conv2d{}, op::conv_transpose2d{}, {1, 2, 5, 4}, {3, 2, 3, 2});
  adjoint(op::conv3d{}, op::conv_transpose3d{}, {1, 2, 5, 4, 3}, {3, 2, 3, 2, 2});
}

TEST_CASE("the definitions over one to three axes are the typed kernels") {
  const auto same = [](auto p, const extents& x_shape, const extents& w_shape) {
    p.stride.fill(2);
    p.dilation.back() = 2;
    p.pad[0] = 1;
    const array x = counting<float>(x_shape, 0.25f), w = counting<float>(w_shape, 0.125f);
    const array want = convolved(p, x, w);
    p.out = want.shape()[1];
    for (std::size_t i = 0; i < p.kernel.size(); ++i) p.kernel[i] = w_shape[static_cast<int>(i) + 2];
    p.bias = false;
    array got(want.shape());
    const const_tensor in{x.data(), x.shape()};
    const tensor out{got.data(), got.shape()};
    const float* const weights[] = {w.data()};
    reference::run(p, arguments{{&in, 1}, {&out, 1}, weights});
    require_near(got, want.shape(), std::vector<float>(want.data(), want.data() + want.size()), 1e-4f);
  };
  same(op::conv1d{}, {2, 2, 9}, {3, 2, 3});
  same(op::conv3d{}, {2, 2, 5, 4, 6}, {3, 2, 2, 2, 3});
  same(op::conv_transpose1d{}, {2, 2, 9}, {2, 3, 3});
  same(op::conv_transpose2d{}, {2, 2, 4, 3}, {2, 3, 2, 3});
  same(op::conv_transpose3d{}, {2, 2, 3, 4, 2}, {2, 3, 2, 2, 3});
}

TEST_CASE("pooling: largest with positions, averages, norms") {
  op::pool p;
  p.kernel = {2, 2};
  p.stride = {1};
  p.indices = true;
  const array x = make<float>({1, 1, 2, 3}, {1, 5, 2, 3, 4, 6});
  auto y = run_typed(p, {x});
  require_near(y[0], {1, 1, 1, 2}, {5, 6});
  require_equal<std::int64_t>(y[1], {1, 1, 1, 2}, {1, 5});
  p.column_major = true;
  y = run_typed(p, {x});
  require_equal<std::int64_t>(y[1], {1, 1, 1, 2}, {2, 5});
  require_equal<std::uint8_t>(
      run_typed(op::pool{op::pooling::max, 1, {2}, {1}}, {make<std::uint8_t>({1, 1, 3}, {9, 200, 7})})[0], {1, 1, 2},
      {200, 200});
  op::pool average;
  average.function = op::pooling::average;
  average.axes = 1;
  average.kernel = {2};
  average.pad = {1};
  average.stride = {2};
  require_near(run_typed(average, {make<float>({1, 1, 4}, {1, 2, 3, 4})})[0], {1, 1, 3}, {1, 2.5f, 4});
  average.count_include_pad = true;
  require_near(run_typed(average, {make<float>({1, 1, 4}, {1, 2, 3, 4})})[0], {1, 1, 3}, {0.5f, 2.5f, 2});
  op::pool lp;
  lp.function = op::pooling::lp;
  lp.axes = 1;
  lp.kernel = {2};
  require_near(run_typed(lp, {make<float>({1, 1, 2}, {3, -4})})[0], {1, 1, 1}, {5});
}

TEST_CASE("unpooling and folding blocks") {
  require_near(
      run_typed(op::max_unpool{{2, 2}}, {make<float>({1, 1, 1, 1}, {7}), make<std::int64_t>({1, 1, 1, 1}, {2})})[0],
      {1, 1, 2, 2}, {0, 0, 7, 0});
  op::fold_blocks f;
  f.image = {3};
  f.block = {2};
  require_near(run_typed(f, {make<float>({1, 2, 2}, {1, 2, 10, 20})})[0], {1, 1, 3}, {1, 12, 20});
}

TEST_CASE("deformed convolution with no offsets is a convolution") {
  op::deform_conv p;
  op::conv2d c;
  p.pad = c.pad = {1, 1, 1, 1};
  p.out = 2;
  p.kernel = {3, 3};
  p.given = 1;
  p.bias = false;
  const array x = counting<float>({1, 2, 3, 3}), w = counting<float>({2, 2, 3, 3}, 0.25f);
  const array want = convolved(c, x, w), zero({1, 18, 3, 3});
  require_near(run_typed(p, {x, zero, w})[0], {1, 2, 3, 3}, std::vector<float>(want.data(), want.data() + want.size()),
               1e-5f);
  // A mask of halves, a bias and an activation.
  p.bias = true;
  p.given = 3;
  p.activation = {function::clip, 1, 40};
  array half({1, 9, 3, 3});
  std::fill(half.values().begin(), half.values().end(), 0.5f);
  std::vector<float> clipped;
  for (std::size_t i = 0; i < want.size(); ++i) clipped.push_back(std::clamp(want[i] / 2 - 9, 1.0f, 40.0f));
  require_near(run_typed(p, {x, zero, half, w, make<float>({2}, {-9, -9})})[0], {1, 2, 3, 3}, clipped, 1e-5f);
}
