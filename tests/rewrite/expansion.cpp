// SPDX-License-Identifier: BSL-1.0
// Expansions: what is said with other operators before the first rule, in the compiler and at run time.
#include <doctest/doctest.h>

#include <ctnn/rewrite/expansions.hpp>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr value_id given(builder& b, dtype type, std::string_view name = "x") {
  return b.add(op::input{{2, 3, 4}, type}, name, {});
}
constexpr value_id as(builder& b, dtype type, std::string_view name, value_id x) {
  return b.add(op::cast{type}, name, {x});
}
constexpr value_id twice(builder& b, std::string_view name, value_id x) { return b.concat(name, {x, x}); }

template <class Recipe>
constexpr graph expanded(Recipe recipe, pool<rewrite_step>& history) {
  builder b;
  recipe(b);
  name_maker names;
  return default_expansions::apply(static_cast<graph&&>(b.g), names, history);
}
template <class Before, class After>
constexpr bool becomes(Before before, After after, std::size_t steps) {
  builder b;
  after(b);
  pool<rewrite_step> history, again;
  graph g = expanded(before, history);
  const bool same = same_structure(g.view(), b.g.view()) && history.size() == steps;
  for (std::size_t i = 0; i < g.values.size(); ++i)
    if (g.values[i].type != b.g.values[i].type) return false;
  // Nothing of it can be expanded again.
  name_maker names;
  const graph twice_expanded = default_expansions::apply(thaw(g.view()), names, again);
  return same && again.empty() && same_structure(twice_expanded.view(), g.view());
}

#define EXPANDS(title, before, after, steps)    \
  static_assert(becomes(before, after, steps)); \
  TEST_CASE(title) { CHECK(becomes(before, after, steps)); }

template <dtype Type>
constexpr auto relus = [](builder& b) { b.output("", b.relu("s", b.relu("r", given(b, Type)))); };
constexpr auto relus_of_floats = [](builder& b) {
  const value_id r = as(b, dtype::f16, "r", b.relu("r", as(b, dtype::f32, "x", given(b, dtype::f16))));
  b.output("", as(b, dtype::f16, "s", b.relu("s", as(b, dtype::f32, "r", r))));
};

constexpr auto two_readers = [](builder& b) {
  const value_id x = given(b, dtype::bf16);
  b.output("r", b.relu("r", x));
  b.output("x2", twice(b, "x2", x));
  b.output("s", b.sum("s", x, x));
};
constexpr auto two_readers_of_floats = [](builder& b) {
  const value_id x = given(b, dtype::bf16), wide = as(b, dtype::f32, "x", x);
  b.output("r", as(b, dtype::bf16, "r", b.relu("r", wide)));
  b.output("x2", twice(b, "x2", x));
  b.output("s", as(b, dtype::bf16, "s", b.sum("s", wide, wide)));
};

constexpr auto copied_result = [](builder& b) { b.output("", twice(b, "twice", b.relu("r", given(b, dtype::f16)))); };
constexpr auto copied_floats = [](builder& b) {
  const value_id r = as(b, dtype::f16, "r", b.relu("r", as(b, dtype::f32, "x", given(b, dtype::f16))));
  b.output("", as(b, dtype::f16, "twice", twice(b, "twice", as(b, dtype::f32, "r", r))));
};
constexpr auto copies = [](builder& b) { b.output("", twice(b, "twice", given(b, dtype::f16))); };

template <dtype Type>
constexpr auto constant_operand = [](builder& b) {
  const value_id c = b.add(op::constant{{4}, Type}, "c", {});
  b.output("", b.sum("s", given(b, Type), c));
};
constexpr auto constant_floats = [](builder& b) {
  const value_id wide = as(b, dtype::f32, "x", given(b, dtype::f16)), c = b.constant("c", {4});
  b.output("", as(b, dtype::f16, "s", b.sum("s", wide, c)));
};

// Signals.
constexpr op::conv1d filter(int groups = 1, slot_set given = 0) {
  op::conv1d c;
  c.out = 3;
  c.kernel = {5};
  c.stride = {2};
  c.pad = {1, 2};
  c.dilation = {3};
  c.groups = groups;
  c.bias = given != 1;
  c.activation = {function::relu};
  c.given = given;
  return c;
}
constexpr op::conv2d filter_of_row(int groups = 1, slot_set given = 0) {
  op::conv2d c;
  c.out = 3;
  c.kernel = {1, 5};
  c.stride = {1, 2};
  c.pad = {0, 1, 0, 2};
  c.dilation = {1, 3};
  c.groups = groups;
  c.bias = given != 1;
  c.activation = {function::relu};
  c.given = given;
  return c;
}
template <dtype Type = dtype::f32>
constexpr auto signal = [](builder& b) {
  b.output("", b.add(filter(), "c", {b.add(op::input{{2, 40}, Type}, "x", {})}));
};
constexpr auto row = [](builder& b) {
  const value_id image = b.reshape("x", b.input("x", {2, 40}), {2, 1, 40});
  b.output("", b.reshape("c", b.add(filter_of_row(), "c", {image}), {3, 16}));
};
constexpr auto row_of_halves = [](builder& b) {
  const value_id wide = as(b, dtype::f32, "x", b.add(op::input{{2, 40}, dtype::f16}, "x", {}));
  const value_id c = b.add(filter_of_row(), "c", {b.reshape("x", wide, {2, 1, 40})});
  b.output("", as(b, dtype::f16, "c", b.reshape("c", c, {3, 16})));
};
constexpr auto read_twice = [](builder& b) {
  const value_id x = b.input("x", {4, 3, 40});
  const value_id first = b.add(filter(3), "first", {x});
  b.output("first", first);
  b.output("second", b.add(filter(3), "second", {x, first}));
};
constexpr auto read_as_image = [](builder& b) {
  const value_id image = b.reshape("x", b.input("x", {4, 3, 40}), {4, 3, 1, 40});
  const value_id first = b.reshape("first", b.add(filter_of_row(3), "first", {image}), {4, 3, 16});
  b.output("first", first);
  const value_id residual = b.reshape("first", first, {4, 3, 1, 16});
  b.output("second", b.reshape("second", b.add(filter_of_row(3), "second", {image, residual}), {4, 3, 16}));
};
/// A weight that is a constant, and a bias that is an input.
constexpr auto given_weights = [](builder& b) {
  const value_id w = b.constant("w", {3, 2, 5});
  b.output("", b.add(filter(1, 3), "c", {b.input("x", {2, 40}), w, b.input("bias", {3})}));
};
constexpr auto given_weights_of_row = [](builder& b) {
  const value_id x = b.input("x", {2, 40}), bias = b.input("bias", {3});
  const value_id image = b.reshape("x", x, {2, 1, 40}), w = b.constant("w", {3, 2, 1, 5});
  b.output("", b.reshape("c", b.add(filter_of_row(1, 3), "c", {image, w, bias}), {3, 16}));
};
constexpr auto back = [](builder& b) {
  op::conv_transpose1d c;
  c.out = 3;
  c.kernel = {4};
  c.stride = {2};
  c.pad = {1, 0};
  c.output_padding = {1};
  b.output("", b.add(c, "c", {b.input("x", {2, 10})}));
};
constexpr auto back_in_a_row = [](builder& b) {
  op::conv_transpose2d c;
  c.out = 3;
  c.kernel = {1, 4};
  c.stride = {1, 2};
  c.pad = {0, 1, 0, 0};
  c.output_padding = {0, 1};
  const value_id image = b.reshape("x", b.input("x", {2, 10}), {2, 1, 10});
  b.output("", b.reshape("c", b.add(c, "c", {image}), {3, 22}));
};

constexpr bool weights_are_floats() {
  pool<rewrite_step> history;
  const graph g = expanded([](builder& b) { b.output("", b.conv("conv", given(b, dtype::f16), 5, 3)); }, history);
  const node& conv = g.nodes[2];
  if (conv.type != &type_of<op::conv2d> || conv.weights.count != 2) return false;
  for (expression_id e : g.view().weights(conv)) {
    const expression& w = g.view().at_expression(e);
    if (w.element != dtype::f32 || w.layer != "conv") return false;
  }
  return true;
}

}  // namespace

EXPANDS("operators over halves compute in f32", relus<dtype::f16>, relus_of_floats, 2)
EXPANDS("f32 stays", relus<dtype::f32>, relus<dtype::f32>, 0)
EXPANDS("f64 stays", relus<dtype::f64>, relus<dtype::f64>, 0)
EXPANDS("a value is converted once; what copies it does not want it converted", two_readers, two_readers_of_floats, 2)
EXPANDS("what copies a result goes on in f32", copied_result, copied_floats, 2)
EXPANDS("what only copies stays", copies, copies, 0)
EXPANDS("a constant of halves is one of floats", constant_operand<dtype::f16>, constant_floats, 1)
EXPANDS("a convolution of a signal is one of an image of one row", signal<>, row, 1)
EXPANDS("the same of halves: floats first", signal<dtype::f16>, row_of_halves, 2)
EXPANDS("doubles have no image kernels", signal<dtype::f64>, signal<dtype::f64>, 0)
EXPANDS("a signal becomes an image once, a residual as well", read_twice, read_as_image, 2)
EXPANDS("a weight that is a value gets a row too", given_weights, given_weights_of_row, 1)
EXPANDS("the transpose of a signal is that of a row", back, back_in_a_row, 1)

static_assert(weights_are_floats());
TEST_CASE("the weights of an operator over halves are floats") { CHECK(weights_are_floats()); }
