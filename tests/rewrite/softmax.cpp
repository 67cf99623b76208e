// SPDX-License-Identifier: BSL-1.0
// rules/softmax.hpp: softmax and its logarithm, spelled out.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

using enum op::binary_function;
constexpr value_id image(builder& b) { return b.input("x", {2, 3, 4}); }
constexpr value_id other(builder& b) { return b.input("y", {2, 3, 4}); }

/// softmax by parts that a case may exchange.
struct parts {
  int most = -1, sum = -1;
  bool keep = true;
  op::reduction first = op::reduction::max, second = op::reduction::sum;
};
template <parts P, class Exponent>
constexpr value_id spelled_softmax(builder& b, value_id x, Exponent exponent) {
  const value_id most = b.add(op::reduce{P.first, {P.most}, P.keep}, "most", {x});
  const value_id e = b.apply("e", exponent(x, most), function::exp);
  return b.binary("it", div, e, b.add(op::reduce{P.second, {P.sum}, P.keep}, "sum", {e}));
}
template <parts P>
constexpr auto softmax_of = [](builder& b) {
  b.output("",
           spelled_softmax<P>(b, image(b), [&](value_id x, value_id most) { return b.binary("below", sub, x, most); }));
};
template <int Axis>
constexpr auto softmax_along = [](builder& b) { b.output("", b.add(op::softmax{Axis}, "it", {image(b)})); };
constexpr auto softmax_of_differences = [](builder& b) {
  const value_id y = other(b);
  b.output("", spelled_softmax<parts{}>(b, image(b),
                                        [&](value_id, value_id most) { return b.binary("below", sub, y, most); }));
};
constexpr auto softmax_of_square = [](builder& b) {  // broadcast along both
  const value_id x = b.input("x", {4, 4});
  b.output("", spelled_softmax<parts{-1, -1, false}>(
                   b, x, [&](value_id v, value_id most) { return b.binary("below", sub, v, most); }));
};
constexpr auto softmax_powers_are_output = [](builder& b) {
  const value_id x = image(b), most = b.add(op::reduce{op::reduction::max, {-1}, true}, "most", {x});
  const value_id e = b.apply("e", b.binary("below", sub, x, most), function::exp);
  b.output("e", e);
  b.output("", b.binary("it", div, e, b.add(op::reduce{op::reduction::sum, {-1}, true}, "sum", {e})));
};
constexpr auto softmax_of_two_axes = [](builder& b) {
  const value_id x = image(b), most = b.add(op::reduce{op::reduction::max, {1, 2}, true}, "most", {x});
  const value_id e = b.apply("e", b.binary("below", sub, x, most), function::exp);
  b.output("", b.binary("it", div, e, b.add(op::reduce{op::reduction::sum, {1, 2}, true}, "sum", {e})));
};
constexpr auto activated_softmax = [](builder& b) {
  const value_id x = image(b), most = b.add(op::reduce{op::reduction::max, {-1}, true}, "most", {x});
  const value_id e = b.apply("e", b.binary("below", sub, x, most), function::exp);
  b.output("", b.binary("it", div, e, b.add(op::reduce{op::reduction::sum, {-1}, true}, "sum", {e}),
                        {function::hardswish, 0.2f, 0.5f}));
};
constexpr std::string_view no_sum = "it does not divide by the sum along one axis",
                           no_maximum = "nothing is the maximum along the axis of the sum";

}  // namespace

FIRES("softmax along the last axis", (rules::spelled_softmax), softmax_of<parts{}>, softmax_along<2>)
FIRES("softmax along the first axis", (rules::spelled_softmax), (softmax_of<parts{0, -3}>), softmax_along<0>)
DECLINES("the sum is along another axis", (rules::spelled_softmax), (softmax_of<parts{-1, -2}>), no_maximum)
DECLINES("the least of x", (rules::spelled_softmax), (softmax_of<parts{-1, -1, true, op::reduction::min}>), no_maximum)
DECLINES("the mean of powers", (rules::spelled_softmax),
         (softmax_of<parts{-1, -1, true, op::reduction::max, op::reduction::mean}>), no_sum)
DECLINES("y - max(x)", (rules::spelled_softmax), softmax_of_differences, "")
DECLINES("the axis goes and comes as another", (rules::spelled_softmax), softmax_of_square, no_sum)
DECLINES("the exponentials are an output", (rules::spelled_softmax), softmax_powers_are_output,
         "its exponentials are also read by another layer")
DECLINES("softmax along two axes", (rules::spelled_softmax), softmax_of_two_axes, no_sum)
DECLINES("hardswish of a softmax", (rules::spelled_softmax), activated_softmax, "it applies an activation")

namespace {

/// exp(x) / sum(exp(x)) by parts that a case may exchange.
template <int Axis, op::reduction Sum = op::reduction::sum, bool Keep = true>
constexpr auto powers_over_sum = [](builder& b) {
  const value_id x = Keep ? image(b) : b.input("x", {4, 4}), e = b.apply("e", x, function::exp);
  b.output("", b.binary("it", div, e, b.add(op::reduce{Sum, {Axis}, Keep}, "sum", {e})));
};
constexpr auto powers_over_another_sum = [](builder& b) {
  const value_id e = b.apply("e", image(b), function::exp), other_e = b.apply("o", other(b), function::exp);
  b.output("", b.binary("it", div, e, b.add(op::reduce{op::reduction::sum, {-1}, true}, "sum", {other_e})));
};
constexpr auto powers_over_their_sum_are_read = [](builder& b) {
  const value_id e = b.apply("e", image(b), function::exp);
  b.output("e", e);
  b.output("", b.binary("it", div, e, b.add(op::reduce{op::reduction::sum, {-1}, true}, "sum", {e})));
};
constexpr auto roots_over_sum = [](builder& b) {
  const value_id e = b.apply("e", image(b), function::sqrt);
  b.output("", b.binary("it", div, e, b.add(op::reduce{op::reduction::sum, {-1}, true}, "sum", {e})));
};
/// The least of x is subtracted first: not what softmax does, but what it does not see.
constexpr auto powers_from_least = softmax_of<parts{-1, -1, true, op::reduction::min}>;
constexpr auto softmax_from_least = [](builder& b) {
  const value_id x = image(b), least = b.add(op::reduce{op::reduction::min, {-1}, true}, "most", {x});
  b.output("", b.add(op::softmax{2}, "it", {b.binary("below", sub, x, least)}));
};

// log_softmax
template <int Axis, bool Fused = false>
constexpr auto log_softmax_along =
    [](builder& b) { b.output("", b.add(op::log_softmax{Axis}, Fused ? "p" : "it", {image(b)})); };
template <function F, bool Seen = false>
constexpr auto function_of_softmax = [](builder& b) {
  const value_id p = b.add(op::softmax{1}, "p", {image(b)});
  if (Seen) b.output("p", p);
  b.output("", b.apply("it", p, F));
};
template <int Axis, op::reduction Sum = op::reduction::log_sum_exp>
constexpr auto less_log_sum = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", sub, x, b.add(op::reduce{Sum, {Axis}, true}, "sum", {x})));
};
template <int Axis, function Log = function::log, function Exp = function::exp>
constexpr auto less_log_of_sum = [](builder& b) {
  const value_id x = image(b);
  const value_id sum = b.add(op::reduce{op::reduction::sum, {Axis}, true}, "sum", {b.apply("e", x, Exp)});
  b.output("", b.binary("it", sub, x, b.apply("log", sum, Log)));
};
template <int Most, op::reduction First = op::reduction::max>
constexpr auto from_most_less_log_of_sum = [](builder& b) {
  const value_id x = image(b), d = b.binary("d", sub, x, b.add(op::reduce{First, {Most}, true}, "most", {x}));
  const value_id sum = b.add(op::reduce{op::reduction::sum, {-1}, true}, "sum", {b.apply("e", d, function::exp)});
  b.output("", b.binary("it", sub, d, b.apply("log", sum, function::log)));
};
template <int Most, op::reduction First = op::reduction::max>
constexpr auto log_softmax_from_most = [](builder& b) {
  const value_id x = image(b), d = b.binary("d", sub, x, b.add(op::reduce{First, {Most}, true}, "most", {x}));
  b.output("", b.add(op::log_softmax{2}, "it", {d}));
};
constexpr auto less_log_sum_of_other = [](builder& b) {
  const value_id x = image(b);
  b.output("", b.binary("it", sub, x, b.add(op::reduce{op::reduction::log_sum_exp, {-1}, true}, "sum", {other(b)})));
};
constexpr auto log_sum_is_output = [](builder& b) {
  const value_id x = image(b), sum = b.add(op::reduce{op::reduction::log_sum_exp, {-1}, true}, "sum", {x});
  b.output("sum", sum);
  b.output("", b.binary("it", sub, x, sum));
};
constexpr auto activated_log_softmax = [](builder& b) {
  const value_id x = image(b), sum = b.add(op::reduce{op::reduction::log_sum_exp, {-1}, true}, "sum", {x});
  b.output("", b.binary("it", sub, x, sum, {function::relu}));
};

}  // namespace

FIRES("powers over their sum along the last axis", (rules::softmax_by_powers), powers_over_sum<-1>, softmax_along<2>)
FIRES("powers over their sum along the first axis", (rules::softmax_by_powers), powers_over_sum<0>, softmax_along<0>)
FIRES("powers from the least", (rules::softmax_by_powers), powers_from_least, softmax_from_least)
DECLINES("powers over their mean", (rules::softmax_by_powers), (powers_over_sum<-1, op::reduction::mean>), no_sum)
DECLINES("powers over sums of rows for columns", (rules::softmax_by_powers),
         (powers_over_sum<-1, op::reduction::sum, false>), no_sum)
DECLINES("powers over a sum of others", (rules::softmax_by_powers), powers_over_another_sum, "")
DECLINES("powers over their sum are an output", (rules::softmax_by_powers), powers_over_their_sum_are_read,
         "its exponentials are also read by another layer")
DECLINES("roots over their sum", (rules::softmax_by_powers), roots_over_sum, "")

FIRES("log(softmax(x))", (rules::log_of_softmax), function_of_softmax<function::log>, (log_softmax_along<1, true>))
DECLINES("exp(softmax(x))", (rules::log_of_softmax), function_of_softmax<function::exp>, "it is no logarithm")
DECLINES("softmax(x) is an output", (rules::log_of_softmax), (function_of_softmax<function::log, true>),
         "its input is a network output too")

FIRES("x - log_sum_exp(x)", (rules::spelled_log_softmax), less_log_sum<-1>, log_softmax_along<2>)
FIRES("x - log(sum(exp(x)))", (rules::spelled_log_softmax), less_log_of_sum<0>, log_softmax_along<0>)
FIRES("x - max(x) - log(sum(exp(x - max(x))))", (rules::spelled_log_softmax), from_most_less_log_of_sum<-1>,
      log_softmax_along<2>)
FIRES("the maximum along another axis is subtracted", (rules::spelled_log_softmax), from_most_less_log_of_sum<0>,
      log_softmax_from_most<0>)
FIRES("a mean is subtracted", (rules::spelled_log_softmax), (from_most_less_log_of_sum<-1, op::reduction::mean>),
      (log_softmax_from_most<-1, op::reduction::mean>))
DECLINES("x - log_sum(x)", (rules::spelled_log_softmax), (less_log_sum<-1, op::reduction::log_sum>), "")
DECLINES("x - log10(sum(exp(x)))", (rules::spelled_log_softmax), (less_log_of_sum<-1, function::log10>), "")
DECLINES("x - log(sum(expm1(x)))", (rules::spelled_log_softmax), (less_log_of_sum<-1, function::log, function::expm1>),
         "")
DECLINES("x - log_sum_exp(y)", (rules::spelled_log_softmax), less_log_sum_of_other, "")
DECLINES("log_sum_exp(x) is an output", (rules::spelled_log_softmax), log_sum_is_output,
         "its input is a network output too")
DECLINES("relu of log_softmax", (rules::spelled_log_softmax), activated_log_softmax, "it applies an activation")
