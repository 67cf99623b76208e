// SPDX-License-Identifier: BSL-1.0
// Layers of one input that multiply it alike are one layer that reads it once: queries, keys and values of a decoder's
// step, 1x1 convolutions side by side.
#pragma once

#include "../../graph/cost.hpp"
#include "affine.hpp"

namespace ctnn::rules {

/// linear, conv1d or conv2d, three or more alike of one input, for what multiplies further  ->  one of them with all
/// outputs > split, where its parts lie in one piece and need no copies
struct join_siblings {
  static constexpr rule_info info{"join_siblings", "linear|conv1d|conv2d, three of one input -> one > split",
                                  lowers::nodes, numerics::reassociates};
  struct match : ir::match {
    pool<node_id> layers;
    cost now{}, then{};
  };
  using layers = find::any_of_all<find::any_of<op::linear>, find::fusing_convolutions>;
  using pattern = single<layers>;
  static constexpr std::size_t fewest = 3;  // two nodes take their place

 private:
  /// But for their outputs and biases.
  template <class Layer>
  static constexpr bool are_alike(const rewriter& r, node_id n, Layer a, const Layer& b) {
    if (r.inputs_count(n) != 1) return false;  // nor are any weights inputs
    a.out = b.out;
    a.bias = b.bias;
    return encode(a) == encode(b);
  }
  template <class Layer>
  static constexpr Layer joined(const rewriter& r, const match& m, Layer all) {
    all.out = 0;
    for (const node_id n : m.layers) {
      const auto one = r.get<Layer>(n);
      all.out += one.out;
      all.bias = all.bias || one.bias;
    }
    return all;
  }
  template <class Layer>
  static constexpr reason refused(const rewriter& r, match& m, const Layer& last) {
    if constexpr (!std::is_same_v<Layer, op::linear>) {
      if (last.groups != 1) return {"its channels are in groups"};
      if (last.has_slopes()) return {"it applies one slope an output"};
    }
    const int axis = output_axis(r, m.last);
    // Channels of an image's pixels lie next to each other, those of several rows or images do not.
    if (r.shape(r.output(m.last)).count(0, axis) != 1) return {"parts of its rows would be copied"};
    for (const node_id n : m.layers) {
      const value_id y = r.output(n);
      if (r.is_output(y)) return {"it is a network output", r.name(n)};
      const reason no = r.refused_reader(y, [&](node_id k) -> reason {
        if (k < m.layers[1]) return {"it is read before the next of them", r.name(n)};
        if (!multiplies::visits(r, k)) return {"what reads it does not multiply", r.name(k)};
        return {};
      });
      if (no) return no;
    }
    for (const node_id n : m.layers) m.now += cost_of(r.view(), n);
    const extents in[] = {r.shape(r.input(m.last))};
    m.then = cost_of(joined(r, m, last), in);
    if (!pays(m.then, m.now))
      return {"one layer would not cost less", {}, false, false, false, m.now.nanoseconds(), m.then.nanoseconds()};
    return {};
  }
  /// What would be taken in stays before, and what would have to move the parts.
  using multiplies = find::any_of_all<layers, find::any_of<op::matmul, op::attention, op::pool>>;

 public:
  static constexpr reason guard(const rewriter& r, match& m) {
    constexpr reason nothing{"no other two layers do the same to its input", {}, false, true};
    const value_id x = r.input(m.last);
    if (r.readers(x) < static_cast<int>(fewest)) return nothing;
    reason no;
    layers::visit(r, m.last, [&]<class Layer>(const Layer& last) {
      const auto end = static_cast<node_id>(r.view().nodes.size());
      for (node_id n = r.producer(x) + 1; n < end; ++n)
        if (r.live(n) && r.is<Layer>(n) && r.input(n) == x && are_alike(r, n, r.get<Layer>(n), last))
          m.layers.push_back(n);
      if (m.layers.size() < fewest || m.layers.back() != m.last) return void(no = nothing);
      no = refused(r, m, last);
    });
    return no;
  }
  static constexpr void rewrite(rewriter& r, const match& m) {
    layers::visit(r, m.last, [&](const auto& last) {
      const auto all = joined(r, m, last);
      op::split parts;
      parts.axis = output_axis(r, m.last);
      extents whole = r.shape(r.output(m.last));
      whole[parts.axis] = all.out;
      pool<expression_id> rows, biases;
      for (const node_id n : m.layers) {
        const pool<expression_id> own = r.weights_of(n);
        const int out = r.shape_of(own[0])[0];
        parts.sizes.push_back(out);
        rows.push_back(own[0]);
        if (all.bias) biases.push_back(own.size() > 1 ? own[1] : r.filled({out}, 0));
      }
      pool<expression_id> weights(1, r.apply(op::concat{0}, rows));
      if (all.bias) weights.push_back(r.apply(op::concat{0}, biases));
      r.join(m.layers, all, weights, whole, parts);
      r.chosen_by_cost(m.now.nanoseconds(), m.then.nanoseconds());
    });
  }
};

}  // namespace ctnn::rules
