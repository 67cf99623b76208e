// SPDX-License-Identifier: BSL-1.0
// rules/residual.hpp: sums that convolutions and linear layers take over.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr void eltwise(builder& b, const op::eltwise& e) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.add(e, "it", {x, b.input("y", {2, 3})}));
}
constexpr void pair_of(builder& b, op::binary_function f, activation_function act) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.binary("it", f, x, b.input("y", {2, 3}), act));
}
using enum op::eltwise_function;
constexpr auto two_sum = [](builder& b) { eltwise(b, {sum, {1.0f, 1.0f}, {function::relu}}); };
constexpr auto two_prod = [](builder& b) { eltwise(b, {prod, {}, {}}); };
constexpr auto two_max = [](builder& b) { eltwise(b, {op::eltwise_function::max, {}, {}}); };
constexpr auto weighted = [](builder& b) { eltwise(b, {sum, {1.0f, 2.0f}, {}}); };
constexpr auto three = [](builder& b) {
  const value_id x = b.input("x", {2, 3});
  b.output("", b.add(op::eltwise{}, "it", {x, x, x}));
};
constexpr auto binary_sum = [](builder& b) { pair_of(b, op::binary_function::add, {function::relu}); };
constexpr auto binary_prod = [](builder& b) { pair_of(b, op::binary_function::mul, {}); };
constexpr auto binary_max = [](builder& b) { pair_of(b, op::binary_function::maximum, {}); };

constexpr value_id with_residual(builder& b, std::string_view name, value_id x, value_id r,
                                 activation_function f = {}) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {3, 3};
  c.pad = {1, 1, 1, 1};
  c.activation = f;
  return b.add(c, name, {x, r});
}
constexpr auto residual = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), r = b.input("r", {2, 4, 4});
  b.output("", b.binary("add", op::binary_function::add, b.conv("conv", x, 2, 3), r, {function::relu}));
};
constexpr auto residual_second = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), r = b.input("r", {2, 4, 4});
  b.output("", b.binary("add", op::binary_function::add, r, b.conv("conv", x, 2, 3), {function::relu}));
};
constexpr auto residual_inside = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), r = b.input("r", {2, 4, 4});
  b.output("", with_residual(b, "conv", x, r, {function::relu}));
};
constexpr auto of_its_input = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.sum("add", x, b.conv("conv", x, 2, 3)));
};
constexpr auto two_convs = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), r = b.input("r", {2, 4, 4});
  const value_id left = b.conv("left", x, 2, 3), right = b.conv("right", r, 2, 1);
  b.output("", b.sum("add", left, right));
};
constexpr auto one_takes_it = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), right = b.conv("right", b.input("r", {2, 4, 4}), 2, 1);
  b.output("", with_residual(b, "left", x, right));
};
constexpr auto broadcast = [](builder& b) {  // X3: the sum has the shape, the operand has not
  const value_id x = b.input("x", {2, 4, 4});
  const value_id y = b.conv("conv", x, 2, 3);
  b.output("", b.sum("add", y, b.input("y", {2, 1, 1})));
};
constexpr auto conv_is_broadcast = [](builder& b) {
  const value_id x = b.input("x", {2, 1, 1});
  const value_id y = b.conv("conv", x, 2);
  b.output("", b.sum("add", y, b.input("y", {2, 4, 4})));
};
constexpr auto difference_of = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.binary("sub", op::binary_function::sub, b.conv("conv", x, 2, 3), x));
};
constexpr auto active_already = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.sum("add", b.conv("conv", x, 2, 3, {function::relu}), x));
};
constexpr auto added_already = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.sum("add", with_residual(b, "conv", x, x), x));
};
constexpr auto linear_sum = [](builder& b) {
  const value_id x = b.input("x", {5, 4}), r = b.input("r", {5, 4});
  b.output("", b.binary("add", op::binary_function::add, r, b.linear("fc", x, 4), {function::relu}));
};
constexpr auto linear_adds = [](builder& b) {
  const value_id x = b.input("x", {5, 4}), r = b.input("r", {5, 4});
  b.output("", b.add(op::linear{4, true, {function::relu}}, "fc", {x, r}));
};
constexpr auto linear_and_row = [](builder& b) {
  const value_id x = b.input("x", {5, 4});
  b.output("", b.sum("add", b.linear("fc", x, 4), b.input("y", {4})));
};
constexpr auto flat_residual = [](builder& b) {
  const value_id x = b.input("x", {5, 4});
  b.output("", b.add(op::linear{4}, "fc", {x, b.flatten("move", b.input("y", {5, 2, 2}), 1)}));
};
constexpr auto flat_with_residual = [](builder& b) {
  const value_id x = b.input("x", {5, 2, 2});
  b.output("", b.add(op::linear{3}, "fc", {b.flatten("move", x, 1), b.input("y", {5, 3})}));
};
constexpr auto axes_with_residual = [](builder& b) {
  op::linear fc{3};
  fc.axes = 2;
  b.output("", b.add(fc, "fc", {b.input("x", {5, 2, 2}), b.input("y", {5, 3})}));
};
constexpr auto ones_behind_sum = [](builder& b) {
  b.output("", b.reshape("move", b.add(op::linear{3}, "fc", {b.input("x", {4}), b.input("y", {3})}), {3, 1, 1}));
};
constexpr auto twice_itself = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 4, 4}), 2, 3);
  b.output("", b.sum("add", y, y));
};
constexpr auto conv_is_output = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), y = b.conv("conv", x, 2, 3);
  b.output("y", y);
  b.output("z", b.sum("add", y, x));
};

// Added behind the activation.
constexpr auto conv_adds_last = [](builder& b) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {3, 3};
  c.pad = {1, 1, 1, 1};
  c.activation = {function::relu};
  c.residual_last = true;
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.add(c, "conv", {x, x}));
};
constexpr auto active_linear = [](builder& b) {
  const value_id x = b.input("x", {5, 4});
  b.output("", b.sum("add", x, b.add(op::linear{4, true, {function::gelu}}, "fc", {x})));
};
constexpr auto linear_adds_last = [](builder& b) {
  const value_id x = b.input("x", {5, 4});
  op::linear fc{4, true, {function::gelu}};
  fc.residual_last = true;
  b.output("", b.add(fc, "fc", {x, x}));
};
constexpr auto active_twice = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("",
           b.binary("add", op::binary_function::add, b.conv("conv", x, 2, 3, {function::relu}), x, {function::relu}));
};
constexpr auto active_broadcast = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.sum("add", b.conv("conv", x, 2, 3, {function::relu}), b.input("y", {2, 1, 1})));
};
constexpr auto active_and_number = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 4, 4}), 2, 3, {function::relu});
  b.output("", b.add(op::binary{op::binary_function::add, 2.0f, {}}, "add", {y}));
};
constexpr auto active_and_added = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  b.output("", b.sum("add", with_residual(b, "conv", x, x, {function::relu}), x));
};
constexpr auto relu_behind_last = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4});
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  c.activation = {function::relu};
  c.residual_last = true;
  b.output("", b.relu("relu", b.add(c, "conv", {x, x})));
};

constexpr auto conv_and_number = [](builder& b) {
  const value_id y = b.conv("conv", b.input("x", {2, 4, 4}), 2, 3);
  b.output("", b.add(op::binary{op::binary_function::add, 2.0f, {}}, "add", {y}));
};

}  // namespace

FIRES("eltwise sum of two, coefficients of 1", (rules::eltwise_to_binary), two_sum, binary_sum)
FIRES("eltwise product", (rules::eltwise_to_binary), two_prod, binary_prod)
FIRES("eltwise maximum", (rules::eltwise_to_binary), two_max, binary_max)
DECLINES("weighted sum stays", (rules::eltwise_to_binary), weighted, "it has coefficients")
DECLINES("sum of three stays", (rules::eltwise_to_binary), three, "it has more than two inputs")

FIRES("conv2d + x", (rules::fuse_residual), residual, residual_inside)
FIRES("x + conv2d", (rules::fuse_residual), residual_second, residual_inside)
FIRES("of two convolutions one takes the sum", (rules::fuse_residual), two_convs, one_takes_it)
DECLINES("x + conv2d(x)", (rules::fuse_residual), of_its_input, "its other operand goes into the weight")
DECLINES("conv2d + one number a channel (X3)", (rules::fuse_residual), broadcast, "its operands differ in shape")
DECLINES("conv2d that is broadcast", (rules::fuse_residual), conv_is_broadcast, "its operands differ in shape")
DECLINES("conv2d - x", (rules::fuse_residual), difference_of, "it is not the sum of two values")
DECLINES("relu(conv2d) + x", (rules::fuse_residual), active_already, "its input has an activation already")
DECLINES("conv2d with a residual + x", (rules::fuse_residual), added_already, "its input adds a residual")
DECLINES("y + y", (rules::fuse_residual), twice_itself, "its input is also read by another layer")
FIRES("x + linear", (rules::fuse_residual), linear_sum, linear_adds)
DECLINES("linear + a row for all", (rules::fuse_residual), linear_and_row, "its operands differ in shape")
FIRES("flatten > linear with a residual", (rules::flatten_linear), flat_with_residual, axes_with_residual)
DECLINES("flatten of a residual", (rules::flatten_linear), flat_residual, "it is the residual")
DECLINES("linear with a residual > ones", (rules::linear_ones), ones_behind_sum, "its input adds a residual")
DECLINES("conv2d that is an output", (rules::fuse_residual), conv_is_output, "its input is a network output too")
DECLINES("conv2d + 2", (rules::fuse_residual), conv_and_number, "it is not the sum of two values")

FIRES("relu(conv2d) + x", (rules::fuse_residual_last), active_already, conv_adds_last)
FIRES("x + gelu(linear)", (rules::fuse_residual_last), active_linear, linear_adds_last)
DECLINES("conv2d + x adds before an activation", (rules::fuse_residual_last), residual, "its input has no activation")
DECLINES("relu(relu(conv2d) + x)", (rules::fuse_residual_last), active_twice, "it applies an activation")
DECLINES("relu(conv2d) + one number a channel", (rules::fuse_residual_last), active_broadcast,
         "its operands differ in shape")
DECLINES("relu(conv2d) + 2", (rules::fuse_residual_last), active_and_number, "it is not the sum of two values")
DECLINES("relu(conv2d + x) + x", (rules::fuse_residual_last), active_and_added, "its input adds a residual")
// What is added last may be below zero: the function before it says nothing of the layer's result.
DECLINES("relu behind what is added last", (rules::fuse_activation), relu_behind_last,
         "its input adds a residual behind its activation")
DECLINES("relu of what is added last", (rules::activation_within), relu_behind_last, "")

namespace {
constexpr auto active_and_product = [](builder& b) {
  const value_id x = b.input("x", {2, 4, 4}), r = b.input("r", {3, 4, 4});
  b.output("", b.binary("it", op::binary_function::mul, b.conv("conv", x, 3, 3, {function::relu}), r));
};
}  // namespace
DECLINES("relu > product", (rules::fuse_residual_last), active_and_product, "it is not the sum of two values")
