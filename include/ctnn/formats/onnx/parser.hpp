// SPDX-License-Identifier: BSL-1.0
// ModelProto, GraphProto, NodeProto and what they hold, to plain structs. Nothing is built from them yet.
#pragma once

#include <algorithm>

#include "../file.hpp"
#include "load.hpp"
#include "operators.hpp"
#include "tensor.hpp"

namespace ctnn::onnx {

namespace detail {

inline graph_message read_graph(parse_state&, const data_view&);

inline value_info read_value_info(parse_state& s, const data_view& bytes) {
  value_info v;
  data_view type, part;
  for (message m(s, bytes); m.next();) {
    if (m.field() == 1) m.read_name(v.name, "value name");
    else if (m.field() != 2 || !m.is(pbf_wire_type::length_delimited)) m.skip();
    else m.read(type);
  }
  if (++s.values > s.limits.blobs) s.fail("more than " + std::to_string(s.limits.blobs) + " values");
  for (message m(s, type); m.next();) {
    if (m.field() != 1) {
      if (m.field() == 4 || m.field() == 5 || m.field() == 8 || m.field() == 9) v.is_tensor = false;
      m.skip();
      continue;
    }
    if (!m.read(part)) continue;
    for (message t(s, part); t.next();) {
      data_view shape;
      if (t.field() == 1) t.read(v.element);
      else if (t.field() != 2) t.skip();
      else if (t.read(shape)) {
        auto& axes = v.shape.emplace();
        for (message d(s, shape); d.next();) {
          data_view axis;
          if (d.field() != 1) d.skip();
          else if (d.read(axis)) {
            if (axes.size() == max_rank)
              s.fail("not supported: value '" + v.name + "' has more than " + std::to_string(max_rank) + " axes");
            auto& at = axes.emplace_back();
            for (message a(s, axis); a.next();) {
              if (a.field() == 1 && a.is(pbf_wire_type::varint)) a.read(at.size.emplace());
              else if (a.field() == 2) a.read_name(at.name, "axis name");
              else a.skip();
            }
          }
        }
      }
    }
  }
  return v;
}

/// Files before ONNX 1.2 do not say what an attribute is.
inline attribute_kind kind_by_content(const attribute& a, bool has_real, bool has_integer, bool has_text) {
  using enum attribute_kind;
  if (has_real) return real;
  if (has_integer) return integer;
  if (has_text) return text;
  if (a.tensor) return tensor;
  if (a.graph) return graph;
  if (!a.reals.empty()) return reals;
  if (!a.integers.empty()) return integers;
  if (!a.texts.empty()) return texts;
  return undefined;
}

inline attribute read_attribute(parse_state& s, const data_view& bytes) {
  attribute a;
  int kind = 0;
  bool has_real = false, has_integer = false, has_text = false;
  data_view part;
  for (message m(s, bytes); m.next();) {
    switch (m.field()) {
      case 1: m.read_name(a.name, "attribute name"); break;
      case 2:
        m.read(a.real);
        has_real = true;
        break;
      case 3:
        m.read(a.integer);
        has_integer = true;
        break;
      case 4:
        m.read_name(a.text, "string attribute");
        has_text = true;
        break;
      case 5:
        if (m.read(part)) a.tensor = std::make_shared<tensor>(read_tensor(s, part));
        break;
      case 6:
        if (m.read(part)) a.graph = std::make_shared<graph_message>(read_graph(s, part));
        break;
      case 7: m.read_numbers(a.reals, s.limits.array_length, "attribute"); break;
      case 8: m.read_numbers(a.integers, s.limits.array_length, "attribute"); break;
      case 9: m.read_names(a.texts, "string attribute"); break;
      case 20: m.read(kind); break;
      case 21: m.read_name(a.refers_to, "attribute name"); break;
      default: m.skip();
    }
  }
  if (kind < 0 || kind > static_cast<int>(attribute_kind::types))
    s.fail("attribute '" + a.name + "' is of unknown type " + std::to_string(kind));
  a.kind = kind ? static_cast<attribute_kind>(kind) : kind_by_content(a, has_real, has_integer, has_text);
  if ((a.kind == attribute_kind::tensor && !a.tensor) || (a.kind == attribute_kind::graph && !a.graph))
    s.fail("attribute '" + a.name + "' should be " + name_of(a.kind) + " but has none");
  return a;
}

inline node_message read_node(parse_state& s, const data_view& bytes) {
  node_message n;
  n.byte = s.byte();
  data_view part;
  for (message m(s, bytes); m.next();) {
    switch (m.field()) {
      case 1: m.read_names(n.inputs, "input name"); break;
      case 2: m.read_names(n.outputs, "output name"); break;
      case 3: m.read_name(n.name, "node name"); break;
      case 4: m.read_name(n.type, "operator"); break;
      case 5:
        if (!m.read(part)) break;
        n.attributes.push_back(read_attribute(s, part));
        for (std::size_t i = 0; i + 1 < n.attributes.size(); ++i)
          if (n.attributes[i].name == n.attributes.back().name)
            s.fail("attribute '" + n.attributes[i].name + "' is given twice");
        if (n.attributes.size() > 256) s.fail("more than 256 attributes");
        break;
      case 7: m.read_name(n.domain, "domain"); break;
      case 8: m.read_name(n.overload, "overload"); break;
      default: m.skip();
    }
  }
  if (n.domain == "ai.onnx") n.domain.clear();
  s.last = s.begin + n.byte;
  if (n.type.empty()) s.fail("node '" + n.name + "' has no operator");
  return n;
}

inline void read_next_node(parse_state& s, const data_view& bytes, graph_message& to) {
  if (++s.nodes > s.limits.layers) s.fail("more than " + std::to_string(s.limits.layers) + " nodes");
  s.take(sizeof(node_message));
  to.nodes.push_back(read_node(s, bytes));
}

inline graph_message read_graph(parse_state& s, const data_view& bytes) {
  if (++s.depth > s.limits.nesting) s.fail("graphs are nested deeper than " + std::to_string(s.limits.nesting));
  graph_message g;
  data_view part;
  for (message m(s, bytes); m.next();) {
    switch (m.field()) {
      case 1:
        if (m.read(part)) read_next_node(s, part, g);
        break;
      case 2: m.read_name(g.name, "graph name"); break;
      case 5:
        if (!m.read(part)) break;
        if (++s.values > s.limits.blobs) s.fail("more than " + std::to_string(s.limits.blobs) + " values");
        g.initializers.push_back(read_tensor(s, part));
        break;
      case 11:
        if (m.read(part)) g.inputs.push_back(read_value_info(s, part));
        break;
      case 12:
        if (m.read(part)) g.outputs.push_back(read_value_info(s, part));
        break;
      case 15:
        if (m.read(part)) g.initializers.push_back(read_sparse_tensor(s, part));
        break;
      default: m.skip();
    }
  }
  --s.depth;
  return g;
}

inline void read_opset(parse_state& s, const data_view& bytes, opset_versions& to) {
  std::string domain;
  std::int64_t version = 0;
  for (message o(s, bytes); o.next();) {
    if (o.field() == 1) o.read_name(domain, "domain");
    else if (o.field() == 2) o.read(version);
    else o.skip();
  }
  if (domain == "ai.onnx") domain.clear();
  const auto [at, is_new] = to.emplace(domain, version);
  if (!is_new && at->second != version) s.fail("two versions of operator set '" + domain + "'");
}

inline void read_function(parse_state& s, const data_view& bytes, model_message& to) {
  function_message f;
  function_key key;
  std::vector<std::string> inputs, outputs;
  const char* begin = s.last;
  data_view part;
  for (message m(s, bytes); m.next();) {
    switch (m.field()) {
      case 1: m.read_name(key[1], "function name"); break;
      case 4: m.read_names(inputs, "input name"); break;
      case 5: m.read_names(outputs, "output name"); break;
      case 6: m.read_names(f.attributes, "attribute name"); break;
      case 7:
        if (m.read(part)) read_next_node(s, part, f.body);
        break;
      case 9:
        if (m.read(part)) read_opset(s, part, f.opsets);
        break;
      case 10: m.read_name(key[0], "domain"); break;
      case 11:
        if (m.read(part)) f.defaults.push_back(read_attribute(s, part));
        break;
      case 13: m.read_name(key[2], "overload"); break;
      default: m.skip();
    }
  }
  s.last = begin;
  const std::string who = "function '" + key[1] + "'";
  if (key[1].empty()) s.fail("a function has no name");
  if (f.attributes.size() + f.defaults.size() > 256) s.fail(who + " has more than 256 attributes");
  for (const attribute& a : f.defaults) {
    if (!a.refers_to.empty()) s.fail(who + ": the default of attribute '" + a.name + "' is a reference");
    if (std::ranges::count(f.attributes, a.name) > 0)
      s.fail(who + ": attribute '" + a.name + "' is there with a default and without");
  }
  for (const auto& [names, values] : {std::pair(&inputs, &f.body.inputs), std::pair(&outputs, &f.body.outputs)})
    for (std::string& name : *names) {
      if (name.empty()) s.fail(who + " has an input or output without a name");
      values->emplace_back().name = std::move(name);
    }
  if (key[0] == "ai.onnx") key[0].clear();
  if (!to.functions.emplace(std::move(key), std::move(f)).second) s.fail(who + " is there twice");
}

inline model_message read_model(parse_state& s, const data_view& bytes) {
  model_message out;
  out.source = s.source;
  out.find = find_operator;
  bool has_graph = false;
  data_view part;
  for (message m(s, bytes); m.next();) {
    switch (m.field()) {
      case 1: m.read(out.ir_version); break;
      case 7:
        if (!m.read(part)) break;
        if (has_graph) s.fail("a second graph");
        has_graph = true;
        out.graph = read_graph(s, part);
        break;
      case 8:
        if (m.read(part)) read_opset(s, part, out.opsets);
        break;
      case 25:
        if (m.read(part)) read_function(s, part, out);
        break;
      default: m.skip();
    }
  }
  s.last = bytes.data() + bytes.size();
  if (!has_graph) s.fail("no graph: not an ONNX model");
  return out;
}

}  // namespace detail

/// Calls read(state, bytes); what protozero and the heap throw becomes a ctnn::error with the byte.
template <class Read>
auto parse(std::span<const std::byte> bytes, const std::string& source, const budget& limits, const std::string& folder,
           Read&& read) {
  parse_state s{source, reinterpret_cast<const char*>(bytes.data()), limits, folder};
  if (bytes.size() > limits.file_bytes) s.fail(over_limit(bytes.size(), limits.file_bytes, "bytes", "file_bytes"));
  if (bytes.empty()) s.fail("empty file");
  try {
    return read(s, data_view(s.begin, bytes.size()));
  } catch (const protozero::end_of_buffer_exception&) {
    s.fail("a field ends after the message it is in, or the file is cut off");
  } catch (const protozero::unknown_pbf_wire_type_exception&) {
    s.fail("a field of unknown wire type: not a protocol buffer");
  } catch (const protozero::invalid_tag_exception&) {
    s.fail("a field with an invalid number: not a protocol buffer");
  } catch (const protozero::varint_too_long_exception&) {
    s.fail("a number of more than 10 bytes");
  } catch (const protozero::exception& e) {
    s.fail(std::string("not a protocol buffer: ") + e.what());
  } catch (const std::bad_alloc&) {
    s.fail("out of memory");
  }
}

CTNN_ONCE model_message parse_model(std::span<const std::byte> bytes, const std::string& source, const budget& limits,
                                    const std::string& folder, const std::shared_ptr<const data_file>& file) {
  return parse(bytes, source, limits, folder, [&](parse_state& s, const data_view& v) {
    s.file = file;
    return detail::read_model(s, v);
  });
}

inline tensor parse_tensor(std::span<const std::byte> bytes, const std::string& source, const budget& limits) {
  return parse(bytes, source, limits, {}, [](parse_state& s, const data_view& v) { return read_tensor(s, v); });
}

}  // namespace ctnn::onnx
