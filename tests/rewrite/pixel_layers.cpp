// SPDX-License-Identifier: BSL-1.0
// rules/pixel_layers.hpp: convolutions of single pixels where there are fewer pixels, and shuffles in their weights.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr activation_function relu{function::relu};

constexpr op::conv2d pixels(int out, activation_function f = {}) {
  op::conv2d c;
  c.out = out;
  c.kernel = {1, 1};
  c.activation = f;
  return c;
}
constexpr op::pool average(int kernel, int pad = 0) {
  op::pool p;
  p.function = op::pooling::average;
  p.kernel = {kernel, kernel};
  p.stride = {kernel, kernel};
  p.pad = {pad, pad, pad, pad};
  return p;
}
constexpr op::adaptive_pool overall(op::pooling f = op::pooling::average, bool flatten = false) {
  op::adaptive_pool p;
  p.function = f;
  p.flatten = flatten;
  return p;
}
template <bool Done>
constexpr auto both(builder& b, const auto& first, std::string_view first_name, const auto& last,
                    std::string_view last_name) {
  const value_id x = b.input("x", {4, 6, 8});
  if (Done) b.output("", b.add(first, first_name, {b.add(last, last_name, {x})}));
  else b.output("", b.add(last, last_name, {b.add(first, first_name, {x})}));
}
template <bool Done>
constexpr auto halved = [](builder& b) { both<Done>(b, pixels(16), "conv", average(2), "pool"); };
template <bool Done>
constexpr auto global = [](builder& b) { both<Done>(b, pixels(16), "conv", overall(), "pool"); };
constexpr auto in_groups = [](builder& b, bool done) {
  op::conv2d c = pixels(16);
  c.groups = 2;
  if (done) both<true>(b, c, "conv", average(2), "pool");
  else both<false>(b, c, "conv", average(2), "pool");
};
template <bool Done>
constexpr auto groups = [](builder& b) { in_groups(b, Done); };
constexpr auto windows = [](builder& b) {
  op::conv2d c = pixels(16);
  c.kernel = {3, 1};
  both<false>(b, c, "conv", average(2), "pool");
};
constexpr auto by_steps = [](builder& b) {
  op::conv2d c = pixels(16);
  c.stride = {2, 1};
  both<false>(b, c, "conv", average(2), "pool");
};
constexpr auto active = [](builder& b) { both<false>(b, pixels(16, relu), "conv", average(2), "pool"); };
constexpr auto padded_average = [](builder& b) { both<false>(b, pixels(16), "conv", average(2, 1), "pool"); };
constexpr auto maximum = [](builder& b) { both<false>(b, pixels(16), "conv", overall(op::pooling::max), "pool"); };
constexpr auto flat = [](builder& b) {
  both<false>(b, pixels(16), "conv", overall(op::pooling::average, true), "pool");
};
constexpr auto to_fewer = [](builder& b) { both<false>(b, pixels(1), "conv", average(1), "pool"); };
constexpr auto with_residual = [](builder& b) {
  const value_id x = b.input("x", {4, 6, 8}), r = b.input("r", {16, 6, 8});
  b.output("", b.add(average(2), "pool", {b.add(pixels(16), "conv", {x, r})}));
};

constexpr op::interpolate larger(op::interpolation mode, int factor = 2) {
  op::interpolate i;
  i.mode = mode;
  i.size = {6 * factor, 8 * factor};
  return i;
}
template <bool Done>
constexpr auto nearest =
    [](builder& b) { both<Done>(b, larger(op::interpolation::nearest), "resize", pixels(2, relu), "conv"); };
constexpr auto bilinear = [](builder& b) {
  both<false>(b, larger(op::interpolation::linear), "resize", pixels(2), "conv");
};
constexpr auto with_slopes = [](builder& b) {
  both<false>(b, larger(op::interpolation::nearest), "resize", pixels(2, {function::prelu}), "conv");
};
constexpr auto many_outputs = [](builder& b) {
  both<false>(b, larger(op::interpolation::nearest, 1), "resize", pixels(64), "conv");
};
constexpr auto beside_the_image = [](builder& b) {
  op::interpolate i = larger(op::interpolation::nearest);
  i.coordinates = op::coordinates::tf_crop_and_resize;
  i.roi = {0, 0, 2, 2};
  both<false>(b, i, "resize", pixels(2), "conv");
};

constexpr op::conv2d window(int out, int groups = 1) {
  op::conv2d c;
  c.out = out;
  c.kernel = {3, 3};
  c.groups = groups;
  c.activation = {function::prelu};
  return c;
}
template <bool Before>
constexpr auto shuffled = [](builder& b) {
  const value_id x = b.input("x", {6, 5, 5});
  if (Before) b.output("", b.add(window(4), "conv", {b.add(op::channel_shuffle{2}, "shuffle", {x})}));
  else b.output("", b.add(op::channel_shuffle{2}, "shuffle", {b.add(window(4), "conv", {x})}));
};
constexpr auto in_the_weight = [](builder& b) { b.output("", b.add(window(4), "conv", {b.input("x", {6, 5, 5})})); };
constexpr auto groups_behind = [](builder& b) {
  b.output("", b.add(window(4, 2), "conv", {b.add(op::channel_shuffle{2}, "shuffle", {b.input("x", {6, 5, 5})})}));
};
constexpr auto shuffled_residual = [](builder& b) {
  const value_id x = b.input("x", {6, 5, 5}), r = b.input("r", {4, 3, 3});
  b.output("", b.add(window(4), "conv", {x, b.add(op::channel_shuffle{2}, "shuffle", {r})}));
};
constexpr auto residual_before = [](builder& b) {
  const value_id x = b.input("x", {6, 5, 5}), r = b.input("r", {4, 3, 3});
  b.output("", b.add(op::channel_shuffle{2}, "shuffle", {b.add(window(4), "conv", {x, r})}));
};

}  // namespace

FIRES("a quarter of the pixels", (rules::average_first), halved<false>, halved<true>)
FIRES("one pixel of all", (rules::average_first), global<false>, global<true>)
FIRES("in groups", (rules::average_first), groups<false>, groups<true>)
DECLINES("windows", (rules::average_first), windows, "it looks at more than one pixel")
DECLINES("by steps", (rules::average_first), by_steps, "it leaves pixels out")
DECLINES("an activation", (rules::average_first), active, "its input has an activation already")
DECLINES("an average of padding", (rules::average_first), padded_average, "its windows see padding")
DECLINES("the largest", (rules::average_first), maximum, "")
DECLINES("an average without the axes", (rules::average_first), flat, "it takes the axes away")
DECLINES("an average of one", (rules::average_first), to_fewer, "the other order would not cost less")
DECLINES("a residual", (rules::average_first), with_residual, "its input adds a residual")

FIRES("each pixel twice", (rules::resize_last), nearest<false>, nearest<true>)
DECLINES("pixels between", (rules::resize_last), bilinear, "its pixels are sums of several")
DECLINES("slopes", (rules::resize_last), with_slopes, "it applies one slope an output")
DECLINES("no pixels more", (rules::resize_last), many_outputs, "the other order would not cost less")
DECLINES("pixels beside the image", (rules::resize_last), beside_the_image, "it may look beside the image")

FIRES("shuffle > conv2d", (rules::shuffled_weight), shuffled<true>, in_the_weight)
FIRES("conv2d > shuffle", (rules::shuffled_weight), shuffled<false>, in_the_weight)
DECLINES("shuffle > groups", (rules::shuffled_weight), groups_behind, "its channels are in groups")
DECLINES("shuffle > residual", (rules::shuffled_weight), shuffled_residual, "it is the residual")
DECLINES("residual > shuffle", (rules::shuffled_weight), residual_before, "its input adds a residual")
