// SPDX-License-Identifier: BSL-1.0
// A file whose network runs in parts, written again with what is above the first node that asks for numbers rewritten,
// and everything else as it was.
#pragma once

#include <algorithm>
#include <unordered_set>

#include "write.hpp"

namespace ctnn::onnx {

namespace detail {

/// Every name of a value in a graph, and in those inside it.
inline void add_names(const graph_message& g, std::unordered_set<std::string>& names) {
  for (const value_info& v : g.inputs) names.insert(v.name);
  for (const value_info& v : g.outputs) names.insert(v.name);
  for (const tensor& t : g.initializers) names.insert(t.name);
  for (const node_message& n : g.nodes) {
    names.insert(n.inputs.begin(), n.inputs.end());
    names.insert(n.outputs.begin(), n.outputs.end());
    for (const attribute& a : n.attributes)
      if (a.graph) add_names(*a.graph, names);
  }
}

inline void require_writable(const tensor& t) {
  if (!t.refused.empty() || t.form != form::numbers)
    throw error("'" + t.name + "' is " + (t.refused.empty() ? name_of(t.form) : t.refused) + ", which is not written");
}
inline void require_writable(const graph_message& g) {
  for (const tensor& t : g.initializers) require_writable(t);
  for (const node_message& n : g.nodes)
    for (const attribute& a : n.attributes) {
      if (a.tensor) require_writable(*a.tensor);
      if (a.graph) require_writable(*a.graph);
    }
}

/// Other names for values between the nodes of a graph that are called as others are elsewhere.
inline void rename_between(graph_message& g, const std::unordered_set<std::string>& elsewhere) {
  std::unordered_set<std::string> outside, all = elsewhere;
  for (const auto* list : {&g.inputs, &g.outputs})
    for (const value_info& v : *list) outside.insert(v.name);
  add_names(g, all);
  std::unordered_map<std::string, std::string> now;
  const auto rename = [&](std::string& name) {
    if (name.empty() || outside.contains(name) || !elsewhere.contains(name)) return;
    std::string& other = now[name];
    for (int k = 1; other.empty(); ++k)
      if (const std::string candidate = name + "_" + std::to_string(k); all.insert(candidate).second) other = candidate;
    name = other;
  };
  for (tensor& t : g.initializers) rename(t.name);
  for (value_info& v : g.values) rename(v.name);
  for (node_message& n : g.nodes)
    for (auto* list : {&n.inputs, &n.outputs})
      for (std::string& name : *list) rename(name);
}

}  // namespace detail

CTNN_ONCE model_message join(const model_message& file, model_message above, const model_message& below) {
  const auto version = [](const model_message& m) {
    const auto at = m.opsets.find("");
    return at == m.opsets.end() ? 0 : at->second;
  };
  if (!file.functions.empty()) throw error("the file has functions of its own, which are not written");
  if (version(above) != version(file))
    throw error("what is rewritten needs operator set " + std::to_string(version(above)) + ", the file has " +
                std::to_string(version(file)) + ", in which its other nodes stay");
  detail::require_writable(below.graph);
  std::unordered_set<std::string> names;
  detail::add_names(below.graph, names);
  detail::rename_between(above.graph, names);

  model_message out = std::move(above);
  out.ir_version = std::max(out.ir_version, file.ir_version);
  for (const auto& [domain, number] : file.opsets) out.opsets.emplace(domain, number);
  const std::vector<value_info> fed_above = std::exchange(out.graph.inputs, {});
  for (const value_info& v : file.graph.inputs) {
    const auto is_it = [&](const value_info& other) { return other.name == v.name; };
    if (const auto at = std::ranges::find_if(fed_above, is_it); at != fed_above.end()) out.graph.inputs.push_back(*at);
    else if (std::ranges::any_of(below.graph.inputs, is_it)) out.graph.inputs.push_back(v);
  }
  out.graph.outputs = file.graph.outputs;
  out.graph.initializers.insert(out.graph.initializers.end(), below.graph.initializers.begin(),
                                below.graph.initializers.end());
  out.graph.nodes.insert(out.graph.nodes.end(), below.graph.nodes.begin(), below.graph.nodes.end());
  return out;
}

}  // namespace ctnn::onnx
