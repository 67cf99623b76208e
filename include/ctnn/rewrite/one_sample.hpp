// SPDX-License-Identifier: BSL-1.0
// A batch taken apart: the network for one of its samples, from the network for all.
#pragma once

#include <optional>

#include "samples_apart.hpp"

namespace ctnn::ir {

namespace detail {

inline int first_axis(const extents& shape) { return shape.rank > 0 ? shape[0] : 0; }

}  // namespace detail

/// Samples of the batch that g is for, if it is for one: the first axis of its first input.
inline int samples_of(const graph_view& g) {
  for (const node& n : g.nodes)
    if (n.type == &type_of<op::input>) return detail::first_axis(g.shape(n.outputs.first));
  return 0;
}

namespace detail {

class one_sample_maker {
 public:
  explicit one_sample_maker(const graph_view& g)
      : batch_(g), one_(thaw(g)), many_(g.values.size(), false), samples_(samples_of(g)) {}

  std::optional<graph> run() {
    if (samples_ < 2 || batch_.outputs.empty()) return {};
    for (node& n : one_.nodes)
      if (!(n.type == &type_of<op::input> ? take_input(n) : take(n))) return {};
    for (const network_output& o : batch_.outputs)
      if (!is_many(o.value)) return {};
    return std::move(one_);
  }

 private:
  bool is_many(value_id v) const { return many_[static_cast<std::size_t>(v)]; }
  void take_apart(value_id v) {
    one_.at_value(v).shape[0] = 1;
    many_[static_cast<std::size_t>(v)] = true;
  }
  template <class Op>
  void become(node& n, const Op& op) {
    n.type = &type_of<Op>;
    n.fields = one_.store_fields_of(op);
  }

  /// An input with another first axis is the same for all samples.
  bool take_input(node& n) {
    auto input = decode<op::input>(batch_.fields_of(n.fields));
    if (input.carried) return false;
    if (first_axis(batch_.shape(n.outputs.first)) != samples_) return true;
    take_apart(n.outputs.first);
    input.shape = as_list(one_.view().shape(n.outputs.first));
    become(n, input);
    return true;
  }
  bool take(node& n) {
    pool<bool> many;
    bool any = false;
    for (value_id v : batch_.inputs(n)) {
      many.push_back(is_many(v));
      any = any || is_many(v);
    }
    if (!any) return true;
    for (const extents& shape : output_shapes(batch_, n))
      if (first_axis(shape) != samples_) return false;
    if (!keeps_samples_apart(batch_, n, many)) return false;
    for (int k = 0; k < n.outputs.count; ++k) take_apart(n.outputs.first + k);
    if (is_right(n)) return true;
    if (!n.type->is.view) return false;
    become(n, op::reshape{as_list(one_.view().shape(n.outputs.first))});
    return is_right(n);
  }
  /// Whether the node makes these shapes of these inputs.
  bool is_right(const node& n) const {
    const graph_view g = one_.view();
    const pool<extents> in = input_shapes(g, n), out = output_shapes(g, n);
    const pool<element> element_types = input_elements(g, n), made = output_elements(g, n);
    description d{{made.data(), made.size()}};
    if (n.type->describe(g.fields_of(n.fields), in, element_types, d) || d.outputs.size() != out.size()) return false;
    for (std::size_t k = 0; k < out.size(); ++k)
      if (!(d.outputs[k] == out[k])) return false;
    return true;
  }

  graph_view batch_;
  graph one_;
  pool<bool> many_;  ///< by value: it has the axis of samples, before all others
  int samples_;
};

}  // namespace detail

/// The network for one sample (first axes of 1) of the batch that `batch` is for, whose size is the first axis of its
/// first input. Nodes, values and weights keep their numbers. Nothing if there is no batch, if some node mixes its
/// samples, or if that cannot be told from the shapes.
inline std::optional<graph> one_sample(const graph_view& batch) { return detail::one_sample_maker(batch).run(); }

}  // namespace ctnn::ir
