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

/// Layers that apply an activation to what they compute.
using activates = find::any_of_all<find::convolutions, find::transposed_convolutions,
                                   find::any_of<op::linear, op::binary, op::eltwise, op::scale, op::bias>>;

/// conv|...|bias > activation  ->  the same with the activation in registers; between bytes of one element, bounds
/// alone
struct fuse_activation {
  static constexpr rule_info info{"fuse_activation", "conv|...|bias > activation -> the first", lowers::nodes,
                                  numerics::exact, proved_by::order};
  static constexpr bool any_type = true;
  struct match : ir::match {
    activation_function both{};
  };
  using pattern = chain<activates, op::activation>;
  /// Why a layer that makes this element does not take in an activation that makes that one.
  static constexpr reason refused(const element& made, const element& activated, const activation_function& f) {
    if (!is_activation(f.kind)) return {"its function is no activation"};
    if (activated == dtype::f32) return {};
    if (!activated.real) return {"its numbers are not f32"};
    if (!(made == activated)) return {"its integers are not those that it reads"};
    return op::is_bounds(f) ? reason{} : reason{"its function does more to bytes than bound them"};
  }
  /// What `first` is to apply so that `last` need not; or why it cannot.
  static constexpr reason take_over(const rewriter& r, node_id first, node_id last, activation_function& both) {
    const activation_function outer = r.get<op::activation>(last).activation;
    const element& made = r.type(r.output(first));
    if (const reason no = refused(made, r.type(r.output(last)), outer)) return no;
    reason no;
    activates::visit(r, first, [&]<class Layer>(const Layer& layer) {
      both = layer.activation;
      if (adds_behind_activation(layer)) no = {"its input adds a residual behind its activation", r.name(first)};
      if constexpr (requires { layer.weight; })
        if (layer.weight && made == dtype::f32 && !layer.weight.real_bias)
          no = {"its numbers are rounded in another order", r.name(first)};
    });
    if (no) return no;
    if (both && !made.real && r.is<op::binary>(first) && leaves(both, range_finder(r).activated(first)))
      both = {};  // it is idle
    if (!both) both = outer;
    else if (!join(both, outer, both)) return {"its input has an activation already", r.name(first)};
    return {};
  }
  static constexpr reason guard(const rewriter& r, match& m) { return take_over(r, m.first, m.last, m.both); }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const pool<expression_id> weights = r.weights_of(m.first);
    activates::visit(r, m.first, [&](auto first) {
      first.activation = m.both;
      r.fuse(m.first, m.last, first, r.inputs_of(m.first), weights);
    });
  }
};

/// conv1d|conv2d > prelu  ->  the first with the slopes as one more weight
struct fuse_slopes {
  static constexpr rule_info info{"fuse_slopes", "conv1d|conv2d > prelu -> the first", lowers::nodes, numerics::exact};
  using pattern = chain<find::fusing_convolutions, op::prelu>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents& y = r.shape(r.output(m.first));
    reason no;
    find::fusing_convolutions::visit(r, m.first, [&]<int Axes>(const op::conv<Axes>& conv) {
      if (conv.activation) no = {"its input has an activation already", r.name(m.first)};
      else if (channel_axis(y, r.get<op::prelu>(m.last).axis) != y.rank - 1 - Axes)
        no = {"its channels are not the convolution's outputs", r.name(m.first)};
    });
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    pool<expression_id> weights = r.weights_of(m.first);
    weights.push_back(r.weight(m.last, 0));
    find::fusing_convolutions::visit(r, m.first, [&](auto both) {
      both.activation = {function::prelu};
      r.fuse(m.first, m.last, both, r.inputs_of(m.first), weights);
    });
  }
};

/// such a layer > max pooling > relu|leaky_relu|clip  ->  layer with the activation > max pooling, as a function that
/// never falls takes the maximum to the maximum. Only what the layer does in its registers: there are more numbers
/// before the pooling than behind it. Of 0 and -0 either may win.
struct activation_before_pool {
  static constexpr rule_info info{
      "activation_before_pool", "conv|...|bias > pool(max)|adaptive_pool(max) > relu|leaky_relu|clip -> the first two",
      lowers::nodes, numerics::reassociates, proved_by::order};
  struct match {
    node_id first = none, pool = none, last = none;
    activation_function both{};
  };
  static constexpr bool any_type = true;
  using pools = find::any_of<op::pool, op::adaptive_pool>;
  using pattern =
      find::node<op::activation, &match::last,
                 find::alone<find::node<pools, &match::pool, find::alone<find::node<activates, &match::first>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    reason no;
    pools::visit(r, m.pool, [&]<class Pool>(const Pool& p) {
      if (p.function != op::pooling::max) no = {"it does not take the maximum", r.name(m.pool)};
      else if constexpr (std::is_same_v<Pool, op::pool>) {
        if (p.indices) no = {"it tells where the maximum was", r.name(m.pool)};
        else if (!every_window_has_numbers(p)) no = {"a window may hold nothing but padding", r.name(m.pool)};
      }
    });
    if (no) return no;
    const activation_function f = r.get<op::activation>(m.last).activation;
    if (f.kind != function::relu && !(f.kind == function::clip && f.a <= f.b) &&
        !(f.kind == function::leaky_relu && f.a >= 0 && f.a <= 1))
      return {"it is no function that never falls and costs next to nothing"};
    return fuse_activation::take_over(r, m.first, m.last, m.both);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const pool<expression_id> weights = r.weights_of(m.first);
    activates::visit(r, m.first, [&](auto first) {
      first.activation = m.both;
      r.become(m.first, first, r.name(m.first), r.inputs_of(m.first), weights, r.shape(r.output(m.first)));
    });
    r.note(r.name(m.last), r.name(m.first));
    pools::visit(r, m.pool, [&](const auto& p) { r.become(m.last, p, r.name(m.pool), r.inputs_of(m.pool), {}); });
  }
};

/// relu > relu, relu > clip, clip > relu, clip > clip  ->  one of them
struct activation_chain {
  static constexpr rule_info info{"activation_chain", "activation > activation -> activation", lowers::nodes,
                                  numerics::exact};
  struct match : ir::match {
    op::activation both{};
  };
  static constexpr bool any_type = true;
  using pattern = chain<op::activation, op::activation>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const element& made = r.type(r.output(m.last)); made != dtype::f32) {
      if (!made.real) return {"its numbers are not f32"};
      if (!(made == r.type(r.output(m.first)))) return {"its integers are not those that it reads"};
    }
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
  static constexpr rule_info info{"activation_within", "activation(x) -> x", lowers::nodes, numerics::exact,
                                  proved_by::order};
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
