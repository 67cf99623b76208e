// SPDX-License-Identifier: BSL-1.0
// Activations move into the operator that produces their input.
#pragma once

#include "../rule.hpp"

namespace ctnn::rules {

/// conv2d|linear|binary|eltwise > activation  ->  the same with the activation in registers
template <class First>
struct fuse_activation {
  static constexpr rule_info info{"fuse_activation", "conv2d|linear|binary|eltwise > activation -> the first", lowers::nodes,
                                  numerics::exact};
  using pattern = chain<First, op::activation>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.get<First>(m.first).activation) return {"its input has an activation already", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto first = r.get<First>(m.first);
    first.activation = r.get<op::activation>(m.last).activation;
    pool<value_id> in;
    for (std::size_t i = 0; i < r.inputs_count(m.first); ++i) in.push_back(r.input(m.first, static_cast<int>(i)));
    const std::span<const expression_id> weights = r.view().weights(r.at(m.first));
    r.fuse(m.first, m.last, first, in, pool<expression_id>(weights));
  }
};

/// relu > relu, relu > clip, clip > relu, clip > clip  ->  one of them
struct activation_chain {
  static constexpr rule_info info{"activation_chain", "activation > activation -> activation", lowers::nodes, numerics::exact};
  using pattern = chain<op::activation, op::activation>;

  /// Both as bounds; relu has no upper one.
  static constexpr bool bounds(const activation_function& f, float& low, float& high) {
    low = f.kind == function::clip ? f.a : 0.0f;
    high = f.kind == function::clip ? f.b : std::numeric_limits<float>::max();
    return f.kind == function::clip || f.kind == function::relu;
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    float l = 0, h = 0;
    const auto inner = r.get<op::activation>(m.first).activation, outer = r.get<op::activation>(m.last).activation;
    if (!bounds(inner, l, h) || !bounds(outer, l, h)) return {"only relu and clip combine", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const auto inner = r.get<op::activation>(m.first).activation, outer = r.get<op::activation>(m.last).activation;
    float l1 = 0, h1 = 0, l2 = 0, h2 = 0;
    bounds(inner, l1, h1);
    bounds(outer, l2, h2);
    op::activation both;
    if (inner.kind == function::relu && outer.kind == function::relu) both.activation = {function::relu};
    else both.activation = {function::clip, math::clamp(l1, l2, h2), math::clamp(h1, l2, h2)};
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, both, {&x, 1}, {});
  }
};

}  // namespace ctnn::rules
