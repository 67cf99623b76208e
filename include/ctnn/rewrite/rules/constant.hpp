// SPDX-License-Identifier: BSL-1.0
// What is known before the network runs.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// An operator that reads only constants  ->  a constant: its value is one more weight expression
template <class Op>
struct fold_constant {
  static constexpr rule_info info{"fold_constant", "op(constants) -> constant", lowers::nodes, numerics::exact};
  using pattern = edge<op::constant, Op>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    for (std::size_t i = 0; i < r.inputs_count(m.last); ++i)
      if (const node_id p = r.producer(r.input(m.last, static_cast<int>(i))); !r.is<op::constant>(p))
        return {"it also reads what is not constant", r.name(p)};
    if (r.at(m.last).outputs.count != 1) return {"it has several outputs"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> arguments;
    for (std::size_t i = 0; i < r.inputs_count(m.last); ++i)
      arguments.push_back(r.weight(r.producer(r.input(m.last, static_cast<int>(i))), 0));
    for (int i = 0; i < r.at(m.last).weights.count; ++i) arguments.push_back(r.weight(m.last, i));
    op::constant folded;
    const extents& shape = r.shape(r.output(m.last));
    for (int i = 0; i < shape.rank; ++i) folded.shape.push_back(shape[i]);
    const expression_id e = r.apply(r.get<Op>(m.last), arguments);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, folded, r.name(m.last), {}, {&e, 1});
  }
};

/// full  ->  constant
struct full_to_constant {
  static constexpr rule_info info{"full_to_constant", "full -> constant", lowers::nodes, numerics::exact};
  using pattern = single<op::full>;
  static constexpr reason guard(const rewriter&, const match&) { return {}; }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto f = r.get<op::full>(m.last);
    const expression_id e = r.apply(f, {});
    r.become(m.last, op::constant{f.shape}, r.name(m.last), {}, {&e, 1});
  }
};

}  // namespace ctnn::rules
