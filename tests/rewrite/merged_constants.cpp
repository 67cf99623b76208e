// SPDX-License-Identifier: BSL-1.0
// rules/merged_constants.hpp: arithmetic with constants in a row is one constant.
#include <limits>

#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr op::binary_function divided = op::binary_function::div;  // div is a function of C
constexpr activation_function relu{function::relu};

constexpr value_id grid(builder& b) { return b.constant("k", {4, 5}, numbers_are::invertible); }
constexpr value_id image(builder& b) { return b.input("x", {3, 4, 5}); }

/// x f k g scalar, or x g scalar f k.
template <op::binary_function F, op::binary_function G, bool Before>
constexpr auto with_scalar = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  if (Before) b.output("", b.binary("last", F, b.scalar("first", G, x, 0.5f), k, relu));
  else b.output("", b.scalar("last", G, b.binary("first", F, x, k), 0.5f, relu));
};
template <op::binary_function F>
constexpr auto one_constant = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.binary("first", F, x, k, relu));
};
constexpr auto with_rows = [](builder& b) {  // of two constants one has the other's axes
  const value_id x = image(b), rows = b.constant("rows", {4, 1}), k = grid(b);
  b.output("", b.binary("last", sub, b.binary("first", add, x, rows), k));
};
constexpr auto with_itself = [](builder& b) {
  const value_id x = image(b), k = grid(b), other = b.constant("other", {1, 4, 5});
  b.output("", b.binary("last", add, b.binary("first", add, x, k), other));
};
constexpr auto larger_constant = [](builder& b) {
  const value_id x = image(b), k = b.constant("other", {1, 4, 5});
  b.output("", b.binary("first", add, x, k));
};
constexpr auto constant_alone = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.binary("first", add, x, k));
};
constexpr auto with_bias = [](builder& b) {  // along rows
  const value_id x = image(b), k = grid(b);
  b.output("", b.add(op::bias{1, relu}, "last", {b.binary("first", sub, x, k)}));
};
constexpr auto sum_and_product = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("last", mul, b.binary("first", add, x, k), 0.5f));
};
constexpr auto other_axes = [](builder& b) {
  const value_id x = image(b), k = grid(b), channels = b.constant("c", {3, 1, 5});
  b.output("", b.binary("last", add, b.binary("first", add, x, k), channels));
};
constexpr auto constant_read_elsewhere = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("last", add, b.binary("first", add, x, k), 0.5f));
  b.output("k", b.relu("r", k));
};
constexpr auto zeros_added = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {4, 5}, numbers_are::zeros);
  b.output("", b.scalar("last", add, b.binary("first", add, x, k), 0.5f));
};
constexpr auto active_between = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("last", add, b.binary("first", add, x, k, relu), 0.5f));
};
constexpr auto product_of_constant = [](builder& b) {  // the first is an operand of the constant's own
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("last", add, b.binary("first", sub, k, x), 0.5f));
};

template <bool Done>
constexpr auto sum_scaled = [](builder& b) {
  op::eltwise sum;
  sum.coefficients = {Done ? 1.0f : 2.0f, Done ? -1.5f : -3.0f};
  const value_id x = image(b), y = b.input("y", {3, 4, 5});
  const value_id s = b.add(sum, "sum", {x, y});
  b.output("", Done ? s : b.scalar("half", mul, s, 0.5f));
};
constexpr auto without_coefficients = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {3, 4, 5});
  b.output("", b.scalar("half", mul, b.add(op::eltwise{}, "sum", {x, y, x}), 0.5f, relu));
};
constexpr auto halves = [](builder& b) {
  op::eltwise sum;
  sum.coefficients = {0.5f, 0.5f, 0.5f};
  const value_id x = image(b), y = b.input("y", {3, 4, 5});
  sum.activation = relu;
  b.output("", b.add(sum, "sum", {x, y, x}));
};
template <bool Done>
constexpr auto nothing_scaled = [](builder& b) {
  op::eltwise sum;
  sum.coefficients = {Done ? 0x1p123f : 1.0f, Done ? -0x1p123f : -1.0f};
  const value_id x = image(b), s = b.add(sum, "sum", {x, x});
  b.output("", Done ? s : b.scalar("much", mul, s, 0x1p123f));
};
template <bool Done>
constexpr auto rounded_products = [](builder& b) {
  op::eltwise sum;
  sum.coefficients = {Done ? 0.797885f : 1.0f, Done ? 0.044715f * 0.797885f : 0.044715f};
  const value_id x = image(b), s = b.add(sum, "sum", {x, b.apply("exp", x, function::exp)});
  b.output("", Done ? s : b.scalar("times", mul, s, 0.797885f));
};
constexpr auto largest_scaled = [](builder& b) {
  op::eltwise most;
  most.function = op::eltwise_function::max;
  const value_id x = image(b), y = b.input("y", {3, 4, 5});
  b.output("", b.scalar("half", mul, b.add(most, "most", {x, y}), 0.5f));
};
constexpr auto active_sum = [](builder& b) {
  op::eltwise sum;
  sum.activation = relu;
  const value_id x = image(b), y = b.input("y", {3, 4, 5});
  b.output("", b.scalar("half", mul, b.add(sum, "sum", {x, y}), 0.5f));
};

template <bool Done>
constexpr auto anchors = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  const value_id y = b.apply("square", Done ? x : b.scalar("twice", mul, x, 2), function::square);
  b.output("", b.binary("last", mul, y, k));
};
template <bool Done>
constexpr auto large_anchors = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {4, 5});
  const value_id y = b.apply("square", Done ? x : b.scalar("times", mul, x, 0x1p60f), function::square);
  b.output("", b.binary("last", mul, y, k));
};
template <bool Done>
constexpr auto scaled_squares = [](builder& b) {
  const value_id x = image(b);
  const value_id y = b.apply("square", Done ? x : b.scalar("times", mul, x, 3), function::square);
  b.output("", b.add(op::scale{true, 1, relu}, "last", {y}));
};
template <bool Done>
constexpr auto large_products = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {4, 5});
  if (Done) b.output("", b.binary("first", mul, x, k));
  else b.output("", b.binary("last", mul, b.scalar("first", mul, x, 0x1p123f), k));
};
template <bool Done>
constexpr auto large_grids = [](builder& b) {
  const value_id x = image(b), k = b.constant("k", {4, 5});
  const value_id at = b.binary("at", add, b.scalar("little", mul, x, Done ? 1 : 0x1p-123f), k);
  b.output("", Done ? at : b.scalar("much", mul, at, 0x1p123f));
};
template <bool Done>
constexpr auto square_of_number = [](builder& b) {
  const value_id x = image(b);
  const value_id y = b.apply("square", Done ? x : b.scalar("twice", mul, x, 2), function::square);
  b.output("", b.scalar("last", Done ? mul : divided, y, Done ? 8.0f : 0.5f, relu));
};
constexpr auto cube = [](builder& b) {
  b.output("", b.scalar("last", mul, b.apply("root", b.scalar("twice", mul, image(b), 2), function::sqrt), 3));
};
constexpr auto square_and_sum = [](builder& b) {
  b.output("", b.scalar("last", add, b.apply("square", b.scalar("twice", mul, image(b), 2), function::square), 3));
};
constexpr auto anchors_read_elsewhere = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.binary("last", mul, b.apply("square", b.scalar("twice", mul, x, 2), function::square), k));
  b.output("k", b.relu("r", k));
};
constexpr auto square_too_large = [](builder& b) {
  b.output("", b.scalar("last", mul, b.apply("square", b.scalar("times", mul, image(b), 1e25f), function::square), 3));
};

template <bool Done>
constexpr auto grid_of_boxes = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  const value_id y = b.scalar("twice", mul, x, Done ? 16 : 2);
  const value_id at = b.binary("at", Done ? add : sub, y, k, Done ? relu : activation_function{});
  b.output("", Done ? at : b.scalar("stride", mul, at, 8, relu));
};
constexpr auto by_constant = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("stride", mul, b.binary("at", mul, b.scalar("twice", mul, x, 2), k), 8));
};
constexpr auto sum_of_values = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.scalar("stride", mul, b.sum("at", b.scalar("twice", mul, x, 2), x), 8));
};
constexpr auto grid_read_elsewhere = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("stride", mul, b.binary("at", add, b.scalar("twice", mul, x, 2), k), 8));
  b.output("k", b.relu("r", k));
};
constexpr auto times_infinity = [](builder& b) {
  const value_id x = image(b), k = grid(b);
  b.output("", b.scalar("stride", mul, b.binary("at", add, b.scalar("twice", mul, x, 2), k),
                        std::numeric_limits<float>::infinity()));
};

}  // namespace

FIRES("a grid between factors", (rules::scaled_constant), grid_of_boxes<false>, grid_of_boxes<true>)
FIRES("a grid between large factors", (rules::scaled_constant), large_grids<false>, large_grids<true>)
DECLINES("a factor between factors", (rules::scaled_constant), by_constant, "it adds no constant")
DECLINES("a value between factors", (rules::scaled_constant), sum_of_values, "its other operand is not constant")
DECLINES("a grid that others read", (rules::scaled_constant), grid_read_elsewhere, "the constant is read elsewhere")
DECLINES("an infinite factor", (rules::scaled_constant), times_infinity, "its scalar is not finite")
FIRES("+ grid > + scalar", (rules::merge_constants), (with_scalar<add, add, false>), one_constant<add>)
FIRES("- grid > - scalar", (rules::merge_constants), (with_scalar<sub, sub, false>), one_constant<add>)
FIRES("+ scalar > - grid", (rules::merge_constants), (with_scalar<sub, add, true>), one_constant<add>)
FIRES("* grid > / scalar", (rules::merge_constants), (with_scalar<mul, divided, false>), one_constant<mul>)
FIRES("* scalar > / grid", (rules::merge_constants), (with_scalar<divided, mul, true>), one_constant<mul>)
FIRES("+ rows > - grid", (rules::merge_constants), with_rows, constant_alone)
FIRES("+ grid > + grid of a longer shape", (rules::merge_constants), with_itself, larger_constant)
FIRES("- grid > bias along rows", (rules::merge_constants), with_bias, one_constant<add>)
DECLINES("+ grid > * scalar", (rules::merge_constants), sum_and_product, "one adds and the other multiplies")
DECLINES("constants of other axes", (rules::merge_constants), other_axes,
         "no constant has all axes of the other, or it is read elsewhere")
DECLINES("a grid that is read elsewhere", (rules::merge_constants), constant_read_elsewhere,
         "no constant has all axes of the other, or it is read elsewhere")
DECLINES("an activation between", (rules::merge_constants), active_between, "it applies an activation")
DECLINES("+ zeros > + scalar", (rules::merge_constants), zeros_added, "its constant changes nothing")
DECLINES("grid - x > + scalar", (rules::merge_constants), product_of_constant, "one multiplies and adds")

FIRES("* a large scalar > * grid", (rules::merge_constants), large_products<false>, large_products<true>)
FIRES("half of a sum", (rules::scaled_sum), sum_scaled<false>, sum_scaled<true>)
FIRES("half of a sum of three", (rules::scaled_sum), without_coefficients, halves)
FIRES("much of x - x", (rules::scaled_sum), nothing_scaled<false>, nothing_scaled<true>)
FIRES("products that are rounded", (rules::scaled_sum), rounded_products<false>, rounded_products<true>)
DECLINES("half of the largest", (rules::scaled_sum), largest_scaled, "it is not a sum")
DECLINES("half of an active sum", (rules::scaled_sum), active_sum, "its input has an activation already")

FIRES("the square of twice x by anchors", (rules::scaled_square), anchors<false>, anchors<true>)
FIRES("the square of much by anchors", (rules::scaled_square), large_anchors<false>, large_anchors<true>)
FIRES("the square of a multiple, scaled along rows", (rules::scaled_square), scaled_squares<false>,
      scaled_squares<true>)
FIRES("the square of twice x by a scalar", (rules::scaled_square), square_of_number<false>, square_of_number<true>)
DECLINES("a root", (rules::scaled_square), cube, "its operand is not a square")
DECLINES("a square and a sum", (rules::scaled_square), square_and_sum, "it does not multiply")
DECLINES("anchors that are read elsewhere", (rules::scaled_square), anchors_read_elsewhere,
         "the constant is read elsewhere")
DECLINES("a factor whose square is too large", (rules::scaled_square), square_too_large,
         "the product of its factors is too large or small")
