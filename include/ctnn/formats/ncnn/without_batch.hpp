// SPDX-License-Identifier: BSL-1.0
// ncnn has no batch: a graph whose inputs have one of 1, made the same without it.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "../../rewrite/moved_axes.hpp"
#include "../../rewrite/samples_apart.hpp"

namespace ctnn::ncnn {

namespace detail {

/// Makes the graph again, node by node. A value has up to two forms: as it was, and without its first axis, which is 1.
class batch_remover {
 public:
  explicit batch_remover(const graph_view& g)
      : g_(g), forms_(g.values.size(), {none, none}), batched_(g.values.size()) {
    out_.expressions = pool<expression>(g.expressions);  // of the same numbers: weights stay whose they are
    out_.operands = pool<int>(g.operands);
    out_.fields = pool<double>(g.fields);
  }

  graph run() {
    for (std::size_t i = 0; i < g_.nodes.size(); ++i)
      if (!g_.nodes[i].dead) move(static_cast<node_id>(i));
    for (const network_output& o : g_.outputs) {
      const auto& f = forms_[index(o.value)];
      add_output(out_, o.name, f[1] != none ? f[1] : f[0]);
    }
    return std::move(out_);
  }

 private:
  static std::size_t index(value_id v) { return static_cast<std::size_t>(v); }
  static bool has_batch(const extents& s) { return s.rank >= 2 && s[0] == 1; }
  static extents inner(const extents& s) { return s.from(1); }

  /// A node like `n` with other inputs and fields; its outputs become that form of n's. False if these were of another
  /// shape then.
  bool add(const node& n, std::span<const value_id> in, std::span<const double> fields, std::size_t form) {
    const pool<element> made_there = output_elements(g_, n);
    const ir::types elements(made_there.data(), made_there.size());
    description d{elements};
    std::vector<extents> shapes;
    std::vector<element> types;
    for (value_id v : in) {
      shapes.push_back(out_.at_value(v).shape);
      types.push_back(out_.at_value(v).type);
    }
    if (n.type->describe(fields, shapes, types, d)) return false;
    for (int i = 0; i < n.outputs.count; ++i) {
      const extents& wanted = g_.shape(n.outputs.first + i);
      if (!(d.outputs[static_cast<std::size_t>(i)] == (form == 1 ? inner(wanted) : wanted))) return false;
    }
    if (add_node(out_, *n.type, n.name, in, fields, {}, elements)) return false;
    const node& made = out_.nodes.back();
    for (int i = 0; i < n.weights.count; ++i)
      out_.operands[index(made.weights.first + i)] = g_.weights(n)[static_cast<std::size_t>(i)];
    for (int i = 0; i < n.outputs.count; ++i) {
      out_.at_value(made.outputs.first + i).name = g_.at_value(n.outputs.first + i).name;
      forms_[index(n.outputs.first + i)][form] = made.outputs.first + i;
    }
    return true;
  }
  template <class Op>
  bool add(const node& n, const Op& op, std::span<const value_id> in, std::size_t form) {
    const field_values f = encode(op);
    return add(n, in, std::span<const double>(f.data(), f.size()), form);
  }

  value_id form(value_id v, std::size_t wanted) {
    value_id& there = forms_[index(v)][wanted];
    if (there != none) return there;
    const node& maker = g_.at(g_.at_value(v).producer);
    const extents shape = wanted == 1 ? inner(g_.shape(v)) : g_.shape(v);
    if (maker.type == &type_of<op::constant>) {
      op::constant op = decode<op::constant>(g_.fields_of(maker.fields));
      op.shape = as_list(shape);
      if (add(maker, op, {}, wanted)) return there;
    }
    if (maker.type == &type_of<op::full>) {
      op::full op = decode<op::full>(g_.fields_of(maker.fields));
      op.shape = as_list(shape);
      if (add(maker, op, {}, wanted)) return there;
    }
    const value_id from[] = {forms_[index(v)][1 - wanted]};
    op::reshape op;
    op.shape = as_list(shape);
    add_node(out_, op, g_.at_value(v).name, from);
    there = out_.nodes.back().outputs.first;
    out_.at_value(there).name = g_.at_value(v).name;
    return there;
  }

  /// Inputs without their batch; those that are shorter than the first of the node's outputs or inputs have none.
  std::vector<value_id> inner_inputs(const node& n) {
    int rank = g_.shape(n.outputs.first).rank;
    for (value_id v : g_.inputs(n)) rank = std::max(rank, g_.shape(v).rank);
    std::vector<value_id> in;
    for (value_id v : g_.inputs(n)) {
      const extents& s = g_.shape(v);
      if (s.rank == rank && !has_batch(s)) return {};
      in.push_back(form(v, s.rank == rank ? 1 : 0));
    }
    return in;
  }

  /// The operator over the same without a batch; nothing if it is another one then.
  std::optional<field_values> lowered(const node& n) const {
    const auto fields = g_.fields_of(n.fields);
    const extents x = g_.inputs(n).empty() ? extents{} : g_.shape(g_.inputs(n)[0]);
    field_values f;
    if (n.type == &type_of<op::reshape>) return encode(op::reshape{as_list(inner(g_.shape(n.outputs.first)))});
    if (n.type == &type_of<op::pad> && g_.inputs(n).size() > 1) return {};
    const pool<extents> in = ir::input_shapes(g_, n);
    const bool multiplies = n.type == &type_of<op::matmul> && x.rank > 2;
    const bool by_first = n.type != &type_of<op::gather> && n.type != &type_of<op::matmul> &&
                          n.type != &type_of<op::rotary_embedding>;  // the others' axes are not those of the first
    const int last = x.rank - 1, of_result = g_.shape(n.outputs.first).rank - 1;
    const bool passes = by_first && x.rank > 0 && n.type->passes(fields, 0, last, {in.data(), in.size()}) == of_result;
    const bool moves = multiplies || has_axes(n.type) || n.type->is.each || passes;
    if (!moves || !move_axes(n.type, fields, axis_map::removed(x), f)) return {};
    return f;
  }

  void move(node_id id) {
    const node& n = g_.at(id);
    const auto fields = g_.fields_of(n.fields);
    bool batch = n.type == &type_of<op::input>;
    for (value_id v : g_.inputs(n)) batch = batch || batched_[index(v)];
    for (int i = 0; i < n.outputs.count; ++i) {
      const bool has = batch && has_batch(g_.shape(n.outputs.first + i));
      batched_[index(n.outputs.first + i)] = has;
      batch = has;
    }
    if (n.type == &type_of<op::input>) {
      op::input op = decode<op::input>(fields);
      if (batch) op.shape = as_list(inner(g_.shape(n.outputs.first)));
      add(n, op, {}, batch ? 1 : 0);
      return;
    }
    if (batch && g_.given(n) == 0) {
      // A flattened image is a reshape, so is a linear layer's own flattening.
      std::optional<field_values> f;
      if (n.type == &type_of<op::flatten>) {
        const value_id in[] = {form(g_.inputs(n)[0], has_batch(g_.shape(g_.inputs(n)[0])) ? 1 : 0)};
        op::reshape op;
        op.shape = as_list(inner(g_.shape(n.outputs.first)));
        node as = n;
        as.type = &type_of<op::reshape>;
        if (add(as, op, in, 1)) return;
      }
      if (n.type == &type_of<op::reshape>) {
        const value_id v = g_.inputs(n)[0];
        const value_id in[] = {form(v, has_batch(g_.shape(v)) && forms_[index(v)][1] != none ? 1 : 0)};
        f = lowered(n);
        if (f && add(n, in, std::span<const double>(f->data(), f->size()), 1)) return;
      } else if ((f = lowered(n))) {
        const std::vector<value_id> in = inner_inputs(n);
        if (!in.empty() && add(n, in, std::span<const double>(f->data(), f->size()), 1)) return;
      }
    }
    std::vector<value_id> in;
    for (value_id v : g_.inputs(n)) in.push_back(form(v, 0));
    add(n, in, fields, 0);
  }

  graph_view g_;
  graph out_;
  std::vector<std::array<value_id, 2>> forms_;  ///< as it was, without its batch
  std::vector<bool> batched_;
};

}  // namespace detail

/// The same network for inputs without their first axis, where that is 1; outputs lose it with them. Every value that a
/// layer cannot take so gets it back by a reshape. Weights are the same expressions as before.
inline graph without_batch(const graph_view& g) { return detail::batch_remover(g).run(); }

}  // namespace ctnn::ncnn
