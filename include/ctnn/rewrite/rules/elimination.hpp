// SPDX-License-Identifier: BSL-1.0
// Layers that change nothing.
#pragma once

#include "../../graph/operators/rearranging.hpp"
#include "../rule.hpp"
#include "kinds.hpp"

namespace ctnn::rules {

/// identity(x)  ->  x
struct identity {
  static constexpr rule_info info{"identity", "identity -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::identity>;
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// dropout(x)  ->  x, or x * scale where an old file scales
struct dropout {
  static constexpr rule_info info{"dropout", "dropout -> x", lowers::tier, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::dropout>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const bool floats = r.type(r.output(m.last)) == dtype::f32;
    return floats || r.get<op::dropout>(m.last).scale == 1 ? reason{} : reason{"it scales other numbers than floats"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const float scale = r.get<op::dropout>(m.last).scale;
    const value_id x = r.input(m.last);
    if (scale == 1) return r.bypass(m.last, x);
    op::binary times;
    times.function = op::binary_function::mul;
    times.scalar = scale;
    r.become(m.last, times, r.name(m.last), {&x, 1}, {});
  }
};

/// concat(x)  ->  x
struct concat_of_one {
  static constexpr rule_info info{"concat_of_one", "concat(x) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::concat>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 1) return {"it joins several inputs"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// split into one piece  ->  x
struct split_into_one {
  static constexpr rule_info info{"split_into_one", "split(x) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::split>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.at(m.last).outputs.count != 1) return {"it has several outputs"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// A pooling or an interpolation to the size there is  ->  x. They sum: -0 becomes 0, and 0 * infinity NaN.
struct same_size {
  static constexpr rule_info info{"same_size", "interpolate|adaptive_pool(x) -> x", lowers::nodes,
                                  numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = single<find::any_of<op::interpolate, op::adaptive_pool>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(r.input(m.last)) == r.shape(r.output(m.last)))) return {"it changes the shape"};
    if (!r.is<op::interpolate>(m.last)) return {};
    const auto p = r.get<op::interpolate>(m.last);
    for (int i = 0; i < p.axes; ++i)
      if (p.scale.at(i) > 0 && p.scale.at(i) != 1) return {"its scale is not what the size says"};
    if (p.crops() || p.coordinates == op::coordinates::tf_half_pixel_for_nn)
      return {"its coordinates are not the input's"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// pool with windows of one element  ->  x. The average of -0 is 0.
struct pool_1x1 {
  static constexpr rule_info info{"pool_1x1", "pool(1x1) -> x", lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = single<op::pool>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::pool>(m.last);
    const extents& x = r.shape(r.input(m.last));
    if (p.function == op::pooling::lp || p.indices) return {"it computes something else"};
    for (int i = 0; i < p.axes; ++i) {
      const window_axis a = p.along(i, x.back(p.axes - 1 - i));
      if (a.taps != 1) return {"its window is larger than 1 x 1"};
      if (a.stride != 1) return {"its stride skips elements"};
      if (a.before != 0 || a.after != 0) return {"it pads"};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// x + 0, x - 0, x * 1, x / 1, x ^ 1  ->  x. -0 + 0 is 0.
struct neutral_scalar {
  static constexpr rule_info info{"neutral_scalar", "binary(x, neutral) -> x", lowers::nodes, numerics::reassociates};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto b = r.get<op::binary>(m.last);
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    return is_neutral(b) ? reason{} : reason{"its scalar changes the value"};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

}  // namespace ctnn::rules
