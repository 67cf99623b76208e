// SPDX-License-Identifier: BSL-1.0
// rules/elimination.hpp: layers that change nothing go, those that change something stay.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;

/// x, the operator, and relu behind it; or x and relu alone.
template <class Op>
constexpr void between(builder& b, const Op& op, std::initializer_list<int> shape = {2, 4, 4}) {
  b.output("", b.relu("relu", b.add(op, "it", {b.input("x", shape)})));
}
constexpr auto nothing_between = [](builder& b) { b.output("", b.relu("relu", b.input("x", {2, 4, 4}))); };

constexpr auto plain_identity = [](builder& b) { between(b, op::identity{}); };
constexpr auto identity_of_input = [](builder& b) {
  const value_id x = b.input("x", {3});
  b.output("out", b.add(op::identity{}, "it", {x}));
};
constexpr auto input_itself = [](builder& b) { b.output("out", b.input("x", {3})); };
constexpr auto plain_dropout = [](builder& b) { between(b, op::dropout{}); };
constexpr auto scaling_dropout = [](builder& b) { between(b, op::dropout{0.5f}); };
constexpr auto half = [](builder& b) {
  b.output("", b.relu("relu", b.scalar("it", mul, b.input("x", {2, 4, 4}), 0.5f)));
};

constexpr auto concat_one = [](builder& b) { between(b, op::concat{}); };
constexpr auto concat_two = [](builder& b) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.concat("cat", {x, x}));
};
constexpr auto split_one = [](builder& b) { between(b, op::split{{2}, 0}); };
constexpr auto split_two = [](builder& b) {
  const value_id s = b.add(op::split{{1, 1}, 0}, "it", {b.input("x", {2, 3})});
  b.output("", b.sum("sum", s, s + 1));
};
constexpr auto split_unread = [](builder& b) { between(b, op::split{{1, 1}, 0}, {2, 3}); };
constexpr auto slice_all = [](builder& b) { between(b, op::slice{{1}, {0}, {100}}); };
constexpr auto slice_back = [](builder& b) { between(b, op::slice{{1}, {}, {}, {-1}}); };
constexpr auto slice_some = [](builder& b) { between(b, op::slice{{1}, {0}, {-1}}); };

constexpr op::pool pooling(int kernel, int stride, int pad) {
  op::pool p;
  p.kernel = {kernel, kernel};
  p.stride = {stride, stride};
  p.pad = {pad};
  return p;
}
constexpr auto pool_1x1 = [](builder& b) { between(b, pooling(1, 0, 0)); };
constexpr auto pool_skips = [](builder& b) { between(b, pooling(1, 2, 0)); };
constexpr auto pool_wide = [](builder& b) { between(b, pooling(3, 1, 1)); };
constexpr auto pool_pads = [](builder& b) {
  op::pool p = pooling(1, 1, 1);
  p.function = op::pooling::average;
  p.count_include_pad = true;
  between(b, p);
};

constexpr auto pool_norm = [](builder& b) {
  op::pool p = pooling(1, 1, 0);
  p.function = op::pooling::lp;
  between(b, p);
};

constexpr auto same_size = [](builder& b) {
  op::interpolate i;
  i.mode = op::interpolation::linear;
  i.size = {4, 4};
  between(b, i);
};
constexpr auto same_size_zoomed = [](builder& b) {
  op::interpolate i;
  i.mode = op::interpolation::linear;
  i.size = {4, 4};
  i.scale = {1.25};
  between(b, i);
};
constexpr auto same_size_shifted = [](builder& b) {
  op::interpolate i;
  i.size = {4, 4};
  i.coordinates = op::coordinates::tf_half_pixel_for_nn;
  between(b, i);
};
constexpr auto other_size = [](builder& b) {
  op::interpolate i;
  i.size = {4, 5};
  between(b, i);
};
constexpr auto adaptive_same = [](builder& b) { between(b, op::adaptive_pool{op::pooling::average, {4, 0}}); };
constexpr auto adaptive_other = [](builder& b) { between(b, op::adaptive_pool{op::pooling::average, {4, 2}}); };
constexpr auto adaptive_of_1x1 = [](builder& b) {
  between(b, op::adaptive_pool{op::pooling::max, {1, 1}, true}, {2, 1, 1});
};

template <op::binary_function F, int N>
constexpr auto with_scalar = [](builder& b) { between(b, op::binary{F, float(N), {}}); };
constexpr recipe plus_0 = with_scalar<add, 0>, minus_0 = with_scalar<sub, 0>, times_1 = with_scalar<mul, 1>;
constexpr recipe over_1 = with_scalar<op::binary_function::div, 1>, power_1 = with_scalar<pow, 1>,
                 times_0 = with_scalar<mul, 0>;
constexpr recipe one_minus = with_scalar<rsub, 0>, one_over = with_scalar<rdiv, 1>, at_most_1 = with_scalar<minimum, 1>;
constexpr auto relu_inside = [](builder& b) { between(b, op::binary{add, 0.0f, {function::relu}}); };
constexpr auto plus_tensor = [](builder& b) {
  const value_id x = b.input("x", {3});
  b.output("", b.sum("sum", x, b.input("y", {3})));
};

}  // namespace

FIRES("identity goes", (rules::identity), plain_identity, nothing_between)
FIRES("an identity that is an output gives its name to the input (X16: the input keeps its own)", (rules::identity),
      identity_of_input, input_itself)
DECLINES("dropout is no identity", (rules::identity), plain_dropout, "")
FIRES("dropout goes", (rules::dropout), plain_dropout, nothing_between)
FIRES("dropout that scales becomes a product", (rules::dropout), scaling_dropout, half)
DECLINES("identity is no dropout", (rules::dropout), plain_identity, "")
FIRES("concat of one goes", (rules::concat_of_one), concat_one, nothing_between)
DECLINES("concat of two stays, of the same value too", (rules::concat_of_one), concat_two, "it joins several inputs")
FIRES("split into one goes", (rules::split_into_one), split_one, nothing_between)
DECLINES("split into two stays", (rules::split_into_one), split_two, "it has several outputs")
DECLINES("split into two stays with an output nobody reads", (rules::split_into_one), split_unread,
         "it has several outputs")
FIRES("slice of everything goes", (rules::one_view), slice_all, nothing_between)
DECLINES("slice that walks back stays", (rules::one_view), slice_back, "")
DECLINES("slice of less stays", (rules::one_view), slice_some, "")
FIRES("1x1 pooling goes", (rules::pool_1x1), pool_1x1, nothing_between)
DECLINES("1x1 pooling that skips stays", (rules::pool_1x1), pool_skips, "its stride skips elements")
DECLINES("3x3 pooling stays", (rules::pool_1x1), pool_wide, "its window is larger than 1 x 1")
DECLINES("1x1 norms stay", (rules::pool_1x1), pool_norm, "it computes something else")
DECLINES("1x1 pooling that pads stays", (rules::pool_1x1), pool_pads, "it pads")
FIRES("interpolation to the same size goes", (rules::same_size), same_size, nothing_between)
DECLINES("a zoom into the same size stays", (rules::same_size), same_size_zoomed, "its scale is not what the size says")
DECLINES("a shift by half a pixel stays", (rules::same_size), same_size_shifted, "its coordinates are not the input's")
DECLINES("interpolation to another size stays", (rules::same_size), other_size, "it changes the shape")
FIRES("adaptive pooling to the same size goes", (rules::same_size), adaptive_same, nothing_between)
DECLINES("adaptive pooling to another size stays", (rules::same_size), adaptive_other, "it changes the shape")
DECLINES("adaptive pooling that flattens stays", (rules::same_size), adaptive_of_1x1, "it changes the shape")
FIRES("x + 0", (rules::neutral_scalar), plus_0, nothing_between)
FIRES("x - 0", (rules::neutral_scalar), minus_0, nothing_between)
FIRES("x * 1", (rules::neutral_scalar), times_1, nothing_between)
FIRES("x / 1", (rules::neutral_scalar), over_1, nothing_between)
FIRES("x ^ 1", (rules::neutral_scalar), power_1, nothing_between)
DECLINES("x * 0", (rules::neutral_scalar), times_0, "its scalar changes the value")
DECLINES("0 - x", (rules::neutral_scalar), one_minus, "its scalar changes the value")
DECLINES("1 / x", (rules::neutral_scalar), one_over, "its scalar changes the value")
DECLINES("min(x, 1)", (rules::neutral_scalar), at_most_1, "its scalar changes the value")
DECLINES("relu(x + 0)", (rules::neutral_scalar), relu_inside, "it applies an activation")
DECLINES("x + y", (rules::neutral_scalar), plus_tensor, "it has no scalar operand")

namespace {
constexpr auto same_size_by_scale = [](builder& b) {
  op::interpolate p;
  p.scale = {1.0, 1.0};
  between(b, p);
};
constexpr auto cropped = [](builder& b) {
  op::interpolate p;
  p.size = {4, 4};
  p.coordinates = op::coordinates::tf_crop_and_resize;
  p.roi = {0, 0, 0.5, 1};
  between(b, p);
};
constexpr auto pool_tells_places = [](builder& b) {
  op::pool p = pooling(1, 1, 0);
  p.indices = true;
  between(b, p);
};
template <int Before>
constexpr auto pool_pads_once = [](builder& b) {
  op::pool p = pooling(1, 1, 0);
  p.pad = {0, 0, 0, 0};
  p.pad[Before ? 0 : 2] = 1;
  p.function = op::pooling::average;
  between(b, p);
};
}  // namespace
FIRES("interpolate by one", (rules::same_size), same_size_by_scale, nothing_between)
DECLINES("interpolate a part", (rules::same_size), cropped, "its coordinates are not the input's")
DECLINES("pool 1x1 that tells where", (rules::pool_1x1), pool_tells_places, "it computes something else")
DECLINES("pool 1x1 that pads before", (rules::pool_1x1), pool_pads_once<true>, "it pads")
DECLINES("pool 1x1 that pads behind", (rules::pool_1x1), pool_pads_once<false>, "it pads")
