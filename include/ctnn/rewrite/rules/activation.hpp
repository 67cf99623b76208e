// SPDX-License-Identifier: BSL-1.0
// Activations move into the operator that produces their input.
#pragma once

#include <limits>

#include "../rule.hpp"

namespace ctnn::rules {

/// relu > relu, relu > clip, clip > relu and clip > clip are one of them; false for anything else.
constexpr bool join(const activation_function& inner, const activation_function& outer, activation_function& both) {
  const auto bounded = [](const activation_function& f) { return f.kind == function::relu || f.kind == function::clip; };
  if (!bounded(inner) || !bounded(outer)) return false;
  if (inner.kind == function::relu && outer.kind == function::relu) {
    both = {function::relu};
    return true;
  }
  constexpr float open = std::numeric_limits<float>::max();
  const auto low = [](const activation_function& f) { return f.kind == function::clip ? f.a : 0.0f; };
  const auto high = [](const activation_function& f) { return f.kind == function::clip ? f.b : open; };
  both = {function::clip, math::clamp(low(inner), low(outer), high(outer)), math::clamp(high(inner), low(outer), high(outer))};
  return true;
}

/// conv2d|conv_transpose2d|linear|binary|eltwise > activation  ->  the same with the activation in registers
template <class First>
struct fuse_activation {
  static constexpr rule_info info{"fuse_activation", "conv2d|conv_transpose2d|linear|binary|eltwise > activation -> the first",
                                  lowers::nodes, numerics::exact};
  using pattern = chain<First, op::activation>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    activation_function both = r.get<First>(m.first).activation;
    if (both && !join(both, r.get<op::activation>(m.last).activation, both))
      return {"its input has an activation already", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto first = r.get<First>(m.first);
    const auto outer = r.get<op::activation>(m.last).activation;
    if (!first.activation || !join(first.activation, outer, first.activation)) first.activation = outer;
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

  static constexpr reason guard(const rewriter& r, const match& m) {
    op::activation both;
    if (!join(r.get<op::activation>(m.first).activation, r.get<op::activation>(m.last).activation, both.activation))
      return {"only relu and clip combine", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    op::activation both;
    join(r.get<op::activation>(m.first).activation, r.get<op::activation>(m.last).activation, both.activation);
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, both, {&x, 1}, {});
  }
};

}  // namespace ctnn::rules
