// SPDX-License-Identifier: BSL-1.0
// A convolution of single pixels costs less where there are fewer of them: behind an average of several, before what
// makes several of one.
#pragma once

#include "../../graph/cost.hpp"
#include "../ranges.hpp"
#include "kinds.hpp"

namespace ctnn::rules {

/// Why a convolution is not one of each pixel by itself, in the same way.
template <int Axes>
constexpr std::string_view why_not_of_pixels(const op::conv<Axes>& c, const extents& x) {
  for (const int k : c.kernel)
    if (k != 1) return "it looks at more than one pixel";
  for (const int s : c.stride)
    if (s != 1) return "it leaves pixels out";
  for (const int p : c.padding(x))
    if (p != 0) return "it pads";
  return "";
}

/// What two operators in a row cost, and what they do in the other order.
struct exchanged : match {
  cost now{}, then{};
  extents between{};  ///< of the value between them then

  constexpr reason unless_it_pays(const rewriter& r) {
    now = cost_of(r.view(), first);
    now += cost_of(r.view(), last);
    if (pays(then, now)) return {};
    return {"the other order would not cost less",
            r.name(first),
            false,
            false,
            false,
            now.nanoseconds(),
            then.nanoseconds()};
  }
};

/// conv of single pixels > average of several  ->  the other way round: the average of W x + b is W times that of x,
/// and b
struct average_first {
  static constexpr rule_info info{"average_first", "conv(one pixel) > average pool -> the other way round",
                                  lowers::results, numerics::reassociates};
  using match = exchanged;
  using averages = find::any_of<op::pool, op::adaptive_pool>;
  using pattern = chain<find::convolutions, averages>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.inputs_count(m.first) != 1) return {"its input adds a residual", r.name(m.first)};
    const extents& x = r.shape(r.input(m.first));
    reason no;
    averages::visit(r, m.last, [&]<class Pool>(const Pool& pool) {
      if (pool.function != op::pooling::average) return void(no = find::detail::another_operator);
      if constexpr (std::is_same_v<Pool, op::pool>) {
        if (!every_window_is_inside(pool)) return void(no = {"its windows see padding"});
      } else if (pool.flatten) {
        return void(no = {"it takes the axes away"});
      }
      find::convolutions::visit(r, m.first, [&]<int Axes>(const op::conv<Axes>& c) {
        no.text = Axes != pool.axes ? "they have other axes" : why_not_of_pixels(c, x);
        if (c.activation) no.text = "its input has an activation already";
        no.layer = r.name(m.first);
        if (no) return;
        if (pool.infer({&x, 1}, outputs(&m.between, 1))) return void(no = find::detail::another_operator);
        m.then = cost_of(pool, {&x, 1});
        m.then += cost_of(c, {&m.between, 1});
      });
    });
    return no ? no : m.unless_it_pays(r);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.exchange(m.first, m.last, {&x, 1}, m.between);
    r.chosen_by_cost(m.now.nanoseconds(), m.then.nanoseconds());
  }
};

/// interpolate that takes each pixel several times > conv of single pixels  ->  the other way round
struct resize_last {
  static constexpr rule_info info{"resize_last", "interpolate(nearest) > conv(one pixel) -> the other way round",
                                  lowers::results, numerics::exact};
  using match = exchanged;
  using pattern = chain<op::interpolate, find::convolutions>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.inputs_count(m.last) != 1) return {"it adds a residual"};
    const extents& x = r.shape(r.input(m.first));
    const auto resize = r.get<op::interpolate>(m.first);
    if (resize.mode != op::interpolation::nearest) return {"its pixels are sums of several", r.name(m.first)};
    if (resize.coordinates == op::coordinates::tf_crop_and_resize)
      return {"it may look beside the image", r.name(m.first)};
    reason no;
    find::convolutions::visit(r, m.last, [&]<int Axes>(const op::conv<Axes>& c) {
      no.text = Axes != resize.axes ? "they have other axes" : why_not_of_pixels(c, r.shape(r.output(m.first)));
      if (c.has_slopes()) no.text = "it applies one slope an output";
      if (no) return;
      m.between = x;
      m.between.back(Axes) = c.out;
      m.then = cost_of(c, {&x, 1});
      m.then += cost_of(resize, {&m.between, 1});
    });
    return no ? no : m.unless_it_pays(r);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    r.exchange(m.first, m.last, {&x, 1}, m.between);
    r.chosen_by_cost(m.now.nanoseconds(), m.then.nanoseconds());
  }
};

/// channel_shuffle > conv or conv > channel_shuffle  ->  the conv, whose weight is shuffled
struct shuffled_weight {
  static constexpr rule_info info{"shuffled_weight", "channel_shuffle > conv, conv > channel_shuffle -> conv",
                                  lowers::nodes, numerics::reassociates};
  using pattern = chain<find::any_of<op::channel_shuffle, op::conv2d>, find::any_of<op::channel_shuffle, op::conv2d>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.at(m.first).type == r.at(m.last).type) return find::detail::another_operator;
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    const node_id layer = r.is<op::conv2d>(m.last) ? m.last : m.first;
    if (r.get<op::conv2d>(layer).groups != 1) return {"its channels are in groups", r.name(layer)};
    if (layer == m.first && r.inputs_count(layer) != 1) return {"its input adds a residual", r.name(layer)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const bool behind = r.is<op::conv2d>(m.first);
    const node_id layer = behind ? m.first : m.last;
    const int groups = r.get<op::channel_shuffle>(behind ? m.last : m.first).groups;
    const auto conv = r.get<op::conv2d>(layer);
    pool<expression_id> weights = r.weights_of(layer);
    // The shuffle of (groups, each) by channels: behind it stands what it made of rows, before it what made its
    // columns.
    const auto shuffled = [&](expression_id e, int axis) {
      const extents w = r.shape_of(e);
      const int outer = static_cast<int>(w.count(0, axis)), inner = static_cast<int>(w.count(axis + 1, w.rank));
      const int first = behind ? groups : w[axis] / groups;
      const expression_id apart = r.reshaped(e, {outer, first, w[axis] / first, inner});
      return r.reshaped(r.apply(op::permute{{0, 2, 1, 3}}, {&apart, 1}), w);
    };
    if (!behind) weights[0] = shuffled(weights[0], 1);
    else
      for (expression_id& w : weights) w = shuffled(w, 0);
    const std::string_view name = r.name(layer);
    r.note(r.name(behind ? m.last : m.first), name);
    r.become(m.last, conv, name, r.inputs_with(layer, 0, r.input(m.first)), weights);
  }
};

}  // namespace ctnn::rules
