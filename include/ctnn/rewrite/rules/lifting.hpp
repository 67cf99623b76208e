// SPDX-License-Identifier: BSL-1.0
// Arithmetic moves before what only rearranges, towards the convolution it may become part of.
#pragma once

#include "movement.hpp"

namespace ctnn::rules {

/// reshape|flatten|permute|pixel_shuffle|channel_shuffle|expand, or interpolate that copies, >
/// activation|binary(scalar)|quantize(integers)  ->  the other way round; the same > scale|bias|prelu, where channels
/// stay channels  ->  the other way round
struct function_first {
  static constexpr rule_info info{"function_first",
                                  "reshape|flatten|permute|a shuffle|interpolate(nearest)|expand > activation|"
                                  "binary(scalar)|scale|bias|prelu|quantize(integers) -> the other way round",
                                  lowers::position, numerics::exact};
  static constexpr bool any_type = true;
  using shuffles = find::any_of<op::channel_shuffle, op::pixel_shuffle>;
  using movement =
      find::any_of_all<find::any_of<op::reshape, op::flatten, op::permute, op::interpolate, op::expand>, shuffles>;
  using by_channel = find::any_of<op::scale, op::bias, op::prelu>;
  using pattern =
      chain<movement, find::any_of<op::activation, op::binary, op::scale, op::bias, op::prelu, op::quantize>>;
  /// The axis of what `last` reads that its channels are.
  static constexpr int channels_behind(const rewriter& r, const match& m) {
    return channel_axis(r.shape(r.output(m.first)), r.at(m.last).type->channel_axis(r.fields_of(m.last)));
  }
  /// The axis of what is moved whose indices are those of the channels behind, or none. (Those of a shuffle are made of
  /// others.)
  static constexpr int channels_before(const rewriter& r, const match& m) {
    const extents &x = r.shape(r.input(m.first)), &y = r.shape(r.output(m.first));
    const int axis = channels_behind(r, m);
    if (r.is<op::permute>(m.first)) return source_axis(r.get<op::permute>(m.first), axis);
    if (shuffles::visits(r, m.first)) return axis <= y.rank - 3 ? axis : none;
    if (r.is<op::interpolate>(m.first)) return axis < y.rank - r.get<op::interpolate>(m.first).axes ? axis : none;
    const constant_axes numbers = constant_axes(y, axis).reshaped(x);
    return r.is<op::expand>(m.first) || !numbers.fits() ? none : numbers.some_axis();
  }
  /// Why there is nothing to gain, or more than numbers that move.
  static constexpr reason unless_it_moves(const rewriter& r, node_id first) {
    const extents &x = r.shape(r.input(first)), &y = r.shape(r.output(first));
    if (r.is<op::channel_shuffle>(first)) return {};
    const bool permutes = r.is<op::permute>(first);
    if (permutes ? moves_only_ones(r.get<op::permute>(first), x) : x == y) return {"there is nothing to go before"};
    if (!r.is<op::interpolate>(first)) return {};
    const auto p = r.get<op::interpolate>(first);
    if (p.mode != op::interpolation::nearest || p.crops()) return {"it computes numbers"};
    return x.count() > y.count() ? reason{"there are fewer numbers behind it"} : reason{};
  }
  /// Why a factor behind what is no view stays there: sums have factors of their own.
  static constexpr reason unless_sums_take_it(const rewriter& r, const match& m) {
    if (r.at(m.first).type->is.rearranges || !r.is<op::binary>(m.last)) return {};
    const auto b = r.get<op::binary>(m.last);
    if (b.function != op::binary_function::mul || b.activation || r.is_output(r.output(m.last))) return {};
    return r.refused_reader(r.output(m.last), [&](node_id n) {
      const bool adds =
          r.is<op::eltwise>(n) || (r.is<op::binary>(n) && r.get<op::binary>(n).function == op::binary_function::add);
      return adds ? reason{"the sum behind it may take the factor", r.name(n)} : reason{};
    });
  }
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (r.inputs_count(m.last) != 1) return {"it has no scalar operand"};
    if (const reason no = unless_sums_take_it(r, m)) return no;
    if (r.is<op::quantize>(m.last) && !r.type(r.input(m.last)).real) return {"it reads no integers"};
    if (const reason no = unless_it_moves(r, m.first)) return {no.text, r.name(m.first)};
    if (!r.at(m.last).type->channel_axis) return {};
    return channels_before(r, m) == none ? reason{"it moves channels", r.name(m.first)} : reason{};
  }
  /// One number a channel of what the shuffle makes, as one a channel of what it reads.
  static constexpr expression_id shuffled_back(rewriter& r, node_id shuffle, expression_id numbers) {
    const auto count = static_cast<int>(r.shape_of(numbers).count());
    if (r.is<op::channel_shuffle>(shuffle)) {
      const int groups = r.get<op::channel_shuffle>(shuffle).groups;
      const expression_id turned[] = {r.reshaped(numbers, {count / groups, groups})};
      return r.reshaped(r.apply(op::permute{{1, 0}}, turned), {count});
    }
    const pair block = r.get<op::pixel_shuffle>(shuffle).factor;
    const expression_id each[] = {r.filled({count, block[0] * block[1]}, 1), r.reshaped(numbers, {count, 1})};
    op::binary times;
    times.function = op::binary_function::mul;
    return r.reshaped(r.apply(times, each), {count * block[0] * block[1]});
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    if (!r.at(m.last).type->channel_axis) return r.exchange(m.first, m.last, {&x, 1}, r.shape(x));
    const int axis = channels_before(r, m);
    if (shuffles::visits(r, m.first) && axis == r.shape(x).rank - 3) {
      pool<expression_id> weights = r.weights_of(m.last);
      for (expression_id& w : weights) w = shuffled_back(r, m.first, w);
      r.reweigh(m.last, weights);
    }
    by_channel::visit(r, m.last, [&](auto last) {
      last.axis = spelled_axis(r.shape(x), axis);
      r.recode(m.last, last);
      r.exchange(m.first, m.last, {&x, 1}, r.shape(x));
    });
  }
};

/// binary(reshape(a), reshape(b)), a and b of one shape  ->  reshape(binary(a, b))
struct reshape_once {
  static constexpr rule_info info{"reshape_once", "binary(reshape(a), reshape(b)) -> reshape(binary(a, b))",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match {
    node_id both = none, first = none, second = none;
    value_id a = none, b = none;
  };
  using pattern =
      find::node<op::binary, &match::both, find::alone<find::node<op::reshape, &match::first, find::value<&match::a>>>,
                 find::or_say<"its other operand is not reshaped for it alone",
                              find::alone<find::node<op::reshape, &match::second, find::value<&match::b>>>>>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    if (!(r.shape(m.a) == r.shape(m.b)) || !(r.shape(r.output(m.first)) == r.shape(r.output(m.second))))
      return {"its operands are reshaped differently", r.name(m.second)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const node_id earlier = m.first < m.second ? m.first : m.second, later = m.first < m.second ? m.second : m.first;
    const value_id in[] = {m.a, m.b};
    r.note(r.name(earlier), r.name(m.both));
    r.exchange(later, m.both, r.get<op::binary>(m.both), in, r.shape(m.a), reshape_to(r.shape(r.output(m.both))));
  }
};

}  // namespace ctnn::rules
