// SPDX-License-Identifier: BSL-1.0
// Layers of one input that multiply it alike are one layer that reads it once: queries, keys and values of a decoder's
// step, 1x1 convolutions side by side.
#pragma once

#include <algorithm>

#include "../../graph/cost.hpp"
#include "affine.hpp"

namespace ctnn::rules {

/// linear, conv1d or conv2d, three or more alike of one input, for what multiplies further  ->  one of them with all
/// outputs > split, where its parts lie in one piece and need no copies
struct join_siblings {
  static constexpr rule_info info{"join_siblings", "linear|conv1d|conv2d, three of one input -> one > split",
                                  lowers::nodes, numerics::reassociates};
  static constexpr bool any_type = true;
  struct match : ir::match {
    pool<node_id> layers;
    cost now{}, then{};
  };
  using layers = find::any_of_all<find::any_of<op::linear>, find::fusing_convolutions>;
  using pattern = single<layers>;
  static constexpr std::size_t fewest = 3;  // two nodes take their place

  /// Of floats but for their outputs and biases, of bytes and packed weights but for their outputs.
  template <class Layer>
  static constexpr bool are_alike(const rewriter& r, node_id n, node_id last, Layer a, const Layer& b) {
    if (r.inputs_count(n) != 1) return false;  // nor are any weights inputs
    a.out = b.out;
    if (!b.weight && !r.has_packed_weight(last)) a.bias = b.bias;
    return encode(a) == encode(b) && r.type(r.output(n)) == r.type(r.output(last));
  }
  /// A layer with all their outputs.
  template <class Layer>
  static constexpr Layer joined(const rewriter& r, const pool<node_id>& these, Layer all) {
    all.out = 0;
    for (const node_id n : these) {
      const auto one = r.get<Layer>(n);
      all.out += one.out;
      all.bias = all.bias || one.bias;
    }
    return all;
  }
  /// And its weights: those of each, one after the other. Of floats a layer may lack the bias.
  template <class Layer>
  static constexpr pool<expression_id> joined_weights(rewriter& r, const pool<node_id>& layers, const Layer& all) {
    std::size_t slots = 0;
    for (const node_id n : layers) slots = std::max(slots, r.weights_of(n).size());
    pool<expression_id> weights;
    for (std::size_t k = 0; k < slots; ++k) {
      pool<expression_id> each;
      for (const node_id n : layers) {
        const pool<expression_id> own = r.weights_of(n);
        each.push_back(k < own.size() ? own[k] : r.filled({r.get<Layer>(n).out}, 0));
      }
      weights.push_back(r.apply(op::concat{k == 0 && is_transposed(all) ? 1 : 0}, each));
    }
    return weights;
  }
  static constexpr bool is_transposed(const auto& layer) {
    if constexpr (requires { layer.transposed; }) return layer.transposed;
    else return false;
  }
  /// Why layer n has no outputs more than it has.
  template <class Layer>
  static constexpr reason unless_rows_join(const rewriter& r, node_id n, const Layer& layer) {
    if (layer.weight && (!layer.weight.by_output || !r.type(r.input(n)).real))
      return {"its bytes have one scale for all outputs, or scales that are values"};
    if (!layer.weight && r.type(r.output(n)) != dtype::f32) return {"it computes neither floats nor bytes"};
    if constexpr (!std::is_same_v<Layer, op::linear>) {
      if (layer.groups != 1) return {"its channels are in groups"};
      if (layer.has_slopes()) return {"it applies one slope an output"};
    }
    return {};
  }

 private:
  template <class Layer>
  static constexpr reason refused(const rewriter& r, match& m, const Layer& last) {
    if (const reason no = unless_rows_join(r, m.last, last)) return no;
    const int axis = output_axis(r, m.last);
    // Channels of an image's pixels lie next to each other, those of several rows or images do not.
    if (r.shape(r.output(m.last)).count(0, axis) != 1) return {"parts of its rows would be copied"};
    for (const node_id n : m.layers) {
      const value_id y = r.output(n);
      if (r.is_output(y)) return {"it is a network output", r.name(n)};
      if (const reason no = r.refused_reader(y, [&](node_id k) { return refused_reader(r, k); })) return no;
    }
    for (const node_id n : m.layers) m.now += cost_of(r.view(), n);
    const extents in[] = {r.shape(r.input(m.last))};
    m.then = cost_of(joined(r, m.layers, last), in);
    if (!pays(m.then, m.now))
      return {"one layer would not cost less", {}, false, false, false, m.now.nanoseconds(), m.then.nanoseconds()};
    return {};
  }
  /// What would be taken in stays before, and what would have to move the parts.
  using multiplies = find::any_of_all<layers, find::any_of<op::matmul, op::attention, op::pool>>;
  /// A part that is reshaped is still a part.
  static constexpr reason refused_reader(const rewriter& r, node_id k) {
    const auto multiplies_it = [&](node_id n) {
      return multiplies::visits(r, n) ? reason{} : reason{"what reads it does not multiply", r.name(n)};
    };
    if (!reshapes::visits(r, k)) return multiplies_it(k);
    if (r.is_output(r.output(k))) return {"it is a network output", r.name(k)};
    return r.refused_reader(r.output(k), multiplies_it);
  }

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    constexpr reason nothing{"no other two layers do the same to its input", {}, false, true};
    const value_id x = r.input(m.last);
    if (r.readers(x) < static_cast<int>(fewest)) return nothing;
    reason no;
    layers::visit(r, m.last, [&]<class Layer>(const Layer& last) {
      const auto end = static_cast<node_id>(r.view().nodes.size());
      for (node_id n = r.producer(x) + 1; n < end; ++n)
        if (r.live(n) && r.is<Layer>(n) && r.input(n) == x && are_alike(r, n, m.last, r.get<Layer>(n), last))
          m.layers.push_back(n);
      if (m.layers.size() < fewest || m.layers.back() != m.last) return void(no = nothing);
      no = refused(r, m, last);
    });
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    // Whoever reads the first stands behind the second, whose place the parts take.
    r.move_behind(m.layers[0], m.layers[1]);
    pool<node_id> all_layers = m.layers;
    all_layers[1] = m.layers[0] + 1;
    layers::visit(r, m.last, [&](const auto& last) {
      const auto all = joined(r, all_layers, last);
      op::split parts;
      parts.axis = output_axis(r, m.last);
      extents whole = r.shape(r.output(m.last));
      whole[parts.axis] = all.out;
      for (const node_id n : all_layers) parts.sizes.push_back(r.get<std::remove_cvref_t<decltype(last)>>(n).out);
      const pool<expression_id> weights = joined_weights(r, all_layers, all);
      r.join(all_layers, all, weights, whole, parts);
      r.chosen_by_cost(m.now.nanoseconds(), m.then.nanoseconds());
    });
  }
};

}  // namespace ctnn::rules
