// SPDX-License-Identifier: BSL-1.0
// Channels that are zero, or that nobody reads, go: from the layer that makes them, from what stands between, and from
// the weights of every layer that reads them (structured pruning: Li et al. 2017, Pruning Filters for Efficient
// ConvNets). Weights are cut by slices of them, joined again, which are folded as all weights are.
#pragma once

#include "../ranges.hpp"
#include "../rule.hpp"
#include "../zero_channels.hpp"

namespace ctnn::rules {

/// The channels of what one layer makes, followed to all that reads them.
class channel_walk {
  using windows = find::any_of<op::conv2d, op::conv3d, op::conv_transpose2d, op::conv_transpose3d>;
  template <class Layer>
  static constexpr bool is_transposed =
      std::is_same_v<Layer, op::conv_transpose2d> || std::is_same_v<Layer, op::conv_transpose3d>;

 public:
  using makers = find::any_of<op::conv2d, op::conv3d, op::conv_transpose2d, op::conv_transpose3d, op::linear>;

  /// One layer that has the channels: the first makes them, those in between keep them, readers end them.
  struct layer {
    node_id node = none;
    int rows = none;     ///< axis of its weight with the channels that it makes or keeps, if it has such a weight
    int columns = none;  ///< and with those that it reads
  };
  pool<layer> layers;
  pool<bool> dead;  ///< channels that may go
  reason wrong{};   ///< why none may

  constexpr explicit channel_walk(const rewriter& r) : r_(r), zeros_(r.view()) {}

  /// From the layer that makes what `reader` reads.
  constexpr void run(node_id reader) {
    const node_id maker = maker_of(r_.input(reader));
    if (maker == none) return;
    begin(maker);
    for (node_id n = maker + 1; !wrong && unread_ > 0; ++n)
      if (r_.live(n)) visit(n);
    if (wrong || dead.empty()) return;
    bool all = true;
    for (const bool d : dead) all = all && d;
    if (all) dead[0] = false;  // a layer makes something
  }

 private:
  /// A value with the channels along `axis`, and which of them are 0 whatever the network reads.
  struct place {
    value_id value;
    int axis;
    pool<bool> zero;
  };

  /// Back through what keeps channels: operators of one input.
  constexpr node_id maker_of(value_id v) const {
    for (int steps = 0; steps < 8; ++steps) {
      const node_id n = r_.producer(v);
      if (makers::visits(r_, n) && !is_depthwise(n)) return n;
      if (r_.at(n).inputs.count != 1) return none;
      v = r_.input(n);
    }
    return none;
  }
  constexpr bool is_depthwise(node_id n) const {
    bool is = false;
    windows::visit(r_, n, [&](const auto& c) {
      const int channels = c.channels_of(r_.shape(r_.input(n)));
      is = c.groups > 1 && c.groups == channels && c.out == channels;
    });
    return is;
  }

  constexpr void begin(node_id n) {
    const value_id v = r_.output(n);
    layer made{n, 0};
    int axis = none;
    reason no = refused(n);
    makers::visit(r_, n, [&]<class Layer>(const Layer& by) {
      axis = r_.shape(v).rank - 1;
      if constexpr (std::is_same_v<Layer, op::linear>) {
        axis -= by.ones;
      } else {
        axis -= static_cast<int>(by.kernel.size());
        if (by.groups != 1) no = {"its channels are in groups", r_.name(n)};
        if constexpr (is_transposed<Layer>) made.rows = 1;
      }
    });
    layers.push_back(made);
    pool<bool> zero;
    if (r_.given(n) == 0) zero = made_zero(made);
    add(v, axis, static_cast<pool<bool>&&>(zero));
    if (no) stop(no);
  }
  /// Why the channels of n cannot change.
  constexpr reason refused(node_id n) const {
    if (r_.given(n) != 0) return {"its weights are not known before it runs", r_.name(n)};
    if (r_.at(n).inputs.count != 1 || r_.at(n).outputs.count != 1) return {"it has a residual", r_.name(n)};
    return {};
  }
  /// Channels that a layer with weights makes nothing but 0 of.
  constexpr pool<bool> made_zero(const layer& l) const {
    pool<bool> zero = zeros_.of(r_.weight(l.node, 0), l.rows);
    finish(l.node, zero);
    return zero;
  }
  /// The sums of n are 0 at these places: what becomes of them by its bias and its activation.
  constexpr void finish(node_id n, pool<bool>& zero) const {
    makers::visit(r_, n, [&](const auto& by) {
      if (by.bias) keep_both(zero, zeros_.of(r_.weight(n, 1), 0));
      keep_if(keeps_zero(by.activation), zero);
    });
  }
  static constexpr void keep_if(bool stays, pool<bool>& zero) {
    for (bool& z : zero) z = z && stays;
  }

  constexpr void add(value_id v, int axis, pool<bool> zero) {
    unread_ += r_.readers(v);
    const bool is_output = r_.is_output(v);
    if (any_of(zero)) zero_seen_ = true;
    places_.push_back({v, axis, static_cast<pool<bool>&&>(zero)});
    if (is_output) stop({"it is a network output", r_.name(r_.producer(v))});
  }
  /// Only where there is something to go: of most layers nothing is said.
  constexpr void stop(const reason& why) {
    wrong = why;
    wrong.silent = !zero_seen_;
  }

  constexpr const place* place_of(value_id v) const {
    for (const place& p : places_)
      if (p.value == v) return &p;
    return nullptr;
  }
  constexpr void visit(node_id n) {
    for (int i = 0; i < r_.at(n).inputs.count && !wrong; ++i) {
      const place* const from = place_of(r_.input(n, i));
      if (from == nullptr) continue;
      --unread_;
      if (r_.given(n) != 0 || !(i == 0 && (reads(n, *from) || keeps(n, *from))))
        stop({"another layer reads the channels as they are", r_.name(n)});
    }
  }

  /// A layer whose weight has a column for each of the channels.
  constexpr bool reads(node_id n, const place& from) {
    layer by{n, none, 1};
    int channels = static_cast<int>(from.zero.size()), axis = none;
    makers::visit(r_, n, [&]<class Layer>(const Layer& reader) {
      if constexpr (std::is_same_v<Layer, op::linear>) {
        axis = r_.shape(from.value).rank - reader.axes;
      } else if (reader.groups == 1) {
        axis = r_.shape(from.value).rank - 1 - static_cast<int>(reader.kernel.size());
        if constexpr (is_transposed<Layer>) by.columns = 0;
      }
    });
    if (axis != from.axis) return false;
    const pool<bool> columns = zeros_.of(r_.weight(n, 0), by.columns);
    const int each = static_cast<int>(columns.size()) / channels;  // a row of linear may take several axes
    pool<bool> unneeded = from.zero;
    for (int c = 0; c < channels; ++c) {
      bool zero = true;
      for (int k = c * each; k < (c + 1) * each; ++k) zero = zero && columns[static_cast<std::size_t>(k)];
      if (zero) unneeded[static_cast<std::size_t>(c)] = true;
    }
    if (any_of(unneeded)) zero_seen_ = true;
    if (dead.empty()) dead = unneeded;
    else keep_both(dead, unneeded);
    layers.push_back(by);
    return true;
  }

  /// An operator that computes every channel from itself, with numbers of its own or none.
  constexpr bool keeps(node_id n, const place& from) {
    if (refused(n)) return false;
    const extents& x = r_.shape(from.value);
    layer by{n};
    pool<bool> zero = from.zero;
    bool does = false;
    if (r_.is<op::activation>(n)) {
      does = true;
      keep_if(keeps_zero(r_.get<op::activation>(n).activation), zero);
    } else if (r_.is<op::binary>(n)) {
      does = true;
      keep_if(is_zero_of_zero(r_.get<op::binary>(n)), zero);
    } else if (r_.is<op::pool>(n)) {
      const auto p = r_.get<op::pool>(n);
      does = from.axis == x.rank - 1 - p.axes;
      keep_if(every_window_has_numbers(p), zero);
    } else if (r_.is<op::adaptive_pool>(n)) {
      does = from.axis == x.rank - 1 - r_.get<op::adaptive_pool>(n).axes;
    } else if (r_.is<op::prelu>(n)) {
      by.rows = 0;
      does = channel_axis(x, r_.get<op::prelu>(n).axis) == from.axis;
    } else if (r_.is<op::bias>(n)) {
      by.rows = 0;
      const auto b = r_.get<op::bias>(n);
      does = channel_axis(x, b.axis) == from.axis;
      if (does) keep_both(zero, zeros_.of(r_.weight(n, 0), 0));
      keep_if(keeps_zero(b.activation), zero);
    } else if (r_.is<op::scale>(n)) {
      by.rows = 0;
      const auto s = r_.get<op::scale>(n);
      does = channel_axis(x, s.axis) == from.axis;
      if (does) add_either(zero, zeros_.of(r_.weight(n, 0), 0));
      if (does && s.bias) keep_both(zero, zeros_.of(r_.weight(n, 1), 0));
      keep_if(keeps_zero(s.activation), zero);
    } else if (is_depthwise(n)) {
      by.rows = 0;
      windows::visit(r_, n, [&](const auto& c) { does = from.axis == x.rank - 1 - static_cast<int>(c.kernel.size()); });
      if (does) add_either(zero, zeros_.of(r_.weight(n, 0), 0));
      if (does) finish(n, zero);
    }
    if (!does) return false;
    layers.push_back(by);
    add(r_.output(n), from.axis, static_cast<pool<bool>&&>(zero));
    return true;
  }
  /// Of a function with a number.
  static constexpr bool is_zero_of_zero(const op::binary& b) {
    using enum op::binary_function;
    if (!keeps_zero(b.activation)) return false;
    const float k = *b.scalar;
    switch (b.function) {
      case mul: return math::is_finite(k);
      case op::binary_function::div: return k == k && k != 0;
      case maximum: return k <= 0;
      case minimum: return k >= 0;
      case op::binary_function::prelu: return true;
      default: return false;
    }
  }

  const rewriter& r_;
  zero_finder zeros_;
  pool<place> places_;
  int unread_ = 0;
  bool zero_seen_ = false;
};

/// conv|conv_transpose|linear > ... > conv|conv_transpose|linear  ->  the same without the channels between them whose
/// weights are zeros in the first, with a bias of 0, or in all that read them. Between them may stand activations,
/// arithmetic with a number, scales, biases, slopes, pooling and depthwise convolutions. 0 * x is 0: what was NaN
/// because an infinity or a NaN met those zeros is none behind it.
struct zero_channels {
  static constexpr rule_info info{"zero_channels", "conv|linear > ... > conv|linear -> without channels of zeros",
                                  lowers::weights, numerics::reassociates};
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
    if (!any_of(walk.dead)) return nothing;
    m.layers = static_cast<pool<channel_walk::layer>&&>(walk.layers);
    m.dead = static_cast<pool<bool>&&>(walk.dead);
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const std::string_view maker = r.name(m.layers[0].node);
    int left = 0;
    for (const bool d : m.dead) left += d ? 0 : 1;
    for (const channel_walk::layer& l : m.layers) {
      pool<expression_id> weights = r.weights_of(l.node);
      if (l.columns != none) weights[0] = without(r, weights[0], l.columns, m.dead);
      if (l.rows != none)
        for (std::size_t k = 0; k < weights.size(); ++k)
          weights[k] = without(r, weights[k], k == 0 ? l.rows : 0, m.dead);
      r.reweigh(l.node, weights);
      r.note(maker, r.name(l.node));
      if (l.columns != none) continue;
      channel_walk::makers::visit(r, l.node, [&]<class Layer>(Layer by) {
        by.out = left;
        if constexpr (requires { by.groups; })
          if (by.groups > 1) by.groups = left;
        r.recode(l.node, by);
      });
      r.resize(l.node);
    }
  }

 private:
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
