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
