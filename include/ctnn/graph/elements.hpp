// SPDX-License-Identifier: BSL-1.0
// What the integers of a graph's values stand for: said of a value, and as options of a declared layer.
#pragma once

#include "graph.hpp"

namespace ctnn::ir {

/// The integers of value v, which stand for themselves, stand for real numbers so.
constexpr void say_element(graph& g, value_id v, const quantization& q) {
  g.at_value(v).type.real = q;
  node& maker = g.at(g.at_value(v).producer);
  if (maker.type->key == &key_of<op::constant>)
    g.expressions[static_cast<std::size_t>(g.view().weights(maker)[0])].element.real = q;
  if (maker.type->key != &key_of<op::input>) return;
  auto declared = decode<op::input>(g.view().fields_of(maker.fields));
  declared.as = q;
  maker.fields = g.store_fields_of(declared);
}

/// Is it the option that a layer which reads bytes has without being told?
constexpr bool follows_from_bytes(std::string_view key, const auto& values) {
  return key == "weight_type" && values.size() == 1 && values[0] == static_cast<double>(dtype::i8);
}

/// Options for the element of node n's result, if it does not follow from what the node reads: `as` (of bytes from -128
/// to 127, unless `to` says otherwise), and `rounded`. An option that follows from it is taken away.
constexpr void spell_element(const graph_view& g, const node& n, spelled_options& out) {
  if (n.inputs.count > 0 && is_byte(g.at_value(g.inputs(n)[0]).type)) {
    const spelled_options all = out;
    out.clear();
    for (const auto& o : all)
      if (!follows_from_bytes(o.key, o.values)) out.push_back(o);
  }
  if (n.type->key == &key_of<op::input> || n.outputs.count == 0) return;
  const element& made = g.at_value(n.outputs.first).type;
  bool integers = is_integer(made);
  for (const value_id v : g.inputs(n)) integers = integers || is_integer(g.at_value(v).type);
  if (!integers) return;
  const pool<extents> shapes = input_shapes(g, n);
  const pool<element> of = input_elements(g, n);
  description d;
  const problem p = n.type->describe(g.fields_of(n.fields), {shapes.data(), shapes.size()}, {of.data(), of.size()}, d);
  if (!p && made == (d.types.empty() ? element{} : d.types[0])) return;
  field_values numbers;
  if (made.real) {
    numbers.push_back(made.real.scale);
    if (made.real.zero != 0) numbers.push_back(made.real.zero);
    out.push_back({"as", numbers});
  }
  if (made.rounded != rounding::once) {
    field_values how;
    how.push_back(static_cast<double>(made.rounded));
    out.push_back({"rounded", how});
  }
  if (made.real && made == dtype::i8) return;
  field_values type;
  type.push_back(static_cast<double>(made.type));
  out.push_back({"to", type});
}

}  // namespace ctnn::ir
