// SPDX-License-Identifier: BSL-1.0
// One number from all those along some axes.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

enum class reduction { sum, mean, max, min, prod, l1, l2, log_sum, log_sum_exp, sum_square };

/// Over `axes` (negative ones count from the end; none: all), which stay as 1 or go. A reader expresses "no axes,
/// nothing to do" by identity. Over no elements a sum is 0, a product 1, a maximum the lowest number.
struct reduce {
  static constexpr std::string_view name = "reduce";
  static constexpr traits is{.layouts = layout_rule::any, .divisible = true, .lifts = true};

  reduction function = reduction::sum;
  list<int> axes{};
  bool keep = true;

  static constexpr void fields(auto& self, auto&& field) {
    field("function", self.function);
    field("axes", self.axes);
    field("keep", self.keep);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const unsigned bits = reduced(in[0]);
    if (bits >> 31) return {mistake::axis_out_of_range, "axes", {axes[0]}, {in[0].rank}};
    extents y;
    for (int i = 0; i < in[0].rank; ++i) {
      if ((bits >> i & 1u) == 0) y.push_back(in[0][i]);
      else if (keep) y.push_back(1);
    }
    result[0] = y;
    return {};
  }
  constexpr bool move_axes(const axis_map& m) {
    const unsigned old = reduced(m.before);
    unsigned now = 0;
    for (int a = 0; a < m.before.rank; ++a) {
      if ((old >> a & 1u) == 0) continue;
      if (m(a) == axis_map::gone) return false;
      now |= 1u << m(a);
    }
    axes.clear();
    for (int a = 0; a < m.after.rank; ++a)
      if (now >> a & 1u) axes.push_back(a);
    return now != 0;
  }
  constexpr int passes(int back, inputs in) const {
    const unsigned bits = reduced(in[0]);
    const int axis = in[0].rank - 1 - back;
    if (bits >> axis & 1u) return -1;
    int behind = back;
    for (int i = axis + 1; i < in[0].rank && !keep; ++i) behind -= static_cast<int>(bits >> i & 1u);
    return behind;
  }
  static constexpr bool f32_takes_scratch = false;
  constexpr std::int64_t scratch(inputs in, span<const extents>) const {
    return scratch_for_reduction(in[0], reduced(in[0]));
  }
  /// Bit i: axis i goes or becomes 1.
  constexpr unsigned reduced(const extents& x) const { return axis_bits(axes, x.rank); }
  constexpr problem infer_types(types in, span<element> out) const {
    const bool chooses = function == reduction::max || function == reduction::min;
    out[0] = chooses ? element_at(in, 0) : element(type_at(in, 0));
    if (out[0] == dtype::boolean && function != reduction::max && function != reduction::min)
      return wrong_type(name, out[0]);
    return {};
  }
};

}  // namespace ctnn::op
