// SPDX-License-Identifier: BSL-1.0
// ranges.hpp: what is said of a value holds for what is computed, by the definitions and by every kernel.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <ctnn/rewrite/ranges.hpp>

#include "support/builder.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

constexpr interval range_of_last(auto&& build) {
  builder b;
  const value_id v = build(b);
  b.output("", v);
  return range_of(rewriter(static_cast<ir::graph&&>(b.g)), v);
}

constexpr op::pool windows(op::pooling f, by_axis pad, int kernel = 2) {
  op::pool p;
  p.function = f;
  p.kernel = by_axis{kernel};
  p.pad = pad;
  return p;
}
constexpr value_id relu(builder& b) { return b.relu("relu", b.input("x", {2, 6, 6})); }
constexpr value_id sigmoid(builder& b) { return b.apply("sigmoid", b.input("x", {2, 6, 6}), function::sigmoid); }

static_assert(range_of_last([](builder& b) { return b.input("x", {3}); }) == interval{});
static_assert(range_of_last(relu) == interval{0});
static_assert(range_of_last(sigmoid) == interval{0, 1});
static_assert(range_of_last([](builder& b) { return b.apply("c", sigmoid(b), function::clip, -1, 0.5f); }) ==
              interval{0, 0.5f});

// Sums keep order; of quotients and averages only the sign is sure.
static_assert(range_of_last([](builder& b) {
                return b.scalar("s", op::binary_function::add, sigmoid(b), 2);
              }) == interval{2, 3});
static_assert(range_of_last([](builder& b) {
                const value_id x = sigmoid(b);
                return b.binary("m", op::binary_function::mul, x, x);
              }) == interval{0, 1});
static_assert(range_of_last([](builder& b) { return b.scalar("s", op::binary_function::mul, sigmoid(b), -2); }) ==
              interval{-2, 0});
static_assert(range_of_last([](builder& b) { return b.scalar("s", op::binary_function::div, sigmoid(b), 4); }) ==
              interval{0, 0.25f});
static_assert(range_of_last([](builder& b) { return b.scalar("s", op::binary_function::rsub, sigmoid(b), 3); }) ==
              interval{2, 3});
static_assert(range_of_last([](builder& b) {
                return b.binary("m", op::binary_function::mul, relu(b), b.apply("s", relu(b), function::sigmoid));
              }) == interval{0});
static_assert(range_of_last([](builder& b) { return b.binary("m", op::binary_function::sub, relu(b), relu(b)); }) ==
              interval{});
static_assert(range_of_last([](builder& b) {
                return b.scalar("m", op::binary_function::maximum, sigmoid(b), 0.5f);
              }) == interval{0.5f, 1});
static_assert(range_of_last([](builder& b) { return b.gap("g", sigmoid(b)); }) == interval{0});

// A residual behind an activation is added to it.
template <bool Positive>
constexpr auto with_residual_last = [](builder& b) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  c.activation = {function::relu};
  c.residual_last = true;
  const value_id r = b.input("r", {2, 6, 6});
  return b.add(c, "conv", {relu(b), Positive ? b.relu("residual", r) : r});
};
static_assert(range_of_last(with_residual_last<true>) == interval{0});
static_assert(range_of_last(with_residual_last<false>) == interval{});

// Layers of positive numbers keep the sign.
template <class Layer>
constexpr interval range_of_layer(Layer layer, numbers_are numbers) {
  return range_of_last([=](builder& b) {
    const value_id y = b.add(layer, "layer", {sigmoid(b)});
    for (expression& e : b.g.expressions) e.numbers = numbers;
    return y;
  });
}
static_assert(range_of_layer(op::scale{true, 2}, numbers_are::positive) == interval{0});
static_assert(range_of_layer(op::scale{false, 2}, numbers_are::positive) == interval{0});
static_assert(range_of_layer(op::scale{true, 2}, numbers_are::invertible) == interval{});
static_assert(range_of_layer(op::scale{true, 2, {function::relu}}, numbers_are::anything) == interval{0});
static_assert(range_of_layer(op::bias{1}, numbers_are::positive) == interval{0});
static_assert(range_of_layer(op::bias{1}, numbers_are::anything) == interval{});

// Reductions: of nothing a maximum is the lowest number, and a mean no number.
constexpr interval range_of_reduced(op::reduction f, bool of_sigmoid, int rows = 6) {
  return range_of_last([=](builder& b) {
    value_id x = b.input("x", {2, 6, 6});
    if (of_sigmoid) x = b.apply("sigmoid", x, function::sigmoid);
    return b.add(op::reduce{f, {1}}, "r", {b.add(op::slice{{1}, {0}, {rows}}, "rows", {x})});
  });
}
static_assert(range_of_reduced(op::reduction::mean, true) == interval{0});
static_assert(range_of_reduced(op::reduction::mean, false) == interval{});
static_assert(range_of_reduced(op::reduction::max, true) == interval{0, 1});
static_assert(range_of_reduced(op::reduction::max, true, 0) == interval{});
static_assert(range_of_reduced(op::reduction::l2, false) == interval{0});
static_assert(range_of_reduced(op::reduction::prod, true) == interval{});

// Windows: the maximum of numbers of x, unless a window may hold none.
static_assert(range_of_last([](builder& b) {
                return b.add(windows(op::pooling::max, {1}), "p", {sigmoid(b)});
              }) == interval{0, 1});
static_assert(range_of_last([](builder& b) {
                return b.add(windows(op::pooling::average, {1}), "p", {sigmoid(b)});
              }) == interval{0});

static_assert(range_of_last([](builder& b) {
                op::pool p = windows(op::pooling::max, {0}, 2);
                p.dilation = by_axis{6};
                p.same = same_padding::upper;  // of 6 columns: taps 3 before and 3 behind the first
                return b.add(p, "p", {sigmoid(b)});
              }) == interval{});

// Numbers that come in beside those of x.
static_assert(range_of_last([](builder& b) {
                return b.add(op::pad{op::pad_mode::constant, {0, 1, 0}, {0, 0, 0}, -2}, "p", {sigmoid(b)});
              }) == interval{-2, 1});
static_assert(range_of_last([](builder& b) {
                return b.add(op::pad{op::pad_mode::reflect, {0, 1, 0}, {0, 0, 0}, -2}, "p", {sigmoid(b)});
              }) == interval{0, 1});
static_assert(range_of_last([](builder& b) {
                const value_id x = relu(b);
                return b.concat("c", {x, b.full("f", {1, 6, 6}, -3)});
              }) == interval{-3});
static_assert(range_of_last([](builder& b) { return b.permute("p", b.flatten("f", sigmoid(b), 1), {1, 0}); }) ==
              interval{0, 1});

}  // namespace

TEST_CASE("functions stay in their ranges and leave what they are said to leave, by definition") {
  const std::vector<float> numbers = [] {
    std::vector<float> all{0, -0.0f, infinity, -infinity, 1e-45f, -1e-45f, 1e38f, -1e38f, 3.4028235e38f};
    for (int i = -4000; i <= 4000; ++i) all.push_back(static_cast<float>(i) / 100);
    return all;
  }();
  const float bounds[] = {-infinity, -1, 0, 0.5f, 2, infinity};
  for (int kind = 0; kind <= static_cast<int>(function::erf); ++kind)
    for (float a : {0.0f, 0.25f, 1.0f})
      for (float low : bounds)
        for (float high : bounds) {
          if (!(low <= high)) continue;
          const activation_function f{static_cast<function>(kind), a, a + 1};
          const interval x{low, high}, y = range_of(f, x);
          INFO(std::string(name_of(f.kind)) << " of " << low << " to " << high << ", " << a);
          bool inside = true, same = true;
          for (float v : numbers) {
            if (v < low || v > high) continue;
            const float got = apply(f, v);
            inside = inside && (std::isnan(got) || (got >= y.low && got <= y.high));
            same = same && std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(v);
          }
          CHECK(inside);
          if (leaves(f, x)) CHECK(same);
        }
}

TEST_CASE("a network of any depth is looked at for a bounded time") {
  builder b;
  value_id x = b.relu("first", b.input("x", {4}));
  for (int i = 0; i < 300; ++i) x = b.sum("sum", x, x);
  b.output("", x);
  const rewriter r(static_cast<ir::graph&&>(b.g));
  CHECK(range_of(r, x) == interval{});  // it gave up
}
