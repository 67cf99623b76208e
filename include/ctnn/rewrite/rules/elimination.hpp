// SPDX-License-Identifier: BSL-1.0
// Layers that change nothing.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// identity(x)  ->  x
struct identity {
  static constexpr rule_info info{"identity", "identity -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::identity>;
  static constexpr reason guard(const rewriter&, const match&) { return {}; }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// dropout(x)  ->  x, or x * scale where an old file scales
struct dropout {
  static constexpr rule_info info{"dropout", "dropout -> x", lowers::rank, numerics::exact};
  using pattern = single<op::dropout>;
  static constexpr reason guard(const rewriter&, const match&) { return {}; }
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

/// slice of everything  ->  x
struct slice_of_all {
  static constexpr rule_info info{"slice_of_all", "slice(x) -> x", lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = single<op::slice>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(r.input(m.last)) == r.shape(r.output(m.last)))) return {"it cuts something off"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// pool2d with a 1 x 1 window  ->  x
struct pool_1x1 {
  static constexpr rule_info info{"pool_1x1", "pool2d(1x1) -> x", lowers::nodes, numerics::exact};
  using pattern = single<op::pool2d>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto p = r.get<op::pool2d>(m.last);
    if (p.kernel != pair{1, 1}) return {"its window is larger than 1 x 1"};
    if (p.step() != pair{1, 1}) return {"its stride skips elements"};
    if (p.padding(r.shape(r.input(m.last))) != margins{0, 0, 0, 0}) return {"it pads"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// interpolate to the same size  ->  x
struct interpolate_same_size {
  static constexpr rule_info info{"interpolate_same_size", "interpolate(x) -> x", lowers::nodes, numerics::exact};
  using pattern = single<op::interpolate>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(r.input(m.last)) == r.shape(r.output(m.last)))) return {"it changes the size"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// adaptive pooling to the size it has  ->  x
struct adaptive_pool_same_size {
  static constexpr rule_info info{"adaptive_pool_same_size", "adaptive_pool2d(x) -> x", lowers::nodes, numerics::exact};
  using pattern = single<op::adaptive_pool2d>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(r.input(m.last)) == r.shape(r.output(m.last)))) return {"it changes the size"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

/// x + 0, x - 0, x * 1, x / 1, x ^ 1  ->  x
struct neutral_scalar {
  static constexpr rule_info info{"neutral_scalar", "binary(x, neutral) -> x", lowers::nodes, numerics::exact};
  using pattern = single<op::binary>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    using enum op::binary_function;
    const auto b = r.get<op::binary>(m.last);
    if (!b.scalar) return {"it has no scalar operand"};
    if (b.activation) return {"it applies an activation"};
    const float neutral = b.function == add || b.function == sub ? 0.0f : 1.0f;
    const bool has_one = b.function == add || b.function == sub || b.function == mul || b.function == div || b.function == pow;
    if (!has_one || *b.scalar != neutral) return {"its scalar changes the value"};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

}  // namespace ctnn::rules
