// SPDX-License-Identifier: BSL-1.0
// pad: torch.nn.functional.pad, ONNX Pad.
#pragma once

#include "typing.hpp"

namespace ctnn::op {

enum class pad_mode { constant, reflect, edge, wrap };

/// torch.nn.functional.pad for every axis: `before` and `after` elements, negative ones cut off. The filling is
/// `value`, or a second input's only element.
struct pad {
  static constexpr std::string_view name = "pad";
  static constexpr traits is{.layouts = layout_rule::any, .images = image_flow::keeps};
  static constexpr int min_inputs = 1, max_inputs = 2;

  pad_mode mode = pad_mode::constant;
  list<int> before{};
  list<int> after{};
  double value = 0;

  static constexpr void fields(auto& self, auto&& field) {
    field("mode", self.mode);
    field("before", self.before);
    field("after", self.after);
    field("value", self.value);
  }
  constexpr problem infer(inputs in, outputs result) const {
    const extents& x = in[0];
    if (static_cast<int>(before.size()) != x.rank || before.size() != after.size())
      return {mistake::rank_mismatch, "before", x, {static_cast<int>(before.size())}};
    if (in.size() == 2 && in[1].count() != 1) return {mistake::shape_mismatch, "value", in[1], {1}};
    result[0] = x;
    for (int i = 0; i < x.rank; ++i) {
      const std::int64_t b = before[static_cast<std::size_t>(i)], a = after[static_cast<std::size_t>(i)];
      const std::int64_t size = x[i] + b + a;
      if (size < 1)
        return {mistake::option_out_of_range, "after", {static_cast<int>(a)}, {static_cast<int>(1 - b - x[i])}};
      if (size > 2147483647) return {mistake::too_large, "after"};
      if (mode != pad_mode::constant && (b > 0 || a > 0)) {
        if (x[i] == 0) return {mistake::option_out_of_range, "before", {static_cast<int>(b)}, {0}};
      }
      result[0][i] = static_cast<int>(size);
    }
    return countable(result[0]);
  }
  static constexpr bool f32_takes_scratch = false;
  constexpr std::int64_t scratch(inputs, span<const extents> out) const { return scratch_for_axes(out[0]); }
  constexpr problem infer_types(types in, span<element> out) const {
    out[0] = element_at(in, 0);
    return require_one_type(in, name);
  }
  constexpr bool move_axes(const axis_map& m) {
    const list<int> old[] = {before, after};
    before.clear();
    after.clear();
    for (int a = 0; a < m.after.rank; ++a) before.push_back(0), after.push_back(0);
    for (int a = 0; a < m.before.rank; ++a) {
      const int low = old[0][static_cast<std::size_t>(a)], high = old[1][static_cast<std::size_t>(a)];
      if (m(a) == axis_map::gone && (low != 0 || high != 0)) return false;
      if (m(a) == axis_map::gone) continue;
      before[static_cast<std::size_t>(m(a))] = low;
      after[static_cast<std::size_t>(m(a))] = high;
    }
    return true;
  }
  constexpr int passes(int back, inputs in) const {
    const auto axis = static_cast<std::size_t>(in[0].rank - 1 - back);
    return before[axis] == 0 && after[axis] == 0 ? back : -1;
  }

  /// The element of [0, size) that stands at position i, outside or inside; -1: the filling.
  constexpr std::int64_t source(std::int64_t i, std::int64_t size) const {
    if (i >= 0 && i < size) return i;
    switch (mode) {
      case pad_mode::constant: return -1;
      case pad_mode::edge: return i < 0 ? 0 : size - 1;
      case pad_mode::wrap: return (i % size + size) % size;
      case pad_mode::reflect: {
        if (size == 1) return 0;
        const std::int64_t period = 2 * (size - 1), r = (i % period + period) % period;
        return r < size ? r : period - r;
      }
    }
    return -1;
  }
};

}  // namespace ctnn::op
