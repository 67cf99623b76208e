// SPDX-License-Identifier: BSL-1.0
// rules/functions.hpp: functions of one number that are spelled out.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr value_id image(builder& b) { return b.input("x", {2, 3, 4}); }
constexpr value_id other(builder& b) { return b.input("y", {2, 3, 4}); }
template <function F, int Thousandths = 0>
constexpr auto whole = [](builder& b) { b.output("", b.apply("it", image(b), F, float(Thousandths) / 1000)); };

// softplus
template <int One, function F = function::log>
constexpr auto log_of_sum = [](builder& b) {
  b.output("", b.apply("it", b.scalar("sum", add, b.apply("exp", image(b), function::exp), One), F));
};
template <function F>
constexpr auto log_of_exp = [](builder& b) { b.output("", b.apply("it", b.apply("exp", image(b), function::exp), F)); };
constexpr auto powers_are_output = [](builder& b) {
  const value_id e = b.apply("exp", image(b), function::exp);
  b.output("e", e);
  b.output("", b.apply("it", e, function::log1p));
};
constexpr std::string_view no_softplus = "it is not the logarithm of 1 + exp(x)";

// mish
template <bool GateFirst, function Inner = function::softplus>
constexpr auto mish_of = [](builder& b) {
  const value_id x = image(b), gate = b.apply("gate", b.apply("inner", x, Inner), function::tanh);
  b.output("", GateFirst ? b.binary("it", mul, gate, x) : b.binary("it", mul, x, gate));
};
constexpr auto mish_of_other = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, b.apply("gate", b.apply("inner", other(b), function::softplus), function::tanh), x));
};
constexpr auto mish_gate_is_output = [](builder& b) {
  const value_id x = image(b), gate = b.apply("gate", b.apply("inner", x, function::softplus), function::tanh);
  b.output("gate", gate);
  b.output("", b.binary("it", mul, x, gate));
};
constexpr auto activated_mish = [](builder& b) {
  const value_id x = image(b), gate = b.apply("gate", b.apply("inner", x, function::softplus), function::tanh);
  b.output("", b.binary("it", mul, x, gate, {function::relu}));
};

// swish
constexpr auto swish_of = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.apply("gate", b.scalar("k", mul, x, 1.702f), function::sigmoid)));
};
constexpr auto fused_swish = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, b.scalar("gate", mul, x, 1.702f, {function::sigmoid}), x));
};
constexpr auto swish_of_quotient = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.scalar("gate", div, x, 4, {function::sigmoid})));
};
constexpr auto swish_of_sum = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.scalar("gate", add, x, 1, {function::sigmoid})));
};
constexpr auto swish_of_square = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.apply("gate", b.apply("sq", x, function::square), function::sigmoid)));
};
constexpr auto swish_of_nothing = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.scalar("gate", mul, x, 1e-38f, {function::sigmoid})));
};
constexpr auto scaled_gate = [](builder& b) {
  const value_id x = image(b), gate = b.scalar("gate", mul, x, 1.702f, {function::sigmoid});
  b.output("", b.binary("it", mul, x, b.scalar("twice", mul, gate, 2)));
};
constexpr auto swish_of_other = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.scalar("gate", mul, other(b), 1.702f, {function::sigmoid})));
};
constexpr auto activated_swish = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", mul, x, b.scalar("gate", mul, x, 1.702f, {function::sigmoid}), {function::relu}));
};
constexpr auto swish_gate_is_output = [](builder& b) {
  const value_id x = image(b), gate = b.scalar("gate", mul, x, 1.702f, {function::sigmoid});
  b.output("gate", gate);
  b.output("", b.binary("it", mul, x, gate));
};
constexpr std::string_view no_swish = "it is not x times the sigmoid of a number times x";

// softsign
template <int One>
constexpr auto softsign_of = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", div, x, b.scalar("sum", add, b.apply("size", x, function::abs), One)));
};
constexpr auto softsign_of_other = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", div, x, b.scalar("sum", add, b.apply("size", other(b), function::abs), 1)));
};
constexpr auto activated_softsign = [](builder& b) {
  const value_id x = image(b), size = b.apply("size", x, function::abs);
  b.output("", b.binary("it", div, x, b.scalar("sum", add, size, 1), {function::relu}));
};
constexpr auto softsign_sum_is_read = [](builder& b) {
  const value_id x = image(b), sum = b.scalar("sum", add, b.apply("size", x, function::abs), 1);
  b.output("sum", sum);
  b.output("", b.binary("it", div, x, sum));
};

}  // namespace

FIRES("log(exp(x) + 1)", (rules::spelled_softplus), log_of_sum<1>, whole<function::softplus>)
FIRES("log1p(exp(x))", (rules::spelled_softplus), log_of_exp<function::log1p>, whole<function::softplus>)
DECLINES("log(exp(x) + 2)", (rules::spelled_softplus), log_of_sum<2>, no_softplus)
DECLINES("log1p(exp(x) + 1)", (rules::spelled_softplus), (log_of_sum<1, function::log1p>), no_softplus)
DECLINES("log(exp(x))", (rules::spelled_softplus), log_of_exp<function::log>, no_softplus)
DECLINES("exp(x) is an output", (rules::spelled_softplus), powers_are_output, "its input is a network output too")

FIRES("x tanh(softplus(x))", (rules::spelled_mish), mish_of<false>, whole<function::mish>)
FIRES("tanh(softplus(x)) x", (rules::spelled_mish), mish_of<true>, whole<function::mish>)
DECLINES("x tanh(exp(x))", (rules::spelled_mish), (mish_of<false, function::exp>), "")
DECLINES("x tanh(softplus(y))", (rules::spelled_mish), mish_of_other, "the gate is computed from another value")
DECLINES("tanh(softplus(x)) is an output", (rules::spelled_mish), mish_gate_is_output,
         "its input is a network output too")
DECLINES("relu of mish", (rules::spelled_mish), activated_mish, "it applies an activation")

FIRES("x sigmoid(k x)", (rules::spelled_swish), swish_of, (whole<function::swish, 1702>))
FIRES("sigmoid within k x", (rules::spelled_swish), fused_swish, (whole<function::swish, 1702>))
FIRES("x sigmoid(x / k)", (rules::spelled_swish), swish_of_quotient, (whole<function::swish, 250>))
DECLINES("x sigmoid(x + 1)", (rules::spelled_swish), swish_of_sum, no_swish)
DECLINES("x sigmoid(x^2)", (rules::spelled_swish), swish_of_square, no_swish)
DECLINES("x sigmoid(almost 0)", (rules::spelled_swish), swish_of_nothing, no_swish)
DECLINES("x 2 sigmoid(k x)", (rules::spelled_swish), scaled_gate, no_swish)
DECLINES("x sigmoid(k y)", (rules::spelled_swish), swish_of_other, "")
DECLINES("relu of swish", (rules::spelled_swish), activated_swish, "it applies an activation")
DECLINES("sigmoid(k x) is an output", (rules::spelled_swish), swish_gate_is_output, "its input is a network output too")

FIRES("x / (1 + |x|)", (rules::spelled_softsign), softsign_of<1>, whole<function::softsign>)
DECLINES("x / (2 + |x|)", (rules::spelled_softsign), softsign_of<2>, "another number than 1 is added to |x|")
DECLINES("x / (1 + |y|)", (rules::spelled_softsign), softsign_of_other, "")
DECLINES("relu of softsign", (rules::spelled_softsign), activated_softsign, "it applies an activation")
DECLINES("1 + |x| is an output", (rules::spelled_softsign), softsign_sum_is_read, "its input is a network output too")
