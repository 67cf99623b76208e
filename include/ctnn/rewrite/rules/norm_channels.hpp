// SPDX-License-Identifier: BSL-1.0
// Numbers a channel behind group_norm, which takes such as operands.
#pragma once

#include "affine_maps.hpp"

namespace ctnn::rules {

/// group_norm > * k > + t, one number a channel  ->  group_norm with them, whose scale and bias are constants
struct norm_channels {
  static constexpr rule_info info{"norm_channels", "group_norm > * k > + t -> group_norm", lowers::nodes,
                                  numerics::rescales};
  struct match {
    node_id last = none, times = none, norm = none;
    affine_map shift{}, scale{};
  };
  using norm = find::node<op::group_norm, &match::norm>;
  using times = find::node<find::any_of<op::scale, op::binary>, &match::times, find::alone<find::silently<norm>>>;
  using pattern = find::node<find::any_of<op::bias, op::binary>, &match::last, find::alone<find::silently<times>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_bare_affine(r, m.last, m.shift)) return no;
    if (const reason no = find_bare_affine(r, m.times, m.scale)) return {no.text, r.name(m.times)};
    if (has_slopes(r, m.shift)) return {"it is not the sum with numbers"};
    if (!has_slopes(r, m.scale) || has_shifts(r, m.scale)) return {"its input is not the product with numbers"};
    const int axis = channel_axis(r.shape(m.scale.x), r.get<op::group_norm>(m.norm).axis);
    if (!m.shift.numbers.is_along(axis) || !m.scale.numbers.is_along(axis))
      return {"the numbers are not the norm's channels'", r.name(m.norm)};
    for (const int i : {1, 2})
      if (!r.is<op::constant>(r.producer(r.input(m.norm, i))))
        return {"its scale or bias is not constant", r.name(m.norm)};
    return {};
  }
  /// One number a channel of operand i of the norm, which has one a channel or one a group.
  static constexpr expression_id by_channel(rewriter& r, node_id norm, int i, int channels) {
    const expression_id numbers = r.weight(r.producer(r.input(norm, i)), 0);
    const auto count = static_cast<int>(r.shape_of(numbers).count());
    if (count == channels) return numbers;
    const expression_id each[] = {r.filled({count, channels / count}, 1), r.reshaped(numbers, {count, 1})};
    op::binary times;
    times.function = op::binary_function::mul;
    return r.reshaped(r.apply(times, each), {channels});
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto norm = r.get<op::group_norm>(m.norm);
    const value_id x = r.input(m.norm), scale = r.output(m.norm), bias = r.output(m.times);
    const int count = channels(r.shape(x), norm.axis);
    const affine shift = numbers_of(r, m.shift, count), by = numbers_of(r, m.scale, count);
    const affine both =
        fold(r, {by.slope, shift.shift}, by_channel(r, m.norm, 1, count), by_channel(r, m.norm, 2, count));
    const value_id in[] = {x, scale, bias};
    const std::string_view name = r.name(m.norm), scale_name = r.name(m.times), bias_name = r.name(m.last);
    // The nodes of the product and of the norm give the numbers from now on: they stand before what reads them.
    r.note(scale_name, name);
    r.note(bias_name, name);
    r.become(m.last, norm, name, in, {});
    r.become(m.times, op::constant{{count}}, bias_name, {}, {&both.shift, 1}, {count});
    r.become(m.norm, op::constant{{count}}, scale_name, {}, {&both.slope, 1}, {count});
  }
};

}  // namespace ctnn::rules
