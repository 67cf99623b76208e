// SPDX-License-Identifier: BSL-1.0
// Channels that are zero, that hold one number, or that nobody reads, go: from the layer that makes them, from what
// stands between, and from the weights of every layer that reads them (structured pruning: Li et al. 2017, Pruning
// Filters for Efficient ConvNets), whose bias takes in what the number made. Weights are cut by slices of them, joined
// again, which are folded as all weights are. Of bytes those channels go that stand for 0 or that nobody reads.
#pragma once

#include "channel_walk.hpp"

namespace ctnn::rules {

/// conv|conv_transpose|linear > ... > conv|conv_transpose|linear  ->  the same without the channels between them whose
/// weights are zeros in the first or in all that read them. What the first makes of zeros is its bias and what follows
/// of it: 0, or a number that readers without padding add to their own bias. Between them may stand activations,
/// arithmetic with a number, scales, biases, slopes, pooling and depthwise convolutions. 0 * x is 0: what was NaN
/// because an infinity or a NaN met those zeros is none behind it.
struct zero_channels {
  static constexpr rule_info info{"zero_channels", "conv|linear > ... > conv|linear -> without channels of one number",
                                  lowers::weights, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match : ir::match {
    pool<channel_walk::layer> layers;
    pool<bool> dead;
  };
  using pattern = single<channel_walk::makers>;
  static constexpr reason guard(const rewriter& r, match& m) {
    constexpr reason nothing{"none of its channels is known to be zero", {}, false, true};
    if (!r.knows_zero_channels()) return nothing;
    channel_walk walk(r);
    walk.run(m.last);
    if (walk.wrong) return walk.wrong;
    if (!any_of(walk.dead)) return walk.kept ? walk.kept : nothing;
    m.layers = static_cast<pool<channel_walk::layer>&&>(walk.layers);
    m.dead = static_cast<pool<bool>&&>(walk.dead);
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const std::string_view maker = r.name(m.layers[0].node);
    int left = 0;
    for (const bool d : m.dead) left += d ? 0 : 1;
    bool shifts = false;
    for (const channel_walk::layer& l : m.layers) shifts = shifts || any_of(l.shifts);
    pool<expression_id> numbers;  // of each value with the channels
    for (const channel_walk::layer& l : m.layers) {
      pool<expression_id> weights = r.weights_of(l.node);
      if (l.columns == none && shifts) numbers.push_back(number_of(r, l, weights, numbers));
      const bool shifted = any_of(l.shifts);
      expression_id shift = none;
      if (shifted) shift = product_of(r, weights[0], numbers[static_cast<std::size_t>(l.from)], l.shifts);
      if (l.columns != none) weights[0] = without(r, weights[0], l.columns, m.dead);
      if (l.rows != none)
        for (std::size_t k = 0; k < weights.size(); ++k)
          if (k == 0 || r.shape_of(weights[k])[0] > 1)  // else one number of all channels
            weights[k] = without(r, weights[k], k == 0 ? l.rows : 0, m.dead);
      channel_walk::makers::visit(r, l.node, [&]<class Layer>(Layer by) {
        if (shifted) add_to_bias(r, by, weights, shift);
        r.reweigh(l.node, weights);
        if (l.columns == none) {
          by.out = left;
          if constexpr (requires { by.groups; })
            if (by.groups > 1) by.groups = left;
        }
        r.recode(l.node, by);
      });
      if (!channel_walk::makers::visits(r, l.node)) r.reweigh(l.node, weights);
      r.note(maker, r.name(l.node));
      if (l.columns == none) r.resize(l.node);
    }
  }

 private:
  /// What layer l makes of one number a channel, as (channels); of channels that it makes others of something finite.
  static constexpr expression_id number_of(rewriter& r, const channel_walk::layer& l,
                                           const pool<expression_id>& weights, const pool<expression_id>& numbers) {
    const node_id n = l.node;
    if (l.from == none) return number_made(r, n, weights);
    pool<expression_id> x(1, numbers[static_cast<std::size_t>(l.from)]);
    if (r.is<op::activation>(n)) return activated(r, r.get<op::activation>(n).activation, x[0]);
    if (r.is<op::pool>(n) || r.is<op::adaptive_pool>(n)) return x[0];
    if (r.is<op::binary>(n)) {
      const auto by = r.get<op::binary>(n);
      return channel_walk::is_number_of_number(by) ? r.apply(by, x) : r.filled(r.shape_of(x[0]), 0);
    }
    x.append(weights.data(), weights.size());
    if (r.is<op::prelu>(n)) return r.apply(op::prelu{}, x);
    if (r.is<op::bias>(n)) return activated(r, r.get<op::bias>(n).activation, r.apply(op::bias{}, x));
    op::scale by;
    activation_function then;
    if (r.is<op::scale>(n)) {
      by.bias = r.get<op::scale>(n).bias;
      then = r.get<op::scale>(n).activation;
    } else {  // depthwise: every output has all taps, or what it reads is 0
      channel_walk::makers::visit(r, n, [&](const auto& c) {
        by.bias = c.bias;
        then = c.activation;
      });
      x.shrink(by.bias ? 3 : 2);
      const extents w = r.shape_of(x[1]);
      x[1] = sum(r, r.reshaped(x[1], {w[0], static_cast<int>(w.count(1, w.rank))}));
    }
    return activated(r, then, r.apply(by, x));
  }
  /// What a layer makes with weights of zeros.
  static constexpr expression_id number_made(rewriter& r, node_id n, const pool<expression_id>& weights) {
    expression_id number = none;
    channel_walk::makers::visit(r, n, [&](const auto& by) {
      number = activated(r, by.activation, by.bias ? weights[1] : r.filled({by.out}, 0));
    });
    return number;
  }
  /// Behind a function that is not defined for every number only those that stay 0 are known.
  static constexpr expression_id activated(rewriter& r, const activation_function& f, expression_id x) {
    if (!f) return x;
    return is_activation(f.kind) ? r.apply(op::activation{f}, {&x, 1}) : r.filled(r.shape_of(x), 0);
  }
  /// What a reader's weight (out, channels, ...) makes of one number for each of `these` channels.
  static constexpr expression_id product_of(rewriter& r, expression_id weight, expression_id numbers,
                                            const pool<bool>& these) {
    pool<bool> others;
    for (const bool is : these) others.push_back(!is);
    const extents whole = r.shape_of(weight);
    const int channels = static_cast<int>(these.size()), out = whole[0];
    weight = r.reshaped(weight, {out, channels, static_cast<int>(whole.count() / out / channels)});
    const expression_id k = without(r, numbers, 0, others);
    op::binary times;
    times.function = op::binary_function::mul;
    const expression_id both[] = {without(r, weight, 1, others), r.reshaped(k, {r.shape_of(k)[0], 1})};
    const expression_id products = r.apply(times, both);
    return sum(r, r.reshaped(products, {out, static_cast<int>(r.shape_of(products).count() / out)}));
  }
  /// Of rows.
  static constexpr expression_id sum(rewriter& r, expression_id rows) {
    op::reduce over;
    over.axes = {1};
    return r.reshaped(r.apply(over, {&rows, 1}), {r.shape_of(rows)[0]});
  }

  /// A weight without the dead places along `axis`, which has as many numbers a channel as the weight's shape gives.
  static constexpr expression_id without(rewriter& r, expression_id e, int axis, const pool<bool>& dead) {
    const extents whole = r.shape_of(e);
    const int channels = static_cast<int>(dead.size()), each = whole[axis] / channels;
    if (each > 1) {
      extents apart = {static_cast<int>(whole.count(0, axis)), channels, each};
      e = r.reshaped(e, apart);
      axis = 1;
    }
    pool<expression_id> runs;
    for (int first = 0; first < channels; ++first) {
      if (dead[static_cast<std::size_t>(first)]) continue;
      int end = first + 1;
      while (end < channels && !dead[static_cast<std::size_t>(end)]) ++end;
      op::slice run;
      run.axis = {axis};
      run.start = {first};
      run.end = {end};
      runs.push_back(r.apply(run, {&e, 1}));
      first = end;
    }
    expression_id all = runs.size() == 1 ? runs[0] : r.apply(op::concat{axis}, runs);
    if (each > 1) all = r.reshaped(all, {whole[0], r.shape_of(all)[1] * each});
    return all;
  }
};

}  // namespace ctnn::rules
