// SPDX-License-Identifier: BSL-1.0
// ctnn info: layers, shapes, parameters, multiply-adds and memory, before and after rewriting.
#include <ctnn/plan/planner.hpp>
#include <ctnn/rewrite/provenance.hpp>

#include "rewriting.hpp"
#include "source.hpp"
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

}  // namespace

void info(const info_options& options) {
  ctnn::loaded_model m = load(options.model);
  const ir::optimization o = rewrite(m, options.model);
  const ir::graph_view before = m.network.view();
  if (options.layers) std::printf("%s\n", layers_text(before, o).c_str());
  for (const ir::node& n : before.nodes)
    if (n.type == &ir::type_of<ctnn::op::input>) {
      const ir::value& v = before.at_value(n.outputs.first);
      std::printf("input   %.*s: %s\n", static_cast<int>(v.name.size()), v.name.data(),
                  ir::describe(v.shape).c_str());
    }
  for (const ir::network_output& out : before.outputs)
    std::printf("output  %.*s: %s\n", static_cast<int>(out.name.size()), out.name.data(),
                ir::describe(before.shape(out.value)).c_str());
  const totals a = add_up(before), b = add_up(o.g.view());
  table sums("lrr", {"", "as read", options.model.optimize ? "rewritten" : "not rewritten"});
  sums.row({"layers", grouped(a.layers), grouped(b.layers)});
  sums.row({"weights", grouped(a.weights), grouped(b.weights)});
  sums.row({"MACs", grouped(a.macs), grouped(b.macs)});
  sums.row({"arena, bytes", grouped(a.arena), grouped(b.arena)});
  std::printf("\n%s", sums.text().c_str());
}

}  // namespace tool
