// SPDX-License-Identifier: BSL-1.0
// What the readers of networks in JSON work with: ways to add nodes and weights, and the one input "x".
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "../../kernels/operator_code.hpp"  // before operators that compare their records
#include "../../graph/operators.hpp"
#include "../import.hpp"
#include "document.hpp"

namespace ctnn::json {

/// Samples that an input has if nobody says another length.
inline constexpr int usual_samples = 64;

/// The input of a file, and the axis along which it may have another extent; the first may be another batch.
struct input_declaration {
  extents shape;
  int samples;
};

class network_builder : public ir::model_builder {
 public:
  explicit network_builder(const budget& limits) : limits_(limits) {}

  const extents& shape(value_id v) const { return model.network.view().shape(v); }

  /// A node for what the file has at `at`; its first output.
  template <class Op>
  value_id node(const element& at, const std::string& name, const Op& op, std::initializer_list<value_id> in) {
    ir::graph& g = model.network;
    if (g.nodes.size() == limits_.layers) at.fail("more layers than the limit, " + std::to_string(limits_.layers));
    const std::vector<value_id> inputs(in);
    if (const problem p = add_node(g, op, fresh_name(name), inputs)) at.fail(describe(p));
    const range out = g.nodes.back().outputs;
    for (int i = 0; i < out.count; ++i)
      if (const extents& s = g.at_value(out.first + i).shape; !within(s, limits_.value_elements))
        at.fail("its output of " + describe(s) + " is above the limit of " + std::to_string(limits_.value_elements) +
                " elements");
    return out.first;
  }
  /// The numbers of weight `slot` of the node that made v.
  void set_weight(const element& at, value_id v, std::size_t slot, std::span<const float> numbers) {
    const expression& leaf = weight_of(v, slot);
    if (checked_count(leaf.shape) != static_cast<std::int64_t>(numbers.size()))
      at.fail("has " + std::to_string(numbers.size()) + " numbers, expected " + describe(leaf.shape));
    model.set_weight(leaf, numbers);
  }
  void set_weights(const element& at, value_id v, std::initializer_list<std::span<const float>> numbers) {
    std::size_t slot = 0;
    for (const std::span<const float> n : numbers) set_weight(at, v, slot++, n);
  }

  value_id constant(const element& at, const std::string& name, const extents& to, std::span<const float> numbers) {
    op::constant op;
    op.shape = as_list(to);
    const value_id v = node(at, name, op, {});
    set_weight(at, v, 0, numbers);
    return v;
  }
  value_id apply(const element& at, const std::string& name, const activation_function& f, value_id x) {
    if (!f) return x;
    op::activation op;
    op.activation = f;
    return node(at, name, op, {x});
  }
  value_id combine(const element& at, const std::string& name, op::binary_function f, value_id a, value_id b) {
    op::binary op;
    op.function = f;
    return node(at, name, op, {a, b});
  }
  value_id with_scalar(const element& at, const std::string& name, op::binary_function f, value_id x, float scalar) {
    op::binary op;
    op.function = f;
    op.scalar = scalar;
    return node(at, name, op, {x});
  }
  value_id permuted(const element& at, const std::string& name, value_id x, std::initializer_list<int> order) {
    return node(at, name, permuting(order), {x});
  }

 private:
  const budget& limits_;
};

/// A convolution whose window ends with the sample that it is for: zeros stand before the first one.
inline op::conv1d causal(const element& at, int out, int kernel, int dilation = 1, int groups = 1, bool bias = true) {
  const std::int64_t before = (std::int64_t{kernel} - 1) * dilation;
  if (before > op::most_of_window)
    at.fail("a window of " + std::to_string(before + 1) + " samples, the most is " +
            std::to_string(op::most_of_window + 1));
  op::conv1d op;
  op.out = out;
  op.kernel = {kernel};
  op.dilation = {dilation};
  op.groups = groups;
  op.bias = bias;
  op.pad = {static_cast<int>(before), 0};
  return op;
}

}  // namespace ctnn::json
