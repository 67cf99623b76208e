// SPDX-License-Identifier: BSL-1.0
// ctnn info: what the file declares, layers, operators, weights, multiply-adds and memory, before and after rewriting.
#include <ctnn/base/error.hpp>
#include <ctnn/rewrite/provenance.hpp>
#include <ctnn/weights/packed.hpp>

#include <algorithm>
#include <array>

#include "info_facts.hpp"
#include "table.hpp"

namespace tool {

namespace {

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
    const std::int64_t weights = weights_of(g, n), macs = ir::macs_of(g, static_cast<int>(i));
    out.row({std::string(n.name), std::string(n.type->name), shapes, weights ? grouped(weights) : "",
             macs ? grouped(macs) : "", now});
  }
  return out.text();
}

/// "f32 2 x 3"; where the file leaves axes open "f32 batch x 3, here 2 x 3"; of integers that stand for real numbers
/// also
/// ", scale 0.25, zero point 3".
std::string value_text(const known_value& v) {
  std::string out = std::string(ctnn::name_of(v.type.type)) + ' ';
  const std::string now = ir::describe(v.shape);
  out += v.declared && v.declared->open() ? ir::describe(*v.declared) + ", here " + now : now;
  if (!v.type.real) return out;
  char text[80];
  std::snprintf(text, sizeof text, ", scale %.9g, zero point %d", v.type.real.scale, v.type.real.zero);
  return out + text;
}

/// "conv2d 2, relu 1": the most frequent ones first.
std::string operators_text(const std::vector<part>& parts, ir::graph_view part::*side) {
  std::vector<std::pair<std::int64_t, std::string_view>> order;
  for (const auto& [name, n] : operators_of(parts, side)) order.emplace_back(-n, name);
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

/// "f32 1 234 (4 936 bytes)" for each type.
std::string weights_text(const model_facts& f) {
  if (f.zeros) return "zeros";
  std::string out;
  for (const auto& [type, of] : f.weights)
    out +=
        (out.empty() ? "" : ", ") + std::string(type) + ' ' + grouped(of.count) + " (" + grouped(of.bytes) + " bytes)";
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

void print_values(const char* what, const std::vector<known_value>& values) {
  for (const known_value& v : values) std::printf("%-8s%s: %s\n", what, v.name.c_str(), value_text(v).c_str());
}

void print_sums(const model_facts& f, bool rewritten) {
  std::printf("weights %s\n", weights_text(f).c_str());
  if (const std::string shared = shared_text(f.parts); !shared.empty()) std::printf("shared  %s\n", shared.c_str());
  std::printf("read    %s\n", operators_text(f.parts, &part::before).c_str());
  if (rewritten) std::printf("after   %s\n", operators_text(f.parts, &part::after).c_str());
  if (const std::string rounding = rounding_text(f.parts); !rounding.empty())
    std::printf("rounded %s\n", rounding.c_str());
  const totals &a = f.as_read, &b = f.rewritten;
  table sums("lrr", {"", "as read", rewritten ? "rewritten" : "not rewritten"});
  sums.row({"layers", grouped(a.layers), grouped(b.layers)});
  sums.row({"weights", grouped(a.weights), grouped(b.weights)});
  sums.row({"MACs", grouped(a.macs), grouped(b.macs)});
  sums.row({"arena, bytes", grouped(a.arena), grouped(b.arena)});
  sums.row({"arena first, bytes", grouped(a.small_arena), grouped(b.small_arena)});
  std::printf("\n%s", sums.text().c_str());
}

void print_layers(const model_facts& f) {
  if (!f.run) {
    std::printf("%s\n", layers_text(f.parts[0]).c_str());
    return;
  }
  std::size_t number = 0, planned = 0;
  for (const ran_part& p : f.run->parts) {
    const std::string title = "part " + std::to_string(++number) +
                              (p.code ? "" : ": " + p.type + " '" + p.name + "', as its numbers come") +
                              (p.turns > 1 ? ", " + std::to_string(p.turns) + " turns of a loop" : "");
    std::printf("%s\n%s\n", title.c_str(), p.code ? layers_text(f.parts[planned++]).c_str() : "");
  }
}

/// What the file declares, and what of it cannot run.
void print_refused(const model_facts& f) {
  for (const auto* list : {&f.opened.inputs, &f.opened.outputs})
    for (const ctnn::declared_value& v : *list)
      std::printf("%-8s%s: %s %s\n", list == &f.opened.inputs ? "input" : "output", v.name.c_str(),
                  std::string(ctnn::name_of(v.type)).c_str(), ir::describe(v).c_str());
  for (const std::string& reason : f.not_supported) std::printf("missing %s\n", reason.c_str());
}

}  // namespace

void info(const info_options& options) {
  const std::unique_ptr<const model_facts> known = facts_of(options);
  const model_facts& f = *known;
  const bool runs = f.not_supported.empty();
  if (options.json) {
    std::printf("%s\n", info_as_json(options, f).c_str());
  } else {
    if (runs && options.layers) print_layers(f);
    print_opsets(f.opened);
    print_signatures(f.opened);
    if (!runs) print_refused(f);
  }
  if (!runs) throw ctnn::error(f.error);
  if (options.json) return;
  print_values("input", f.inputs);
  print_values("carried", f.carried);
  print_values("output", f.outputs);
  if (f.run)
    std::printf(
        "shapes  follow from what is computed: %s%s\n", f.run->describe().c_str(),
        f.run->broken.empty() ? "" : (", which it does not admit (" + f.run->broken + "): feed --input").c_str());
  print_sums(f, options.model.optimize);
}

}  // namespace tool
