// SPDX-License-Identifier: BSL-1.0
// rules/linear_maps.hpp: linear maps of one input are one.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr activation_function relu{function::relu};

constexpr op::conv2d window(int out, int kernel, int pad, int groups = 1, int stride = 1) {
  op::conv2d c;
  c.out = out;
  c.kernel = {kernel, kernel};
  c.stride = {stride, stride};
  c.pad = {pad, pad, pad, pad};
  c.groups = groups;
  return c;
}
template <class Layer>
constexpr Layer without_bias(Layer l) {
  l.bias = false;
  return l;
}
template <class Layer>
constexpr Layer activated(Layer l) {
  l.activation = relu;
  return l;
}

// Sums.

/// Two layers of x, f of them, in this order.
constexpr void both(builder& b, const auto& first, const auto& second, op::binary_function f,
                    std::initializer_list<int> shape = {4, 5, 6}) {
  const value_id x = b.input("x", shape);
  const value_id y = b.add(first, "first", {x}), z = b.add(second, "second", {x});
  b.output("", b.binary("f", f, y, z, relu));
}
constexpr void one(builder& b, const auto& layer, std::string_view name, std::initializer_list<int> shape = {4, 5, 6}) {
  b.output("", b.add(layer, name, {b.input("x", shape)}));
}
constexpr auto rep_vgg = [](builder& b) { both(b, window(3, 3, 1), window(3, 1, 0), add); };
constexpr auto window_of_three = [](builder& b) { one(b, activated(window(3, 3, 1)), "first"); };
constexpr auto small_first = [](builder& b) { both(b, window(3, 1, 0), window(3, 3, 1), sub); };
constexpr auto second_left = [](builder& b) { one(b, activated(window(3, 3, 1)), "second"); };
constexpr auto difference = [](builder& b) { both(b, window(3, 3, 1), without_bias(window(3, 1, 0)), sub); };
constexpr auto bias_taken_off = [](builder& b) { both(b, without_bias(window(3, 3, 1)), window(3, 1, 0), sub); };
constexpr auto no_biases = [](builder& b) {
  both(b, without_bias(window(3, 3, 1)), without_bias(window(3, 1, 0)), add);
};
constexpr auto window_without_bias = [](builder& b) { one(b, activated(without_bias(window(3, 3, 1))), "first"); };
constexpr auto in_two_groups = [](builder& b) { both(b, window(6, 3, 1, 2, 2), window(6, 1, 0, 2, 2), add); };
constexpr auto window_in_two_groups = [](builder& b) { one(b, activated(window(6, 3, 1, 2, 2)), "first"); };
constexpr op::conv2d dilated = [] {
  op::conv2d c = window(3, 3, 2);
  c.dilation = {2, 2};
  return c;
}();
constexpr op::conv2d up_and_left = [] {  // the last tap meets the pixel itself
  op::conv2d c = activated(dilated);
  c.pad = {4, 4, 0, 0};
  return c;
}();
constexpr auto at_the_last_tap = [](builder& b) {
  op::conv2d c = up_and_left;
  c.activation = {};
  both(b, c, window(3, 1, 0), add, {4, 7, 8});
};
constexpr auto window_up_and_left = [](builder& b) { one(b, up_and_left, "first", {4, 7, 8}); };
constexpr auto rows_and_columns = [](builder& b) {
  op::conv2d rows = window(3, 3, 1), columns = rows;
  rows.kernel = {1, 3};
  rows.pad = {0, 1, 0, 1};
  columns.kernel = {3, 1};
  columns.pad = {1, 0, 1, 0};
  both(b, rows, columns, add);
};
constexpr auto other_stride = [](builder& b) {
  op::conv2d c = window(3, 1, 0, 1, 2);
  both(b, window(3, 3, 1), c, add, {4, 1, 1});
};
constexpr auto other_groups = [](builder& b) { both(b, window(4, 3, 1), window(4, 1, 0, 2), add); };
constexpr auto between_taps = [](builder& b) {
  op::conv2d c = dilated;
  c.pad = {3, 3, 1, 1};
  both(b, c, window(3, 1, 0), add, {4, 7, 8});
};
constexpr auto active_before = [](builder& b) { both(b, window(3, 3, 1), activated(window(3, 1, 0)), add); };
constexpr auto sum_of_linears = [](builder& b) { both(b, op::linear{3}, op::linear{3, false}, add, {5, 4}); };
constexpr auto one_linear = [](builder& b) { one(b, op::linear{3, true, relu}, "first", {5, 4}); };
constexpr auto other_rows = [](builder& b) {
  op::linear all{3};
  all.axes = 2;
  const value_id x = b.input("x", {1, 4});
  b.output("", b.sum("f", b.linear("first", x, 3), b.reshape("shape", b.add(all, "second", {x}), {1, 3})));
};
constexpr auto product = [](builder& b) { both(b, window(3, 3, 1), window(3, 1, 0), mul); };
constexpr auto of_two_inputs = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.input("y", {4, 5, 6});
  b.output("", b.sum("f", b.add(window(3, 3, 1), "first", {x}), b.add(window(3, 1, 0), "second", {y})));
};
constexpr auto one_read_elsewhere = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.add(window(3, 1, 0), "second", {x});
  b.output("", b.sum("f", b.add(window(3, 3, 1), "first", {x}), y));
  b.output("y", y);
};
constexpr auto broadcast_sum = [](builder& b) {
  const value_id x = b.input("x", {1, 4});
  op::linear rows{4};
  rows.ones = 1;
  b.output("", b.sum("f", b.add(rows, "first", {x}), x));
};

/// A layer of x, and x itself or a map of its channels.
template <bool First>
constexpr auto and_itself = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.add(window(4, 3, 1, 2), "first", {x});
  b.output("", First ? b.binary("f", sub, x, y) : b.binary("f", sub, y, x));
};
constexpr auto with_itself = [](builder& b) { one(b, window(4, 3, 1, 2), "first"); };
constexpr auto and_scale = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.add(without_bias(window(4, 3, 1)), "first", {x});
  b.output("", b.sum("f", b.add(op::scale{}, "scale", {x}), y));
};
constexpr auto with_scale = [](builder& b) { one(b, window(4, 3, 1), "first"); };
constexpr auto and_number = [](builder& b) {
  const value_id x = b.input("x", {5, 4}), y = b.linear("first", x, 4);
  b.output("", b.binary("f", sub, b.scalar("twice", mul, x, 2), y, relu));
};
constexpr auto with_number = [](builder& b) { one(b, op::linear{4, true, relu}, "first", {5, 4}); };
constexpr auto and_depthwise = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.add(window(4, 3, 1, 4), "first", {x});
  b.output("", b.sum("f", y, b.add(op::bias{}, "bias", {x})));
};
constexpr auto with_depthwise = [](builder& b) { one(b, window(4, 3, 1, 4), "first"); };
constexpr auto and_signal = [](builder& b) {
  op::conv1d c;
  c.out = 4;
  c.kernel = {3};
  c.pad = {1, 1};
  const value_id x = b.input("x", {4, 6});
  b.output("", b.sum("f", b.add(c, "first", {x}), x));
};
constexpr auto with_signal = [](builder& b) {
  op::conv1d c;
  c.out = 4;
  c.kernel = {3};
  c.pad = {1, 1};
  one(b, c, "first", {4, 6});
};
constexpr auto and_rows_constant = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.add(window(4, 3, 1), "first", {x});
  b.output("", b.sum("f", y, b.binary("k", mul, x, b.constant("rows", {5, 1}))));
};
constexpr auto and_valid = [](builder& b) {  // one pixel less on each side: of other pixels
  const value_id x = b.input("x", {3, 3, 3});
  op::conv2d c = dilated;
  c.pad = {3, 3, 1, 1};
  b.output("", b.sum("f", b.add(c, "first", {x}), x));
};

// Joined outputs.

/// concat(first(x), second(x), and what `more` makes of x).
constexpr void side_by_side(builder& b, const auto& first, const auto& second, int axis = 0,
                            std::initializer_list<int> shape = {4, 5, 6}) {
  const value_id x = b.input("x", shape);
  const value_id y = b.add(first, "first", {x}), z = b.add(second, "second", {x});
  b.output("", b.concat("joined", {x, y, z}, axis));
}
constexpr void beside_x(builder& b, const auto& layer, std::string_view name, int axis = 0,
                        std::initializer_list<int> shape = {4, 5, 6}) {
  const value_id x = b.input("x", shape);
  b.output("", b.concat("joined", {x, b.add(layer, name, {x})}, axis));
}
constexpr auto two_windows = [](builder& b) {
  side_by_side(b, activated(window(3, 3, 1)), activated(without_bias(window(2, 3, 1))));
};
constexpr auto one_window = [](builder& b) { beside_x(b, activated(window(5, 3, 1)), "first"); };
constexpr auto two_rows = [](builder& b) { side_by_side(b, op::linear{3}, op::linear{2}, -1, {5, 4}); };
constexpr auto one_row = [](builder& b) { beside_x(b, op::linear{5}, "first", -1, {5, 4}); };
constexpr auto in_reverse = [](builder& b) {  // the later layer comes first, and another layer stands between
  const value_id x = b.input("x", {4, 5, 6}), y = b.conv("first", x, 3, 3), o = b.relu("other", x);
  b.output("", b.concat("joined", {b.conv("second", x, 2, 3), y}));
  b.output("o", o);
};
constexpr auto in_their_order = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), o = b.relu("other", x);
  b.output("", b.concat("joined", {b.conv("second", x, 5, 3)}));
  b.output("o", o);
};
constexpr auto other_windows = [](builder& b) { side_by_side(b, window(3, 3, 1), window(3, 1, 0)); };
constexpr auto other_function = [](builder& b) { side_by_side(b, window(3, 3, 1), activated(window(3, 3, 1))); };
constexpr auto along_rows = [](builder& b) { side_by_side(b, window(4, 3, 1), window(4, 3, 1), 1); };
constexpr auto groups_side_by_side = [](builder& b) { side_by_side(b, window(4, 3, 1, 2), window(4, 3, 1, 2)); };
constexpr auto of_other_inputs = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.input("y", {4, 5, 6});
  b.output("", b.concat("joined", {b.conv("first", x, 3, 3), b.conv("second", y, 3, 3)}));
};
constexpr auto not_neighbours = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6});
  b.output("", b.concat("joined", {b.conv("first", x, 3, 3), x, b.conv("second", x, 3, 3)}));
};
constexpr auto second_is_output = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), y = b.conv("second", x, 3, 3);
  b.output("", b.concat("joined", {b.conv("first", x, 3, 3), y}));
  b.output("y", y);
};

}  // namespace

FIRES("3x3 and 1x1", (rules::sum_of_maps), rep_vgg, window_of_three)
FIRES("1x1 less 3x3", (rules::sum_of_maps), small_first, second_left)
FIRES("3x3 less 1x1 without a bias", (rules::sum_of_maps), difference, window_of_three)
FIRES("3x3 without a bias less 1x1", (rules::sum_of_maps), bias_taken_off, window_of_three)
FIRES("neither has a bias", (rules::sum_of_maps), no_biases, window_without_bias)
FIRES("in groups, by steps", (rules::sum_of_maps), in_two_groups, window_in_two_groups)
FIRES("1x1 at a corner of a window with gaps", (rules::sum_of_maps), at_the_last_tap, window_up_and_left)
FIRES("two linear layers", (rules::sum_of_maps), sum_of_linears, one_linear)
FIRES("less the input", (rules::sum_of_maps), and_itself<false>, with_itself)
FIRES("the input less a layer", (rules::sum_of_maps), and_itself<true>, with_itself)
FIRES("a scale of the input", (rules::sum_of_maps), and_scale, with_scale)
FIRES("a multiple of the input less a layer", (rules::sum_of_maps), and_number, with_number)
FIRES("depthwise and a bias", (rules::sum_of_maps), and_depthwise, with_depthwise)
FIRES("a signal", (rules::sum_of_maps), and_signal, with_signal)
DECLINES("a row and a column", (rules::sum_of_maps), rows_and_columns, "its windows do not lie in those of the other")
DECLINES("other strides", (rules::sum_of_maps), other_stride, "they have other strides")
DECLINES("other groups", (rules::sum_of_maps), other_groups, "they have other groups")
DECLINES("between the taps", (rules::sum_of_maps), between_taps, "its windows do not lie in those of the other")
DECLINES("one has an activation", (rules::sum_of_maps), active_before, "its input has an activation already")
DECLINES("rows of other axes", (rules::sum_of_maps), other_rows, "")
DECLINES("their product", (rules::sum_of_maps), product, "")
DECLINES("two inputs", (rules::sum_of_maps), of_two_inputs, "")
DECLINES("one is read elsewhere", (rules::sum_of_maps), one_read_elsewhere,
         "its windows do not lie in those of the other")
DECLINES("a sum that is larger", (rules::sum_of_maps), broadcast_sum, "its operands differ in shape")
DECLINES("numbers along rows", (rules::sum_of_maps), and_rows_constant, "its channels are not the layer's outputs")
DECLINES("pixels beside the window's", (rules::sum_of_maps), and_valid, "its windows do not lie in those of the other")

FIRES("two convolutions joined", (rules::join_before_concat), two_windows, one_window)
FIRES("two linear layers joined", (rules::join_before_concat), two_rows, one_row)
FIRES("the second layer first", (rules::join_before_concat), in_reverse, in_their_order)
DECLINES("windows of other sizes", (rules::join_before_concat), other_windows,
         "the layers before it differ in more than their outputs")
DECLINES("one with an activation", (rules::join_before_concat), other_function,
         "the layers before it differ in more than their outputs")
DECLINES("joined along rows", (rules::join_before_concat), along_rows, "it does not join the outputs")
DECLINES("groups side by side", (rules::join_before_concat), groups_side_by_side, "its channels are in groups")
DECLINES("layers of other inputs", (rules::join_before_concat), of_other_inputs, "")
DECLINES("something stands between", (rules::join_before_concat), not_neighbours, "")
DECLINES("the second is an output", (rules::join_before_concat), second_is_output, "its input is a network output too")
