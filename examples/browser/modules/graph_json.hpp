// SPDX-License-Identifier: BSL-1.0
// A network before and after rewriting as JSON for a page, made by the compiler of a type or at run time of a file.
#pragma once

#include <ctnn/formats/layer_words.hpp>
#include <ctnn/graph/cost.hpp>
#include <ctnn/rewrite/provenance.hpp>

namespace browser {

namespace ir = ctnn::ir;

template <class Out>
constexpr void append_quoted(Out& out, std::string_view text) {
  out += "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\\') out += "\\";
    out += c >= 0 && c < ' ' ? std::string_view(" ") : text.substr(i, 1);
  }
  out += "\"";
}

/// {"layers": [{name, does, family, shapes, reads, outputs}...], macs, weights}; of layers that are rewritten into
/// `after` also "into", the layer that does its work (null for none), and the rule that removed it.
template <class Out>
constexpr void append_layers(Out& out, const ir::graph_view& g, const ir::graph_view* after,
                             std::span<const ir::rewrite_step> history) {
  const auto number = [&](std::string_view key, std::int64_t n) {
    ir::append(out, key);
    ir::append_integer(out, n);
  };
  std::int64_t macs = 0, weights = 0;
  out += "{\"layers\":[";
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const ir::node& n = g.nodes[i];
    if (i > 0) out += ",";
    out += "{\"name\":";
    append_quoted(out, n.name);
    out += ",\"does\":\"";
    ir::append_words(out, g, static_cast<ir::node_id>(i));
    number("\",\"family\":", static_cast<int>(ir::family_of(g, static_cast<ir::node_id>(i))));
    out += ",\"shapes\":[";
    for (int k = 0; k < n.outputs.count; ++k) {
      out += k > 0 ? ",\"" : "\"";
      ir::append_shape(out, g.shape(n.outputs.first + k));
      out += "\"";
    }
    out += "],\"reads\":[";
    for (std::size_t k = 0; k < g.inputs(n).size(); ++k) number(k > 0 ? "," : "", g.at_value(g.inputs(n)[k]).producer);
    out += "],\"outputs\":[";
    bool first = true;
    for (const ir::network_output& o : g.outputs)
      if (g.at_value(o.value).producer == static_cast<ir::node_id>(i)) {
        if (!first) out += ",";
        first = false;
        append_quoted(out, o.name.empty() ? n.name : o.name);
      }
    out += "]";
    if (after) {
      const ir::provenance p = ir::provenance_of(n.name, *after, history);
      out += ",\"into\":";
      if (p.into.empty()) out += "null";
      else append_quoted(out, p.into);
      out += ",\"rule\":";
      append_quoted(out, p.rule);
    }
    out += "}";
    macs += ir::macs_of(g, static_cast<ir::node_id>(i));
    for (const ir::expression_id e : g.weights(n)) weights += g.at_expression(e).shape.count();
  }
  number("],\"macs\":", macs);
  number(",\"weights\":", weights);
  out += "}";
}

/// {"before": ..., "after": ..., "arena": bytes}
template <class Out>
constexpr void append_graphs(Out& out, const ir::graph_view& before, const ir::graph_view& after,
                             std::span<const ir::rewrite_step> history, std::int64_t arena_bytes) {
  out += "{\"before\":";
  append_layers(out, before, &after, history);
  out += ",\"after\":";
  append_layers(out, after, nullptr, {});
  out += ",\"arena\":";
  ir::append_integer(out, arena_bytes);
  out += "}";
}

}  // namespace browser
