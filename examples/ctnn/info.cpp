// SPDX-License-Identifier: BSL-1.0
// ctnn info: what the file declares, layers, operators, weights, multiply-adds and memory, before and after rewriting.
#include <ctnn/loaded/planning.hpp>
#include <ctnn/rewrite/provenance.hpp>
#include <ctnn/weights/packed.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "inputs.hpp"
#include "parts.hpp"
#include "rewriting.hpp"
#include "table.hpp"

namespace tool {

namespace {

struct totals {
  std::int64_t layers = 0, weights = 0, macs = 0, arena = 0, small_arena = 0;
};

std::int64_t bytes_of(std::int64_t numbers) { return numbers * static_cast<std::int64_t>(sizeof(float)); }

std::int64_t weights_of_node(const ir::graph_view& g, const ir::node& n) {
  std::int64_t sum = 0;
  for (ir::expression_id e : g.weights(n)) sum += g.at_expression(e).shape.count();
  return sum;
}

/// A network, or a part of one, as it was read and as it runs.
struct part {
  ir::graph_view before, after;
  std::span<const ir::rewrite_step> history;
  std::int64_t turns = 1;
  const ctnn::loaded_model* source = nullptr;  ///< has the numbers of `before`, if they are there
};

/// The same for arrays of the same numbers of a file.
const void* identity(const ctnn::array& a) {
  const auto source = a.source();
  return source ? static_cast<const void*>(source.get()) : &a;
}

/// Those that several layers share count once.
std::int64_t weights_of_all(const ir::graph_view& g, const ctnn::loaded_model* numbers) {
  std::int64_t sum = 0;
  std::set<ir::expression_id> known;
  std::set<const void*> read;
  for (const ir::node& n : g.nodes)
    for (ir::expression_id id : g.weights(n)) {
      const ir::expression& e = g.at_expression(id);
      bool is_new = known.insert(id).second;
      if (numbers && !e.type)
        if (const auto at = numbers->weights.find({e.layer, e.name}); at != numbers->weights.end() && at->second)
          is_new = read.insert(identity(*at->second)).second && is_new;
      sum += is_new ? e.shape.count() : 0;
    }
  return sum;
}

totals add_up(const ir::graph_view& g, const ctnn::loaded_model* numbers = nullptr) {
  totals t;
  t.weights = weights_of_all(g, numbers);
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    ++t.layers;
    t.macs += ir::macs_of(g, static_cast<int>(i));
  }
  t.arena = bytes_of(ir::plan_loaded(g).arena_size);
  return t;
}

/// What it is if memory comes first.
std::int64_t small_arena(const part& p) {
  ir::graph g = ir::thaw(p.after);
  ir::put_arena_first(g, p.before);
  return bytes_of(ir::plan_loaded(g.view()).arena_size);
}

/// Layers as they were read, with where their work is done now.
std::string layers_text(const part& p) {
  const ir::graph_view& g = p.before;
  table out("llrrrl", {"layer", "operator", "output", "weights", "MACs", "after rewriting"});
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    std::string shapes;
    for (int k = 0; k < n.outputs.count; ++k) shapes += (k ? ", " : "") + ir::describe(g.shape(n.outputs.first + k));
    const ir::provenance went = ir::provenance_of(n.name, p.after, p.history);
    std::string now = went.stays() ? "stays" : "gone: nobody reads it";
    if (!went.rule.empty())
      now = (went.into.empty() ? "gone" : "in " + std::string(went.into)) + " (" + std::string(went.rule) + ")";
    const std::int64_t weights = weights_of_node(g, n), macs = ir::macs_of(g, static_cast<int>(i));
    out.row({std::string(n.name), std::string(n.type->name), shapes, weights ? grouped(weights) : "",
             macs ? grouped(macs) : "", now});
  }
  return out.text();
}

/// "f32 2 x 3"; where the file leaves axes open "f32 batch x 3, here 2 x 3".
std::string shape_text(const ctnn::extents& shape, ctnn::dtype of, const ctnn::declared_value* declared) {
  const std::string now = ir::describe(shape), type(ctnn::name_of(of));
  if (!declared || !declared->open()) return type + ' ' + now;
  return type + ' ' + ir::describe(*declared) + ", here " + now;
}

/// "conv2d 2, relu 1": the most frequent ones first.
std::string operators_text(const std::vector<part>& parts, ir::graph_view part::*side) {
  std::map<std::string_view, std::int64_t> counts;
  for (const part& p : parts)
    for (const ir::node& n : (p.*side).nodes)
      if (n.type != &ir::type_of<ctnn::op::input>) ++counts[n.type->name];
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [name, n] : counts) order.emplace_back(-n, name);
  std::sort(order.begin(), order.end());
  std::string out;
  for (const auto& [n, name] : order) out += (out.empty() ? "" : ", ") + std::string(name) + ' ' + std::to_string(-n);
  return out;
}

/// "46 layers once, 5 twice, 3 from real numbers": how those that compute make integers of real numbers (ir::rounding).
std::string rounding_text(const std::vector<part>& parts) {
  std::array<std::int64_t, 5> counts{};
  for (const part& p : parts)
    for (const ir::node& n : p.before.nodes) {
      const bool given = n.type == &ir::type_of<ctnn::op::input> || n.type == &ir::type_of<ctnn::op::constant>;
      const bool made = n.outputs.count > 0 && p.before.at_value(n.outputs.first).type.real;
      if (!made || given || n.type->is.copies || n.type->is.view) continue;
      ++counts[static_cast<std::size_t>(p.before.at_value(n.outputs.first).type.rounded)];
    }
  constexpr std::string_view how[] = {"once", "twice", "from real numbers", "coarsely", "away from zero"};
  std::string out;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      out += (out.empty() ? "" : ", ") + std::to_string(counts[i]) + (out.empty() ? " layers " : " ") +
             std::string(how[i]);
  return out;
}

/// "1 234 numbers have several readers; packed once they take 4 936 bytes less": what layers share as they run.
std::string shared_text(const std::vector<part>& parts) {
  std::int64_t numbers = 0, saved = 0;
  for (const part& p : parts) {
    std::map<ir::expression_id, int> readers;
    ir::for_each_slot(p.after,
                      [&](const ir::node&, int, ir::expression_id e, std::int64_t, std::int64_t size, bool is_there) {
                        if (++readers[e] == 2) numbers += p.after.at_expression(e).shape.count();
                        saved += is_there ? size * static_cast<std::int64_t>(sizeof(float)) : 0;
                      });
  }
  if (numbers == 0) return {};
  return grouped(numbers) + " numbers have several readers; packed once they take " + grouped(saved) + " bytes less";
}

/// "f32 1 234 (4 936 bytes)" for each type of the weights as they were read; those that layers share count once.
std::string weight_types(const std::vector<const ctnn::loaded_model*>& all) {
  std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> sums;
  std::set<const void*> known;
  for (const ctnn::loaded_model* m : all) {
    if (m->without_numbers) return "zeros";
    for (const auto& [name, numbers] : m->weights) {
      if (!numbers) continue;
      if (!known.insert(identity(*numbers)).second) continue;
      auto& [count, bytes] = sums[ctnn::name_of(numbers->type())];
      count += static_cast<std::int64_t>(numbers->size());
      bytes += static_cast<std::int64_t>(numbers->size()) * ctnn::size_of(numbers->type());
    }
  }
  std::string out;
  for (const auto& [type, sum] : sums)
    out += (out.empty() ? "" : ", ") + std::string(type) + ' ' + grouped(sum.first) + " (" + grouped(sum.second) +
           " bytes)";
  return out.empty() ? "none" : out;
}

void print_opsets(const opened_model& opened) {
  if (opened.opsets.empty()) return;
  std::string sets;
  for (const auto& [domain, version] : opened.opsets)
    sets += (sets.empty() ? "" : ", ") + (domain.empty() ? "ai.onnx" : domain) + ' ' + std::to_string(version);
  std::printf("opset   %s\n", sets.c_str());
}
/// "encode (text) -> vector", and which one is read.
void print_signatures(const opened_model& opened) {
  const auto listed = [](const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
    return out;
  };
  for (const ctnn::onnx::signature& s : opened.signatures)
    std::printf("ways in %s (%s) -> %s%s\n", s.name.c_str(), listed(s.inputs).c_str(), listed(s.outputs).c_str(),
                s.chosen ? "" : "; not read: --signature");
}

void print_value(const char* what, std::string_view name, const std::string& shape) {
  std::printf("%-8s%.*s: %s\n", what, static_cast<int>(name.size()), name.data(), shape.c_str());
}

const ctnn::declared_value* declared_output(const opened_model& opened, std::string_view name) {
  for (const ctnn::declared_value& v : opened.outputs)
    if (v.name == name && v.ranked) return &v;
  return nullptr;
}

void print_sums(const std::vector<part>& parts, const std::string& types, bool rewritten) {
  std::printf("weights %s\n", types.c_str());
  if (const std::string shared = shared_text(parts); !shared.empty()) std::printf("shared  %s\n", shared.c_str());
  std::printf("read    %s\n", operators_text(parts, &part::before).c_str());
  if (rewritten) std::printf("after   %s\n", operators_text(parts, &part::after).c_str());
  if (const std::string rounding = rounding_text(parts); !rounding.empty())
    std::printf("rounded %s\n", rounding.c_str());
  totals a, b;
  for (const part& p : parts) {
    const auto add = [&](totals& to, const totals& now) {
      to.layers += now.layers, to.weights += now.weights, to.macs += p.turns * now.macs;
      to.arena = std::max(to.arena, now.arena);  // one after the other
      to.small_arena = std::max(to.small_arena, now.small_arena);
    };
    totals before = add_up(p.before, p.source), after = add_up(p.after);
    before.small_arena = bytes_of(ir::loaded_arena_by_layer(p.before));
    after.small_arena = small_arena(p);
    add(a, before);
    add(b, after);
  }
  table sums("lrr", {"", "as read", rewritten ? "rewritten" : "not rewritten"});
  sums.row({"layers", grouped(a.layers), grouped(b.layers)});
  sums.row({"weights", grouped(a.weights), grouped(b.weights)});
  sums.row({"MACs", grouped(a.macs), grouped(b.macs)});
  sums.row({"arena, bytes", grouped(a.arena), grouped(b.arena)});
  sums.row({"arena first, bytes", grouped(a.small_arena), grouped(b.small_arena)});
  std::printf("\n%s", sums.text().c_str());
}

/// What it is for the numbers that are fed, or for made-up ones.
void info_of_parts(const info_options& options, const opened_model& opened, const parts_run& run) {
  std::vector<part> parts;
  std::vector<const ctnn::loaded_model*> sources;
  std::size_t number = 0;
  for (const ran_part& p : run.parts) {
    const std::string title = "part " + std::to_string(++number) +
                              (p.code ? "" : ": " + p.type + " '" + p.name + "', as its numbers come") +
                              (p.turns > 1 ? ", " + std::to_string(p.turns) + " turns of a loop" : "");
    if (options.layers) std::printf("%s\n", title.c_str());
    if (p.code) {
      sources.push_back(&p.code->source());
      parts.push_back({p.code->source().network.view(), p.code->g(), p.code->history(),
                       static_cast<std::int64_t>(p.turns), &p.code->source()});
    }
    if (options.layers) std::printf("%s\n", p.code ? layers_text(parts.back()).c_str() : "");
  }
  print_opsets(opened);
  print_signatures(opened);
  for (const auto& [name, numbers] : run.fed)
    print_value("input", name, shape_text(numbers.shape(), numbers.type(), opened.find(name)));
  for (const auto& [name, numbers] : run.outputs)
    print_value("output", name, shape_text(numbers.shape(), numbers.type(), declared_output(opened, name)));
  std::printf("shapes  follow from what is computed: %s%s\n", run.describe().c_str(),
              run.broken.empty() ? "" : (", which it does not admit (" + run.broken + "): feed --input").c_str());
  print_sums(parts, weight_types(sources), options.model.optimize);
}

}  // namespace

void info(const info_options& options) {
  const opened_model opened = open(options.model);
  const fed_inputs fed = read_inputs(options.model, opened);
  require_inputs(fed, opened);
  std::optional<ctnn::loaded_model> whole = build_whole(opened, fed.runs[0]);
  if (!whole) return info_of_parts(options, opened, run_parts(options.model, opened, fed.runs[0]));
  ctnn::loaded_model& m = *whole;
  const std::string types = weight_types({&m});
  const ir::optimization o = rewrite(m, options.model);
  const ir::graph_view before = m.network.view();
  const std::vector<part> parts{{before, o.g.view(), {o.history.data(), o.history.size()}, 1, &m}};
  if (options.layers) std::printf("%s\n", layers_text(parts[0]).c_str());
  print_opsets(opened);
  print_signatures(opened);
  for (const ir::node& n : before.nodes)
    if (n.type == &ir::type_of<ctnn::op::input>) {
      const ir::value& v = before.at_value(n.outputs.first);
      print_value(ir::is_carried(before, n) ? "carried" : "input", v.name,
                  shape_text(v.shape, v.type, opened.find(v.name)));
    }
  for (const ir::network_output& out : before.outputs) {
    if (ir::carried_into(before, out) != ir::none) continue;
    const ir::value& v = before.at_value(out.value);
    print_value("output", out.name, shape_text(v.shape, v.type, declared_output(opened, out.name)));
  }
  print_sums(parts, types, options.model.optimize);
}

}  // namespace tool
