// SPDX-License-Identifier: BSL-1.0
// Numbers of graphs with operators and element types that only loaded models have: by the typed kernels, and where all
// is f32 by the definitions, which constants are folded with.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

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
  if (word.starts_with("index"))  // of a place
    for (float& x : given) x = std::floor(x + 2);
  else if (is_integer(type))
    for (float& x : given)
      x = std::floor(x * (is_byte(type) ? 60 : 500)) * (type == dtype::u8 || type == dtype::u64 ? -1.0f : 1.0f);
  const const_tensor in{given.data(), {static_cast<int>(count)}};
  const tensor to{
      static_cast<float*>(static_cast<void*>(out.data())), {static_cast<int>(count)}, layout::nchw, 0, type};
  const op::cast to_type{type};
  find_typed_kernel(&type_of<op::cast>)(&to_type, {{&in, 1}, {&to, 1}, {}}, {});
  return out;
}

/// Numbers of the leaves of a graph, and of expressions over them.
class typed_weights {
 public:
  /// Leaves by their keys in a state_dict, "conv1.weight": by default numbers that depend on them.
  using maker = bytes (*)(const std::string& key, const expression& leaf);
  explicit typed_weights(const graph_view& g, maker make = nullptr) : g_(g), make_(make) {}

  bytes elements(expression_id id) {
    const expression& e = g_.at_expression(id);
    if (!e.type) return of(e);
    bytes out(static_cast<std::size_t>(e.shape.count() * size_of(e.element)) + 8);
    if (is_integer(e.element)) {
      with_integers(g_, id, *this, [&](const typed_span& all) {
        all.visit([&](const auto* first, std::size_t n) { std::memcpy(out.data(), first, n * sizeof *first); });
      });
      return out;
    }
    const expression_evaluator evaluate(g_, id);
    std::vector<float> scratch(static_cast<std::size_t>(evaluate.scratch_size()));
    evaluate.run(*this, scratch.data(), static_cast<float*>(static_cast<void*>(out.data())));
    return out;
  }
  const float* operator()(const expression& leaf) const {
    return static_cast<float*>(static_cast<void*>(of(leaf).data()));
  }
  typed_span numbers(const expression& leaf) const {
    const void* const at = of(leaf).data();
    const auto n = static_cast<std::size_t>(leaf.shape.count());
    if (leaf.element == dtype::u8) return {static_cast<const std::uint8_t*>(at), n};
    if (leaf.element == dtype::i8) return {static_cast<const std::int8_t*>(at), n};
    if (leaf.element == dtype::i64) return {static_cast<const std::int64_t*>(at), n};
    return {static_cast<const std::int32_t*>(at), n};
  }

 private:
  bytes& of(const expression& e) const {
    const std::string name = std::string(e.layer) + (e.name == "value" ? "" : "." + std::string(e.name));
    bytes& b = known_[name];
    if (b.empty() && make_ != nullptr) b = make_(name, e);
    if (b.empty()) {
      b = random_elements(name, e.shape.count(), e.element);
      auto* const f = static_cast<float*>(static_cast<void*>(b.data()));
      const bool is_scale = e.element == dtype::f32 && (name.starts_with("scale") || e.name.ends_with("_scale"));
      for (std::int64_t i = 0; i < e.shape.count() && is_scale; ++i)  // a scale is positive
        f[i] = 0.01f + std::fabs(f[i]);
      const auto size = static_cast<std::size_t>(size_of(e.element));
      if (e.element == dtype::boolean && e.numbers != numbers_are::anything)
        b.assign(b.size(), e.numbers == numbers_are::zeros ? 0 : 1);
      if (e.element == dtype::i32 && !e.type && e.shape.rank == 1 && e.fields.count != 0) {
        const pool<bool> below = places_not_above_zero(g_, e);
        auto* const i32 = static_cast<std::int32_t*>(static_cast<void*>(b.data()));
        for (std::size_t i = 0; i < below.size(); ++i)
          if (below[i]) i32[i] = -std::abs(i32[i]);
      }
      write_zero_channels(
          g_, e, [&](std::size_t i) { std::fill_n(b.data() + i * size, size, static_cast<unsigned char>(0)); });
    }
    return b;
  }

  graph_view g_;
  maker make_;
  mutable std::map<std::string, bytes> known_;
};

/// Is it a linear layer by a packed weight? Its definition takes what is packed as files have it.
inline bool has_packed_weight(const graph_view& g, const node& n) {
  return n.type == &type_of<op::linear> && decode<op::linear>(g.fields_of(n.fields)).weight.is_packed();
}
/// A node's weights as its kernel takes them.
inline std::vector<bytes> packed_weights(const graph_view& g, const node& n, typed_weights& weights) {
  std::vector<bytes> out;
  int slot = 0;
  for (const expression_id id : g.weights(n)) {
    const expression& e = g.at_expression(id);
    out.push_back(weights.elements(id));
    if (is_byte(e.element) && n.type->packs(slot, e.element) && !has_packed_weight(g, n)) {
      const auto fields = g.fields_of(n.fields);
      const std::int64_t count = n.type->packed_count(fields, slot, e.shape, channel_block);
      bytes packed(static_cast<std::size_t>(count) * sizeof(float));
      n.type->pack(fields, slot, e.shape, static_cast<const float*>(static_cast<const void*>(out.back().data())),
                   static_cast<float*>(static_cast<void*>(packed.data())), channel_block);
      out.back() = packed;
    }
    ++slot;
  }
  return out;
}

/// What an input of a graph is fed.
inline bytes typed_input(const graph_view& g, const node& n) {
  const ir::value& v = g.at_value(n.outputs.first);
  bytes made = random_elements(n.name, v.shape.count(), v.type);
  auto* const numbers = static_cast<float*>(static_cast<void*>(made.data()));
  const bool is_scale = v.type == dtype::f32 && n.name.starts_with("scale");
  for (std::int64_t i = 0; i < v.shape.count() && is_scale; ++i)  // which is positive
    numbers[i] = 0.01f + std::fabs(numbers[i]);
  return made;
}

/// The outputs of a graph; `input(g, node)` gives the elements of its inputs, `make` those of its weights.
inline std::vector<bytes> typed_outputs_for(const graph_view& g, auto&& input, typed_weights::maker make = nullptr) {
  std::vector<bytes> values(g.values.size());
  typed_weights weights(g, make);
  const auto tensor_of = [&](value_id v) {
    return tensor{static_cast<float*>(static_cast<void*>(values[static_cast<std::size_t>(v)].data())), g.shape(v),
                  layout::nchw, 0, g.at_value(v).type};
  };
  for (const node& n : g.nodes) {
    for (value_id v = n.outputs.first; v < n.outputs.first + n.outputs.count; ++v)
      values[static_cast<std::size_t>(v)].resize(
          static_cast<std::size_t>(g.shape(v).count() * size_of(g.at_value(v).type)) + 8);
    if (n.type == &type_of<op::constant>) {
      values[static_cast<std::size_t>(n.outputs.first)] = weights.elements(g.weights(n)[0]);
      continue;
    }
    if (n.type == &type_of<op::input>) {
      values[static_cast<std::size_t>(n.outputs.first)] = input(g, n);
      continue;
    }
    std::vector<const_tensor> in;
    std::vector<tensor> out;
    const slot_set given = g.given(n);
    const auto read = g.inputs(n);
    const std::size_t inputs = read.size() - static_cast<std::size_t>(count_slots(given));
    for (value_id v : read.first(inputs)) in.push_back(tensor_of(v));
    for (value_id v = n.outputs.first; v < n.outputs.first + n.outputs.count; ++v) out.push_back(tensor_of(v));
    const auto run = find_typed_kernel(n.type);
    const bool found = run != nullptr;
    REQUIRE(found);
    heap_scratch scratch(scratch_bytes(g, n));
    const std::vector<bytes> own = packed_weights(g, n, weights);
    std::vector<const float*> slots;
    merge_slots(given, [&](std::size_t i) { return tensor_of(read[inputs + i]).data; },
                [&](std::size_t i) { return static_cast<const float*>(static_cast<const void*>(own[i].data())); },
                own.size(), slots);
    bool real = n.type->reference() != nullptr;
    for (value_id v : read) real = real && g.at_value(v).type == dtype::f32;
    for (const tensor& t : out) real = real && t.type == dtype::f32;
    for (const expression_id id : g.weights(n))
      real = real && (g.at_expression(id).element == dtype::f32 || has_packed_weight(g, n));
    if (real) n.type->reference()(g.fields_of(n.fields), {in, out, slots});
    const pool<element> of = input_elements(g, n), made = output_elements(g, n);
    const integer_arguments integers{nullptr, of.data(), made.data()};
    if (!real)
      run(make_operator(*n.type, g.fields_of(n.fields)).get(), {in, out, slots, {}, &integers}, scratch.memory());
  }
  std::vector<bytes> out;
  for (const network_output& o : g.outputs) {
    bytes& b = values[static_cast<std::size_t>(o.value)];
    b.resize(static_cast<std::size_t>(g.shape(o.value).count() * size_of(g.at_value(o.value).type)));
    out.push_back(b);
  }
  return out;
}

inline std::vector<bytes> typed_outputs(const graph_view& g) { return typed_outputs_for(g, typed_input); }

/// Are bytes one step apart at most?
inline bool one_step(const bytes& got, const bytes& want, dtype type) {
  if (!is_byte(type) || got.size() != want.size()) return false;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const int by =
        type == dtype::u8 ? got[i] - want[i] : static_cast<std::int8_t>(got[i]) - static_cast<std::int8_t>(want[i]);
    if (by < -1 || by > 1) return false;
  }
  return true;
}

/// Equal bits, or f32 numbers as close as rewriting by the rules of `history` may leave them, or bytes a step apart.
inline bool agree(const graph_view& g, const std::vector<bytes>& got, const std::vector<bytes>& want, bool exact,
                  const pool<rewrite_step>& history) {
  float tolerance = 1e-5f;
  bool exact_sums = false;  // where the others lose to the largest of their terms
  for (const rewrite_step& s : history) {
    if (s.rule == rules::rounding_between::info.name) tolerance = 1e-2f;
    exact_sums = exact_sums || s.rule == rules::multiply_bytes::info.name;
  }
  if (got.size() != want.size()) return false;
  for (std::size_t o = 0; o < got.size(); ++o) {
    if (got[o] == want[o]) continue;
    if (!exact && one_step(got[o], want[o], g.at_value(g.outputs[o].value).type)) continue;
    if (exact || g.at_value(g.outputs[o].value).type != dtype::f32 || got[o].size() != want[o].size()) return false;
    float size = 1;
    for (std::size_t i = 0; i < want[o].size() && exact_sums; i += 4) {
      float b;
      std::memcpy(&b, want[o].data() + i, 4);
      size = std::max(size, std::fabs(b));
    }
    for (std::size_t i = 0; i < got[o].size(); i += 4) {
      float a, b;
      std::memcpy(&a, got[o].data() + i, 4);
      std::memcpy(&b, want[o].data() + i, 4);
      if (!(std::fabs(a - b) <= tolerance * std::max(size, std::fabs(b)))) return false;
    }
  }
  return true;
}

}  // namespace ctnn::ir::test
