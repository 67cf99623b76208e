// SPDX-License-Identifier: BSL-1.0
// PyTorch's functions of each number of a tensor, and of numbers of two tensors side by side.
#pragma once

#include "word_calls.hpp"

namespace ctnn {

/// What a function takes as a value or as a number.
class operand {
 public:
  constexpr operand(value v) : value_(v) {}
  template <class T>
  requires std::is_arithmetic_v<T>
  constexpr operand(T number) : number_(static_cast<double>(number)) {}

  constexpr bool is_number() const { return value_.recorder == nullptr; }
  constexpr double number() const { return number_; }
  constexpr value of_graph() const { return value_; }

 private:
  value value_{};
  double number_ = 0;
};

}  // namespace ctnn

namespace ctnn::detail {

// clang-format off
/// A row a word: its function, or its comparison or logic of two values.
#define CTNN_NUMBER_CALLS(one, compared, logical) \
  one(exp) one(expm1) one(log) one(log1p) one(log10) one(sqrt) one(rsqrt) one(square) one(reciprocal) one(abs) \
  one(neg) one(sign) one(floor) one(ceil) one(round) one(trunc) one(sin) one(cos) one(tan) one(asin) one(acos) \
  one(atan) one(sinh) one(cosh) one(tanh) one(asinh) one(acosh) one(atanh) one(erf) \
  compared(eq, equal) compared(ne, not_equal) compared(lt, less) compared(le, less_equal) compared(gt, greater) \
  compared(ge, greater_equal) \
  logical(logical_and, logical_and) logical(logical_or, logical_or) logical(logical_xor, logical_xor) \
  logical(bitwise_and, bit_and) logical(bitwise_or, bit_or) logical(bitwise_xor, bit_xor)
// clang-format on

template <class = void>
class number_calls : public word_calls<> {
 protected:  // first: Clang makes no call of a template whose body it has not seen
  template <class Op>
  constexpr value of_operator(std::string_view word, values in, source_line at) {
    begin(ctnn::layer<Op, "">::record, word, {}, in, at, 1);
    return last();
  }
  /// With a field "function", of which the first one is not said.
  template <class Op, class Function>
  constexpr value of_two(std::string_view word, Function f, value a, const operand& b, source_line at) {
    of_operator<Op>(word, {a, of_type_of(a, b, at)}, at);
    if (static_cast<int>(f) != 0) say("function", setting(f));
    return last();
  }
  constexpr value modulo(std::string_view word, bool truncated, value a, const operand& b, source_line at) {
    of_operator<op::remainder>(word, {a, of_type_of(a, b, at)}, at);
    if (truncated) say("truncated", setting(true));
    return last();
  }
  /// A number as a value of one element, of x's type.
  constexpr value of_type_of(value x, const operand& o, source_line at) {
    if (!o.is_number()) return o.of_graph();
    return as_type(full({1}, o.number(), at), described(x).type.type, at);
  }
  constexpr value as_type(value x, dtype type, source_line at) {
    return described(x).type.type == type ? x : cast(x, {.to = type}, at);
  }
  /// As booleans: not 0.
  constexpr value truth_of(value x, source_line at) { return as_type(x, dtype::boolean, at); }
  constexpr bool is_boolean(value x) { return described(x).type.type == dtype::boolean; }
  constexpr value times(value x, const operand& by, source_line at) {
    if (!by.is_number()) return mul(x, by.of_graph(), {}, at);
    return by.number() == 1 ? x : mul(x, by.number(), at);
  }
  constexpr value function_of(std::string_view word, value x, ir::function f, std::initializer_list<number> parameters,
                              source_line at) {
    begin(ctnn::layer<op::activation, "">::record, word, {}, x, at, 1);
    setting numbers(f);
    for (const number& p : parameters) numbers.append(p);
    say("activation", numbers);
    return last();
  }
  constexpr value by_number(std::string_view word, op::binary_function f, value x, double scalar, source_line at) {
    begin(ctnn::layer<op::binary, "">::record, word, {}, x, at, 1);
    if (f != op::binary_function::add) say("function", setting(f));
    say("scalar", setting(scalar));
    return last();
  }

 public:
#define CTNN_NUMBER_FUNCTION(word)                                      \
  constexpr value word(value x, source_line at = source_line::here()) { \
    return function_of(#word, x, ir::function::word, {}, at);           \
  }
#define CTNN_COMPARISON(word, name)                                                       \
  constexpr value word(value a, const operand& b, source_line at = source_line::here()) { \
    return of_two<op::compare>(#word, op::comparison::name, a, b, at);                    \
  }
#define CTNN_LOGIC(word, name)                                                            \
  constexpr value word(value a, const operand& b, source_line at = source_line::here()) { \
    return of_two<op::logic>(#word, op::logic_function::name, a, b, at);                  \
  }
  CTNN_NUMBER_CALLS(CTNN_NUMBER_FUNCTION, CTNN_COMPARISON, CTNN_LOGIC)
#undef CTNN_LOGIC
#undef CTNN_COMPARISON
#undef CTNN_NUMBER_FUNCTION

  /// torch.clamp: bounds are numbers; one alone is clamp_min's or clamp_max's.
  constexpr value clamp(value x, double min, double max, source_line at = source_line::here()) {
    return function_of("clamp", x, ir::function::clip, {min, max}, at);
  }
  constexpr value clamp_min(value x, double min, source_line at = source_line::here()) {
    return by_number("clamp_min", op::binary_function::maximum, x, min, at);
  }
  constexpr value clamp_max(value x, double max, source_line at = source_line::here()) {
    return by_number("clamp_max", op::binary_function::minimum, x, max, at);
  }
  constexpr value exp2(value x, source_line at = source_line::here()) {
    return by_number("exp2", op::binary_function::rpow, x, 2, at);
  }
  constexpr value log2(value x, source_line at = source_line::here()) {
    return mul(log(x, at), 1.4426950408889634, at);
  }
  constexpr value erfc(value x, source_line at = source_line::here()) { return rsub(erf(x, at), 1, at); }
  constexpr value frac(value x, source_line at = source_line::here()) { return sub(x, trunc(x, at), {}, at); }
  /// torch.logit: log(x / (1 - x)).
  constexpr value logit(value x, source_line at = source_line::here()) { return log(div(x, rsub(x, 1, at), at), at); }
  constexpr value isnan(value x, source_line at = source_line::here()) {
    return of_operator<op::is_nan>("isnan", x, at);
  }
  constexpr value isinf(value x, source_line at = source_line::here()) {
    return of_operator<op::is_inf>("isinf", x, at);
  }
  constexpr value isfinite(value x, source_line at = source_line::here()) {
    return bitwise_not(logical_or(isnan(x, at), isinf(x, at), at), at);
  }
  constexpr value bitwise_not(value x, source_line at = source_line::here()) {
    return of_operator<op::bitwise_not>("bitwise_not", x, at);
  }
  /// torch.logical_not: true where x is 0.
  constexpr value logical_not(value x, source_line at = source_line::here()) {
    return bitwise_not(truth_of(x, at), at);
  }

  // Of two values, or a value and a number
  constexpr value add(value x, double scalar, source_line at = source_line::here()) {
    return by_number("add", op::binary_function::add, x, scalar, at);
  }
  constexpr value sub(value x, double scalar, source_line at = source_line::here()) {
    return by_number("sub", op::binary_function::sub, x, scalar, at);
  }
  constexpr value mul(value x, double scalar, source_line at = source_line::here()) {
    return by_number("mul", op::binary_function::mul, x, scalar, at);
  }
  constexpr value div(value x, double scalar, source_line at = source_line::here()) {
    return by_number("div", op::binary_function::div, x, scalar, at);
  }
  constexpr value div(value a, value b, source_line at = source_line::here()) {
    return call(ctnn::divide<"">::record, "div", {}, {a, b}, no_options{}, at);
  }
  constexpr value pow(value x, double exponent, source_line at = source_line::here()) {
    return by_number("pow", op::binary_function::pow, x, exponent, at);
  }
  constexpr value pow(value a, value b, source_line at = source_line::here()) {
    return call(ctnn::power<"">::record, "pow", {}, {a, b}, no_options{}, at);
  }
  /// torch.rsub: scalar - x.
  constexpr value rsub(value x, double scalar, source_line at = source_line::here()) {
    return by_number("rsub", op::binary_function::rsub, x, scalar, at);
  }
  /// scalar / x
  constexpr value rdiv(value x, double scalar, source_line at = source_line::here()) {
    return by_number("rdiv", op::binary_function::rdiv, x, scalar, at);
  }
  constexpr value maximum(value x, double scalar, source_line at = source_line::here()) {
    return by_number("maximum", op::binary_function::maximum, x, scalar, at);
  }
  constexpr value minimum(value x, double scalar, source_line at = source_line::here()) {
    return by_number("minimum", op::binary_function::minimum, x, scalar, at);
  }
  using word_calls<>::add, word_calls<>::sub, word_calls<>::mul, word_calls<>::maximum, word_calls<>::minimum;
  /// torch.remainder: of the sign of b.
  constexpr value remainder(value a, const operand& b, source_line at = source_line::here()) {
    return modulo("remainder", false, a, b, at);
  }
  /// torch.fmod: of the sign of a.
  constexpr value fmod(value a, const operand& b, source_line at = source_line::here()) {
    return modulo("fmod", true, a, b, at);
  }
  /// torch.floor_divide: the largest whole number below a / b.
  constexpr value floor_divide(value a, const operand& b, source_line at = source_line::here()) {
    const value by = of_type_of(a, b, at);
    if (ir::is_floating(described(a).type.type)) return floor(div(a, by, at), at);
    return div(sub(a, remainder(a, by, at), {}, at), by, at);
  }
  /// torch.lerp: a + weight (b - a).
  constexpr value lerp(value a, value b, const operand& weight, source_line at = source_line::here()) {
    return add(a, times(sub(b, a, {}, at), weight, at), {}, at);
  }
  /// torch.addcmul: x + value a b.
  constexpr value addcmul(value x, value a, value b, double value_ = 1, source_line at = source_line::here()) {
    return add(x, times(mul(a, b, {}, at), value_, at), {}, at);
  }
  /// torch.addcdiv: x + value a / b.
  constexpr value addcdiv(value x, value a, value b, double value_ = 1, source_line at = source_line::here()) {
    return add(x, times(div(a, b, at), value_, at), {}, at);
  }
  constexpr value hypot(value a, value b, source_line at = source_line::here()) {
    return sqrt(add(square(a, at), square(b, at), {}, at), at);
  }
  /// torch.logaddexp: log(exp(a) + exp(b)), by the larger and the distance of both.
  constexpr value logaddexp(value a, value b, source_line at = source_line::here()) {
    const value apart = neg(abs(sub(a, b, {}, at), at), at);
    return add(maximum(a, b, {}, at), log1p(exp(apart, at), at), {}, at);
  }
};

}  // namespace ctnn::detail
