// SPDX-License-Identifier: BSL-1.0
// The channels that a layer makes, followed through what keeps them to the layers that read them: which of them hold
// one number whatever the network reads, and which nobody reads.
#pragma once

#include "../../kernels/walks/phases.hpp"
#include "../ranges.hpp"
#include "../zero_channels.hpp"
#include "affine.hpp"

namespace ctnn::rules {

/// The channels of what one layer makes, followed to all that reads them.
class channel_walk {
  using windows = find::any_of_all<find::convolutions, find::transposed_convolutions>;

 public:
  using makers = find::any_of_all<windows, find::any_of<op::linear>>;

  /// One layer that has the channels: the first makes them, those in between keep them, readers end them.
  struct layer {
    node_id node = none;
    int rows = none;      ///< axis of its weight with the channels that it makes or keeps, if it has such a weight
    int columns = none;   ///< and with those that it reads
    int from = none;      ///< of the values with the channels, in order of their layers, the one that it reads
    pool<bool> shifts{};  ///< of a reader: channels of one number whose part its bias may take
  };
  pool<layer> layers;
  pool<bool> dead;  ///< channels that may go
  reason wrong{};   ///< why none may
  reason kept{};    ///< why some of one number may not

  /// Is a function with a number finite of every number?
  static constexpr bool is_number_of_number(const op::binary& b) {
    using enum op::binary_function;
    if (!is_activation(b.activation.kind) || !math::is_finite(*b.scalar)) return false;
    switch (b.function) {
      case add:
      case sub:
      case mul:
      case maximum:
      case minimum: return true;
      default: return false;
    }
  }

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
    for (layer& l : layers)
      if (l.columns != none) keep_both(l.shifts, dead);
  }

 private:
  /// What is known of channels, whatever the network reads.
  struct known {
    pool<bool> zero;      ///< of 0 alone
    pool<bool> constant;  ///< of one number, 0 or another
  };
  /// A value with the channels along `axis`.
  struct place {
    value_id value;
    int axis;
    known is;
  };

  /// Back through what keeps channels: operators of one input.
  constexpr node_id maker_of(value_id v) const {
    for (int steps = 0; steps < 8; ++steps) {
      const node_id n = r_.producer(v);
      if (r_.has_packed_weight(n)) return none;
      if (makers::visits(r_, n) && !is_depthwise(n)) return n;
      if (r_.at(n).inputs.count != 1) return none;
      v = r_.input(n);
    }
    return none;
  }
  constexpr bool is_depthwise(node_id n) const {
    bool is = false;
    windows::visit(r_, n, [&](const auto& c) { is = ir::is_depthwise(c, c.channels_of(r_.shape(r_.input(n)))); });
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
        if (by.transposed) made.rows = 1;
      } else {
        axis -= static_cast<int>(by.kernel.size());
        if (by.groups != 1) no = {"its channels are in groups", r_.name(n)};
        if constexpr (is_transposed<Layer>) made.rows = 1;
      }
    });
    layers.push_back(made);
    known is;
    if (r_.given(n) == 0) is = made_by(made);
    add(v, axis, static_cast<known&&>(is));
    if (no) stop(no);
  }
  /// Why the channels of n cannot change.
  constexpr reason refused(node_id n) const {
    for (const element& e : {r_.type(r_.input(n)), r_.type(r_.output(n))})
      if (e != dtype::f32 && !is_byte(e)) return {"it computes neither floats nor bytes", r_.name(n)};
    if (r_.given(n) != 0) return {"its weights are not known before it runs", r_.name(n)};
    if (r_.at(n).inputs.count != 1 || r_.at(n).outputs.count != 1) return {"it has a residual", r_.name(n)};
    return {};
  }
  /// Channels that a layer makes without looking at what it reads.
  constexpr known made_by(const layer& l) const {
    known is;
    is.constant = zeros_of_weight(l.node, l.rows);
    is.zero = is.constant;
    finish(l.node, is);
    return is;
  }
  /// Places of an axis of a layer's weight at which it stands for 0.
  constexpr pool<bool> zeros_of_weight(node_id n, int axis) const {
    pool<bool> zeros = zeros_.of(r_.weight(n, 0), axis);
    makers::visit(r_, n, [&](const auto& by) {
      if constexpr (requires { by.weight; }) keep_if(!by.weight.zero_points, zeros);
    });
    return zeros;
  }
  /// What becomes of the sums of n by its bias and its activation.
  constexpr void finish(node_id n, known& is) const {
    makers::visit(r_, n, [&](const auto& by) {
      if (by.bias) {
        const expression_id bias = r_.weight(n, 1);
        if (bounds_at_zero(n, by.activation)) keep_both(is.zero, zeros_.not_above(bias));
        else keep_both(is.zero, zeros_.of(bias, 0));
      }
      activate(by.activation, is);
    });
    only_zeros_of_bytes(n, is);
  }
  /// Does layer n make 0 of whatever is not above 0?
  constexpr bool bounds_at_zero(node_id n, const activation_function& f) const {
    const element& y = r_.type(r_.output(n));
    const bool least = is_byte(y) && y.real && y.real.zero == (y == dtype::i8 ? -128 : 0);
    return f.kind == function::relu || (f.kind == function::clip && f.a == 0 && f.b >= 0) || (!f && least);
  }
  /// Of bytes, and of what layers make of them, other numbers are not followed.
  constexpr void only_zeros_of_bytes(node_id n, known& is) const {
    if (is_byte(r_.type(r_.input(n))) || is_byte(r_.type(r_.output(n)))) is.constant = is.zero;
  }
  static constexpr void activate(const activation_function& f, known& is) {
    keep_if(keeps_zero(f), is.zero);
    keep_if(is_activation(f.kind), is.constant);  // defined for every number
  }
  static constexpr void keep_if(bool stays, pool<bool>& zero) {
    for (bool& z : zero) z = z && stays;
  }

  constexpr void add(value_id v, int axis, known is) {
    unread_ += r_.readers(v);
    const bool is_output = r_.is_output(v);
    add_either(is.constant, is.zero);
    if (any_of(is.constant)) seen_ = true;
    places_.push_back({v, axis, static_cast<known&&>(is)});
    if (is_output) stop({"it is a network output", r_.name(r_.producer(v))});
  }
  /// Only where there is something to go: of most layers nothing is said.
  constexpr void stop(const reason& why) {
    wrong = why;
    wrong.silent = !seen_;
  }

  /// The number of a value with the channels.
  constexpr int place_of(value_id v) const {
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i].value == v) return static_cast<int>(i);
    return none;
  }
  constexpr void visit(node_id n) {
    for (int i = 0; i < r_.at(n).inputs.count && !wrong; ++i) {
      const int from = place_of(r_.input(n, i));
      if (from == none) continue;
      --unread_;
      if (r_.given(n) != 0 || r_.has_packed_weight(n) || !(i == 0 && (reads(n, from) || keeps(n, from))))
        stop({"another layer reads the channels as they are", r_.name(n)});
    }
  }

  /// A layer whose weight has a column for each of the channels.
  constexpr bool reads(node_id n, int place_read) {
    const place& from = places_[static_cast<std::size_t>(place_read)];
    layer by{n, none, 1, place_read};
    const extents& x = r_.shape(from.value);
    int channels = static_cast<int>(from.is.zero.size()), axis = none;
    bool sees_padding = false;
    makers::visit(r_, n, [&]<class Layer>(const Layer& reader) {
      if constexpr (std::is_same_v<Layer, op::linear>) {
        axis = x.rank - reader.axes;
        if (reader.transposed) by.columns = 0;
      } else if (reader.groups == 1) {
        axis = x.rank - 1 - static_cast<int>(reader.kernel.size());
        sees_padding = is_transposed<Layer>;  // not every output has the same taps
        if constexpr (is_transposed<Layer>) by.columns = 0;
        else sees_padding = pads(reader.padding(x));
      }
    });
    if (axis != from.axis) return false;
    const pool<bool> columns = zeros_of_weight(n, by.columns);
    const int each = static_cast<int>(columns.size()) / channels;  // a row of linear may take several axes
    pool<bool> unneeded = from.is.zero;
    for (int c = 0; c < channels; ++c) {
      bool zero = true;
      for (int k = c * each; k < (c + 1) * each; ++k) zero = zero && columns[static_cast<std::size_t>(k)];
      if (zero) unneeded[static_cast<std::size_t>(c)] = true;
    }
    for (std::size_t c = 0; c < unneeded.size(); ++c) by.shifts.push_back(from.is.constant[c] && !unneeded[c]);
    if (sees_padding && any_of(by.shifts)) {
      kept = {"padding with zeros goes round channels of one number", r_.name(n)};
      keep_if(false, by.shifts);
    }
    add_either(unneeded, by.shifts);
    if (any_of(unneeded)) seen_ = true;
    if (dead.empty()) dead = unneeded;
    else keep_both(dead, unneeded);
    layers.push_back(static_cast<layer&&>(by));
    return true;
  }
  static constexpr bool pads(const auto& padding) {
    for (const int p : padding)
      if (p != 0) return true;
    return false;
  }

  /// An operator that computes every channel from itself, with numbers of its own or none.
  constexpr bool keeps(node_id n, int place_read) {
    if (refused(n)) return false;
    const place& from = places_[static_cast<std::size_t>(place_read)];
    const int axis = from.axis;
    const extents& x = r_.shape(from.value);
    layer by{n, none, none, place_read};
    known is = from.is;
    bool does = false;
    if (r_.is<op::activation>(n)) {
      does = true;
      activate(r_.get<op::activation>(n).activation, is);
    } else if (r_.is<op::binary>(n)) {
      does = true;
      const auto b = r_.get<op::binary>(n);
      keep_if(is_zero_of_zero(b), is.zero);
      keep_if(is_number_of_number(b), is.constant);
    } else if (r_.is<op::pool>(n)) {
      const auto p = r_.get<op::pool>(n);
      does = axis == x.rank - 1 - p.axes;
      keep_if(every_window_has_numbers(p), is.zero);
      keep_if(is_same_in_every_window(p), is.constant);
    } else if (r_.is<op::adaptive_pool>(n)) {
      does = axis == x.rank - 1 - r_.get<op::adaptive_pool>(n).axes;
    } else if (r_.is<op::prelu>(n)) {
      by.rows = 0;
      does = channel_axis(x, r_.get<op::prelu>(n).axis) == axis;
    } else if (r_.is<op::bias>(n)) {
      by.rows = 0;
      const auto b = r_.get<op::bias>(n);
      does = channel_axis(x, b.axis) == axis;
      if (does) keep_both(is.zero, zeros_.of(r_.weight(n, 0), 0));
      activate(b.activation, is);
    } else if (r_.is<op::scale>(n)) {
      by.rows = 0;
      const auto s = r_.get<op::scale>(n);
      does = channel_axis(x, s.axis) == axis;
      if (does) add_either(is.zero, zeros_.of(r_.weight(n, 0), 0));
      add_either(is.constant, is.zero);
      if (does && s.bias) keep_both(is.zero, zeros_.of(r_.weight(n, 1), 0));
      activate(s.activation, is);
    } else if (is_depthwise(n)) {
      by.rows = 0;
      windows::visit(r_, n, [&]<class Layer>(const Layer& c) {
        does = axis == x.rank - 1 - static_cast<int>(c.kernel.size());
        if constexpr (is_transposed<Layer>) keep_if(false, is.constant);
        else keep_if(!pads(c.padding(x)), is.constant);
      });
      if (does) add_either(is.zero, zeros_of_weight(n, 0));
      add_either(is.constant, is.zero);
      if (does) finish(n, is);
    } else if (r_.is<op::quantize>(n) || r_.is<op::dequantize>(n)) {
      does = true;
    }
    if (!does) return false;
    only_zeros_of_bytes(n, is);
    layers.push_back(static_cast<layer&&>(by));
    add(r_.output(n), axis, static_cast<known&&>(is));
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

  /// Does a window make c of nothing but c?
  static constexpr bool is_same_in_every_window(const op::pool& p) {
    if (p.function == op::pooling::max) return every_window_has_numbers(p);
    bool inside = p.same == same_padding::none && !p.ceil;
    for (int side = 0; side < 2 * p.axes; ++side) inside = inside && p.pad.at(side) == 0;
    return p.function == op::pooling::average && inside;
  }

  const rewriter& r_;
  zero_finder zeros_;
  pool<place> places_;
  int unread_ = 0;
  bool seen_ = false;
};

}  // namespace ctnn::rules
