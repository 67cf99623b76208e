// SPDX-License-Identifier: BSL-1.0
// Channels that are zero, that hold one number, or that nobody reads, go: from the layer that makes them, from what
// stands between, and from the weights of every layer that reads them (structured pruning: Li et al. 2017, Pruning
// Filters for Efficient ConvNets), whose bias takes in what the number made. Weights are cut by slices of them, joined
// again, which are folded as all weights are. Of bytes those channels go that stand for 0 or that nobody reads.
#pragma once

#include "known_channels.hpp"

namespace ctnn::rules {

/// Of channels that are followed from one reader, those that may go.
class dead_channels {
 public:
  channel_walk walk;
  known_channels known;
  pool<pool<bool>> shifts;  ///< by reader: channels of one number whose part its bias may take
  reason kept{};            ///< why some of one number stay

  constexpr dead_channels(const rewriter& r, node_id reader) : walk(r, reader), known(r, walk) {
    if (!walk.fits) return;
    dead_ = pool<bool>(static_cast<std::size_t>(walk.count()), true);
    for (const channel_walk::reader& by : walk.readers) read(r, by);
    for (std::size_t c = 0; c < dead_.size(); ++c) dead_[c] = dead_[c] && !walk.stays(static_cast<int>(c));
    for (const channel_walk::place& p : walk.places) {  // a layer makes something, and a part is one
      bool all = true;
      for (std::size_t i = 0; i < p.channels.size(); ++i) all = all && dead(p, i);
      if (all && !p.channels.empty()) dead_[static_cast<std::size_t>(walk.number(p, 0))] = false;
    }
    for (std::size_t k = 0; k < shifts.size(); ++k)
      keep_both(shifts[k], of(walk.places[static_cast<std::size_t>(walk.readers[k].place)]));
  }
  constexpr bool dead(const channel_walk::place& p, std::size_t i) const {
    return dead_[static_cast<std::size_t>(walk.number(p, i))];
  }
  /// True at the channels of a place that may go.
  constexpr pool<bool> of(const channel_walk::place& p) const {
    pool<bool> all;
    for (std::size_t i = 0; i < p.channels.size(); ++i) all.push_back(dead(p, i));
    return all;
  }
  constexpr bool any() const {
    for (const channel_walk::place& p : walk.places)
      if (!dead_.empty() && any_of(of(p))) return true;
    return false;
  }
  constexpr bool any_shifts() const {
    for (const pool<bool>& s : shifts)
      if (any_of(s)) return true;
    return false;
  }
  /// Is there something that might go, were it not for somebody else?
  constexpr bool any_seen() const { return seen_; }

 private:
  constexpr void read(const rewriter& r, const channel_walk::reader& by) {
    const channel_walk::place& p = walk.places[static_cast<std::size_t>(by.place)];
    const known_channels::known& is = known.of(by.place);
    const pool<bool> columns = known.zeros_of_weight(by.node, by.columns);
    const std::size_t channels = p.channels.size(), each = columns.size() / channels;  // a row may take several axes
    pool<bool> unneeded = is.zero, shifted;
    for (std::size_t c = 0; c < channels; ++c) {
      bool zero = true;
      for (std::size_t k = c * each; k < (c + 1) * each; ++k) zero = zero && columns[k];
      if (zero) unneeded[c] = true;
      shifted.push_back(is.constant[c] && !unneeded[c]);
    }
    if (any_of(shifted) && sees_padding(r, by.node)) {
      kept = {"padding with zeros goes round channels of one number", r.name(by.node)};
      for (bool& s : shifted) s = false;
    }
    seen_ = seen_ || any_of(unneeded) || any_of(shifted);
    for (std::size_t c = 0; c < channels; ++c)
      if (!unneeded[c] && !shifted[c]) dead_[static_cast<std::size_t>(walk.number(p, c))] = false;
    shifts.push_back(static_cast<pool<bool>&&>(shifted));
  }
  static constexpr bool sees_padding(const rewriter& r, node_id n) {
    bool sees = false;
    channel_walk::makers::visit(r, n, [&]<class Layer>(const Layer& layer) {
      if constexpr (is_transposed<Layer>) sees = true;  // not every output has the same taps
      else if constexpr (!std::is_same_v<Layer, op::linear>)
        sees = known_channels::pads(layer.padding(r.shape(r.input(n))));
    });
    return sees;
  }

  pool<bool> dead_;  ///< by number of a channel
  bool seen_ = false;
};

/// conv|conv_transpose|linear > ... > conv|conv_transpose|linear  ->  the same without the channels between them whose
/// weights are zeros in all layers that make them or in all that read them. What a layer makes of zeros is its bias and
/// what follows of it: 0, or a number that readers without padding add to their own bias. Between them may stand
/// activations, arithmetic with a number, of two values and with a residual, concat, split and slice, scales, biases,
/// slopes, pooling and depthwise convolutions. 0 * x is 0: what was NaN because an infinity or a NaN met those zeros is
/// none behind it.
struct zero_channels {
  static constexpr rule_info info{"zero_channels", "conv|linear > ... > conv|linear -> without channels of one number",
                                  lowers::weights, numerics::reassociates};
  static constexpr bool any_type = true;
  using pattern = single<channel_walk::makers>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    constexpr reason nothing{"none of its channels is known to be zero", {}, false, true};
    if (!r.knows_zero_channels()) return nothing;
    const dead_channels plan(r, m.last);
    if (plan.any()) return {};
    if (plan.kept) return plan.kept;
    if (plan.walk.wrong && (plan.any_seen() || plan.known.any())) return plan.walk.wrong;
    // Of what it makes that nobody follows from a reader.
    if (r.given(m.last) != 0 || r.has_packed_weight(m.last)) return nothing;
    if (!any_of(plan.known.zeros_of_weight(m.last, known_channels::rows_of(r, m.last)))) return nothing;
    const channel_walk behind(r, r.output(m.last), output_axis(r, m.last));
    return behind.wrong ? behind.wrong : nothing;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const dead_channels plan(r, m.last);
    const auto end = static_cast<node_id>(r.view().nodes.size());
    // What stands between is asked before anything about it changes.
    pool<channel_role> roles(static_cast<std::size_t>(end), channel_role::other);
    pool<expression_id> numbers(plan.walk.places.size(), none);  // of each value with the channels
    const bool shifts = plan.any_shifts();
    for (node_id n = 0; n < end; ++n) {
      if (!r.live(n)) continue;
      for (int k = 0; k < r.at(n).outputs.count; ++k) {
        const int at = plan.walk.place_of(r.output(n, k));
        if (at == none) continue;
        roles[static_cast<std::size_t>(n)] = plan.walk.role_of(n, plan.walk.places[static_cast<std::size_t>(at)].axis);
        if (shifts) numbers[static_cast<std::size_t>(at)] = number_of(r, plan, n, k, numbers);
      }
    }
    std::string_view maker;
    for (node_id n = 0; n < end; ++n) {
      if (!r.live(n)) continue;
      pool<expression_id> weights = r.weights_of(n);
      bool changed = cut_columns(r, plan, n, numbers, weights);
      const channel_role role = roles[static_cast<std::size_t>(n)];
      if (role != channel_role::other) changed = cut_made(r, plan, n, role, weights) || changed;
      if (!changed) continue;
      if (maker.empty()) maker = r.name(n);
      r.reweigh(n, weights);
      r.note(maker, r.name(n));
      r.resize(n);
    }
  }

 private:
  /// Takes the dead channels out of the columns of a layer that reads them; its bias takes in what they make. Were
  /// there any?
  static constexpr bool cut_columns(rewriter& r, const dead_channels& plan, node_id n,
                                    const pool<expression_id>& numbers, pool<expression_id>& weights) {
    for (std::size_t k = 0; k < plan.walk.readers.size(); ++k) {
      const channel_walk::reader& by = plan.walk.readers[k];
      if (by.node != n) continue;
      const pool<bool> dead = plan.of(plan.walk.places[static_cast<std::size_t>(by.place)]);
      if (!any_of(dead)) return false;
      expression_id shift = none;
      if (any_of(plan.shifts[k]))
        shift = product_of(r, weights[0], numbers[static_cast<std::size_t>(by.place)], plan.shifts[k]);
      weights[0] = without(r, weights[0], by.columns, dead);
      if (shift != none)
        channel_walk::makers::visit(r, n, [&](auto layer) {
          add_to_bias(r, layer, weights, shift);
          r.recode(n, layer);
        });
      return true;
    }
    return false;
  }
  /// Takes the dead channels out of what node n makes: from its fields, and from `weights`. Were there any?
  static constexpr bool cut_made(rewriter& r, const dead_channels& plan, node_id n, channel_role role,
                                 pool<expression_id>& weights) {
    int made = none;
    for (int k = 0; k < r.at(n).outputs.count && made == none; ++k) made = plan.walk.place_of(r.output(n, k));
    const channel_walk::place& p = plan.walk.places[static_cast<std::size_t>(made)];
    const pool<bool> dead = plan.of(p);
    if (r.is<op::split>(n) && role == channel_role::cuts) {
      auto cut = r.get<op::split>(n);
      cut.sizes = {};
      bool any = false;
      for (int k = 0; k < r.at(n).outputs.count; ++k) {
        const pool<bool> gone = plan.of(plan.walk.places[static_cast<std::size_t>(plan.walk.place_of(r.output(n, k)))]);
        any = any || any_of(gone);
        cut.sizes.push_back(left(gone));
      }
      if (any) r.recode(n, cut);
      return any;
    }
    if (r.is<op::slice>(n)) {
      const value_id x = r.input(n);
      const pool<bool> before = plan.of(plan.walk.places[static_cast<std::size_t>(plan.walk.place_of(x))]);
      if (!any_of(before)) return false;
      extents whole = r.shape(x);  // which has fewer by now
      whole[p.axis] = static_cast<int>(before.size());
      op::slice::walks taken = r.get<op::slice>(n).over(whole);
      op::slice::walk& w = taken[static_cast<std::size_t>(p.axis)];
      int first = 0;
      for (int c = 0; c < w.first; ++c) first += before[static_cast<std::size_t>(c)] ? 0 : 1;
      w = {first, left(dead), 1};
      whole[p.axis] = left(before);
      r.recode(n, op::slice::of(whole, taken));
      return true;
    }
    if (!any_of(dead)) return false;
    if (r.is<op::constant>(n)) {
      weights[0] = without(r, weights[0], p.axis, dead);
      auto held = r.get<op::constant>(n);
      held.shape = as_list(r.shape_of(weights[0]));
      r.recode(n, held);
      return true;
    }
    const int rows = role == channel_role::makes ? known_channels::rows_of(r, n) : 0;
    channel_walk::makers::visit(r, n, [&](auto by) {
      by.out = left(dead);
      if constexpr (requires { by.groups; })
        if (by.groups > 1) by.groups = left(dead);
      r.recode(n, by);
    });
    for (std::size_t k = 0; k < weights.size(); ++k)
      if (k == 0 || r.shape_of(weights[k])[0] > 1)  // else one number of all channels
        weights[k] = without(r, weights[k], k == 0 ? rows : 0, dead);
    return true;
  }
  static constexpr int left(const pool<bool>& dead) {
    int n = 0;
    for (const bool d : dead) n += d ? 0 : 1;
    return n;
  }

  /// What node n makes of one number a channel as output k, as (channels); of channels that it makes others of
  /// something finite.
  static constexpr expression_id number_of(rewriter& r, const dead_channels& plan, node_id n, int k,
                                           const pool<expression_id>& numbers) {
    const channel_walk::place& p = plan.walk.places[static_cast<std::size_t>(plan.walk.place_of(r.output(n, k)))];
    const pool<expression_id> weights = r.weights_of(n);
    const auto of_input = [&](int i) { return numbers[static_cast<std::size_t>(plan.walk.place_of(r.input(n, i)))]; };
    const extents channels{static_cast<int>(p.channels.size())};
    switch (plan.walk.role_of(n, p.axis)) {
      case channel_role::makes: return r.inputs_count(n) == 1 ? number_made(r, n, weights) : r.filled(channels, 0);
      case channel_role::keeps: return number_kept(r, n, of_input(0), weights);
      case channel_role::joins: {
        pool<expression_id> parts;
        for (int i = 0; i < r.at(n).inputs.count; ++i) parts.push_back(of_input(i));
        return r.apply(op::concat{0}, parts);
      }
      case channel_role::cuts: {
        const int first = plan.walk.first_cut(n, k, p.axis);
        const expression_id whole = of_input(0);
        return r.apply(op::slice{{0}, {first}, {first + channels[0]}}, {&whole, 1});
      }
      default: return r.filled(channels, 0);
    }
  }
  static constexpr expression_id number_kept(rewriter& r, node_id n, expression_id number,
                                             const pool<expression_id>& weights) {
    pool<expression_id> x(1, number);
    if (r.is<op::activation>(n)) return activated(r, r.get<op::activation>(n).activation, x[0]);
    if (r.is<op::binary>(n)) {
      const auto by = r.get<op::binary>(n);
      return known_channels::is_number_of_number(by) ? r.apply(by, x) : r.filled(r.shape_of(x[0]), 0);
    }
    const bool scales = r.is<op::scale>(n), shifts = r.is<op::bias>(n), slopes = r.is<op::prelu>(n);
    if (!scales && !shifts && !slopes && !channel_walk::makers::visits(r, n)) return x[0];
    if (r.inputs_count(n) != 1) return r.filled(r.shape_of(x[0]), 0);
    x.append(weights.data(), weights.size());
    if (slopes) return r.apply(op::prelu{}, x);
    if (shifts) return activated(r, r.get<op::bias>(n).activation, r.apply(op::bias{}, x));
    op::scale by;
    activation_function then;
    if (scales) {
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
