// SPDX-License-Identifier: BSL-1.0
// ctnn info: what the file declares, layers, operators, weights, multiply-adds and memory, before and after rewriting.
#include <ctnn/plan/planner.hpp>
#include <ctnn/rewrite/provenance.hpp>

#include <map>
#include <set>

#include "inputs.hpp"
#include "rewriting.hpp"
#include "table.hpp"

namespace tool {

namespace {

struct totals {
  std::int64_t layers = 0, weights = 0, macs = 0, arena = 0;
};

std::int64_t weights_of_node(const ir::graph_view& g, const ir::node& n) {
  std::int64_t sum = 0;
  for (ir::expression_id e : g.weights(n)) sum += g.at_expression(e).shape.count();
  return sum;
}

totals add_up(const ir::graph_view& g) {
  totals t;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    ++t.layers;
    t.weights += weights_of_node(g, g.nodes[i]);
    t.macs += ir::macs_of(g, static_cast<int>(i));
  }
  t.arena = ir::make_plan(g).arena_size * static_cast<std::int64_t>(sizeof(float));
  return t;
}

/// Layers as they were read, with where their work is done now.
std::string layers_text(const ir::graph_view& g, const ir::optimization& o) {
  table out("llrrrl", {"layer", "operator", "output", "weights", "MACs", "after rewriting"});
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    std::string shapes;
    for (int k = 0; k < n.outputs.count; ++k) shapes += (k ? ", " : "") + ir::describe(g.shape(n.outputs.first + k));
    const ir::provenance went = ir::provenance_of(n.name, o.g.view(), o.history);
    std::string now;
    if (!went.rule.empty())
      now = (went.into.empty() ? "gone" : "in " + std::string(went.into)) + " (" + std::string(went.rule) + ")";
    const std::int64_t weights = weights_of_node(g, n), macs = ir::macs_of(g, static_cast<int>(i));
    out.row({std::string(n.name), std::string(n.type->name), shapes, weights ? grouped(weights) : "",
             macs ? grouped(macs) : "", now});
  }
  return out.text();
}

/// "f32 2 x 3"; where the file leaves axes open "f32 batch x 3, here 2 x 3".
std::string shape_text(const ir::value& v, const ctnn::declared_value* declared) {
  const std::string now = ir::describe(v.shape), type(ctnn::name_of(v.type));
  if (!declared || !declared->open()) return type + ' ' + now;
  return type + ' ' + ir::describe(*declared) + ", here " + now;
}

/// "conv2d 2, relu 1": the most frequent ones first.
std::string operators_text(const ir::graph_view& g) {
  std::map<std::string_view, std::int64_t> counts;
  for (const ir::node& n : g.nodes)
    if (n.type != &ir::type_of<ctnn::op::input>) ++counts[n.type->name];
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [name, n] : counts) order.emplace_back(-n, name);
  std::sort(order.begin(), order.end());
  std::string out;
  for (const auto& [n, name] : order) out += (out.empty() ? "" : ", ") + std::string(name) + ' ' + std::to_string(-n);
  return out;
}

/// "f32 1 234 (4 936 bytes)" for each type of the weights as they were read; those that layers share count once.
std::string weight_types(const ctnn::loaded_model& m) {
  if (m.without_numbers) return "zeros";
  std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> sums;
  std::set<const ctnn::array*> known;
  for (const auto& [name, numbers] : m.weights) {
    if (!numbers || !known.insert(numbers.get()).second) continue;
    auto& [count, bytes] = sums[ctnn::name_of(numbers->type())];
    count += static_cast<std::int64_t>(numbers->size());
    bytes += static_cast<std::int64_t>(numbers->size()) * ctnn::size_of(numbers->type());
  }
  std::string out;
  for (const auto& [type, sum] : sums)
    out += (out.empty() ? "" : ", ") + std::string(type) + ' ' + grouped(sum.first) + " (" + grouped(sum.second) +
           " bytes)";
  return out.empty() ? "none" : out;
}

}  // namespace

void info(const info_options& options) {
  const opened_model opened = open(options.model);
  const fed_inputs fed = read_inputs(options.model, opened);
  require_inputs(fed, opened);
  ctnn::loaded_model m = opened.build(fed.runs[0]);
  const std::string types = weight_types(m);
  const ir::optimization o = rewrite(m, options.model);
  const ir::graph_view before = m.network.view();
  if (options.layers) std::printf("%s\n", layers_text(before, o).c_str());
  if (!opened.opsets.empty()) {
    std::string sets;
    for (const auto& [domain, version] : opened.opsets)
      sets += (sets.empty() ? "" : ", ") + (domain.empty() ? "ai.onnx" : domain) + ' ' + std::to_string(version);
    std::printf("opset   %s\n", sets.c_str());
  }
  for (const ir::node& n : before.nodes)
    if (n.type == &ir::type_of<ctnn::op::input>) {
      const ir::value& v = before.at_value(n.outputs.first);
      std::printf("input   %.*s: %s\n", static_cast<int>(v.name.size()), v.name.data(),
                  shape_text(v, opened.find(v.name)).c_str());
    }
  for (const ir::network_output& out : before.outputs) {
    const auto declared = std::find_if(opened.outputs.begin(), opened.outputs.end(),
                                       [&](const ctnn::declared_value& v) { return v.name == out.name; });
    std::printf("output  %.*s: %s\n", static_cast<int>(out.name.size()), out.name.data(),
                shape_text(before.at_value(out.value),
                           declared != opened.outputs.end() && declared->ranked ? &*declared : nullptr)
                    .c_str());
  }
  std::printf("weights %s\n", types.c_str());
  std::printf("read    %s\n", operators_text(before).c_str());
  if (options.model.optimize) std::printf("after   %s\n", operators_text(o.g.view()).c_str());
  const totals a = add_up(before), b = add_up(o.g.view());
  table sums("lrr", {"", "as read", options.model.optimize ? "rewritten" : "not rewritten"});
  sums.row({"layers", grouped(a.layers), grouped(b.layers)});
  sums.row({"weights", grouped(a.weights), grouped(b.weights)});
  sums.row({"MACs", grouped(a.macs), grouped(b.macs)});
  sums.row({"arena, bytes", grouped(a.arena), grouped(b.arena)});
  std::printf("\n%s", sums.text().c_str());
}

}  // namespace tool
