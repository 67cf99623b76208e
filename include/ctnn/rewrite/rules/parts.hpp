// SPDX-License-Identifier: BSL-1.0
// What follows parts that were joined, or a value that is cut into parts, moves into the layers above: Inception's
// concat > batch norm > relu, a convolution whose halves are activated.
#pragma once

#include "activation.hpp"
#include "affine.hpp"

namespace ctnn::rules {

/// Who makes part i of what `concat` joins, if nobody else reads it.
constexpr reason made_for_it(const rewriter& r, node_id concat, int i) {
  const value_id v = r.input(concat, i);
  if (r.readers(v) == 1) return {};
  return {r.is_output(v) ? "its input is a network output too" : "its input is also read by another layer",
          r.name(r.producer(v)), true};
}
/// `last` is part of the layers that make what `joins` does, which takes its place.
constexpr void joined_last(rewriter& r, node_id joins, node_id last) {
  for (int i = 0; i < r.at(joins).inputs.count; ++i) r.note(r.name(last), r.name(r.producer(r.input(joins, i))));
  r.become(last, r.get<op::concat>(joins), r.name(joins), r.inputs_of(joins), {});
}

/// concat of layers that apply an activation > activation  ->  the layers with it > concat
struct activation_before_concat {
  static constexpr rule_info info{"activation_before_concat",
                                  "concat(conv|...|bias, ...) > activation -> concat of the layers with it",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<op::concat, op::activation>;
  static constexpr reason guard(const rewriter& r, const match& m) {
    for (int i = 0; i < r.at(m.first).inputs.count; ++i) {
      const node_id part = r.producer(r.input(m.first, i));
      if (!find::detail::choice<activates>::has(r.at(part).type)) return {"not every part applies one", r.name(part)};
      if (const reason no = made_for_it(r, m.first, i)) return no;
      activation_function both;
      if (const reason no = fuse_activation::take_over(r, part, m.last, both)) return no;
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    for (int i = 0; i < r.at(m.first).inputs.count; ++i) {
      const node_id part = r.producer(r.input(m.first, i));
      activation_function both;
      fuse_activation::take_over(r, part, m.last, both);
      activates::visit(r, part, [&](auto layer) {
        layer.activation = both;
        r.become(part, layer, r.name(part), r.inputs_of(part), pool<expression_id>(r.view().weights(r.at(part))),
                 r.shape(r.output(part)));
      });
    }
    joined_last(r, m.first, m.last);
  }
};

/// concat of convolutions and linear layers > scale|bias|binary with a scalar or a constant  ->  concat of what takes
/// its part of it
struct affine_before_concat {
  static constexpr rule_info info{
      "affine_before_concat",
      "concat(conv|linear, ...) > scale|bias|binary(scalar|constant) -> concat of the layers with it", lowers::nodes,
      numerics::rescales};
  struct match : ir::match {
    affine_map map{};
  };
  using pattern = chain<op::concat, affine_layer>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_affine(r, m.last, m.map)) return no;
    for (int i = 0; i < r.at(m.first).inputs.count; ++i) {
      const node_id part = r.producer(r.input(m.first, i));
      if (!find::detail::choice<weighted_layer>::has(r.at(part).type))
        return {"not every part has weights", r.name(part)};
      if (const reason no = made_for_it(r, m.first, i)) return no;
      if (const reason no = is_complete(r, part)) return no;
      if (!m.map.numbers.is_along(output_axis(r, part)))
        return {"its channels are not the outputs of every part", r.name(part)};
    }
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const int joined = normal_axis(r.get<op::concat>(m.first).axis, r.shape(m.map.x).rank);
    const bool cut = !m.map.numbers.is_one_number() && m.map.numbers.axis() == joined;
    int begin = 0;
    for (int i = 0; i < r.at(m.first).inputs.count; ++i) {
      const node_id part = r.producer(r.input(m.first, i));
      const int outputs = r.shape(r.output(part))[output_axis(r, part)];
      affine map = numbers_of(r, m.map, cut ? r.shape(m.map.x)[joined] : outputs);
      if (cut) {
        if (map.slope != none) map.slope = some_of(r, map.slope, begin, outputs);
        if (map.shift != none) map.shift = some_of(r, map.shift, begin, outputs);
        begin += outputs;
      }
      with_map(r, part, map, m.map.then, [&](const auto& layer, std::span<const expression_id> weights) {
        r.become(part, layer, r.name(part), r.inputs_of(part), weights, r.shape(r.output(part)));
      });
    }
    joined_last(r, m.first, m.last);
  }

 private:
  static constexpr expression_id some_of(rewriter& r, expression_id all, int begin, int count) {
    const expression_id of[] = {all};
    return r.apply(op::slice{{0}, {begin}, {begin + count}}, of);
  }
};

/// conv|conv_transpose|linear > split > scale|bias|binary with a scalar or a constant of a part  ->  the first, which
/// takes it in for the part's outputs, > split
struct affine_before_split {
  static constexpr rule_info info{"affine_before_split",
                                  "conv|linear > split > scale|bias|binary(scalar|constant) of a part -> the first two",
                                  lowers::nodes, numerics::rescales};
  static constexpr bool takes_packed = true;
  struct match {
    node_id first = none, cut = none, last = none;
    affine_map map{};
  };
  using pattern = find::node<
      affine_layer, &match::last,
      find::alone<find::node<op::split, &match::cut, find::alone<find::node<weighted_layer, &match::first>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (const reason no = find_bare_affine(r, m.last, m.map)) return no;
    if (const reason no = is_complete(r, m.first)) return no;
    const extents& y = r.shape(r.output(m.first));
    const int outputs = output_axis(r, m.first);
    if (normal_axis(r.get<op::split>(m.cut).axis, y.rank) != outputs)
      return {"its parts are not some of the outputs each", r.name(m.cut)};
    if (!m.map.numbers.is_along(outputs)) return {"its channels are not the outputs of the layer", r.name(m.first)};
    return {};
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id part = m.map.x;
    const int axis = output_axis(r, m.first), own = r.shape(part)[axis];
    int before = 0;
    for (int k = 0; r.output(m.cut, k) != part; ++k) before += r.shape(r.output(m.cut, k))[axis];
    const int behind = r.shape(r.output(m.first))[axis] - own - before;
    affine map = numbers_of(r, m.map, own);
    if (map.slope != none) map.slope = between(r, before, map.slope, behind, 1);
    if (map.shift != none) map.shift = between(r, before, map.shift, behind, 0);
    with_map(r, m.first, map, {}, [&](const auto& layer, std::span<const expression_id> weights) {
      r.become(m.first, layer, r.name(m.first), r.inputs_of(m.first), weights, r.shape(r.output(m.first)));
    });
    r.bypass(m.last, part, r.name(m.first));
    r.renumber(part);
  }

 private:
  /// So many `others`, the numbers, and others behind.
  static constexpr expression_id between(rewriter& r, int before, expression_id numbers, int behind, float others) {
    pool<expression_id> all;
    if (before > 0) all.push_back(r.filled({before}, others));
    all.push_back(numbers);
    if (behind > 0) all.push_back(r.filled({behind}, others));
    return all.size() == 1 ? numbers : r.apply(op::concat{0}, all);
  }
};

/// a layer that applies an activation > split, all of whose parts one function is applied to  ->  the layer with the
/// function > split
struct activation_before_split {
  static constexpr rule_info info{"activation_before_split",
                                  "conv|...|bias > split > activation of every part -> the first two", lowers::nodes,
                                  numerics::exact};
  struct match {
    node_id first = none, cut = none, last = none;
    activation_function both{};
  };
  static constexpr bool any_type = true;
  using pattern = find::node<op::activation, &match::last,
                             find::node<op::split, &match::cut, find::alone<find::node<activates, &match::first>>>>;
  /// Does node n apply to a part what `last` does?
  static constexpr bool does_the_same(const rewriter& r, const match& m, node_id n) {
    return r.live(n) && r.is<op::activation>(n) && r.producer(r.input(n)) == m.cut &&
           r.get<op::activation>(n).activation == r.get<op::activation>(m.last).activation &&
           r.type(r.output(n)) == r.type(r.output(m.last));
  }
  static constexpr reason guard(const rewriter& r, match& m) {
    int readers = 0, same = 0;
    for (int k = 0; k < r.at(m.cut).outputs.count; ++k) readers += r.readers(r.output(m.cut, k));
    for (std::size_t n = 0; n < r.view().nodes.size(); ++n) same += does_the_same(r, m, static_cast<node_id>(n));
    if (same != readers) return {"it is not applied to all of every part", r.name(m.cut)};
    return fuse_activation::take_over(r, m.first, m.last, m.both);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const pool<expression_id> weights(r.view().weights(r.at(m.first)));
    pool<node_id> gone;  // known before the first goes: its readers read the part then
    for (std::size_t n = 0; n < r.view().nodes.size(); ++n)
      if (does_the_same(r, m, static_cast<node_id>(n))) gone.push_back(static_cast<node_id>(n));
    for (const node_id n : gone) r.bypass(n, r.input(n), r.name(m.first));
    activates::visit(r, m.first, [&](auto layer) {
      layer.activation = m.both;
      r.become(m.first, layer, r.name(m.first), r.inputs_of(m.first), weights, r.shape(r.output(m.first)));
    });
    for (int k = 0; k < r.at(m.cut).outputs.count; ++k) r.renumber(r.output(m.cut, k));
  }
};

}  // namespace ctnn::rules
