// SPDX-License-Identifier: BSL-1.0
// Numbers of graphs with operators and element types that only loaded models have, by the typed kernels.
#pragma once

#include <cstring>

#include <ctnn/loaded/typed_kernels.hpp>
#include <ctnn/rewrite/rules.hpp>

#include "numbers.hpp"

namespace ctnn::ir::test {

using bytes = std::vector<unsigned char>;

/// Numbers of any type that depend on the name only: small and whole for integers.
inline bytes random_elements(std::string_view word, std::int64_t count, dtype type) {
  const floats from = random_floats(word, count, -2, 2);
  bytes out(static_cast<std::size_t>(count * size_of(type)) + 8);
  std::vector<float> given = from;
  if (is_integer(type))
    for (float& x : given)
      x = std::floor(x * (is_byte(type) ? 60 : 500)) * (type == dtype::u8 || type == dtype::u64 ? -1.0f : 1.0f);
  const const_tensor in{given.data(), {static_cast<int>(count)}};
  const tensor to{
      static_cast<float*>(static_cast<void*>(out.data())), {static_cast<int>(count)}, layout::nchw, 0, type};
  const op::cast to_type{type};
  find_typed_kernel(&type_of<op::cast>)(&to_type, {{&in, 1}, {&to, 1}, {}}, {});
  return out;
}

/// The outputs of a graph without folded weights, by the typed kernels.
inline std::vector<bytes> typed_outputs(const graph_view& g) {
  std::vector<bytes> values(g.values.size());
  const auto tensor_of = [&](value_id v) {
    return tensor{static_cast<float*>(static_cast<void*>(values[static_cast<std::size_t>(v)].data())), g.shape(v),
                  layout::nchw, 0, g.at_value(v).type};
  };
  for (const node& n : g.nodes) {
    for (value_id v = n.outputs.first; v < n.outputs.first + n.outputs.count; ++v)
      values[static_cast<std::size_t>(v)].resize(
          static_cast<std::size_t>(g.shape(v).count() * size_of(g.at_value(v).type)) + 8);
    if (n.type == &type_of<op::input> || n.type == &type_of<op::constant>) {
      const value_id v = n.outputs.first;
      values[static_cast<std::size_t>(v)] = random_elements(n.name, g.shape(v).count(), g.at_value(v).type);
      // A scale is positive.
      if (n.name.starts_with("scale"))
        for (std::int64_t i = 0; i < g.shape(v).count(); ++i)
          tensor_of(v).data[i] = 0.01f + std::fabs(tensor_of(v).data[i]);
      continue;
    }
    std::vector<const_tensor> in;
    std::vector<tensor> out;
    for (value_id v : g.inputs(n)) in.push_back(tensor_of(v));
    for (value_id v = n.outputs.first; v < n.outputs.first + n.outputs.count; ++v) out.push_back(tensor_of(v));
    const auto run = find_typed_kernel(n.type);
    const bool found = run != nullptr;
    REQUIRE(found);
    heap_scratch scratch(scratch_bytes(g, n));
    run(make_operator(*n.type, g.fields_of(n.fields)).get(), {in, out, {}}, scratch.memory());
  }
  std::vector<bytes> out;
  for (const network_output& o : g.outputs) {
    bytes& b = values[static_cast<std::size_t>(o.value)];
    b.resize(static_cast<std::size_t>(g.shape(o.value).count() * size_of(g.at_value(o.value).type)));
    out.push_back(b);
  }
  return out;
}

/// Equal bits, or f32 numbers as close as rewriting by the rules of `history` may leave them.
inline bool agree(const graph_view& g, const std::vector<bytes>& got, const std::vector<bytes>& want, bool exact,
                  const pool<rewrite_step>& history) {
  float tolerance = 1e-5f;
  for (const rewrite_step& s : history)
    if (s.rule == rules::rounding_between::info.name) tolerance = 1e-2f;
  if (got.size() != want.size()) return false;
  for (std::size_t o = 0; o < got.size(); ++o) {
    if (got[o] == want[o]) continue;
    if (exact || g.at_value(g.outputs[o].value).type != dtype::f32 || got[o].size() != want[o].size()) return false;
    for (std::size_t i = 0; i < got[o].size(); i += 4) {
      float a, b;
      std::memcpy(&a, got[o].data() + i, 4);
      std::memcpy(&b, want[o].data() + i, 4);
      if (!(std::fabs(a - b) <= tolerance * std::max(1.0f, std::fabs(b)))) return false;
    }
  }
  return true;
}

}  // namespace ctnn::ir::test
