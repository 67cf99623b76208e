// SPDX-License-Identifier: BSL-1.0
// Are networks one graph, whatever they are written as?
#pragma once

#include <ctnn/ctnn.hpp>

#include "support/run_both.hpp"

namespace ctnn::ir::test {

/// Graphs that differ in nothing but the names of layers without weights.
constexpr bool same_graph(const graph_view& a, const graph_view& b) {
  if (a.nodes.size() != b.nodes.size() || a.outputs.size() != b.outputs.size()) return false;
  // Lists may have layers side by side in another order: each is looked for by its operator and what it reads.
  pool<int> other(a.values.size(), none);
  pool<bool> taken(b.nodes.size(), false);
  for (const node& n : a.nodes) {
    bool found = false;
    for (std::size_t i = 0; i < b.nodes.size() && !found; ++i) {
      const node& m = b.nodes[i];
      if (taken[i] || n.type != m.type || n.inputs.count != m.inputs.count) continue;
      bool same = a.weights(n).size() == b.weights(m).size() && (a.weights(n).empty() || n.name == m.name);
      const auto p = a.fields_of(n.fields), q = b.fields_of(m.fields);
      same = same && p.size() == q.size();
      for (std::size_t k = 0; same && k < p.size(); ++k) same = p[k] == q[k];
      for (std::size_t k = 0; same && k < a.inputs(n).size(); ++k)
        same = other[static_cast<std::size_t>(a.inputs(n)[k])] == b.inputs(m)[k];
      if (!same) continue;
      for (int k = 0; k < n.outputs.count; ++k)
        other[static_cast<std::size_t>(n.outputs.first + k)] = m.outputs.first + k;
      taken[i] = found = true;
    }
    if (!found) return false;
  }
  for (std::size_t o = 0; o < a.outputs.size(); ++o)
    if (other[static_cast<std::size_t>(a.outputs[o].value)] != b.outputs[o].value) return false;
  return true;
}
/// The same layers in the same order under the same names, and outputs called alike.
constexpr bool same_names(const graph_view& a, const graph_view& b) {
  if (a.nodes.size() != b.nodes.size() || a.outputs.size() != b.outputs.size()) return false;
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (a.nodes[i].name != b.nodes[i].name || a.nodes[i].type != b.nodes[i].type) return false;
  const auto called = [](const graph_view& g, const network_output& o) {
    return o.name.empty() ? g.at(g.at_value(o.value).producer).name : o.name;
  };
  for (std::size_t o = 0; o < a.outputs.size(); ++o)
    if (called(a, a.outputs[o]) != called(b, b.outputs[o])) return false;
  return true;
}

template <class Function, class List>
constexpr bool same_network = same_graph(declared_graph<prune_dead<Function>>,
                                         declared_graph<prune_dead<List>>) &&
                              same_graph(optimized_graph<Function>, optimized_graph<List>);

/// Does the function take the weights of the list, and give its numbers to the last bit?
template <class Function, class List>
bool same_numbers() {
  made_up_weights numbers;
  const std::vector<named_weight> weights = weights_of_network<List>(numbers);
  const floats of_list = run_optimized<List>(weights);
  return !of_list.empty() && run_optimized<Function>(weights) == of_list;
}

}  // namespace ctnn::ir::test
