// SPDX-License-Identifier: BSL-1.0
// rules/norm_channels.hpp: numbers a channel behind group_norm.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr auto plus = op::binary_function::add, times = op::binary_function::mul;
/// group_norm of (2, 6, 4), then a product and a sum with constants.
struct how {
  int numbers = 2;  ///< of the norm's own scale and bias, one a group or a channel
  int axis = 1;     ///< along which the constants lie
  op::binary_function first = times, second = plus;
  bool given = false, read = false, active = false;
};
template <how H>
constexpr value_id normed(builder& b) {
  const value_id x = b.input("x", {2, 6, 4});
  const value_id scale = H.given ? b.input("s", {H.numbers}) : b.constant("s", {H.numbers});
  return b.add(op::group_norm{2, 0.01f, 1}, "norm", {x, scale, b.constant("b", {H.numbers})});
}
template <how H>
constexpr auto then = [](builder& b) {
  const value_id y = normed<H>(b), k = H.axis == 1 ? b.constant("k", {6, 1}) : b.constant("k", {4});
  const value_id scaled = b.binary("scaled", H.first, y, k);
  if (H.read) b.output("scaled", scaled);
  const value_id t = b.constant("t", {6, 1});
  b.output("", b.binary("it", H.second, scaled, t, {H.active ? function::relu : function::none}));
};
constexpr auto layers = [](builder& b) {
  op::scale by;
  by.bias = false;
  by.axis = 1;
  b.output("", b.add(op::bias{1}, "it", {b.add(by, "scaled", {normed<how{}>(b)})}));
};
constexpr auto once = [](builder& b) {
  const value_id x = b.input("x", {2, 6, 4}), scale = b.constant("scaled", {6}), bias = b.constant("it", {6});
  b.output("", b.add(op::group_norm{2, 0.01f, 1}, "norm", {x, scale, bias}));
};
constexpr auto scale_with_bias = [](builder& b) {
  op::scale by;
  by.axis = 1;
  b.output("", b.add(op::bias{1}, "it", {b.add(by, "scaled", {normed<how{}>(b)})}));
};
constexpr std::string_view no_product = "its input is not the product with numbers";

}  // namespace

FIRES("group_norm by groups * k + t", (rules::norm_channels), then<how{}>, once)
FIRES("group_norm by channels * k + t", (rules::norm_channels), then<how{6}>, once)
FIRES("group_norm > scale > bias", (rules::norm_channels), layers, once)
DECLINES("group_norm * k * t", (rules::norm_channels), (then<how{2, 1, times, times}>),
         "it is not the sum with numbers")
DECLINES("group_norm + k + t", (rules::norm_channels), (then<how{2, 1, plus}>), no_product)
DECLINES("group_norm > scale with a bias > bias", (rules::norm_channels), scale_with_bias, no_product)
DECLINES("group_norm * one number a column + t", (rules::norm_channels), (then<how{2, 2}>),
         "the numbers are not the norm's channels'")
DECLINES("group_norm whose scale is an input", (rules::norm_channels), (then<how{2, 1, times, plus, true}>),
         "its scale or bias is not constant")
DECLINES("group_norm * k, which is an output", (rules::norm_channels), (then<how{2, 1, times, plus, false, true}>),
         "its input is a network output too")
DECLINES("relu(group_norm * k + t)", (rules::norm_channels), (then<how{2, 1, times, plus, false, false, true}>),
         "it applies an activation")
