// SPDX-License-Identifier: BSL-1.0
// Lengths of rows, and rows divided by them.
#pragma once

#include "normalization.hpp"

namespace ctnn::rules {

/// x / max(norm(x), eps), x / sqrt(max(sum(x^2), eps)), the norm along one axis  ->  lp_normalize(x)
struct spelled_lp_norm {
  static constexpr rule_info info{"spelled_lp_norm",  "x / max(norm(x), eps) -> lp_normalize(x)",
                                  lowers::nodes,      numerics::reassociates,
                                  proved_by::running, "a bound before a root is one behind it"};
  struct match {
    node_id whole = none, root = none, bound = none, norm = none;
    value_id x = none;
    op::lp_normalize made{};
  };
  using bound = find::node<activation_is<"it divides by no bound norm", function::clip>, &match::bound,
                           find::silently<find::node<op::reduce, &match::norm, find::value<&match::x>>>>;
  template <function F>
  using root = find::alone<find::silently<
      find::node<activation_is<"it does not divide by a root", F>, &match::root, find::alone<find::silently<bound>>>>>;
  using pattern =
      find::two_forms<find::node<of_two_values<op::binary_function::div>, &match::whole, find::value<&match::x>,
                                 find::one_of<root<function::sqrt>, find::alone<find::silently<bound>>>>,
                      find::either_order<of_two_values<op::binary_function::mul>, &match::whole, root<function::rsqrt>,
                                         find::value<&match::x>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    using enum op::reduction;
    const op::reduction f = r.get<op::reduce>(m.norm).function;
    const activation_function clip = r.get<op::activation>(m.bound).activation;
    if (m.root == none ? f != l1 && f != l2 : f != sum_square) return {"it divides by no norm", r.name(m.norm)};
    const int axis = reduced_axis(r, m.norm, f);
    if (axis == none) return {"its norm is not along one axis, which stays", r.name(m.norm)};
    // The root of a bound that is hardly a number may be none.
    if (!(clip.a >= smallest_divisor && math::is_finite(clip.a)) || math::is_finite(clip.b))
      return {"its norm has not one bound, above 0", r.name(m.bound)};
    m.made = {axis, f == l1 ? 1 : 2, m.root == none ? clip.a : math::sqrt(clip.a)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.norm), r.name(m.whole));
    r.become(m.whole, m.made, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// square > sum  ->  sum of squares
struct sum_of_squares {
  static constexpr rule_info info{"sum_of_squares", "square > reduce(sum) -> reduce(sum_square)", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<activation_is<"it sums no squares", function::square>, op::reduce>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    return r.get<op::reduce>(m.last).function == op::reduction::sum ? reason{} : reason{"it is no sum"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto sum = r.get<op::reduce>(m.last);
    sum.function = op::reduction::sum_square;
    const value_id x = r.input(m.first);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, sum, r.name(m.last), {&x, 1}, {});
  }
};

/// sum of squares > sqrt  ->  norm
struct norm_by_name {
  static constexpr rule_info info{"norm_by_name", "reduce(sum_square) > sqrt -> reduce(l2)", lowers::nodes,
                                  numerics::reassociates};
  using pattern = chain<op::reduce, activation_is<"it is no root", function::sqrt>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    return r.get<op::reduce>(m.first).function == op::reduction::sum_square
               ? reason{}
               : reason{"it is no root of a sum of squares", r.name(m.first)};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto norm = r.get<op::reduce>(m.first);
    norm.function = op::reduction::l2;
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, norm, {&x, 1}, {});
  }
};

/// d / sqrt(sum(d^2) + eps), the sum of n over the last axes  ->  rms_norm(d) with eps / n, times 1 / sqrt(n)
struct spelled_unit_norm {
  static constexpr rule_info info{"spelled_unit_norm", "d / sqrt(sum(d * d) + eps) -> rms_norm(d) * number",
                                  lowers::nodes,       numerics::reassociates,
                                  proved_by::running,  "a factor below a root is one behind it"};
  struct match {
    node_id whole = none, root = none, shifted = none, sum = none;
    value_id d = none;
    float eps = 0, factor = 0;
    int axis = none;
  };
  using shifted = find::node<plus_number, &match::shifted, find::node<op::reduce, &match::sum, find::value<&match::d>>,
                             find::number<&match::eps>>;
  using root = find::node<some_root, &match::root, find::alone<shifted>>;
  using pattern =
      find::either_order<op::binary, &match::whole, find::alone<find::silently<root>>,
                         find::or_say<"it divides another value than the one squared", find::value<&match::d>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    m.axis = spelled_norm::mean_from(r, m.sum, op::reduction::sum_square);
    if (m.axis == none) return {"under the root is no sum of squares over the last axes", r.name(m.sum), false, true};
    if (const reason no = spelled_norm::unless_it_divides(r, m.whole, m.root)) return no;
    const extents& d = r.shape(m.d);
    const auto n = static_cast<double>(d.count(m.axis, d.rank));
    m.eps = static_cast<float>(static_cast<double>(m.eps) / n);
    // What is added to a mean that is hardly a number may be none.
    if (!(m.eps >= smallest_divisor && math::is_finite(m.eps)))
      return {"its eps is too small for a mean", r.name(m.shifted)};
    m.factor = 1 / math::sqrt(static_cast<float>(n));
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.shifted), r.name(m.root));
    r.become(m.root, op::rms_norm{m.axis, m.eps}, r.name(m.root), {&m.d, 1}, {}, r.shape(m.d));
    const value_id normed = r.output(m.root);
    r.become(m.whole, op::binary{op::binary_function::mul, m.factor}, r.name(m.whole), {&normed, 1}, {});
  }
};

}  // namespace ctnn::rules
