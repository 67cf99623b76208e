// SPDX-License-Identifier: BSL-1.0
// Files should list a node after those whose values it reads. Not all do.
#pragma once

#include <queue>
#include <unordered_map>

#include "messages.hpp"
#include "../../base/error.hpp"

namespace ctnn::onnx {

namespace detail {

/// Names that a node reads, in its graphs as well (parsing has limited how deep they nest).
template <class F>
void for_each_read(const node_message& n, F&& f) {
  for (const std::string& name : n.inputs)
    if (!name.empty()) f(name);
  for (const attribute& a : n.attributes) {
    if (!a.graph) continue;
    for (const node_message& inner : a.graph->nodes) for_each_read(inner, f);
    for (const value_info& out : a.graph->outputs) f(out.name);
  }
}

}  // namespace detail

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
    detail::for_each_read(g.nodes[i], [&](const std::string& name) {
      const auto maker = made_by.find(name);
      if (maker == made_by.end()) return;
      if (maker->second == i &&
          std::find(g.nodes[i].inputs.begin(), g.nodes[i].inputs.end(), name) == g.nodes[i].inputs.end())
        return;
      readers[maker->second].push_back(i);
      ++waiting[i];
    });
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
