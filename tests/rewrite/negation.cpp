// SPDX-License-Identifier: BSL-1.0
// rules/negation.hpp: signs.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr auto plus = op::binary_function::add, less = op::binary_function::sub, times = op::binary_function::mul;
constexpr value_id image(builder& b) { return b.input("x", {2, 3, 4}); }
constexpr value_id other(builder& b) { return b.input("y", {2, 3, 4}); }
constexpr value_id minus(builder& b, std::string_view name, value_id x) { return b.apply(name, x, function::neg); }

constexpr auto twice = [](builder& b) { b.output("", b.relu("it", minus(b, "b", minus(b, "a", image(b))))); };
constexpr auto none_at_all = [](builder& b) { b.output("", b.relu("it", image(b))); };
constexpr auto first_is_output = [](builder& b) {
  const value_id a = minus(b, "a", image(b));
  b.output("a", a);
  b.output("it", b.relu("it", minus(b, "b", a)));
};
constexpr auto second_is_gone = [](builder& b) {
  const value_id x = image(b);
  b.output("a", minus(b, "a", x));
  b.output("it", b.relu("it", x));
};
constexpr auto of_size = [](builder& b) { b.output("", minus(b, "b", b.apply("a", image(b), function::abs))); };

template <op::binary_function F, bool Second>
constexpr auto with_term = [](builder& b) {
  const value_id x = image(b), y = other(b), term = minus(b, "minus", x);
  b.output("", b.binary("it", F, Second ? y : term, Second ? term : y, {function::relu}));
};
template <op::binary_function F>
constexpr auto without_term = [](builder& b) {
  const value_id x = image(b), y = other(b);
  b.output("", b.binary("it", F, y, x, {function::relu}));
};
constexpr auto negative_plus_number = [](builder& b) {
  b.output("", b.scalar("it", add, minus(b, "minus", image(b)), 2));
};
constexpr auto term_is_output = [](builder& b) {
  const value_id x = image(b), y = other(b), term = minus(b, "minus", x);
  b.output("minus", term);
  b.output("", b.sum("it", term, y));
};

template <bool Signs>
constexpr auto conv_before = [](builder& b) {
  const value_id y = b.conv("c", image(b), 5, 3);
  b.output("", Signs ? minus(b, "minus", y) : y);
};
template <bool Signs>
constexpr auto linear_before = [](builder& b) {
  const value_id y = b.linear("c", image(b), 5);
  b.output("", Signs ? minus(b, "minus", y) : y);
};
template <bool Signs>
constexpr auto transposed_behind = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.conv_transpose("c", Signs ? minus(b, "minus", x) : x, 3));
};
template <bool Signs>
constexpr auto linear_behind = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.linear("c", Signs ? minus(b, "minus", x) : x, 5, {function::relu}));
};
constexpr auto activated = [](builder& b) {
  b.output("", minus(b, "minus", b.conv("c", image(b), 5, 3, {function::relu})));
};
constexpr auto with_residual = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 5});
  b.output("", minus(b, "minus", b.add(op::linear{5}, "c", {x, y})));
};
constexpr auto layer_is_output = [](builder& b) {
  const value_id y = b.conv("c", image(b), 5, 3);
  b.output("c", y);
  b.output("minus", minus(b, "minus", y));
};
constexpr auto of_residual = [](builder& b) {
  const value_id x = image(b), y = b.input("y", {2, 3, 5});
  b.output("", b.add(op::linear{5}, "c", {x, minus(b, "minus", y)}));
};
constexpr auto input_is_output = [](builder& b) {
  const value_id y = minus(b, "minus", image(b));
  b.output("minus", y);
  b.output("c", b.conv("c", y, 5, 3));
};

}  // namespace

FIRES("-(-x)", (rules::negated_twice), twice, none_at_all)
FIRES("-(-x), where -x is an output", (rules::negated_twice), first_is_output, second_is_gone)
DECLINES("-|x|", (rules::negated_twice), of_size, "")

FIRES("-x + y", (rules::negated_term), (with_term<plus, false>), without_term<less>)
FIRES("y + -x", (rules::negated_term), (with_term<plus, true>), without_term<less>)
FIRES("y - -x", (rules::negated_term), (with_term<less, true>), without_term<plus>)
DECLINES("-x - y", (rules::negated_term), (with_term<less, false>), "both operands would be subtracted")
DECLINES("-x * y", (rules::negated_term), (with_term<times, false>), "it is no sum and no difference")
DECLINES("-x + 2", (rules::negated_term), negative_plus_number, "it has one operand")
DECLINES("-x is an output", (rules::negated_term), term_is_output, "its input is a network output too")

FIRES("-conv(x)", (rules::negated_layer), conv_before<true>, conv_before<false>)
FIRES("-linear(x)", (rules::negated_layer), linear_before<true>, linear_before<false>)
DECLINES("-relu(conv(x))", (rules::negated_layer), activated, "its input has an activation already")
DECLINES("-(linear(x) + y)", (rules::negated_layer), with_residual, "its input adds a residual")
DECLINES("conv(x) is an output", (rules::negated_layer), layer_is_output, "its input is a network output too")

FIRES("conv_transpose(-x)", (rules::negated_input), transposed_behind<true>, transposed_behind<false>)
FIRES("linear(-x)", (rules::negated_input), linear_behind<true>, linear_behind<false>)
DECLINES("linear(x) + -y", (rules::negated_input), of_residual, "it is the residual")
DECLINES("-x before a conv is an output", (rules::negated_input), input_is_output, "its input is a network output too")
