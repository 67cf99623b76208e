// SPDX-License-Identifier: BSL-1.0
// What a weight's numbers tell: files say it of what they hold (loaded/known_numbers.hpp), op::full of itself.
#pragma once

#include "affine.hpp"

namespace ctnn::rules {

/// x + 0, x - 0, x * 1, x / 1 with one number a channel or more, prelu of ones  ->  x. -0 + 0 is 0.
struct neutral_weight {
  static constexpr rule_info info{"neutral_weight", "scale|bias|prelu|binary(x, zeros or ones) -> x", lowers::nodes,
                                  numerics::reassociates};
  struct match : ir::match {
    value_id x = none;
  };
  using pattern = single<find::any_of<op::scale, op::bias, op::prelu, op::binary>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    constexpr reason changes{"its numbers may change the value", {}, false, true};  // said of most, so no near miss
    m.x = r.input(m.last);
    if (r.is<op::prelu>(m.last)) return has(r, m.last, 0, numbers_are::ones) ? reason{} : changes;
    if (activation_of(r, m.last)) return {"it applies an activation"};
    if (r.is<op::bias>(m.last)) return has(r, m.last, 0, numbers_are::zeros) ? reason{} : changes;
    if (r.is<op::scale>(m.last)) {
      const bool neutral = has(r, m.last, 0, numbers_are::ones) &&
                           (!r.get<op::scale>(m.last).bias || has(r, m.last, 1, numbers_are::zeros));
      return neutral ? reason{} : changes;
    }
    using enum op::binary_function;
    const auto b = r.get<op::binary>(m.last);
    if (b.scalar) return find::detail::another_operator;  // neutral_scalar's
    const bool sum = b.function == add || b.function == sub;
    if (!sum && b.function != mul && b.function != div) return {"its function has no neutral number"};
    for (int i = 1; i >= (b.function == add || b.function == mul ? 0 : 1); --i)
      if (r.known_numbers(r.input(m.last, i)) == (sum ? numbers_are::zeros : numbers_are::ones)) {
        m.x = r.input(m.last, 1 - i);
        return r.shape(m.x) == r.shape(r.output(m.last)) ? reason{}
                                                         : reason{"the constant broadcasts the other operand"};
      }
    return changes;
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, m.x); }

 private:
  static constexpr bool has(const rewriter& r, node_id n, int slot, numbers_are what) {
    return r.known_of_weight(r.weight(n, slot)) == what;
  }
};

/// A bias of zeros  ->  none. -0 + 0 is 0.
struct zero_bias {
  static constexpr rule_info info{"zero_bias", "conv|conv_transpose|linear|scale with a bias of zeros -> without",
                                  lowers::weights, numerics::reassociates};
  static constexpr bool takes_packed = true;
  using biased =
      find::any_of_all<find::convolutions, find::transposed_convolutions, find::any_of<op::linear, op::scale>>;
  using pattern = single<biased>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    // Asked of every layer with weights, most of which may stop here.
    if (r.at(m.last).weights.count < 2 || r.known_of_weight(r.weight(m.last, 1)) != numbers_are::zeros)
      return {"its bias may not be zeros", {}, false, true};
    bool has_bias = false;  // or else slopes
    biased::visit(r, m.last, [&](const auto& layer) { has_bias = layer.bias; });
    return has_bias ? reason{} : find::detail::another_operator;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> weights;
    for (int k = 0; k < r.at(m.last).weights.count; ++k)
      if (k != 1) weights.push_back(r.weight(m.last, k));
    biased::visit(r, m.last, [&](auto layer) {
      layer.bias = false;
      r.become(m.last, layer, r.name(m.last), r.inputs_of(m.last), weights);
    });
  }
};

}  // namespace ctnn::rules
