// SPDX-License-Identifier: BSL-1.0
// rules/known.hpp: weights of zeros and ones go, others and unknown ones stay.
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr auto zeros = numbers_are::zeros, ones = numbers_are::ones, anything = numbers_are::anything;

/// The numbers of the newest layer's weights.
constexpr value_id known(builder& b, value_id v, std::initializer_list<numbers_are> numbers) {
  std::size_t slot = b.g.expressions.size() - numbers.size();
  for (const numbers_are n : numbers) b.g.expressions[slot++].numbers = n;
  return v;
}
constexpr auto just_x = [](builder& b) { b.output("", b.input("x", {2, 3, 4})); };
template <op::binary_function F, numbers_are Numbers, bool First = false, int Rows = 3>
constexpr auto with_constant = [](builder& b) {
  const value_id x = b.input("x", {2, Rows, 4});
  const value_id k = b.constant("k", {2, 3, 1}, Numbers);
  b.output("", First ? b.binary("it", F, k, x) : b.binary("it", F, x, k));
};
template <numbers_are Slope, numbers_are Shift>
constexpr auto scaled = [](builder& b) {
  b.output("", known(b, b.add(op::scale{}, "it", {b.input("x", {2, 3, 4})}), {Slope, Shift}));
};
template <class Op, numbers_are Numbers>
constexpr auto of_one = [](builder& b) {
  b.output("", known(b, b.add(Op{}, "it", {b.input("x", {2, 3, 4})}), {Numbers}));
};
constexpr auto active_bias = [](builder& b) {
  op::bias it;
  it.activation = {function::relu};
  b.output("", known(b, b.add(it, "it", {b.input("x", {2, 3, 4})}), {zeros}));
};
template <numbers_are Bias, bool Has = true>
constexpr auto biased = [](builder& b) {
  const value_id x = b.input("x", {2, 3, 4});
  b.output("", known(b, b.add(op::linear{4, Has, {function::relu}}, "fc", {x, x}),
                     Has ? std::initializer_list<numbers_are>{anything, Bias} : std::initializer_list<numbers_are>{}));
};
/// Slopes stand where the bias would.
template <bool Bias, numbers_are Slopes>
constexpr auto sloped = [](builder& b) {
  op::conv2d c;
  c.out = 2;
  c.kernel = {1, 1};
  c.bias = Bias;
  c.activation = {function::prelu};
  const value_id y = b.add(c, "conv", {b.input("x", {2, 3, 4})});
  b.output("", known(b, y, Bias ? std::initializer_list<numbers_are>{anything, zeros, Slopes}
                                : std::initializer_list<numbers_are>{anything, Slopes}));
};

}  // namespace

FIRES("x + zeros", (rules::neutral_weight), (with_constant<add, zeros>), just_x)
FIRES("zeros + x", (rules::neutral_weight), (with_constant<add, zeros, true>), just_x)
FIRES("x - zeros", (rules::neutral_weight), (with_constant<sub, zeros>), just_x)
FIRES("x * ones", (rules::neutral_weight), (with_constant<mul, ones>), just_x)
FIRES("x / ones", (rules::neutral_weight), (with_constant<op::binary_function::div, ones>), just_x)
DECLINES("zeros - x", (rules::neutral_weight), (with_constant<sub, zeros, true>), "")
DECLINES("x * zeros may be NaN", (rules::neutral_weight), (with_constant<mul, zeros>), "")
DECLINES("x + anything", (rules::neutral_weight), (with_constant<add, anything>), "")
DECLINES("x + zeros of more rows", (rules::neutral_weight), (with_constant<add, zeros, false, 1>),
         "the constant broadcasts the other operand")
DECLINES("maximum of x and zeros", (rules::neutral_weight), (with_constant<maximum, zeros>),
         "its function has no neutral number")
FIRES("scale of ones and zeros", (rules::neutral_weight), (scaled<ones, zeros>), just_x)
DECLINES("scale of ones and more", (rules::neutral_weight), (scaled<ones, anything>), "")
FIRES("bias of zeros", (rules::neutral_weight), (of_one<op::bias, zeros>), just_x)
FIRES("prelu of ones", (rules::neutral_weight), (of_one<op::prelu, ones>), just_x)
DECLINES("prelu of zeros", (rules::neutral_weight), (of_one<op::prelu, zeros>), "")
DECLINES("bias of zeros with relu", (rules::neutral_weight), active_bias, "it applies an activation")
FIRES("linear with a residual and a bias of zeros", (rules::zero_bias), biased<zeros>, (biased<zeros, false>))
DECLINES("linear with some bias", (rules::zero_bias), biased<anything>, "")
DECLINES("linear without a bias", (rules::zero_bias), (biased<zeros, false>), "")
FIRES("conv2d with slopes and a bias of zeros", (rules::zero_bias), (sloped<true, anything>), (sloped<false, anything>))
DECLINES("conv2d with slopes of zeros, without a bias", (rules::zero_bias), (sloped<false, zeros>), "")
