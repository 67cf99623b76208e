// SPDX-License-Identifier: BSL-1.0
// Graphviz text: a graph, or a graph before and after rewriting side by side, with layers that became one boxed together.
#pragma once

#include <string>
#include <vector>

#include "../rewrite/fate.hpp"
#include "describe.hpp"
#include "names.hpp"

namespace ctnn {

namespace detail {

class graphviz_writer {
 public:
  std::string single(const graph_view& g) {
    begin();
    nodes(g, "a", {}, "  ");
    edges(g, "a");
    return out_ + "}\n";
  }

  std::string both(const graph_view& before, const graph_view& after, std::span<const rewrite_step> history) {
    const auto gone = fates(after, history);
    begin();
    column("before", "as read", before, gone);
    column("after", "rewritten", after, {});
    return out_ + "}\n";
  }

 private:
  using fate_map = std::map<std::string_view, fate>;

  void begin() {
    out_ = "digraph ctnn {\n"
           "  graph [fontname=\"Helvetica\", fontsize=16, nodesep=0.18, ranksep=0.22, splines=true, newrank=false]\n"
           "  node [fontname=\"Helvetica\", fontsize=10, shape=box, style=\"filled,rounded\", height=0.3, margin=\"0.10,0.04\","
           " color=\"#00000040\"]\n"
           "  edge [color=\"#606060\", arrowsize=0.5]\n";
  }
  void column(const std::string& id, const std::string& title, const graph_view& g, const fate_map& gone) {
    out_ += "  subgraph cluster_" + id + " {\n    label=\"" + title + ": " + std::to_string(g.nodes.size()) +
            " layers\"; color=\"#ffffff00\"; margin=24\n";
    nodes(g, id, gone, "    ");
    out_ += "  }\n";
    edges(g, id);
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out;
  }
  static std::string id_of(const std::string& prefix, node_id n) { return prefix + std::to_string(n); }

  static activation_function activation_of(const graph_view& g, node_id n) {
    if (g.is<op::conv2d>(n)) return g.get<op::conv2d>(n).activation;
    if (g.is<op::conv_transpose2d>(n)) return g.get<op::conv_transpose2d>(n).activation;
    if (g.is<op::linear>(n)) return g.get<op::linear>(n).activation;
    if (g.is<op::binary>(n)) return g.get<op::binary>(n).activation;
    if (g.is<op::eltwise>(n)) return g.get<op::eltwise>(n).activation;
    return {};
  }
  static std::string by(const pair& size) { return std::to_string(size[0]) + "x" + std::to_string(size[1]); }
  /// What the layer does, in a few words.
  static std::string words(const graph_view& g, node_id n) {
    std::string out(g.at(n).type->name);
    if (g.is<op::conv2d>(n)) {
      const auto p = g.get<op::conv2d>(n);
      const int channels = g.shape(g.inputs(g.at(n))[0]).back(2);
      out = (p.groups > 1 && p.groups == channels ? "depthwise " : p.groups > 1 ? "grouped " : "") + out + ' ' + by(p.kernel);
      if (p.stride != pair{1, 1}) out += " /" + std::to_string(p.stride[0]);
      if (g.at(n).inputs.count == 2) out += " + residual";
    } else if (g.is<op::activation>(n)) {
      out = name_of(g.get<op::activation>(n).activation.kind);
    } else if (g.is<op::pool2d>(n)) {
      const auto p = g.get<op::pool2d>(n);
      out = std::string(pooling_names[static_cast<std::size_t>(p.function)]) + "_pool2d " + by(p.kernel) + " /" + std::to_string(p.step()[0]);
    } else if (g.is<op::binary>(n)) {
      out = binary_names[static_cast<std::size_t>(g.get<op::binary>(n).function)];
    } else if (g.is<op::unary>(n)) {
      out = unary_names[static_cast<std::size_t>(g.get<op::unary>(n).function)];
    }
    if (const activation_function f = activation_of(g, n)) out += " + " + std::string(name_of(f.kind));
    return out;
  }
  static std::string color(const graph_view& g, node_id n) {
    const operator_type* t = g.at(n).type;
    if (t == &type_of<op::input> || t == &type_of<op::constant> || t == &type_of<op::full>) return "#e0e0e0";
    if (t == &type_of<op::conv2d> || t == &type_of<op::conv_transpose2d> || t == &type_of<op::linear>) return "#bcd7f5";
    if (t == &type_of<op::batch_norm> || t == &type_of<op::local_response_norm>) return "#f9dfb0";
    if (t == &type_of<op::scale> || t == &type_of<op::bias>) return "#f9dfb0";
    if (t == &type_of<op::activation> || t == &type_of<op::prelu> || t == &type_of<op::softmax> || t == &type_of<op::unary>) return "#f6c4bd";
    if (t == &type_of<op::pool2d> || t == &type_of<op::adaptive_pool2d> || t == &type_of<op::interpolate>) return "#c6e7c3";
    if (t == &type_of<op::binary> || t == &type_of<op::eltwise>) return "#e3cdf2";
    return "#f5f5e8";
  }

  void one(const graph_view& g, const std::string& id, node_id n, const fate_map& gone, const std::string& indent) {
    const auto at = gone.find(g.at(n).name);
    const bool vanished = at != gone.end() && at->second.into.empty();
    out_ += indent + id_of(id, n) + " [label=\"" + escaped(g.at(n).name) + "\\n" + escaped(words(g, n)) + "  \xe2\x86\x92  ";
    for (int k = 0; k < g.at(n).outputs.count; ++k) out_ += (k ? ", " : "") + describe(g.shape(g.at(n).outputs.first + k));
    out_ += "\", fillcolor=\"" + color(g, n) + "\"";
    if (at != gone.end()) out_ += ", tooltip=\"" + escaped(at->second.rule) + "\"";
    if (vanished) out_ += ", style=\"filled,rounded,dashed\", color=\"#a00000\", fontcolor=\"#707070\"";
    out_ += "]\n";
  }

  /// Layers whose work one layer does afterwards stand in a box with its name.
  void nodes(const graph_view& g, const std::string& id, const fate_map& gone, const std::string& indent) {
    std::map<std::string_view, std::vector<node_id>> boxes;
    std::vector<std::string_view> order;
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
      const auto at = gone.find(g.nodes[i].name);
      const std::string_view into = at == gone.end() || at->second.into.empty() ? g.nodes[i].name : at->second.into;
      auto& members = boxes[into];
      if (members.empty()) order.push_back(into);
      members.push_back(static_cast<node_id>(i));
    }
    for (std::string_view into : order) {
      const auto& members = boxes[into];
      const bool box = members.size() > 1;
      if (box)
        out_ += indent + "subgraph cluster_" + id + "_" + std::to_string(members[0]) +
                " {\n" + indent + "  label=\"\"; style=\"filled,rounded\"; fillcolor=\"#fff6cc\"; color=\"#c09000\"; margin=6\n";
      for (node_id n : members) one(g, id, n, gone, indent + (box ? "  " : ""));
      if (box) out_ += indent + "}\n";
    }
  }
  void edges(const graph_view& g, const std::string& id) {
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      for (value_id v : g.inputs(g.nodes[i]))
        out_ += "  " + id_of(id, g.at_value(v).producer) + " -> " + id_of(id, static_cast<node_id>(i)) + '\n';
    for (std::size_t k = 0; k < g.outputs.size(); ++k) {
      const std::string end = id + "_out" + std::to_string(k);
      out_ += "  " + end + " [label=\"" + escaped(g.outputs[k].name) + "\", shape=plaintext, style=\"\"]\n  " +
              id_of(id, g.at_value(g.outputs[k].value).producer) + " -> " + end + '\n';
    }
  }

  std::string out_;
};

}  // namespace detail

inline std::string write_graphviz(const graph_view& g) { return detail::graphviz_writer().single(g); }

/// `history` is what rewriting noted on the way from `before` to `after`.
inline std::string write_graphviz(const graph_view& before, const graph_view& after, std::span<const rewrite_step> history) {
  return detail::graphviz_writer().both(before, after, history);
}

}  // namespace ctnn
