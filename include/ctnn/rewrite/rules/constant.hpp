// SPDX-License-Identifier: BSL-1.0
// What is known before the network runs.
#pragma once

#include "../../weights/evaluate.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

/// An operator with a reference kernel that reads only constants  ->  a constant: its value is one more weight
/// expression
struct fold_constant {
  static constexpr rule_info info{"fold_constant", "op(constants) -> constant", lowers::nodes, numerics::exact};
  static constexpr bool takes_bytes = true;
  using pattern = edge<op::constant, find::any_operator>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const bool integers = r.is<op::dequantize>(m.last);
    for (const value_id v : r.inputs_of(m.last)) {
      if (!r.is<op::constant>(r.producer(v))) return {"it also reads what is not constant", r.name(r.producer(v))};
      if (integers && is_integer(r.type(v)) && !r.view().at_expression(r.weight(r.producer(v), 0)).type) continue;
      if (r.type(v) != dtype::f32) return {"it also reads other elements than f32", r.name(r.producer(v))};
    }
    if (r.at(m.last).outputs.count != 1) return {"it has several outputs"};
    if (!integers && !r.at(m.last).type->reference()) return {"nothing computes it before the network runs"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> arguments;
    for (const value_id v : r.inputs_of(m.last)) arguments.push_back(r.weight(r.producer(v), 0));
    for (int i = 0; i < r.at(m.last).weights.count; ++i) arguments.push_back(r.weight(m.last, i));
    const op::constant folded{as_list(r.shape(r.output(m.last)))};
    const expression_id e = r.apply_node(m.last, arguments);
    r.note(r.name(m.first), r.name(m.last));
    r.become(m.last, folded, r.name(m.last), {}, {&e, 1});
  }
};

/// full  ->  constant
struct full_to_constant {
  static constexpr rule_info info{"full_to_constant", "full -> constant", lowers::nodes, numerics::exact};
  using pattern = single<op::full>;
  static constexpr void rewrite(rewriter& r, const match& m) {
    const expression_id e = r.apply_node(m.last, {});
    r.become(m.last, op::constant{r.get<op::full>(m.last).shape}, r.name(m.last), {}, {&e, 1});
  }
};

}  // namespace ctnn::rules
