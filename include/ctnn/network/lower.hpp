// SPDX-License-Identifier: BSL-1.0
// From a declared network to a graph. What is wrong becomes a problem with the layer's name.
#pragma once

#include "../graph/images.hpp"
#include "layers.hpp"

namespace ctnn::ir {

/// Names to small numbers by open addressing: looking up 250 layers must not cost 250 comparisons each.
class name_table {
 public:
  constexpr explicit name_table(std::size_t names) {
    while (slots_ < 2 * names + 2) slots_ *= 2;
    entries_ = pool<entry>(slots_, {});
  }
  /// False if the name is there already.
  constexpr bool insert(std::string_view name, int number) {
    entry& e = find_slot(name);
    if (e.number != none) return false;
    e = {name, number};
    return true;
  }
  constexpr int find(std::string_view name) { return find_slot(name).number; }

 private:
  struct entry {
    std::string_view name{};
    int number = none;
  };
  constexpr entry& find_slot(std::string_view name) {
    std::size_t h = 5381;
    for (char c : name) h = h * 33 + static_cast<unsigned char>(c);
    while (true) {
      entry& e = entries_[h++ & (slots_ - 1)];
      if (e.number == none || e.name == name) return e;
    }
  }
  std::size_t slots_ = 4;
  pool<entry> entries_;
};

struct lowering {
  graph g;
  problem error{};
  std::string_view layer{};  ///< the layer with the error
};

namespace detail {

/// "split.2" is output 2 of layer "split".
constexpr value_id find_value(const graph& g, name_table& names, std::string_view name) {
  if (const node_id n = names.find(name); n != none) return g.nodes[static_cast<std::size_t>(n)].outputs.first;
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return none;
  int index = 0;
  for (char c : name.substr(dot + 1)) {
    if (c < '0' || c > '9' || index > 9999) return none;
    index = index * 10 + (c - '0');
  }
  const node_id n = names.find(name.substr(0, dot));
  if (n == none) return none;
  const range out = g.nodes[static_cast<std::size_t>(n)].outputs;
  return index < out.count ? out.first + index : none;
}

/// A name that no earlier layer has: is it a later one, or none?
constexpr problem no_such_input(std::span<const layer_record> layers, std::size_t after, std::string_view name) {
  for (std::size_t i = after; i < layers.size(); ++i)
    if (layers[i].type && layers[i].name == name) return {mistake::input_declared_after_user, name};
  return {mistake::unknown_input, name};
}

}  // namespace detail

/// Into an argument: GCC 12 remembers the result of a call with constant arguments, heap and all, and frees it twice.
constexpr void lower(std::span<const layer_record> layers, lowering& result) {
  graph& g = result.g;
  name_table names(layers.size());
  pool<value_id> in;
  const auto fail = [&](std::string_view layer, const problem& p) {
    result.error = p;
    result.layer = layer;
  };

  for (std::size_t i = 0; i < layers.size(); ++i) {
    const layer_record& layer = layers[i];
    if (!layer.type) continue;
    if (layer.reads_twice) return fail(layer.name, {mistake::option_given_twice, "from"});
    in.clear();
    for (std::string_view name : layer.from) {
      const value_id v = detail::find_value(g, names, name);
      if (v == none) return fail(layer.name, detail::no_such_input(layers, i, name));
      in.push_back(v);
    }
    if (layer.reads_previous && layer.type->max_inputs > 0) {
      if (g.values.empty()) return fail(layer.name, {mistake::no_input_before});
      in.push_back(static_cast<int>(g.values.size()) - 1);
    }
    field_values fields;
    problem p = layer.type->configure(layer.options, fields);
    if (!p) p = add_node(g, *layer.type, layer.name, in, std::span<const double>(fields.data(), fields.size()));
    if (!p && is_axis_ambiguous(g.view(), g.nodes[g.nodes.size() - 1]))
      p = {mistake::ambiguous_axis, "axis", g.at_value(in[0]).shape, {0, 1}};
    if (p) return fail(layer.name, p);
    // Files may hold values without elements; in a declaration they are a slip, and kernels of static networks need not
    // look.
    const range made = g.nodes[g.nodes.size() - 1].outputs;
    for (int k = 0; k < made.count; ++k)
      if (const extents& s = g.at_value(made.first + k).shape; s.count() == 0)
        return fail(layer.name, {mistake::element_count_mismatch, "output", s, {1}});
    if (!names.insert(layer.name, static_cast<int>(g.nodes.size()) - 1))
      return fail(layer.name, {mistake::duplicate_name, layer.name});
  }

  // An output nobody named has the name of whatever layer computes it, before and after rewriting.
  const int last = static_cast<int>(g.values.size()) - 1;
  bool declared = false;
  for (const layer_record& layer : layers) declared = declared || (!layer.type && !layer.keeps);
  if (!declared && last >= 0) add_output(g, {}, last);
  for (const bool keeps : {false, true})
    for (const layer_record& layer : layers) {
      if (layer.type || layer.keeps != keeps) continue;
      for (std::size_t i = 0; i < layer.from.size(); ++i) {
        const value_id v = detail::find_value(g, names, layer.from[i]);
        if (v == none) return fail(layer.from[i], {mistake::unknown_output, layer.from[i]});
        bool there = false;
        for (const network_output& o : g.outputs) {
          there = there || (keeps && o.value == v && (o.name.empty() || o.name == layer.output_names[i]));
          if (!there && o.name == layer.output_names[i]) return fail(o.name, {mistake::duplicate_output, o.name});
        }
        if (!there) add_output(g, layer.output_names[i], v);
      }
    }
  if (g.nodes.empty()) fail({}, {mistake::no_input_before});
}

/// Sizes that a lowered graph cannot exceed; what a constant of it is made of.
struct graph_capacity {
  std::size_t nodes = 0, values = 0, operands = 0, fields = 0, expressions = 0, outputs = 0;

  constexpr bool fits_in(const graph_capacity& c) const {
    return nodes <= c.nodes && values <= c.values && operands <= c.operands && fields <= c.fields &&
           expressions <= c.expressions && outputs <= c.outputs;
  }
};

/// A graph as a constant.
template <graph_capacity C>
struct frozen_graph {
  static_vector<node, C.nodes + 1> nodes;
  static_vector<value, C.values + 1> values;
  static_vector<int, C.operands + 1> operands;
  static_vector<double, C.fields + 1> fields;
  static_vector<expression, C.expressions + 1> expressions;
  static_vector<network_output, C.outputs + 1> outputs;

  constexpr frozen_graph() = default;
  constexpr explicit frozen_graph(const graph_view& g) {
    copy(g.nodes, nodes);
    copy(g.values, values);
    copy(g.operands, operands);
    copy(g.fields, fields);
    copy(g.expressions, expressions);
    copy(g.outputs, outputs);
  }

  constexpr graph_view view() const {
    return {{nodes.data(), nodes.size()},
            {values.data(), values.size()},
            {operands.data(), operands.size()},
            {fields.data(), fields.size()},
            {expressions.data(), expressions.size()},
            {outputs.data(), outputs.size()}};
  }

 private:
  template <class T, std::size_t N>
  static constexpr void copy(std::span<const T> from, static_vector<T, N>& to) {
    const T* source = from.data();
    for (to.count = 0; to.count < from.size(); ++to.count) to.items[to.count] = source[to.count];
  }
};

constexpr graph_capacity capacity_of(const graph_view& g) {
  return {g.nodes.size(),  g.values.size(),      g.operands.size(),
          g.fields.size(), g.expressions.size(), g.outputs.size()};
}

}  // namespace ctnn::ir
