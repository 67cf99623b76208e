// SPDX-License-Identifier: BSL-1.0
// A call of one of the file's functions becomes the nodes of that function, so that a graph can be divided among them.
// Values inside are called as graph_reader calls them: "<call>/<name>".
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "../../base/error.hpp"
#include "messages.hpp"

namespace ctnn::onnx {

/// The function of the file that a node calls, or null.
inline const function_message* function_of(const model_message& file, const node_message& n) {
  if (file.functions.empty()) return nullptr;
  const auto at = file.functions.find({n.domain, n.type, n.overload});
  return at == file.functions.end() ? nullptr : &at->second;
}

namespace detail {

/// Adds to `count` the nodes that a graph becomes with functions in place of their calls. False if these are nested too
/// deep, such as functions that call themselves, or the nodes too many.
inline bool count_inlined(const model_message& file, const graph_message& g, const budget& limits, std::size_t depth,
                          std::size_t& count) {
  if (depth > limits.nesting) return false;
  for (const node_message& n : g.nodes) {
    if (++count > limits.layers) return false;
    const function_message* f = function_of(file, n);
    if (f && !count_inlined(file, f->body, limits, depth + 1, count)) return false;
    for (const attribute& a : n.attributes)
      if (a.graph && !count_inlined(file, *a.graph, limits, depth + 1, count)) return false;
  }
  return true;
}

}  // namespace detail

/// Whether a function's nodes may stand among those of the file's graph, where they mean the same.
inline bool can_inline(const model_message& file, const function_message& f, const budget& limits) {
  for (const auto& [domain, version] : f.opsets)
    if (const auto at = file.opsets.find(domain); at != file.opsets.end() && at->second != version) return false;
  std::size_t count = 0;
  return detail::count_inlined(file, f.body, limits, 1, count);
}

namespace detail {

class inliner {
 public:
  inliner(const node_message& call, const function_message& f, const graph_message& around) : call_(call), f_(f) {
    prefix_ = (!call.name.empty() ? call.name : call.outputs.empty() ? call.type : call.outputs[0]) + "/";
    while (is_taken(around)) prefix_ += "/";
    for (std::size_t k = 0; k < f.body.inputs.size(); ++k)
      names_.emplace(f.body.inputs[k].name, k < call.inputs.size() ? call.inputs[k] : "");
    for (std::size_t k = 0; k < f.body.outputs.size() && k < call.outputs.size(); ++k)
      if (!call.outputs[k].empty() && !names_.emplace(f.body.outputs[k].name, call.outputs[k]).second)
        again_.emplace_back(names_.at(f.body.outputs[k].name), call.outputs[k]);
  }

  std::vector<node_message> nodes() const {
    std::vector<node_message> out;
    for (const node_message& n : f_.body.nodes) {
      out.push_back(renamed(n));
      if (!n.name.empty()) out.back().name = prefix_ + n.name;
    }
    for (const auto& [from, to] : again_) {  // an input that is an output, or one that is two
      node_message& same = out.emplace_back();
      same.type = "Identity";
      same.inputs = {from};
      same.outputs = {to};
      same.byte = call_.byte;
    }
    return out;
  }

 private:
  bool is_taken(const graph_message& around) const {
    for (const node_message& n : around.nodes)
      for (const std::string& out : n.outputs)
        if (out.starts_with(prefix_)) return true;
    const auto taken = [&](const auto& v) { return v.name.starts_with(prefix_); };
    return std::ranges::any_of(around.inputs, taken) || std::ranges::any_of(around.initializers, taken);
  }
  std::string name_of(const std::string& inside) const {
    if (inside.empty()) return inside;
    const auto at = names_.find(inside);
    return at == names_.end() ? prefix_ + inside : at->second;
  }
  /// What a node of the function says; nothing for what the call leaves out.
  std::optional<attribute> given(const attribute& a) const {
    if (a.refers_to.empty()) return a;
    for (const auto* all : {&call_.attributes, &f_.defaults})
      for (const attribute& b : *all)
        if (b.name == a.refers_to) {
          attribute same = b;
          same.name = a.name;
          return same;
        }
    if (std::ranges::find(f_.attributes, a.refers_to) == f_.attributes.end())
      throw error("attribute '" + a.name + "' refers to a function's attribute '" + a.refers_to + "'");
    return {};
  }
  node_message renamed(node_message n) const {
    for (auto* list : {&n.inputs, &n.outputs})
      for (std::string& name : *list) name = name_of(name);
    std::vector<attribute> attributes;
    for (const attribute& a : n.attributes) {
      std::optional<attribute> now = given(a);
      if (!now) continue;
      if (now->graph && a.refers_to.empty()) now->graph = std::make_shared<graph_message>(renamed(*now->graph));
      attributes.push_back(std::move(*now));
    }
    n.attributes = std::move(attributes);
    return n;
  }
  graph_message renamed(graph_message g) const {
    for (auto* values : {&g.inputs, &g.outputs, &g.values})
      for (value_info& v : *values) v.name = name_of(v.name);
    for (tensor& t : g.initializers) t.name = name_of(t.name);
    for (node_message& n : g.nodes) n = renamed(std::move(n));
    return g;
  }

  const node_message& call_;
  const function_message& f_;
  std::string prefix_;
  std::unordered_map<std::string, std::string> names_;
  std::vector<std::pair<std::string, std::string>> again_;
};

}  // namespace detail

/// A graph with the nodes of the function in place of a call of it.
inline graph_message inlined(graph_message g, std::size_t call, const function_message& f) {
  std::vector<node_message> nodes = detail::inliner(g.nodes[call], f, g).nodes();
  g.nodes.erase(g.nodes.begin() + static_cast<std::ptrdiff_t>(call));
  g.nodes.insert(g.nodes.end(), std::make_move_iterator(nodes.begin()), std::make_move_iterator(nodes.end()));
  return g;
}

}  // namespace ctnn::onnx
