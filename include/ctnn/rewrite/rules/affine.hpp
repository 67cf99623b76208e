// SPDX-License-Identifier: BSL-1.0
// y = x * s + t in its many spellings, with numbers along any axis of a value of any rank: first all of them become
// `scale`, then it is folded into the weights of the convolution, transposed or not, or linear layer that produces x or
// reads y.
#pragma once

#include "affine_maps.hpp"

namespace ctnn::rules {

/// batch_norm  ->  scale
struct batch_norm_to_scale {
  static constexpr rule_info info{"batch_norm_to_scale", "batch_norm -> scale", lowers::tier, numerics::rescales};
  using pattern = single<op::batch_norm>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    const auto norm = r.get<op::batch_norm>(m.last);
    return norm.eps == 0 && norm.zero_root == 0 ? reason{"it may divide by a root of 0"} : reason{};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    auto norm = r.get<op::batch_norm>(m.last);
    const int axis = norm.axis;
    norm.axis = automatic_axis;  // the only one of its weights
    const expression_id gamma = r.weight(m.last, 0), beta = r.weight(m.last, 1), mean = r.weight(m.last, 2),
                        variance = r.weight(m.last, 3);
    const extents c = r.shape_of(gamma);
    const expression_id zero = r.filled(c, 0), one = r.filled(c, 1);
    // The slope is what batch_norm makes of 1 without its shift; the shift is what it makes of 0.
    const expression_id slope[] = {one, gamma, zero, zero, variance}, shift[] = {zero, gamma, beta, mean, variance};
    const expression_id weights[] = {r.apply(norm, slope), r.apply(norm, shift)};
    const value_id x = r.input(m.last);
    r.become(m.last, op::scale{true, axis}, r.name(m.last), {&x, 1}, weights);
  }
};

/// Finds the constant operand of a binary function by whose numbers, one an index of an axis or one for all, it is a
/// layer on channels.
constexpr reason find_channels(const rewriter& r, node_id n, affine_map& m) {
  if (const reason no = find_constant(r, n, m)) return no;
  if (r.shape(m.x).count() == 0) return {"it has no elements"};
  if (r.shape(m.x).rank == 0 || (!m.numbers.is_one_number() && m.numbers.axis() == none))
    return {"the constant is not one number an index of an axis", r.name(r.producer(r.input(n, m.constant)))};
  return {};
}
/// The axis that such a layer says. One number goes along any: that of the outputs of the layer before, or another.
constexpr int channels_of(const rewriter& r, const affine_map& m) {
  if (!m.numbers.is_one_number()) return m.numbers.axis();
  const node_id maker = r.producer(m.x);
  return find::detail::choice<weighted_layer>::has(r.at(maker).type) ? output_axis(r, maker)
                                                                     : channel_axis(r.shape(m.x));
}

/// x * constant, x + constant or prelu(x, constant), one number an index of an axis  ->  scale, bias or prelu
struct binary_to_scale {
  static constexpr rule_info info{"binary_to_scale", "binary(x, constant along an axis) -> scale|bias|prelu",
                                  lowers::tier, numerics::exact};
  struct match : ir::match {
    affine_map map{};
  };
  using pattern = edge<op::constant, op::binary>;
  static constexpr reason guard(const rewriter& r, match& m) {
    using enum op::binary_function;
    const auto b = r.get<op::binary>(m.last);
    if (b.function != mul && b.function != add && b.function != prelu) return {"only +, * and prelu go by channel"};
    if (b.function == prelu && m.input != 1) return {"the constant is not the slope", r.name(m.first)};
    if (b.activation && b.function == prelu) return {"it applies an activation"};
    return find_channels(r, m.last, m.map);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = m.map.x;
    const int axis = channels_of(r, m.map), count = r.shape(x)[axis];
    if (r.get<op::binary>(m.last).function != op::binary_function::prelu)
      return become_affine(r, m.last, x, numbers_of(r, m.map, count), axis, m.map.then);
    const expression_id k = spread(r, r.weight(m.first, 0), count);
    r.become(m.last, op::prelu{spelled_axis(r.shape(x), axis)}, r.name(m.last), {&x, 1}, {&k, 1});
  }
};

/// x - constant or x / constant, one number an index of an axis  ->  bias or scale by its inverse
struct binary_to_inverse_scale {
  static constexpr rule_info info{"binary_to_inverse_scale", "binary(x, -|/ constant along an axis) -> bias|scale",
                                  lowers::tier, numerics::reassociates};
  struct match : ir::match {
    affine_map map{};
  };
  using pattern = edge<op::constant, op::binary>;
  static constexpr reason guard(const rewriter& r, match& m) {
    using enum op::binary_function;
    const auto b = r.get<op::binary>(m.last);
    if (b.function != sub && b.function != div) return {"only - and / have inverses"};
    if (const reason no = find_channels(r, m.last, m.map)) return no;
    // k - x is as good as it is, and part of norms spelled out.
    if (m.map.constant != 1) return {"the constant is not the second operand", r.name(r.producer(r.input(m.last)))};
    return is_affine_by_constant(r, m.last, m.map.constant);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const int axis = channels_of(r, m.map);
    become_affine(r, m.last, m.map.x, numbers_of(r, m.map, r.shape(m.map.x)[axis]), axis, m.map.then);
  }
};

/// conv|conv_transpose|linear > scale|bias|binary with a scalar or a constant along its outputs  ->  the first
struct fold_affine {
  static constexpr rule_info info{"fold_affine",
                                  "conv|conv_transpose|linear > scale|bias|binary(scalar|constant) -> the first",
                                  lowers::nodes, numerics::rescales};
  struct match : ir::match {
    affine_map map{};
  };
  static constexpr bool takes_bytes = true, takes_packed = true;
  using pattern = chain<weighted_layer, affine_layer>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_affine(r, m.last, m.map)) return no;
    if (const reason no = is_complete(r, m.first)) return no;
    if (const reason no = unless_slopes_fit(r, m.first, has_slopes(r, m.map))) return no;
    return unless_along_outputs(r, m.map, m.first);
  }
  static constexpr void rewrite(rewriter& r, const match& m) { fold_into(r, m.first, m.map); }
};

/// scale|bias|binary with a scalar or a constant > the same  ->  scale or bias; two scalars  ->  one
struct merge_affine {
  static constexpr rule_info info{"merge_affine",
                                  "scale|bias|binary(scalar|constant) > the same -> scale|bias|binary(scalar)",
                                  lowers::nodes, numerics::rescales};
  struct match : ir::match {
    affine_map inner{}, outer{};
    op::binary both{};  ///< of two scalars
  };
  using pattern = chain<affine_layer, affine_layer>;
  static constexpr reason guard(const rewriter& r, match& m) {
    for (const node_id n : {m.first, m.last})
      if (r.is<op::binary>(n) && is_neutral(r.get<op::binary>(n))) return {"its scalar changes nothing", r.name(n)};
    if (const reason no = find_bare_affine(r, m.first, m.inner)) return {no.text, r.name(m.first)};
    if (const reason no = find_affine(r, m.last, m.outer)) return no;
    if (is_scalar(r, m.first) && is_scalar(r, m.last)) return find_scalar(r, m);
    if (!m.inner.numbers.meets(m.outer.numbers)) return {"their channels are different axes", r.name(m.first)};
    if (r.shape(m.inner.x).rank == 0) return {"it has no axis", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = m.inner.x;
    if (m.both.scalar) return r.fuse(m.first, m.last, m.both, {&x, 1}, {});
    const int axis = axis_of_both(r, m), count = r.shape(x)[axis], spelled = spelled_axis(r.shape(x), axis);
    const affine inner = numbers_of(r, m.inner, count), outer = numbers_of(r, m.outer, count);
    if (inner.slope == none && outer.slope == none) {
      const expression_id b[] = {inner.shift, outer.shift};
      const expression_id sum = r.apply(op::bias{}, b);
      return r.fuse(m.first, m.last, op::bias{spelled, m.outer.then}, {&x, 1}, {&sum, 1});
    }
    const affine both = fold(r, outer, inner.slope == none ? r.filled({count}, 1) : inner.slope, inner.shift);
    const op::scale result{both.shift != none, spelled, m.outer.then};
    const expression_id weights[] = {both.slope, both.shift};
    r.fuse(m.first, m.last, result, {&x, 1}, {weights, result.bias ? 2u : 1u});
  }

 private:
  static constexpr bool is_scalar(const rewriter& r, node_id n) {
    return r.is<op::binary>(n) && r.get<op::binary>(n).scalar;
  }
  /// x + a + b, b - (x + a) and x * a * b. (Sums of products are part of more: hardsigmoid, GELU.)
  static constexpr reason find_scalar(const rewriter& r, match& m) {
    using enum op::binary_function;
    const auto first = r.get<op::binary>(m.first), last = r.get<op::binary>(m.last);
    const bool factors = multiplies(first.function);
    if (factors != multiplies(last.function)) return find::detail::another_operator;
    double a = static_cast<double>(*first.scalar), b = static_cast<double>(*last.scalar);
    if (first.function == div) a = 1 / a;
    if (last.function == div) b = 1 / b;
    if ((first.function == sub) != (last.function == rsub)) a = -a;
    if (last.function == sub) b = -b;
    const double both = factors ? a * b : a + b, size = both < 0 ? -both : both;
    if (!(size <= 1e38) || (factors && size < static_cast<double>(smallest_divisor)))
      return {"both scalars together are too large or small", r.name(m.first)};
    m.both.function = factors ? mul : (first.function == rsub) != (last.function == rsub) ? rsub : add;
    m.both.scalar = static_cast<float>(both);
    m.both.activation = m.outer.then;
    return {};
  }
  /// Along which both go. One number for all goes along any: that of one which is a layer on channels already.
  static constexpr int axis_of_both(const rewriter& r, const match& m) {
    for (const affine_map* map : {&m.inner, &m.outer})
      if (!map->numbers.is_one_number()) return map->numbers.axis();
    const extents& x = r.shape(m.inner.x);
    for (const node_id n : {m.first, m.last})
      if (!r.is<op::binary>(n)) return channel_axis(x, r.at(n).type->channel_axis(r.fields_of(n)));
    return channels_of(r, m.inner);
  }
};

/// scale|bias|binary(scalar or constant) > conv|conv_transpose|linear  ->  the second: W (s x + t) + b is
/// (W s) x + (W t + b). Padding with zeros does not mind a slope; a shift would have to be there, too. A permute or a
/// reshape that keeps the numbers together may stand between.
struct affine_before {
  static constexpr rule_info info{"affine_before",
                                  "scale|bias|binary(scalar|constant) > conv|conv_transpose|linear -> the second",
                                  lowers::nodes, numerics::rescales};
  struct match {
    node_id first = none, between = none, last = none;
    int input = 0;
    affine_map map{};
    constant_axes numbers{};  ///< where its numbers lie in what `last` reads
  };
  using first = find::node<affine_layer, &match::first>;
  using pattern = find::reader<weighted_layer, &match::last, &match::input,
                               find::alone<find::one_of<first, find::node<find::any_of<op::reshape, op::permute>,
                                                                          &match::between, find::alone<first>>>>>;

 private:
  // Templates stand before who calls them: Clang wants them whole in constants.
  /// Finds the map, and where its numbers lie behind what stands between.
  static constexpr reason find_map(const rewriter& r, match& m) {
    if (const reason no = find_bare_affine(r, m.first, m.map)) return no;
    m.numbers = m.map.numbers;
    if (!m.numbers.in_one_piece()) return {"the constant's axes are not next to each other"};
    if (m.between == none) return {};
    if (r.is<op::permute>(m.between)) {
      if (!m.numbers.is_one_number() && m.numbers.axis() == none) return {"the permute moves the constant's axes"};
      m.numbers = m.numbers.behind(r.get<op::permute>(m.between));
      return {};
    }
    m.numbers = m.numbers.reshaped(r.shape(r.output(m.between)));
    return m.numbers.fits() ? reason{} : reason{"the reshape moves channels"};
  }
  /// The weight of `last` times one number an input, as (groups, outputs, before, inputs, behind).
  template <class Last>
  static constexpr expression_id times(rewriter& r, const Last& last, const match& m, expression_id weight,
                                       expression_id k) {
    const auto all = static_cast<int>(r.shape_of(weight).count());
    const int numbers = static_cast<int>(r.shape_of(k).count());
    extents w{1, 1, 1, numbers, all / numbers};
    if constexpr (std::is_same_v<Last, op::linear>) {
      const extents& v = r.shape(r.input(m.last));
      const int row = v.rank - last.axes, from = m.numbers.is_one_number() ? row : m.numbers.first(),
                to = m.numbers.is_one_number() ? row : m.numbers.end();
      w = {1, last.out, static_cast<int>(v.count(row, from)), numbers, static_cast<int>(v.count(to, v.rank))};
    } else if constexpr (!is_transposed<Last>) {
      const int groups = numbers == 1 ? 1 : last.groups, inputs = numbers / groups;
      w = {groups, last.out / groups, 1, inputs, all / last.out / inputs};
    }
    op::binary by;
    by.function = op::binary_function::mul;
    const expression_id both[] = {r.reshaped(weight, w), r.reshaped(k, {w[0], 1, 1, numbers / w[0], 1})};
    return r.apply(by, both);
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    if (m.input != 0) return {"it is the residual", r.name(m.first)};
    if (const reason no = find_map(r, m)) return {no.text, r.name(m.first)};
    if (r.shape_of(r.weight(m.last, 0)).count() == 0) return {"its weight is empty"};
    const extents& v = r.shape(r.input(m.last));
    reason no;
    weighted_layer::visit(r, m.last, [&]<class Last>(const Last& last) {
      if constexpr (std::is_same_v<Last, op::linear>) {
        if (!m.numbers.is_one_number() && m.numbers.first() < v.rank - last.axes)
          no = {"its channels are not the linear layer's inputs"};
      } else {
        if (!m.numbers.is_along(v.rank - 1 - static_cast<int>(last.kernel.size())))
          no = {"its channels are not the convolution's inputs"};
        if (!has_shifts(r, m.map)) return;
        if constexpr (is_transposed<Last>) {
          no = {"not every output sees the same of a shift"};
        } else {
          for (int p : last.padding(v))
            if (p != 0) no = {"padding with zeros goes round what is shifted"};
        }
      }
    });
    return no ? reason{no.text, r.name(m.first)} : no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const affine map = numbers_of(r, m.map, static_cast<int>(m.numbers.count()));
    pool<expression_id> weights = r.weights_of(m.last);
    r.note(r.name(m.first), r.name(m.last));
    weighted_layer::visit(r, m.last, [&](auto last) {
      const expression_id old = weights[0];
      if (map.slope != none) weights[0] = r.reshaped(times(r, last, m, old, map.slope), r.shape_of(old));
      if (map.shift != none) {
        const expression_id products[] = {times(r, last, m, old, map.shift)};
        op::reduce over;
        over.axes = {2, 3, 4};
        add_to_bias(r, last, weights, r.reshaped(r.apply(over, products), {last.out}));
      }
      if (m.between == none) return r.become(m.last, last, r.name(m.last), r.inputs_with(m.last, 0, m.map.x), weights);
      r.read_instead(m.between, {&m.map.x, 1});
      r.renumber(r.output(m.between));
      r.become(m.last, last, r.name(m.last), r.inputs_of(m.last), weights);
    });
  }
};

}  // namespace ctnn::rules
