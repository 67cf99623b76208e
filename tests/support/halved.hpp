// SPDX-License-Identifier: BSL-1.0
// A model in half precision, as converters make them: every f32 input, constant and weight is f16 or bf16 instead.
#pragma once

#include <ctnn/base/half.hpp>
#include <ctnn/loaded/loaded_model.hpp>

namespace ctnn::ir::test {

inline std::uint16_t to_narrow(float x, dtype type) {
  return type == dtype::f16 ? float_to_half(x) : float_to_bfloat(x);
}
inline float from_narrow(std::uint16_t x, dtype type) {
  return type == dtype::f16 ? half_to_float(x) : bfloat_to_float(x);
}
inline float rounded(float x, dtype type) { return from_narrow(to_narrow(x, type), type); }

/// f32 as `type`, any other as f32.
inline array narrowed(const array& a, dtype type) {
  array out(a.shape(), type);
  for (std::size_t i = 0; i < a.size(); ++i)
    out.elements<std::uint16_t>()[i] = to_narrow(static_cast<float>(number_at(a, i)), type);
  return out;
}
inline array as_floats(const array& a) {
  array out(a.shape());
  for (std::size_t i = 0; i < a.size(); ++i) out.values()[i] = static_cast<float>(number_at(a, i));
  return out;
}

template <class Op>
void halve_own(graph& g, node& n, dtype type) {
  if (n.type != &type_of<Op>) return;
  Op p = decode<Op>(g.view().fields_of(n.fields));
  if (p.type == dtype::f32) p.type = type;
  const field_values f = encode(p);
  n.fields = g.store_fields({f.data(), f.size()});
}

/// False if an operator of the model does not take halves.
inline bool halve(loaded_model& m, dtype type) {
  graph& g = m.network;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    node& n = g.nodes[i];
    halve_own<op::input>(g, n, type);
    halve_own<op::constant>(g, n, type);
    const pool<element> types = input_elements(g.view(), n);
    const pool<extents> shapes = input_shapes(g.view(), n);
    description d;
    if (n.type->describe(g.view().fields_of(n.fields), {shapes.data(), shapes.size()}, {types.data(), types.size()}, d))
      return false;
    for (int k = 0; k < n.outputs.count; ++k)
      g.at_value(n.outputs.first + k).type = d.types.empty() ? element{} : d.types[static_cast<std::size_t>(k)];
    for (int k = 0; k < n.weights.count; ++k) {
      expression& w = g.expressions[static_cast<std::size_t>(g.view().weights(n)[static_cast<std::size_t>(k)])];
      w.element = d.weights[static_cast<std::size_t>(k)].type;
      shared_array& numbers = m.weights[{w.layer, w.name}];
      if (is_narrow(w.element) && numbers->type() == dtype::f32)
        numbers = std::make_shared<const array>(narrowed(*numbers, type));
    }
  }
  for (model_input& i : m.inputs)
    if (i.type == dtype::f32) i.type = type;
  return true;
}

}  // namespace ctnn::ir::test
