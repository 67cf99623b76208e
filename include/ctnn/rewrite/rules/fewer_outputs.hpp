// SPDX-License-Identifier: BSL-1.0
// What is cut out of a layer's result is not computed first: the layer makes fewer outputs, or fewer pixels, or it
// becomes two layers of a part each, which take in what follows their part (the gates of a WaveNet).
#pragma once

#include "activation.hpp"
#include "siblings.hpp"

namespace ctnn::rules {

/// Why layer n, which may have several readers, cannot make some of its outputs alone.
constexpr reason unless_outputs_part(const rewriter& r, node_id n) {
  for (const value_id v : {r.input(n), r.output(n)})
    if (r.type(v) != dtype::f32 && !is_byte(r.type(v))) return {"it computes neither floats nor bytes", r.name(n)};
  if (r.inputs_count(n) != 1) return {"its input adds a residual", r.name(n)};
  reason no;
  weighted_layer::visit(r, n, [&](const auto& layer) {
    if constexpr (requires { layer.groups; })
      if (layer.groups != 1) no = {"its channels are in groups", r.name(n)};
    if constexpr (requires { layer.weight; })
      if (layer.weight.is_packed()) no = {"its weight is packed", r.name(n)};
  });
  return no;
}

/// Layer n with those outputs alone that `taken` walks through: put(layer, weights).
constexpr void with_outputs(rewriter& r, node_id n, const op::slice::walk& taken, auto&& put) {
  weighted_layer::visit(r, n, [&]<class Layer>(Layer layer) {
    pool<expression_id> weights = r.weights_of(n);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const extents w = r.shape_of(weights[k]);
      if (k > 0 && w.count() == 1) continue;  // one number for all
      const bool second = k == 0 && (is_transposed<Layer> || join_siblings::is_transposed(layer));
      op::slice::walks walks = op::slice{}.over(w);
      walks[second ? 1 : 0] = taken;
      const op::slice part = op::slice::of(w, walks);
      if (!part.takes_all(w)) weights[k] = r.apply(part, {&weights[k], 1});
    }
    layer.out = taken.count;
    put(layer, weights);
  });
}

/// conv|conv_transpose|linear > slice of its outputs, conv > slice or pool of every other pixel  ->  the first
struct fewer_outputs {
  static constexpr rule_info info{"fewer_outputs",
                                  "conv|conv_transpose|linear > slice|pool(one of several) -> the first", lowers::nodes,
                                  numerics::exact};
  static constexpr bool any_type = true;
  using pattern = chain<weighted_layer, find::any_of<op::slice, op::pool>>;

 private:
  /// What slice or pool n takes of y; nothing if it is a pool that looks at more than a pixel.
  static constexpr op::slice::walks taken(const rewriter& r, node_id n, const extents& y) {
    if (r.is<op::slice>(n)) return r.get<op::slice>(n).over(y);
    const auto p = r.get<op::pool>(n);
    op::slice::walks all = op::slice{}.over(y);
    const extents& made = r.shape(r.output(n));
    for (int i = 0; i < p.axes; ++i) {
      const int axis = y.rank - p.axes + i;
      const bool one_by_one = p.kernel.at(i) == 1 && p.pad.at(i) == 0 && p.pad.at(i + p.axes) == 0;
      all[static_cast<std::size_t>(axis)] = {0, one_by_one ? made[axis] : 0, p.stride.at(i)};
    }
    return all;
  }

 public:
  static constexpr reason guard(const rewriter& r, const match& m) {
    const extents& y = r.shape(r.output(m.first));
    const int axis = output_axis(r, m.first);
    const op::slice::walks walks = taken(r, m.last, y);
    for (int a = 0; a < y.rank; ++a)
      if (walks[static_cast<std::size_t>(a)].count == 0)
        return r.is<op::pool>(m.last) ? find::detail::another_operator : reason{"it takes nothing"};
    reason no = unless_outputs_part(r, m.first);
    weighted_layer::visit(r, m.first, [&]<class Layer>(const Layer&) {
      for (int a = 0; a < y.rank; ++a) {
        const op::slice::walk& w = walks[static_cast<std::size_t>(a)];
        if (a == axis || w.takes_all(y[a])) continue;
        const bool by_steps = a > axis && w.first == 0 && w.step > 0 && w.count == (y[a] - 1) / w.step + 1;
        if (is_transposed<Layer> || std::is_same_v<Layer, op::linear> || !by_steps)
          no = {"it cuts more than outputs", r.name(m.first)};
      }
    });
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const int axis = output_axis(r, m.first);
    const value_id x = r.input(m.first);
    const op::slice::walks walks = taken(r, m.last, r.shape(r.output(m.first)));
    with_outputs(r, m.first, walks[static_cast<std::size_t>(axis)],
                 [&]<class Layer>(Layer layer, const pool<expression_id>& weights) {
                   if constexpr (!is_transposed<Layer> && !std::is_same_v<Layer, op::linear>) {
                     layer.pad = layer.padding(r.shape(x));
                     layer.same = same_padding::none;
                     for (std::size_t i = 0; i < layer.stride.size(); ++i)
                       layer.stride[i] *= walks[static_cast<std::size_t>(axis) + 1 + i].step;
                   }
                   r.fuse(m.first, m.last, layer, {&x, 1}, weights);
                 });
  }
};

/// conv|conv_transpose|linear whose outputs two slices share  ->  two layers, where their parts do not lie in one piece
struct halves_apart {
  static constexpr rule_info info{"halves_apart", "conv|linear > two slices of its outputs -> two layers",
                                  lowers::nodes, numerics::exact};
  static constexpr bool any_type = true;
  struct match : ir::match {
    node_id other = none;  ///< the other slice
    op::slice::walk taken[2]{};
  };
  using pattern = edge<weighted_layer, op::slice>;

 private:
  /// Finds what slice n takes of the outputs of `first`.
  static constexpr reason find_outputs(const rewriter& r, const match& m, node_id n, op::slice::walk& taken) {
    const extents& y = r.shape(r.output(m.first));
    const int axis = output_axis(r, m.first);
    const op::slice::walks walks = r.get<op::slice>(n).over(y);
    for (int a = 0; a < y.rank; ++a)
      if (a != axis && !walks[static_cast<std::size_t>(a)].takes_all(y[a]))
        return {"it cuts more than outputs", r.name(m.first)};
    taken = walks[static_cast<std::size_t>(axis)];
    return taken.count == 0 || taken.step != 1 ? reason{"its outputs are not next to each other", r.name(m.first)}
                                               : reason{};
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    const value_id y = r.output(m.first);
    if (r.readers(y) != 2 || r.is_output(y)) return find::detail::another_operator;
    for (node_id n = m.first + 1; n < m.last; ++n)
      if (r.live(n) && r.is<op::slice>(n) && r.input(n) == y) m.other = n;
    if (m.other == none) return find::detail::another_operator;
    if (const reason no = find_outputs(r, m, m.last, m.taken[0])) return no;
    if (const reason no = find_outputs(r, m, m.other, m.taken[1])) return no;
    const int axis = output_axis(r, m.first), whole = r.shape(y)[axis];
    const op::slice::walk &a = m.taken[m.taken[0].first == 0 ? 0 : 1], &b = m.taken[m.taken[0].first == 0 ? 1 : 0];
    if (a.first != 0 || b.first != a.count || b.first + b.count != whole)
      return {"the two do not share the outputs", r.name(m.first)};
    if (r.shape(y).count() == whole) return {"parts of one piece need no copies", r.name(m.first)};
    return unless_outputs_part(r, m.first);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const value_id x = r.input(m.first);
    for (const node_id n : {m.other, m.last}) {
      const op::slice::walk& taken = m.taken[n == m.last ? 0 : 1];
      with_outputs(r, m.first, taken, [&](const auto& layer, const pool<expression_id>& weights) {
        if (n == m.last) r.note(r.name(m.first), r.name(n));
        r.become(n, layer, r.name(n), {&x, 1}, weights);
      });
    }
  }
};

/// conv|conv_transpose|linear > split in two > activation of one part  ->  two layers, one with the activation
struct part_with_activation {
  static constexpr rule_info info{"part_with_activation",
                                  "conv|linear > split in two > activation of a part -> two layers", lowers::nodes,
                                  numerics::exact};
  struct match {
    node_id first = none, cut = none, last = none;
    activation_function both{};
  };
  static constexpr bool any_type = true;
  using pattern = find::node<
      op::activation, &match::last,
      find::alone<find::node<op::split, &match::cut, find::alone<find::node<weighted_layer, &match::first>>>>>;
  static constexpr reason guard(const rewriter& r, match& m) {
    if (r.at(m.cut).outputs.count != 2) return {"it cuts into more than two", r.name(m.cut)};
    const extents& y = r.shape(r.output(m.first));
    if (normal_axis(r.get<op::split>(m.cut).axis, y.rank) != output_axis(r, m.first))
      return {"its parts are not some of the outputs each", r.name(m.cut)};
    for (int k = 0; k < 2; ++k)
      if (r.readers(r.output(m.cut, k)) == 0) return {"nobody reads the other part", r.name(m.cut)};
    if (const reason no = unless_outputs_part(r, m.first)) return no;
    return fuse_activation::take_over(r, m.first, m.last, m.both);
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    const int axis = output_axis(r, m.first), mine = r.input(m.last) == r.output(m.cut) ? 0 : 1;
    const int sizes[] = {r.shape(r.output(m.cut, 0))[axis], r.shape(r.output(m.cut, 1))[axis]};
    const op::slice::walk parts[] = {{0, sizes[0], 1}, {sizes[0], sizes[1], 1}};
    const value_id x = r.input(m.first);
    with_outputs(r, m.first, parts[mine], [&](auto layer, const pool<expression_id>& weights) {
      layer.activation = m.both;
      r.note(r.name(m.first), r.name(m.last));
      r.become(m.last, layer, r.name(m.last), {&x, 1}, weights);
    });
    with_outputs(r, m.first, parts[1 - mine], [&](const auto& layer, const pool<expression_id>& weights) {
      r.keep_output(m.cut, 1 - mine);
      r.become(m.cut, layer, r.name(m.cut), {&x, 1}, weights);
    });
  }
};

}  // namespace ctnn::rules
