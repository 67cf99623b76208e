// SPDX-License-Identifier: BSL-1.0
// Activations move into the operator that produces their input.
#pragma once

#include <limits>

#include "../ranges.hpp"
#include "../rule.hpp"

namespace ctnn::rules {

/// relu > relu, relu > clip, clip > relu and clip > clip are one of them; false for anything else.
constexpr bool join(const activation_function& inner, const activation_function& outer, activation_function& both) {
  const auto bounded = [](const activation_function& f) {
    return f.kind == function::relu || f.kind == function::clip;
  };
  if (!bounded(inner) || !bounded(outer)) return false;
  if (inner.kind == function::relu && outer.kind == function::relu) {
    both = {function::relu};
    return true;
  }
  constexpr float open = std::numeric_limits<float>::infinity();
  const auto low = [](const activation_function& f) { return f.kind == function::clip ? f.a : 0.0f; };
  const auto high = [](const activation_function& f) { return f.kind == function::clip ? f.b : open; };
  both = {function::clip, math::clamp(low(inner), low(outer), high(outer)),
          math::clamp(high(inner), low(outer), high(outer))};
  return true;
}

/// conv|conv_transpose|linear|binary|eltwise|scale|bias > activation  ->  the same with the activation in registers
struct fuse_activation {
  static constexpr rule_info info{"fuse_activation",
                                  "conv|conv_transpose|linear|binary|eltwise|scale|bias > activation -> the first",
                                  lowers::nodes, numerics::exact};
  struct match : ir::match {
    activation_function both{};
  };
  using activates = find::any_of<op::conv2d, op::conv3d, op::conv_transpose2d, op::conv_transpose3d, op::linear,
                                 op::binary, op::eltwise, op::scale, op::bias>;
  using pattern = chain<activates, op::activation>;
  static constexpr reason guard(const rewriter& r, match& m) {
    const activation_function outer = r.get<op::activation>(m.last).activation;
    if (!is_activation(outer.kind)) return {"its function is no activation"};
    activates::visit(r, m.first, [&](const auto& first) { m.both = first.activation; });
    if (!m.both) m.both = outer;
    else if (!join(m.both, outer, m.both)) return {"its input has an activation already", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const pool<expression_id> weights(r.view().weights(r.at(m.first)));
    activates::visit(r, m.first, [&](auto first) {
      first.activation = m.both;
      r.fuse(m.first, m.last, first, r.inputs_of(m.first), weights);
    });
  }
};

/// relu > relu, relu > clip, clip > relu, clip > clip  ->  one of them
struct activation_chain {
  static constexpr rule_info info{"activation_chain", "activation > activation -> activation", lowers::nodes,
                                  numerics::exact};
  struct match : ir::match {
    op::activation both{};
  };
  using pattern = chain<op::activation, op::activation>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (!join(r.get<op::activation>(m.first).activation, r.get<op::activation>(m.last).activation, m.both.activation))
      return {"only relu and clip combine", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.fuse(m.first, m.last, m.both, {&x, 1}, {});
  }
};

/// f(x)  ->  x, where x cannot have a number that f would change
struct activation_within {
  static constexpr rule_info info{"activation_within", "activation(x) -> x", lowers::nodes, numerics::exact};
  using pattern = single<op::activation>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const activation_function f = r.get<op::activation>(m.last).activation;
    // Said of most activations, so no near miss.
    if (f.kind != function::clip && !leaves(f, {0})) return {"it changes numbers of any size", {}, false, true};
    if (!leaves(f, range_of(r, r.input(m.last))))
      return {"its input may have numbers that it changes", {}, false, true};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) { r.bypass(m.last, r.input(m.last)); }
};

}  // namespace ctnn::rules
