// SPDX-License-Identifier: BSL-1.0
// rules/fewer_outputs.hpp: what is cut out of a layer's result is not computed first.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr activation_function relu{function::relu}, tanh{function::tanh};

constexpr op::conv2d window(int out, int kernel, int pad, int groups = 1) {
  op::conv2d c;
  c.out = out;
  c.kernel = {kernel, kernel};
  c.pad = {pad, pad, pad, pad};
  c.groups = groups;
  return c;
}
template <class Layer>
constexpr Layer activated(Layer l) {
  l.activation = relu;
  return l;
}
constexpr void one(builder& b, const auto& layer, std::string_view name, std::initializer_list<int> shape = {4, 5, 6}) {
  b.output("", b.add(layer, name, {b.input("x", shape)}));
}
template <class Cut = op::slice>
constexpr void cut(builder& b, const auto& layer, const Cut& s, std::initializer_list<int> shape = {4, 5, 6}) {
  b.output("", b.add(s, "cut", {b.add(layer, "layer", {b.input("x", shape)})}));
}
template <class Layer>
constexpr Layer with_slopes(Layer l) {
  l.activation = {function::prelu};
  return l;
}
constexpr auto two_of_five = [](builder& b) { cut(b, with_slopes(window(5, 3, 1)), {{0}, {2}, {4}}); };
constexpr auto layer_of_two = [](builder& b) { one(b, with_slopes(window(2, 3, 1)), "layer"); };
constexpr auto every_other = [](builder& b) { cut(b, op::linear{5, true, relu}, {{-1}, {4}, {-6}, {-2}}, {5, 4}); };
constexpr auto linear_of_three = [](builder& b) { one(b, op::linear{3, true, relu}, "layer", {5, 4}); };
constexpr op::conv_transpose2d upwards(int out) {
  op::conv_transpose2d c;
  c.out = out;
  c.kernel = {2, 2};
  c.stride = {2, 2};
  return c;
}
constexpr auto first_of_upwards = [](builder& b) { cut(b, upwards(3), {{0}, {0}, {1}}); };
constexpr auto upwards_of_one = [](builder& b) { one(b, upwards(1), "layer"); };
constexpr auto of_rows_too = [](builder& b) { cut(b, window(5, 3, 1), {{0, 1}, {2, 0}, {4, 3}}); };
constexpr auto of_groups = [](builder& b) { cut(b, window(4, 3, 1, 2), {{0}, {2}, {4}}); };
constexpr auto with_residual = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), r = b.input("r", {4, 5, 6});
  b.output("", b.add(op::slice{{0}, {2}, {4}}, "cut", {b.add(window(4, 3, 1), "layer", {x, r})}));
};
constexpr auto of_nothing = [](builder& b) { cut(b, window(4, 3, 1), {{0}, {2}, {2}}); };
constexpr auto read_whole = [](builder& b) {
  const value_id y = b.add(window(4, 3, 1), "layer", {b.input("x", {4, 5, 6})});
  b.output("", b.add(op::slice{{0}, {2}, {4}}, "cut", {y}));
  b.output("r", b.relu("r", y));
};

// Every other pixel.

constexpr op::conv2d by_steps(int out, int kernel, int pad, int rows, int columns) {
  op::conv2d c = window(out, kernel, pad);
  c.stride = {rows, columns};
  return c;
}
constexpr op::pool pixels_of(int rows, int columns) {
  op::pool p;
  p.kernel = {1, 1};
  p.stride = {rows, columns};
  return p;
}
constexpr auto pool_of_pixels = [](builder& b) { cut(b, by_steps(3, 3, 1, 1, 2), pixels_of(2, 2)); };
constexpr auto larger_steps = [](builder& b) { one(b, by_steps(3, 3, 1, 2, 4), "layer"); };
constexpr auto slice_of_pixels = [](builder& b) {
  cut(b, window(3, 3, 1), op::slice{{0, 1, 2}, {1, 0, 0}, {3, 5, 6}, {1, 2, 3}});
};
constexpr auto two_by_steps = [](builder& b) { one(b, by_steps(2, 3, 1, 2, 3), "layer"); };
constexpr auto from_the_second = [](builder& b) { cut(b, window(3, 3, 1), op::slice{{1}, {1}, {5}, {2}}); };
constexpr auto some_of_them = [](builder& b) { cut(b, window(3, 3, 1), op::slice{{1}, {0}, {3}, {2}}); };
constexpr auto larger_windows = [](builder& b) {
  op::pool p = pixels_of(2, 2);
  p.kernel = {1, 2};
  cut(b, window(3, 3, 1), p);
};
constexpr auto pixels_of_transposed = [](builder& b) { cut(b, upwards(3), pixels_of(2, 2)); };

// Two parts.

template <int First, int Second = 5>
constexpr auto two_slices = [](builder& b) {
  const value_id y = b.add(activated(window(5, 3, 1)), "layer", {b.input("x", {4, 5, 6})});
  b.output("a", b.add(op::slice{{0}, {2}, {Second}}, "second", {y}));
  b.output("b", b.add(op::slice{{0}, {0}, {First}}, "first", {y}));
};
constexpr auto two_layers = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6});
  b.output("a", b.add(activated(window(3, 3, 1)), "second", {x}));
  b.output("b", b.add(activated(window(2, 3, 1)), "first", {x}));
};
constexpr auto one_piece = [](builder& b) {
  const value_id y = b.linear("layer", b.input("x", {1, 6}), 4);
  b.output("a", b.add(op::slice{{1}, {0}, {2}}, "first", {y}));
  b.output("b", b.add(op::slice{{1}, {2}, {4}}, "second", {y}));
};
constexpr auto of_three_readers = [](builder& b) {
  const value_id y = b.add(window(5, 3, 1), "layer", {b.input("x", {4, 5, 6})});
  b.output("a", b.add(op::slice{{0}, {2}, {5}}, "second", {y}));
  b.output("b", b.add(op::slice{{0}, {0}, {2}}, "first", {y}));
  b.output("c", b.relu("c", y));
};

/// layer > split > tanh of part `With`.
template <int With>
constexpr auto gated = [](builder& b, const auto& layer, int axis = 0) {
  const value_id part = b.add(op::split{{2, 3}, axis}, "cut", {b.add(layer, "layer", {b.input("x", {4, 5, 6})})});
  const value_id y = b.add(op::activation{tanh}, "tanh", {part + With});
  b.output("a", y);
  b.output("b", b.apply("other", part + 1 - With, function::sigmoid));
};
constexpr auto first_gated = [](builder& b) { gated<0>(b, window(5, 3, 1)); };
constexpr auto second_gated = [](builder& b) { gated<1>(b, window(5, 3, 1)); };
constexpr auto first_with_tanh = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), part = b.add(window(3, 3, 1), "cut", {x});
  op::conv2d c = window(2, 3, 1);
  c.activation = tanh;
  b.output("a", b.add(c, "tanh", {x}));
  b.output("b", b.apply("other", part, function::sigmoid));
};
constexpr auto second_with_tanh = [](builder& b) {
  const value_id x = b.input("x", {4, 5, 6}), part = b.add(window(2, 3, 1), "cut", {x});
  op::conv2d c = window(3, 3, 1);
  c.activation = tanh;
  b.output("a", b.add(c, "tanh", {x}));
  b.output("b", b.apply("other", part, function::sigmoid));
};
constexpr auto rows_gated = [](builder& b) { gated<0>(b, window(5, 3, 1), 1); };
constexpr auto gated_twice = [](builder& b) { gated<0>(b, activated(window(5, 3, 1))); };
constexpr auto three_parts = [](builder& b) {
  const value_id y = b.add(window(5, 3, 1), "layer", {b.input("x", {4, 5, 6})});
  const value_id part = b.add(op::split{{2, 2, 1}, 0}, "cut", {y});
  b.output("a", b.add(op::activation{tanh}, "tanh", {part}));
  b.output("b", part + 1);
  b.output("c", part + 2);
};
constexpr auto other_unread = [](builder& b) {
  const value_id y = b.add(window(5, 3, 1), "layer", {b.input("x", {4, 5, 6})});
  b.output("a", b.add(op::activation{tanh}, "tanh", {b.add(op::split{{2, 3}, 0}, "cut", {y})}));
};

}  // namespace

FIRES("two outputs of five", (rules::fewer_outputs), two_of_five, layer_of_two)
FIRES("every other output from the last", (rules::fewer_outputs), every_other, linear_of_three)
FIRES("an output of a transposed convolution", (rules::fewer_outputs), first_of_upwards, upwards_of_one)
DECLINES("rows are cut, too", (rules::fewer_outputs), of_rows_too, "it cuts more than outputs")
DECLINES("outputs of groups", (rules::fewer_outputs), of_groups, "its channels are in groups")
DECLINES("a residual", (rules::fewer_outputs), with_residual, "its input adds a residual")
DECLINES("nothing is taken", (rules::fewer_outputs), of_nothing, "it takes nothing")
DECLINES("all outputs are read", (rules::fewer_outputs), read_whole, "its input is also read by another layer")

FIRES("every other pixel of a pooling", (rules::fewer_outputs), pool_of_pixels, larger_steps)
FIRES("two channels of every other pixel", (rules::fewer_outputs), slice_of_pixels, two_by_steps)
DECLINES("every other pixel from the second", (rules::fewer_outputs), from_the_second, "it cuts more than outputs")
DECLINES("not to the end", (rules::fewer_outputs), some_of_them, "it cuts more than outputs")
DECLINES("a pooling of two", (rules::fewer_outputs), larger_windows, "")
DECLINES("pixels of a transposed convolution", (rules::fewer_outputs), pixels_of_transposed,
         "it cuts more than outputs")

FIRES("two slices", (rules::halves_apart), two_slices<2>, two_layers)
DECLINES("slices that leave one out", (rules::halves_apart), two_slices<1>, "the two do not share the outputs")
DECLINES("slices that overlap", (rules::halves_apart), two_slices<3>, "the two do not share the outputs")
DECLINES("slices that end before", (rules::halves_apart), (two_slices<2, 4>), "the two do not share the outputs")
DECLINES("parts of one row", (rules::halves_apart), one_piece, "parts of one piece need no copies")
DECLINES("the whole is read, too", (rules::halves_apart), of_three_readers, "")

FIRES("tanh of the first part", (rules::part_with_activation), first_gated, first_with_tanh)
FIRES("tanh of the second part", (rules::part_with_activation), second_gated, second_with_tanh)
DECLINES("parts of rows", (rules::part_with_activation), rows_gated, "its parts are not some of the outputs each")
DECLINES("an activation before", (rules::part_with_activation), gated_twice, "its input has an activation already")
DECLINES("three parts", (rules::part_with_activation), three_parts, "it cuts into more than two")
DECLINES("nobody reads the other", (rules::part_with_activation), other_unread, "nobody reads the other part")
