// SPDX-License-Identifier: BSL-1.0
// rules/lengths.hpp: lengths of rows, and rows divided by them.
#include "support/numbers.hpp"
#include "support/rule_cases.hpp"

using namespace ctnn;
using namespace ctnn::ir;
using namespace ctnn::ir::test;

namespace {

constexpr auto plus = op::binary_function::add, times = op::binary_function::mul, over = op::binary_function::div;
constexpr value_id tokens(builder& b) { return b.input("x", {2, 5, 8}); }
constexpr value_id square(builder& b, value_id d) { return b.add(op::activation{{function::square}}, "square", {d}); }

/// x divided by its norm, which is at least `Tenths`.
struct norm_parts {
  op::reduction f = op::reduction::l2;
  int axis = -1, tenths = 5;
  bool active = false;
};
template <norm_parts P>
constexpr auto over_norm = [](builder& b) {
  const value_id x = tokens(b), norm = b.add(op::reduce{P.f, {P.axis}, true}, "norm", {x});
  const value_id bound = b.apply("bound", norm, function::clip, float(P.tenths) / 10, HUGE_VALF);
  b.output("", b.binary("it", over, x, bound, {P.active ? function::relu : function::none}));
};
template <int Tenths, op::reduction F = op::reduction::sum_square>
constexpr auto times_root = [](builder& b) {
  const value_id x = tokens(b), norm = b.add(op::reduce{F, {1}, true}, "norm", {x});
  const value_id bound = b.apply("bound", norm, function::clip, float(Tenths) / 10, HUGE_VALF);
  b.output("", b.binary("it", times, b.apply("root", bound, function::rsqrt), x));
};
template <int Axis, int P, int Tenths>
constexpr auto lp_normalized = [](builder& b) {
  b.output("", b.add(op::lp_normalize{Axis, P, float(Tenths) / 10}, "it", {tokens(b)}));
};
constexpr auto between_bounds = [](builder& b) {
  const value_id x = tokens(b), norm = b.add(op::reduce{op::reduction::l2, {2}, true}, "norm", {x});
  b.output("", b.binary("it", over, x, b.apply("bound", norm, function::clip, 0.5f, 2)));
};
constexpr auto norm_of_square = [](builder& b) {  // broadcast along the other axis
  const value_id x = b.input("x", {4, 4}), norm = b.add(op::reduce{op::reduction::l2, {-1}, false}, "norm", {x});
  b.output("", b.binary("it", over, x, b.apply("bound", norm, function::clip, 0.5f, HUGE_VALF)));
};
constexpr auto norm_of_both = [](builder& b) {
  const value_id x = tokens(b), norm = b.add(op::reduce{op::reduction::l2, {1, 2}, true}, "norm", {x});
  b.output("", b.binary("it", over, x, b.apply("bound", norm, function::clip, 0.5f, HUGE_VALF)));
};
constexpr auto norm_of_another = [](builder& b) {
  const value_id x = tokens(b), y = b.input("y", {2, 5, 8});
  const value_id norm = b.add(op::reduce{op::reduction::l2, {2}, true}, "norm", {y});
  b.output("", b.binary("it", over, x, b.apply("bound", norm, function::clip, 0.5f, HUGE_VALF)));
};
constexpr auto bound_is_output = [](builder& b) {
  const value_id x = tokens(b), norm = b.add(op::reduce{op::reduction::l2, {2}, true}, "norm", {x});
  const value_id bound = b.apply("bound", norm, function::clip, 0.5f, HUGE_VALF);
  b.output("bound", bound);
  b.output("", b.binary("it", over, x, bound));
};

template <op::reduction F, bool Squared>
constexpr auto summed = [](builder& b) {
  const value_id x = tokens(b);
  b.output("", b.add(op::reduce{F, {1}, true}, "it", {Squared ? square(b, x) : x}));
};
constexpr auto squares_are_output = [](builder& b) {
  const value_id y = square(b, tokens(b));
  b.output("squares", y);
  b.output("", b.add(op::reduce{op::reduction::sum, {1}, true}, "it", {y}));
};
template <op::reduction F, bool Root>
constexpr auto rooted = [](builder& b) {
  const value_id y = b.add(op::reduce{F, {1}, true}, "it", {tokens(b)});
  b.output("", Root ? b.apply("root", y, function::sqrt) : y);
};
constexpr auto sum_is_output = [](builder& b) {
  const value_id y = b.add(op::reduce{op::reduction::sum_square, {1}, true}, "it", {tokens(b)});
  b.output("squares", y);
  b.output("", b.apply("root", y, function::sqrt));
};
constexpr auto total = op::reduction::sum, squares = op::reduction::sum_square, length = op::reduction::l2;
constexpr std::string_view no_norm_axis = "its norm is not along one axis, which stays",
                           no_bound = "its norm has not one bound, above 0";

}  // namespace

FIRES("x / max(norm, eps)", (rules::spelled_lp_norm), over_norm<norm_parts{}>, (lp_normalized<2, 2, 5>))
FIRES("x / max(sum of |x|, eps)", (rules::spelled_lp_norm), (over_norm<norm_parts{op::reduction::l1, 0, 2}>),
      (lp_normalized<0, 1, 2>))
FIRES("rsqrt(max(sum(x^2), eps)) * x", (rules::spelled_lp_norm), times_root<160>, (lp_normalized<1, 2, 40>))
DECLINES("x / max(sum, eps)", (rules::spelled_lp_norm), (over_norm<norm_parts{total}>), "it divides by no norm")
DECLINES("rsqrt(max(norm, eps)) * x", (rules::spelled_lp_norm), (times_root<10, length>), "it divides by no norm")
DECLINES("x / max(norm, 0)", (rules::spelled_lp_norm), (over_norm<norm_parts{length, 2, 0}>), no_bound)
DECLINES("x / max(norm, -1)", (rules::spelled_lp_norm), (over_norm<norm_parts{length, 2, -10}>), no_bound)
DECLINES("x / clip(norm)", (rules::spelled_lp_norm), between_bounds, no_bound)
DECLINES("x by the norm of a row, as columns", (rules::spelled_lp_norm), norm_of_square, no_norm_axis)
DECLINES("x by its norm over two axes", (rules::spelled_lp_norm), norm_of_both, no_norm_axis)
DECLINES("x by the norm of y", (rules::spelled_lp_norm), norm_of_another, "")
DECLINES("relu(x / max(norm, eps))", (rules::spelled_lp_norm), (over_norm<norm_parts{length, 2, 5, true}>),
         "it applies an activation")
DECLINES("a norm that is an output", (rules::spelled_lp_norm), bound_is_output, "its input is a network output too")

FIRES("sum of x^2", (rules::sum_of_squares), (summed<total, true>), (summed<squares, false>))
DECLINES("the largest of x^2", (rules::sum_of_squares), (summed<op::reduction::max, true>), "it is no sum")
DECLINES("sum of x^2, which is an output", (rules::sum_of_squares), squares_are_output,
         "its input is a network output too")
FIRES("root of a sum of squares", (rules::norm_by_name), (rooted<squares, true>), (rooted<length, false>))
DECLINES("root of a sum", (rules::norm_by_name), (rooted<total, true>), "it is no root of a sum of squares")
DECLINES("root of a sum of squares that is an output", (rules::norm_by_name), sum_is_output,
         "its input is a network output too")

namespace {

/// x / sqrt(max(sum(x^2), eps)).
template <function Root>
constexpr auto over_root_of_bound = [](builder& b) {
  const value_id x = tokens(b), sum = b.add(op::reduce{squares, {1}, true}, "norm", {x});
  b.output("", b.binary("it", over, x, b.apply("root", b.apply("bound", sum, function::clip, 16, HUGE_VALF), Root)));
};

/// x / sqrt(sum(x^2) + eps) by parts that a case may exchange.
struct unit {
  op::reduction f = op::reduction::sum_square;
  bool two_axes = false, last = true, keep = true, inverse = false, active = false;
  float eps = 0.08f;
};
template <unit U>
constexpr auto unit_rows = [](builder& b) {
  const value_id x = U.keep ? tokens(b) : b.input("x", {8, 8});
  const list<int> axes = U.two_axes ? list<int>{1, 2} : U.last ? list<int>{-1} : list<int>{1};
  const value_id sum = b.add(op::reduce{U.f, axes, U.keep}, "sum", {x}), eps = b.scalar("eps", plus, sum, U.eps);
  const value_id root = b.apply("root", eps, U.inverse ? function::rsqrt : function::sqrt);
  const activation_function f{U.active ? function::relu : function::none};
  b.output("", U.inverse ? b.binary("it", times, root, x, f) : b.binary("it", over, x, root, f));
};
template <int Axis, int Count>
constexpr auto scaled_rms_norm = [](builder& b) {
  const float eps = static_cast<float>(double{0.08f} / Count);
  b.output("", b.scalar("it", times, b.add(op::rms_norm{Axis, eps}, "root", {tokens(b)}), 1 / math::sqrt(Count)));
};
template <bool Sum, bool Eps>
constexpr auto unit_rows_are_seen = [](builder& b) {
  const value_id x = tokens(b), sum = b.add(op::reduce{squares, {-1}, true}, "sum", {x});
  const value_id eps = b.scalar("eps", plus, sum, 0.08f), root = b.apply("root", eps, function::sqrt);
  b.output("seen", Sum ? sum : Eps ? eps : root);
  b.output("", b.binary("it", over, x, root));
};
constexpr auto scaled_rms_norm_beside_sum = [](builder& b) {
  const value_id x = tokens(b), sum = b.add(op::reduce{squares, {-1}, true}, "sum", {x});
  b.output("seen", sum);
  b.output("", b.scalar("it", times, b.add(op::rms_norm{2, 0.01f}, "root", {x}), 1 / math::sqrt(8)));
};
constexpr auto unit_rows_of_other = [](builder& b) {
  const value_id x = tokens(b), sum = b.add(op::reduce{squares, {-1}, true}, "sum", {b.input("y", {2, 5, 8})});
  b.output("", b.binary("it", over, x, b.apply("root", b.scalar("eps", plus, sum, 0.08f), function::sqrt)));
};
constexpr auto root_over_row = [](builder& b) {
  const value_id x = tokens(b), sum = b.add(op::reduce{squares, {-1}, true}, "sum", {x});
  b.output("", b.binary("it", over, b.apply("root", b.scalar("eps", plus, sum, 0.08f), function::sqrt), x));
};

}  // namespace

FIRES("x / sqrt(max(sum(x^2), eps))", (rules::spelled_lp_norm), over_root_of_bound<function::sqrt>,
      (lp_normalized<1, 2, 40>))
DECLINES("x / rsqrt(max(sum(x^2), eps))", (rules::spelled_lp_norm), over_root_of_bound<function::rsqrt>,
         "it is not the product of two values")

FIRES("x / sqrt(sum(x^2) + eps)", (rules::spelled_unit_norm), unit_rows<unit{}>, (scaled_rms_norm<2, 8>))
FIRES("x * rsqrt(sum(x^2) + eps)", (rules::spelled_unit_norm), unit_rows<unit{.inverse = true}>,
      (scaled_rms_norm<2, 8>))
FIRES("x / sqrt(sum(x^2) + eps) over two axes", (rules::spelled_unit_norm), unit_rows<unit{.two_axes = true}>,
      (scaled_rms_norm<1, 40>))
FIRES("x / sqrt(sum(x^2) + eps) where the sum is an output", (rules::spelled_unit_norm),
      (unit_rows_are_seen<true, false>), scaled_rms_norm_beside_sum)
DECLINES("x / sqrt(sum(x^2) + eps) over an inner axis", (rules::spelled_unit_norm), unit_rows<unit{.last = false}>, "")
DECLINES("x by the root of a row, as columns", (rules::spelled_unit_norm), unit_rows<unit{.keep = false}>, "")
DECLINES("x / sqrt(max(x) + eps)", (rules::spelled_unit_norm), unit_rows<unit{.f = op::reduction::max}>, "")
DECLINES("x / sqrt(sum(x^2) + almost 0)", (rules::spelled_unit_norm), unit_rows<unit{.eps = 1e-37f}>,
         "its eps is too small for a mean")
DECLINES("x / sqrt(sum(x^2) - 1)", (rules::spelled_unit_norm), unit_rows<unit{.eps = -1}>,
         "its eps is too small for a mean")
DECLINES("relu(x / sqrt(sum(x^2) + eps))", (rules::spelled_unit_norm), unit_rows<unit{.active = true}>,
         "it applies an activation")
DECLINES("the root is an output", (rules::spelled_unit_norm), (unit_rows_are_seen<false, false>),
         "its input is a network output too")
DECLINES("the sum with eps is an output", (rules::spelled_unit_norm), (unit_rows_are_seen<false, true>),
         "its input is a network output too")
DECLINES("x by the root of the sum of y", (rules::spelled_unit_norm), unit_rows_of_other,
         "it divides another value than the one squared")
DECLINES("sqrt(sum(x^2) + eps) / x", (rules::spelled_unit_norm), root_over_row, "it does not divide by a root")
