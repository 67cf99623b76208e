// SPDX-License-Identifier: BSL-1.0
// rules/products.hpp: layers in a row become one where that costs less.
#include <ctnn/rewrite/sentences.hpp>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr activation_function with_relu{function::relu};

/// (5, 6) through two linear layers of Between and 3 outputs, or through one.
template <int Between>
constexpr auto two_linears = [](builder& b) {
  b.output("", b.linear("last", b.linear("first", b.input("x", {5, 6}), Between), 3, with_relu));
};
constexpr auto one_linear = [](builder& b) { b.output("", b.linear("first", b.input("x", {5, 6}), 3, with_relu)); };
template <bool First, bool Last>
constexpr auto biases = [](builder& b) {
  const value_id y = b.add(op::linear{8, First}, "first", {b.input("x", {4})});
  b.output("", b.add(op::linear{2, Last, {}, 1, 2}, "last", {y}));
};
template <bool Bias>
constexpr auto joined_bias = [](builder& b) {
  b.output("", b.add(op::linear{2, Bias, {}, 1, 2}, "first", {b.input("x", {4})}));
};
template <bool One>
constexpr auto adds = [](builder& b) {
  const value_id x = b.input("x", {5, 6}), r = b.input("r", {5, 3});
  const value_id y = One ? x : b.linear("first", x, 8);
  b.output("", b.add(op::linear{3}, One ? "first" : "last", {y, r}));
};
constexpr auto is_added = [](builder& b) {
  const value_id x = b.input("x", {5, 6});
  b.output("", b.add(op::linear{8}, "last", {x, b.linear("first", x, 8)}));
};
constexpr auto active = [](builder& b) {
  b.output("", b.linear("last", b.linear("first", b.input("x", {5, 6}), 9, with_relu), 3));
};
constexpr auto whole_image = [](builder& b) {
  op::linear all{3};
  all.axes = 2;
  b.output("", b.add(all, "last", {b.linear("first", b.input("x", {5, 6}), 9)}));
};

constexpr op::conv2d window(int out, int kernel, int stride, int pad, same_padding same = same_padding::none) {
  op::conv2d c;
  c.out = out;
  c.kernel = {kernel, kernel};
  c.stride = {stride, stride};
  c.pad = {pad, pad, pad, pad};
  c.same = same;
  return c;
}
constexpr void convolve(builder& b, const op::conv2d& first, const op::conv2d& last) {
  b.output("", b.add(last, "last", {b.add(first, "first", {b.input("x", {3, 7, 9})})}));
}
constexpr void convolve(builder& b, const op::conv2d& first) {
  b.output("", b.add(first, "first", {b.input("x", {3, 7, 9})}));
}
constexpr auto two_convs = [](builder& b) { convolve(b, window(8, 3, 2, 1), window(2, 1, 2, 0)); };
constexpr auto one_conv = [](builder& b) { convolve(b, window(2, 3, 4, 1)); };
constexpr auto two_same = [](builder& b) {
  convolve(b, window(8, 3, 2, 0, same_padding::upper), window(2, 1, 2, 0));
};
constexpr auto margins_in_numbers = [](builder& b) {
  op::conv2d c = window(2, 3, 4, 1);
  b.output("", b.add(c, "first", {b.input("x", {3, 7, 9})}));
};
template <bool One>
constexpr auto slopes_behind = [](builder& b) {
  op::conv2d last = window(2, One ? 3 : 1, 1, One ? 1 : 0);
  last.activation = {function::prelu};
  if (One) b.output("", b.add(last, "first", {b.input("x", {3, 7, 9})}));
  else convolve(b, window(8, 3, 1, 1), last);
};
constexpr auto bottleneck = [](builder& b) { convolve(b, window(1, 3, 1, 1), window(9, 1, 1, 0)); };
constexpr auto padded = [](builder& b) { convolve(b, window(8, 1, 1, 0), window(2, 1, 1, 1)); };
constexpr auto windows_after = [](builder& b) { convolve(b, window(8, 1, 1, 0), window(2, 3, 1, 0)); };
constexpr auto windows_after_relu = [](builder& b) {
  op::conv2d first = window(8, 1, 1, 0);
  first.activation = {function::relu};
  convolve(b, first, window(2, 3, 1, 0));
};
constexpr auto depthwise = [](builder& b) {
  op::conv2d first = window(3, 3, 1, 0);
  first.groups = 3;
  convolve(b, first, window(1, 1, 1, 0));
};
constexpr auto read_twice = [](builder& b) {
  const value_id y = b.linear("first", b.input("x", {5, 6}), 9);
  b.output("", b.linear("last", y, 3));
  b.output("y", y);
};

// One row through 6 x 9 and 9 x 3 weights: 81 multiply-adds, against 18.
static_assert(cost_of(op::linear{3}, std::array{extents{6}}) == cost{18, 4 * (6 + 18 + 3 + 3), 12});
static_assert(pays({10, 8, 4}, {10, 16, 4}) && !pays({10, 8, 8}, {10, 16, 4}) && !pays({10, 8, 4}, {10, 8, 4}));

constexpr auto groups_behind = [](builder& b) {
  op::conv2d last = window(2, 1, 1, 0);
  last.groups = 2;
  convolve(b, window(8, 3, 1, 0), last);
};
constexpr auto ones_between = [](builder& b) {
  const value_id y = b.add(op::linear{8, true, {}, 1, 1}, "first", {b.input("x", {4})});
  b.output("", b.linear("last", y, 3));
};
constexpr auto ones_read = [](builder& b) {
  const value_id y = b.add(op::linear{9, true, {}, 1, 2}, "first", {b.input("x", {6})});
  b.output("", b.add(op::linear{3, true, {}, 3, 1}, "last", {y}));
};
constexpr auto ones_joined = [](builder& b) {
  b.output("", b.add(op::linear{3, true, {}, 1, 1}, "first", {b.input("x", {6})}));
};

/// A convolution of one pixel of 4 channels, or of a batch of them.
constexpr void of_pixel(builder& b, const op::conv2d& c, std::initializer_list<int> shape = {4, 1, 1}) {
  b.output("", b.add(c, "conv", {b.input("x", shape)}));
}
template <int Axes>
constexpr op::linear from_pixel{3, true, {}, Axes + 1, Axes};
constexpr auto pixel = [](builder& b) { of_pixel(b, window(3, 1, 1, 0)); };
constexpr auto pixel_by_linear = [](builder& b) {
  b.output("", b.add(from_pixel<2>, "conv", {b.input("x", {4, 1, 1})}));
};
constexpr auto pixels_of_batch = [](builder& b) { of_pixel(b, window(3, 1, 2, 0), {2, 4, 1, 1}); };
constexpr auto batch_by_linear = [](builder& b) {
  b.output("", b.add(from_pixel<2>, "conv", {b.input("x", {2, 4, 1, 1})}));
};
constexpr auto in_padding = [](builder& b) { of_pixel(b, window(3, 3, 2, 1)); };
constexpr auto in_gaps = [](builder& b) {
  op::conv2d c = window(3, 3, 1, 2);
  c.dilation = {2, 2};
  of_pixel(b, c);
};
constexpr auto beside_padding = [](builder& b) {  // the last tap of three rows, the first of two columns
  op::conv2d c = window(3, 3, 1, 0);
  c.kernel = {3, 2};
  c.pad = {2, 0, 0, 1};
  of_pixel(b, c);
};
constexpr auto with_all = [](builder& b, bool linear) {
  const value_id x = b.input("x", {4, 1, 1}), r = b.input("r", {3, 1, 1});
  op::conv2d c = window(3, 1, 1, 0);
  c.bias = false;
  c.activation = with_relu;
  op::linear l = from_pixel<2>;
  l.bias = false;
  l.activation = with_relu;
  b.output("", linear ? b.add(l, "conv", {x, r}) : b.add(c, "conv", {x, r}));
};
constexpr auto conv_with_all = [](builder& b) { with_all(b, false); };
constexpr auto linear_with_all = [](builder& b) { with_all(b, true); };
constexpr auto in_volume = [](builder& b) {
  op::conv3d c;
  c.out = 3;
  c.kernel = {1, 3, 1};
  c.pad = {0, 1, 0, 0, 1, 0};
  b.output("", b.add(c, "conv", {b.input("x", {4, 1, 1, 1})}));
};
constexpr auto volume_by_linear = [](builder& b) {
  b.output("", b.add(from_pixel<3>, "conv", {b.input("x", {4, 1, 1, 1})}));
};

constexpr auto row_of_pixels = [](builder& b) { of_pixel(b, window(3, 1, 1, 0), {4, 1, 2}); };
constexpr auto first_of_pixels = [](builder& b) { of_pixel(b, window(3, 1, 2, 0), {4, 1, 2}); };
constexpr auto several_from_one = [](builder& b) { of_pixel(b, window(3, 1, 1, 1)); };
constexpr auto pixel_in_groups = [](builder& b) {
  op::conv2d c = window(2, 1, 1, 0);
  c.groups = 2;
  of_pixel(b, c);
};
constexpr auto pixel_with_slopes = [](builder& b) {
  op::conv2d c = window(3, 1, 1, 0);
  c.activation = {function::prelu};
  of_pixel(b, c);
};
constexpr auto between_taps = [](builder& b) {
  op::conv2d c = window(3, 2, 1, 1);
  c.dilation = {2, 2};
  of_pixel(b, c);
};
constexpr auto behind_taps = [](builder& b) {
  op::conv2d c = window(3, 1, 3, 2);
  c.pad = {2, 0, 0, 0};
  of_pixel(b, c);
};
template <bool Binary>
constexpr auto slopes_follow = [](builder& b) {
  const value_id y = b.add(window(3, 1, 1, 0), "conv", {b.input("x", {4, 1, 1})});
  if (Binary) b.output("", b.binary("slopes", op::binary_function::prelu, y, b.constant("k", {3, 1, 1})));
  else b.output("", b.add(op::prelu{}, "slopes", {y}));
};
constexpr auto slope_elsewhere = [](builder& b, bool linear) {
  const value_id x = b.input("x", {4, 1, 1});
  const value_id y = linear ? b.add(from_pixel<2>, "conv", {x}) : b.add(window(3, 1, 1, 0), "conv", {x});
  b.output("y", y);
  b.output("", b.add(op::prelu{}, "slopes", {x}));
};
constexpr auto conv_beside_slopes = [](builder& b) { slope_elsewhere(b, false); };
constexpr auto linear_beside_slopes = [](builder& b) { slope_elsewhere(b, true); };

}  // namespace

FIRES("linear > linear", (rules::multiply_weights), two_linears<9>, one_linear)
DECLINES("linear > linear through a bottleneck", (rules::multiply_weights), two_linears<1>,
         "one layer would not cost less")
FIRES("the first has a bias", (rules::multiply_weights), (biases<true, false>), joined_bias<true>)
FIRES("the second has a bias", (rules::multiply_weights), (biases<false, true>), joined_bias<true>)
FIRES("both have a bias", (rules::multiply_weights), (biases<true, true>), joined_bias<true>)
FIRES("neither has a bias", (rules::multiply_weights), (biases<false, false>), joined_bias<false>)
FIRES("linear > linear with a residual", (rules::multiply_weights), adds<false>, adds<true>)
DECLINES("linear that is the residual of a linear", (rules::multiply_weights), is_added, "it is the residual")
DECLINES("linear with relu > linear", (rules::multiply_weights), active, "its input has an activation already")
DECLINES("linear > linear over rows of rows", (rules::multiply_weights), whole_image,
         "the second reads more than the first's outputs")
DECLINES("linear that is an output > linear", (rules::multiply_weights), read_twice,
         "its input is a network output too")
FIRES("conv2d > conv2d of 1x1, strides", (rules::multiply_weights), two_convs, one_conv)
FIRES("conv2d with same padding > conv2d of 1x1 with a stride", (rules::multiply_weights), two_same, margins_in_numbers)
FIRES("conv2d > conv2d of 1x1 with prelu", (rules::multiply_weights), slopes_behind<false>, slopes_behind<true>)
DECLINES("3x3 > 1x1 through a bottleneck", (rules::multiply_weights), bottleneck, "one layer would not cost less")
DECLINES("1x1 > padded 1x1", (rules::multiply_weights), padded, "the second pads")
DECLINES("1x1 > 3x3", (rules::multiply_weights), windows_after, "the second looks at more than one pixel")
DECLINES("1x1 with relu > 3x3", (rules::multiply_weights), windows_after_relu,
         "the second looks at more than one pixel")
DECLINES("depthwise > 1x1", (rules::multiply_weights), depthwise, "their channels are in groups")

TEST_CASE("what a rewrite that does not pay would cost is said") {
  builder b;
  bottleneck(b);
  pool<text> lines;
  explain(b.g.view(), b.g.view(), {}, std::span(&rule_entry<rules::multiply_weights>::record, 1), "last", lines);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].view() == "last: multiply_weights does not apply: one layer would not cost less (first), about 886 ns "
                           "for 520 ns now");
}
DECLINES("conv2d > 1x1 in groups", (rules::multiply_weights), groups_behind, "their channels are in groups")
DECLINES("linear > ones > linear", (rules::multiply_weights), ones_between,
         "the second reads more than the first's outputs")
FIRES("linear > linear over its ones", (rules::multiply_weights), ones_read, ones_joined)
FIRES("conv2d of a pixel", (rules::conv_of_one_pixel), pixel, pixel_by_linear)
FIRES("conv2d of pixels in a batch", (rules::conv_of_one_pixel), pixels_of_batch, batch_by_linear)
FIRES("conv2d of a pixel in padding", (rules::conv_of_one_pixel), in_padding, pixel_by_linear)
FIRES("conv2d of a pixel in padding with gaps", (rules::conv_of_one_pixel), in_gaps, pixel_by_linear)
FIRES("conv2d of a pixel beside padding", (rules::conv_of_one_pixel), beside_padding, pixel_by_linear)
FIRES("conv2d of a pixel with residual and relu", (rules::conv_of_one_pixel), conv_with_all, linear_with_all)
FIRES("conv3d of a pixel", (rules::conv_of_one_pixel), in_volume, volume_by_linear)
FIRES("conv2d of a pixel beside a prelu", (rules::conv_of_one_pixel), conv_beside_slopes, linear_beside_slopes)
DECLINES("conv2d of two pixels", (rules::conv_of_one_pixel), row_of_pixels, "")
DECLINES("conv2d of one of two pixels", (rules::conv_of_one_pixel), first_of_pixels, "")
DECLINES("conv2d to several pixels", (rules::conv_of_one_pixel), several_from_one, "")
DECLINES("conv2d of a pixel in groups", (rules::conv_of_one_pixel), pixel_in_groups, "its channels are in groups")
DECLINES("conv2d of a pixel with slopes", (rules::conv_of_one_pixel), pixel_with_slopes,
         "it applies one slope an output")
DECLINES("conv2d of a pixel between its taps", (rules::conv_of_one_pixel), between_taps,
         "its window sees nothing but padding")
DECLINES("conv2d of a pixel behind its taps", (rules::conv_of_one_pixel), behind_taps,
         "its window sees nothing but padding")
DECLINES("conv2d of a pixel > prelu", (rules::conv_of_one_pixel), slopes_follow<false>,
         "it takes in the slopes behind it")
DECLINES("conv2d of a pixel > prelu by a constant", (rules::conv_of_one_pixel), slopes_follow<true>,
         "it takes in the slopes behind it")

namespace {
constexpr auto conv_then_linear = [](builder& b) {
  b.output("", b.linear("last", b.add(window(8, 1, 1, 0), "first", {b.input("x", {4, 3, 3})}), 2));
};
constexpr auto long_to_make = [](builder& b) {
  b.output("", b.add(op::linear{8}, "last", {b.add(op::linear{4096}, "first", {b.input("x", {4096})})}));
};
constexpr auto groups_before_slopes = [](builder& b) {
  op::conv2d c = window(4, 1, 1, 0);
  c.groups = 2;
  b.output("", b.add(op::prelu{}, "prelu", {b.add(c, "conv", {b.input("x", {4, 1, 1})})}));
};
}  // namespace
DECLINES("conv2d > linear", (rules::multiply_weights), conv_then_linear, "")
DECLINES("a large weight times another", (rules::multiply_weights), long_to_make, "its weight would take long to make")
DECLINES("a pixel in groups before slopes", (rules::conv_of_one_pixel), groups_before_slopes,
         "its channels are in groups")
