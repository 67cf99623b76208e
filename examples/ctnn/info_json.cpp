// SPDX-License-Identifier: BSL-1.0
// ctnn info --json.
#include <ctnn/version.h>

#include "files.hpp"
#include "info_facts.hpp"
#include "json.hpp"

namespace tool {

namespace {

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string list_of(const ctnn::extents& shape) {
  json all;
  for (int k = 0; k < shape.rank; ++k) all.number("", shape[k]);
  return all.list();
}

/// Numbers; names, or null without one, for open axes; null where the file says nothing.
std::string declared_shape(const ctnn::declared_value& v) {
  if (!v.ranked) return "null";
  json all;
  for (const ctnn::declared_axis& a : v.axes)
    all.raw("", !a.open() ? std::to_string(a.extent) : a.name.empty() ? "null" : json_text(a.name));
  return all.list();
}

std::string list_of(const std::vector<known_value>& values) {
  json all;
  for (const known_value& v : values) {
    json one;
    one.text("name", v.name).text("type", ctnn::name_of(v.type.type)).raw("shape", list_of(v.shape));
    if (v.declared) one.raw("declared_shape", declared_shape(*v.declared));
    if (v.type.real) one.raw("scale", decimal(v.type.real.scale)).number("zero_point", v.type.real.zero);
    all.raw("", one.object());
  }
  return all.list();
}

std::string list_of(const std::vector<ctnn::declared_value>& values) {
  json all;
  for (const ctnn::declared_value& v : values)
    all.raw("", json()
                    .text("name", v.name)
                    .text("type", ctnn::name_of(v.type))
                    .raw("declared_shape", declared_shape(v))
                    .object());
  return all.list();
}

std::string side(const model_facts& f, ir::graph_view part::*graph, const totals& t) {
  json operators;
  for (const auto& [name, n] : operators_of(f.parts, graph)) operators.number(name, n);
  return json()
      .number("layers", t.layers)
      .raw("operators", operators.object())
      .number("weights", t.weights)
      .number("macs", t.macs)
      .number("arena_bytes", t.arena)
      .number("arena_first_bytes", t.small_arena)
      .object();
}

std::string layers(const model_facts& f) {
  json all;
  for (const part& p : f.parts)
    for (std::size_t i = 0; i < p.before.nodes.size(); ++i) {
      const ir::node& n = p.before.nodes[i];
      json outputs;
      for (int k = 0; k < n.outputs.count; ++k)
        outputs.raw("", json()
                            .text("name", p.before.at_value(n.outputs.first + k).name)
                            .raw("shape", list_of(p.before.shape(n.outputs.first + k)))
                            .object());
      all.raw("", json()
                      .text("name", n.name)
                      .text("operator", n.type->name)
                      .raw("outputs", outputs.list())
                      .number("weights", weights_of(p.before, n))
                      .number("macs", ir::macs_of(p.before, static_cast<int>(i)))
                      .object());
    }
  return all.list();
}

std::string rewrites(const model_facts& f) {
  json all;
  for (const part& p : f.parts)
    for (const ir::rewrite_step& s : p.history)
      all.raw("", json().text("rule", s.rule).text("layer", s.consumed).text("into", s.into).object());
  return all.list();
}

}  // namespace

std::string info_as_json(const info_options& options, const model_facts& f) {
  json all, opsets, weights, missing;
  for (const auto& [domain, version] : f.opened.opsets) opsets.number(domain.empty() ? "ai.onnx" : domain, version);
  std::int64_t bytes = 0;
  for (const auto& [type, of] : f.weights) {
    weights.raw(type, json().number("count", of.count).number("bytes", of.bytes).object());
    bytes += of.bytes;
  }
  for (const std::string& reason : f.not_supported) missing.text("", reason);
  all.text("ctnn", CTNN_VERSION_STRING).text("model", shown(options.model.file)).raw("opsets", opsets.object());
  if (!f.not_supported.empty())
    return all.raw("inputs", list_of(f.opened.inputs))
        .raw("outputs", list_of(f.opened.outputs))
        .raw("not_supported", missing.list())
        .object();
  all.raw("inputs", list_of(f.inputs)).raw("carried", list_of(f.carried)).raw("outputs", list_of(f.outputs));
  all.raw("weights", weights.object()).number("weights_bytes", bytes).flag("zeros", f.zeros);
  all.number("parts", static_cast<std::int64_t>(f.run ? f.run->parts.size() : 1));
  if (f.run) all.flag("made_up_numbers", f.run->made_up).text("went_no_further", f.run->broken);
  all.raw("as_read", side(f, &part::before, f.as_read)).raw("rewritten", side(f, &part::after, f.rewritten));
  if (options.layers) all.raw("layers", layers(f));
  return all.raw("rewrites", rewrites(f)).object();
}

}  // namespace tool
