// SPDX-License-Identifier: BSL-1.0
// Which channels hold one number whatever the network reads, 0 or another: those of layers whose weights are zeros, and
// what follows of them.
#pragma once

#include "../../kernels/walks/phases.hpp"
#include "../ranges.hpp"
#include "../zero_channels.hpp"
#include "channel_walk.hpp"

namespace ctnn::rules {

class known_channels {
  using windows = channel_walk::windows;
  using makers = channel_walk::makers;

 public:
  struct known {
    pool<bool> zero;      ///< of 0 alone
    pool<bool> constant;  ///< of one number, 0 or another
  };

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

  constexpr known_channels(const rewriter& r, const channel_walk& w) : r_(r), walk_(w), zeros_(r.view()) {
    all_.reserve(w.places.size());
    for (const channel_walk::place& p : w.places) {
      const auto channels = p.channels.size();
      all_.push_back({pool<bool>(channels, false), pool<bool>(channels, false)});
    }
    // Whoever makes a value stands before whoever reads it.
    for (node_id n = 0; n < static_cast<node_id>(r.view().nodes.size()); ++n) {
      if (!r.live(n)) continue;
      for (int k = 0; k < r.at(n).outputs.count; ++k)
        if (const int at = w.place_of(r.output(n, k)); at != none) {
          known is = made(n, k, at);
          add_either(is.constant, is.zero);
          all_[static_cast<std::size_t>(at)] = static_cast<known&&>(is);
        }
    }
  }
  /// Of the channels of a place.
  constexpr const known& of(int place) const { return all_[static_cast<std::size_t>(place)]; }
  constexpr bool any() const {
    for (const known& k : all_)
      if (any_of(k.constant)) return true;
    return false;
  }
  /// Places of an axis of a layer's weight at which it stands for 0.
  constexpr pool<bool> zeros_of_weight(node_id n, int axis) const {
    pool<bool> zeros = zeros_.of(r_.weight(n, 0), axis);
    makers::visit(r_, n, [&](const auto& by) {
      if constexpr (requires { by.weight; }) keep_if(!by.weight.zero_points, zeros);
    });
    return zeros;
  }
  /// The axis of a layer's weight with a row for each of its outputs, unless it is depthwise.
  static constexpr int rows_of(const rewriter& r, node_id n) {
    int rows = 0;
    makers::visit(r, n, [&]<class Layer>(const Layer& by) {
      if constexpr (is_transposed<Layer>) rows = 1;
      if constexpr (requires { by.transposed; }) rows = by.transposed ? 1 : 0;
    });
    return rows;
  }
  static constexpr bool pads(const auto& padding) {
    for (const int p : padding)
      if (p != 0) return true;
    return false;
  }

 private:
  constexpr const known& input(node_id n, int i = 0) const { return of(walk_.place_of(r_.input(n, i))); }
  static constexpr void keep_if(bool stays, pool<bool>& zero) {
    for (bool& z : zero) z = z && stays;
  }
  /// Of what node n makes as output k.
  constexpr known made(node_id n, int k, int at) const {
    const channel_walk::place& p = walk_.places[static_cast<std::size_t>(at)];
    known is = of(at);
    switch (walk_.role_of(n, p.axis)) {
      case channel_role::other: break;
      case channel_role::makes: is = made_by(n); break;
      case channel_role::keeps: is = kept(n); break;
      case channel_role::combines:
        if (r_.is<op::concat>(n)) {
          is = input(n);
          for (int i = 1; i < r_.at(n).inputs.count; ++i) {
            keep_both(is.zero, input(n, i).zero);
            is.constant = is.zero;
          }
        } else if (r_.is<op::binary>(n)) {
          is = combined(n, p);
        }
        break;
      case channel_role::joins:
        is = {};
        for (int i = 0; i < r_.at(n).inputs.count; ++i) {
          is.zero.append(input(n, i).zero.data(), input(n, i).zero.size());
          is.constant.append(input(n, i).constant.data(), input(n, i).constant.size());
        }
        break;
      case channel_role::cuts: {
        const known& whole = input(n);
        const auto first = static_cast<std::size_t>(walk_.first_cut(n, k, p.axis));
        for (std::size_t c = 0; c < p.channels.size(); ++c) {
          is.zero[c] = whole.zero[first + c];
          is.constant[c] = whole.constant[first + c];
        }
        break;
      }
      case channel_role::holds: is.zero = zeros_.of(r_.weight(n, 0), p.axis); break;
    }
    only_zeros_of_bytes(n, is);
    return is;
  }
  /// Of a function of two values.
  constexpr known combined(node_id n, const channel_walk::place& p) const {
    using enum op::binary_function;
    const auto b = r_.get<op::binary>(n);
    known is{pool<bool>(p.channels.size(), false), pool<bool>(p.channels.size(), false)};
    const int first = walk_.place_of(r_.input(n)), second = walk_.place_of(r_.input(n, 1));
    if (b.function == mul) {  // 0 * x is 0 here
      for (const int i : {first, second})
        if (i != none && of(i).zero.size() == is.zero.size()) add_either(is.zero, of(i).zero);
    } else if (first != none && second != none && of(first).zero.size() == of(second).zero.size()) {
      if (b.function != add && b.function != sub && b.function != maximum && b.function != minimum) return is;
      is.zero = of(first).zero;
      keep_both(is.zero, of(second).zero);
    }
    is.constant = is.zero;
    activate(b.activation, is);
    return is;
  }
  /// Channels that a layer makes without looking at what it reads.
  constexpr known made_by(node_id n) const {
    known is;
    is.constant = zeros_of_weight(n, rows_of(r_, n));
    is.zero = is.constant;
    finish(n, is);
    if (r_.inputs_count(n) == 2) {  // added before the activation or behind it: 0 alone is the same there
      keep_both(is.zero, input(n, 1).zero);
      makers::visit(r_, n, [&](const auto& by) { keep_if(keeps_zero(by.activation), is.zero); });
      is.constant = is.zero;
    }
    return is;
  }
  /// What becomes of the sums of n by its bias and its activation.
  constexpr void finish(node_id n, known& is) const {
    makers::visit(r_, n, [&](const auto& by) {
      if (by.bias) {
        const expression_id bias = r_.weight(n, 1);
        if (bounds_at_zero(n, by.activation) && r_.inputs_count(n) == 1) keep_both(is.zero, zeros_.not_above(bias));
        else keep_both(is.zero, zeros_.of(bias, 0));
      }
      activate(by.activation, is);
    });
  }
  /// Does layer n make 0 of whatever is not above 0?
  constexpr bool bounds_at_zero(node_id n, const activation_function& f) const {
    const element& y = r_.type(r_.output(n));
    const bool least = is_byte(y) && y.real && y.real.zero == (y == dtype::i8 ? -128 : 0);
    return f.kind == function::relu || (f.kind == function::clip && f.a == 0 && f.b >= 0) || (!f && least);
  }
  /// Of bytes, and of what layers make of them, other numbers are not followed.
  constexpr void only_zeros_of_bytes(node_id n, known& is) const {
    const bool reads_bytes = r_.at(n).inputs.count > 0 && is_byte(r_.type(r_.input(n)));
    if (reads_bytes || is_byte(r_.type(r_.output(n)))) is.constant = is.zero;
  }
  static constexpr void activate(const activation_function& f, known& is) {
    keep_if(keeps_zero(f), is.zero);
    keep_if(is_activation(f.kind), is.constant);  // defined for every number
  }

  /// Of an operator that computes every channel from itself, with numbers of its own or none.
  constexpr known kept(node_id n) const {
    const extents& x = r_.shape(r_.input(n));
    known is = input(n);
    if (r_.is<op::activation>(n)) {
      activate(r_.get<op::activation>(n).activation, is);
    } else if (r_.is<op::binary>(n)) {
      const auto b = r_.get<op::binary>(n);
      keep_if(is_zero_of_zero(b), is.zero);
      keep_if(is_number_of_number(b), is.constant);
    } else if (r_.is<op::pool>(n)) {
      const auto p = r_.get<op::pool>(n);
      keep_if(every_window_has_numbers(p), is.zero);
      keep_if(is_same_in_every_window(p), is.constant);
    } else if (r_.is<op::bias>(n)) {
      keep_both(is.zero, zeros_.of(r_.weight(n, 0), 0));
      activate(r_.get<op::bias>(n).activation, is);
    } else if (r_.is<op::scale>(n)) {
      const auto s = r_.get<op::scale>(n);
      add_either(is.zero, zeros_.of(r_.weight(n, 0), 0));
      add_either(is.constant, is.zero);
      if (s.bias) keep_both(is.zero, zeros_.of(r_.weight(n, 1), 0));
      activate(s.activation, is);
    } else if (walk_.is_depthwise(n)) {
      windows::visit(r_, n, [&]<class Layer>(const Layer& c) {
        if constexpr (is_transposed<Layer>) keep_if(false, is.constant);
        else keep_if(!pads(c.padding(x)), is.constant);
      });
      add_either(is.zero, zeros_of_weight(n, 0));
      add_either(is.constant, is.zero);
      finish(n, is);
      if (r_.inputs_count(n) == 2) {
        keep_both(is.zero, input(n, 1).zero);
        windows::visit(r_, n, [&](const auto& by) { keep_if(keeps_zero(by.activation), is.zero); });
        is.constant = is.zero;
      }
    }
    return is;
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
    return p.function == op::pooling::average && every_window_is_inside(p);
  }

  const rewriter& r_;
  const channel_walk& walk_;
  zero_finder zeros_;
  pool<known> all_;
};

}  // namespace ctnn::rules
