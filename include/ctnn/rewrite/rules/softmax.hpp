// SPDX-License-Identifier: BSL-1.0
// softmax and its logarithm, spelled out.
#pragma once

#include "../../graph/operators/reduction.hpp"
#include "kinds.hpp"

namespace ctnn::rules {

/// exp(x - max(x)) / sum(exp(x - max(x))), maximum and sum along one axis  ->  softmax(x)
struct spelled_softmax {
  static constexpr rule_info info{"spelled_softmax", "exp(x - max(x)) / sum(exp(x - max(x))) -> softmax(x)",
                                  lowers::nodes, numerics::reassociates};
  struct match {
    node_id whole = none, sum = none, powers = none, below = none, most = none;
    value_id e = none, x = none;
    int axis = none;
  };
  using below = find::node<of_two_values<op::binary_function::sub>, &match::below, find::value<&match::x>,
                           find::silently<find::node<op::reduce, &match::most, find::value<&match::x>>>>;
  using powers =
      find::node<activation_is<"it divides no exponentials", function::exp>, &match::powers, find::alone<below>>;
  using pattern = find::node<of_two_values<op::binary_function::div>, &match::whole,
                             find::also<find::value<&match::e>, find::silently<powers>>,
                             find::alone<find::silently<find::node<op::reduce, &match::sum, find::value<&match::e>>>>>;

  static constexpr reason guard(const rewriter& r, match& m) {
    m.axis = reduced_axis(r, m.sum, op::reduction::sum);
    if (m.axis == none) return {"it does not divide by the sum along one axis", r.name(m.sum)};
    if (reduced_axis(r, m.most, op::reduction::max) != m.axis)
      return {"nothing is the maximum along the axis of the sum", r.name(m.most)};
    if (r.readers(m.e) != 2) return {"its exponentials are also read by another layer", r.name(m.powers), true};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.powers), r.name(m.whole));
    r.become(m.whole, op::softmax{m.axis}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// exp(x) / sum(exp(x)), the sum along one axis  ->  softmax(x). Where exp overflows, or all of a row is 0, the first
/// has NaN and zeros, and softmax numbers; beside an infinity the first has zeros, and softmax NaN.
struct softmax_by_powers {
  static constexpr rule_info info{"softmax_by_powers", "exp(x) / sum(exp(x)) -> softmax(x)",
                                  lowers::nodes,       numerics::rescales,
                                  proved_by::running,  "what exponentials make of differences"};
  struct match {
    node_id whole = none, sum = none, powers = none, below = none, most = none;
    value_id e = none, x = none, larger = none;
    int axis = none;
  };
  using below = find::node<of_two_values<op::binary_function::sub>, &match::below, find::value<&match::larger>,
                           find::node<op::reduce, &match::most, find::value<&match::larger>>>;
  using powers = find::node<activation_is<"it divides no exponentials", function::exp>, &match::powers,
                            find::also<find::value<&match::x>, find::maybe<below>>>;
  using pattern = find::node<of_two_values<op::binary_function::div>, &match::whole,
                             find::also<find::value<&match::e>, find::silently<powers>>,
                             find::alone<find::silently<find::node<op::reduce, &match::sum, find::value<&match::e>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    m.axis = reduced_axis(r, m.sum, op::reduction::sum);
    if (m.axis == none) return {"it does not divide by the sum along one axis", r.name(m.sum)};
    if (m.below != none && r.readers(m.x) == 1 && reduced_axis(r, m.most, op::reduction::max) == m.axis)
      return {"spelled_softmax leaves out the maximum, too", r.name(m.most), true};
    if (r.readers(m.e) != 2) return {"its exponentials are also read by another layer", r.name(m.powers), true};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.powers), r.name(m.whole));
    r.become(m.whole, op::softmax{m.axis}, r.name(m.whole), {&m.x, 1}, {});
  }
};

/// log(softmax(x))  ->  log_softmax(x), which is finite where softmax is too small for a float
struct log_of_softmax {
  static constexpr rule_info info{"log_of_softmax",   "softmax > log -> log_softmax",
                                  lowers::nodes,      numerics::reassociates,
                                  proved_by::running, "what logarithms make of quotients"};
  using pattern = chain<op::softmax, activation_is<"it is no logarithm", function::log>>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, op::log_softmax{r.get<op::softmax>(m.first).axis}, {&x, 1}, {});
  }
};

/// x - log(sum(exp(x))), x - log_sum_exp(x), along one axis  ->  log_softmax(x), and of x - max(x) that of x. Where exp
/// overflows the first is infinite; beside an infinity, too, and log_softmax is NaN there.
struct spelled_log_softmax {
  static constexpr rule_info info{"spelled_log_softmax", "x - log(sum(exp(x))) -> log_softmax(x)",
                                  lowers::nodes,         numerics::rescales,
                                  proved_by::running,    "what logarithms make of quotients"};
  struct match {
    node_id whole = none, log = none, sum = none, powers = none, below = none, most = none;
    value_id d = none, x = none;
    int axis = none;
  };
  using powers =
      find::node<activation_is<"it sums no exponentials", function::exp>, &match::powers, find::value<&match::d>>;
  using sum = find::node<op::reduce, &match::sum, find::alone<find::silently<powers>>>;
  using log = find::node<activation_is<"it subtracts no logarithm", function::log>, &match::log,
                         find::alone<find::silently<sum>>>;
  using whole_sum = find::node<op::reduce, &match::sum, find::value<&match::d>>;
  using below = find::node<of_two_values<op::binary_function::sub>, &match::below, find::value<&match::x>,
                           find::node<op::reduce, &match::most, find::value<&match::x>>>;
  using pattern = find::node<of_two_values<op::binary_function::sub>, &match::whole,
                             find::also<find::value<&match::d>, find::maybe<below>>,
                             find::one_of<find::alone<find::silently<log>>, find::alone<find::silently<whole_sum>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    m.axis = reduced_axis(r, m.sum, m.powers == none ? op::reduction::log_sum_exp : op::reduction::sum);
    if (m.axis == none) return {"it subtracts no logarithm of a sum along one axis", r.name(m.sum), false, true};
    const bool from_most = m.below != none && m.powers != none && r.readers(m.d) == 2 &&
                           reduced_axis(r, m.most, op::reduction::max) == m.axis;
    if (!from_most) m.x = m.d;
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    r.note(r.name(m.sum), r.name(m.whole));
    r.become(m.whole, op::log_softmax{m.axis}, r.name(m.whole), {&m.x, 1}, {});
  }
};

}  // namespace ctnn::rules
