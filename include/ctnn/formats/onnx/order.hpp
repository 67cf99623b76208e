// SPDX-License-Identifier: BSL-1.0
// Files should list a node after those whose values it reads. Not all do.
#pragma once

#include <queue>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "messages.hpp"
#include "../../base/error.hpp"

namespace ctnn::onnx {

inline std::vector<std::string> reads_of(const node_message& n);

/// What a graph inside another takes from around it: names that it does not have itself.
inline std::vector<std::string> reads_around(const graph_message& g) {
  std::unordered_set<std::string_view> own;
  for (const value_info& v : g.inputs) own.insert(v.name);
  for (const tensor& t : g.initializers) own.insert(t.name);
  for (const node_message& n : g.nodes) own.insert(n.outputs.begin(), n.outputs.end());
  std::vector<std::string> names;
  const auto read = [&](const std::string& name) {
    if (!own.contains(name)) names.push_back(name);
  };
  for (const value_info& v : g.outputs) read(v.name);
  for (const node_message& n : g.nodes)
    for (const std::string& name : reads_of(n)) read(name);
  return names;
}

/// Names that a node reads, and its graphs from around them (parsing has limited how deep they nest).
inline std::vector<std::string> reads_of(const node_message& n) {
  std::vector<std::string> names;
  for (const std::string& name : n.inputs)
    if (!name.empty()) names.push_back(name);
  for (const attribute& a : n.attributes)
    if (a.graph)
      for (std::string& name : reads_around(*a.graph)) names.push_back(std::move(name));
  return names;
}

/// The nodes' numbers, every node after those it reads from and otherwise as in the file. Throws ctnn::error on a
/// cycle.
inline std::vector<std::size_t> execution_order(const graph_message& g, const std::string& source) {
  std::unordered_map<std::string_view, std::size_t> made_by;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::string& out : g.nodes[i].outputs)
      if (!out.empty()) made_by.emplace(out, i);
  std::vector<std::vector<std::size_t>> readers(g.nodes.size());
  std::vector<std::size_t> waiting(g.nodes.size());
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    for (const std::string& name : reads_of(g.nodes[i]))
      if (const auto maker = made_by.find(name); maker != made_by.end()) {
        readers[maker->second].push_back(i);
        ++waiting[i];
      }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (waiting[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  order.reserve(g.nodes.size());
  while (!ready.empty()) {
    const std::size_t now = ready.top();
    ready.pop();
    order.push_back(now);
    for (std::size_t r : readers[now])
      if (--waiting[r] == 0) ready.push(r);
  }
  if (order.size() == g.nodes.size()) return order;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (waiting[i] != 0)
      throw error(source + ": node '" + g.nodes[i].name + "' (" + g.nodes[i].type + ", byte " +
                  std::to_string(g.nodes[i].byte) + ") reads, perhaps through others, what it makes");
  return order;
}

}  // namespace ctnn::onnx
