// SPDX-License-Identifier: BSL-1.0
// What is known before the network runs.
#pragma once

#include "../../weights/evaluate.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

/// An operator with a reference kernel that reads only constants  ->  a constant: its value is one more weight
/// expression. Integers are only moved, or become the real numbers that they stand for.
struct fold_constant {
  static constexpr rule_info info{"fold_constant", "op(constants) -> constant", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = edge<op::constant, find::any_operator>;
  /// What takes nothing but elements of one type and gives them back.
  using moves = find::any_of<op::reshape, op::flatten, op::permute, op::slice, op::concat, op::channel_shuffle,
                             op::pixel_shuffle>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const bool to_reals = r.is<op::dequantize>(m.last);
    const element& made = r.type(r.output(m.last));
    const bool copies = is_integer(made) && moves::visits(r, m.last);
    if (made != dtype::f32 && !copies) return {"it computes other elements than f32"};
    for (const value_id v : r.inputs_of(m.last)) {
      if (!r.is<op::constant>(r.producer(v))) return {"it also reads what is not constant", r.name(r.producer(v))};
      const bool fits = copies     ? r.type(v) == made
                        : to_reals ? is_integer(r.type(v)) || r.type(v) == dtype::f32
                                   : r.type(v) == dtype::f32;
      if (!fits) return {"it also reads other elements", r.name(r.producer(v))};
    }
    if (r.at(m.last).outputs.count != 1) return {"it has several outputs"};
    if (!to_reals && !r.at(m.last).type->reference()) return {"nothing computes it before the network runs"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> arguments;
    for (const value_id v : r.inputs_of(m.last)) arguments.push_back(r.weight(r.producer(v), 0));
    for (int i = 0; i < r.at(m.last).weights.count; ++i) arguments.push_back(r.weight(m.last, i));
    const op::constant folded{as_list(r.shape(r.output(m.last))), r.type(r.output(m.last)).type};
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
