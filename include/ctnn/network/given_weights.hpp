// SPDX-License-Identifier: BSL-1.0
// A network's weights as they are given: named arrays, checked, found by the leaves of a graph, packed.
#pragma once

#include "../base/half.hpp"
#include "../base/typed_span.hpp"
#include "executable.hpp"

namespace ctnn {

/// Numbers of one weight, in PyTorch's order, by layer and name; elements of the weight's type, float where nothing
/// else is said.
struct named_weight {
  std::string_view layer;
  std::string_view name;
  typed_span numbers;
  extents shape{};  ///< checked where it is given; extents of 1 aside
};

/// The same by the key of PyTorch's state_dict: state("layer1.0.conv1.weight", numbers). The numbers of a constant are
/// called like the constant: those of constant<"weight", ...> in block "norm1" are "norm1.weight".
constexpr named_weight state(std::string_view key, typed_span numbers, const extents& shape = {}) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return {{}, key, numbers, shape};
  return {key.substr(0, dot), key.substr(dot + 1), numbers, shape};
}

namespace ir::detail {

/// Is it the weight of leaf e?
constexpr bool is_weight_of(const named_weight& w, const expression& e) {
  if (w.name == e.name && w.layer == e.layer) return true;
  if (e.name != "value") return false;  // of a constant, by the constant's name
  if (w.layer.empty()) return w.name == e.layer;
  const std::size_t n = w.layer.size();
  return e.layer.size() == n + 1 + w.name.size() && e.layer[n] == '.' && e.layer.substr(0, n) == w.layer &&
         e.layer.substr(n + 1) == w.name;
}

/// Extents of 1 aside: torch says (C) where a constant to be added is (C, 1, 1).
constexpr bool same_but_ones(const extents& a, const extents& b) {
  int i = 0, k = 0;
  while (true) {
    while (i < a.rank && a[i] == 1) ++i;
    while (k < b.rank && b[k] == 1) ++k;
    if (i == a.rank || k == b.rank) return i == a.rank && k == b.rank;
    if (a[i++] != b[k++]) return false;
  }
}

/// Whether one number may be given for all channels, as torch.nn.PReLU() has it.
constexpr bool takes_one_number(const graph_view& g, const expression& e) {
  for (const node& n : g.nodes)
    if (n.type == &type_of<op::prelu>)
      for (const expression_id w : g.weights(n))
        if (&g.at_expression(w) == &e) return true;
  return false;
}
/// Whether numbers of a shape may be given as weight e.
constexpr bool is_shape_of(const graph_view& g, const expression& e, const extents& given) {
  return same_but_ones(given, e.shape) || (given.count() == 1 && takes_one_number(g, e));
}
/// One number for all channels, among many.
constexpr bool is_for_all(const typed_span& numbers, const expression& e) {
  return numbers.size() == 1 && e.shape.count() > 1;
}

/// Finds a leaf's numbers; they have been checked.
struct leaf_lookup {
  std::span<const named_weight> given;
  constexpr typed_span numbers(const expression& e) const {
    for (const named_weight& w : given)
      if (is_weight_of(w, e) && w.numbers.type() == e.element) return w.numbers;
    return {};
  }
  constexpr const float* operator()(const expression& e) const { return numbers(e).data(); }
};

/// Every leaf once, of the right size; no name that is not a leaf.
constexpr problem_report check_weights(const graph_view& g, std::span<const named_weight> given) {
  for (const named_weight& w : given) {
    int leaves = 0;
    for (const expression& e : g.expressions) leaves += !e.type && is_weight_of(w, e) ? 1 : 0;
    if (leaves == 0) return {{mistake::unknown_weight, w.name}, w.layer};
    if (leaves > 1) return {{mistake::duplicate_name, w.name}, w.layer};
  }
  for (const expression& e : g.expressions) {
    if (e.type) continue;
    bool found = false;
    for (const named_weight& w : given) {
      if (!is_weight_of(w, e)) continue;
      if (found) return {{mistake::duplicate_weight, e.name}, e.layer};
      found = true;
      if (static_cast<std::int64_t>(w.numbers.size()) != e.shape.count() &&
          !(w.numbers.size() == 1 && takes_one_number(g, e)))
        return {{mistake::weight_size_mismatch, e.name, {static_cast<int>(w.numbers.size())}, e.shape}, e.layer};
      if (w.shape.rank != 0 && !is_shape_of(g, e, w.shape))
        return {{mistake::weight_shape_mismatch, e.name, w.shape, e.shape}, e.layer};
      if (w.numbers.type() != e.element)
        return {{mistake::weight_type_mismatch,
                 e.name,
                 {static_cast<int>(w.numbers.type())},
                 {static_cast<int>(e.element.type)}},
                e.layer};
    }
    if (!found) return {{mistake::missing_weight, e.name, {}, e.shape}, e.layer};
  }
  return {};
}

/// The given weights, and as floats those halves that graph g reads so: an expansion has it compute in f32. One number
/// for all channels is there for each.
struct widened_weights {
  pool<named_weight> all;
  pool<pool<float>> floats{};

  constexpr widened_weights(const graph_view& g, std::span<const named_weight> given) : all(given) {
    for (const named_weight& w : given)
      if (is_narrow(w.numbers.type()) && reads_floats(g, w)) widen(w);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (const expression& e : g.expressions)
        if (!e.type && e.element == dtype::f32 && is_for_all(all[i].numbers, e) && is_weight_of(all[i], e))
          all[i].numbers = keep(pool<float>(static_cast<std::size_t>(e.shape.count()), all[i].numbers.data()[0]));
  }

 private:
  static constexpr bool reads_floats(const graph_view& g, const named_weight& w) {
    for (const expression& e : g.expressions)
      if (!e.type && e.element == dtype::f32 && is_weight_of(w, e)) return true;
    return false;
  }
  constexpr void widen(const named_weight& w) {
    pool<float> wide(w.numbers.size(), 0.0f);
    w.numbers.visit([&]<class T>(const T* first, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i)
        if constexpr (std::is_same_v<T, float16>) wide[i] = half_to_float(static_cast<std::uint16_t>(first[i]));
        else if constexpr (std::is_same_v<T, bfloat16>) wide[i] = bfloat_to_float(static_cast<std::uint16_t>(first[i]));
    });
    all.push_back({w.layer, w.name, keep(static_cast<pool<float>&&>(wide))});
  }
  constexpr typed_span keep(pool<float>&& numbers) {
    floats.push_back(static_cast<pool<float>&&>(numbers));
    const pool<float>& kept = floats[floats.size() - 1];
    return {kept.data(), kept.size()};
  }
};

/// Evaluates and packs every weight of graph g, whose expressions are over the given leaves. The scratch memory is the
/// heap: in constants, and at start on systems that have one.
constexpr void fold_and_pack(const graph_view& g, std::span<const named_weight> given, float* packed) {
  const widened_weights weights(g, given);
  const leaf_lookup leaf{weights.all};
  for_each_slot(g, [&](const node& n, int slot, expression_id, std::int64_t offset, std::int64_t, bool is_there) {
    if (is_there) return;
    const evaluated_weights all(g, n, slot, leaf);
    all.run([&](const auto& numbers) { pack_slot(g, n, slot, numbers, packed + offset); });
  });
}

/// Packs the weights of a network whose weights are all given as they are: no folding, no heap.
constexpr void pack_given(const graph_view& g, std::span<const named_weight> given, float* packed) {
  const leaf_lookup leaf{given};
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    const auto numbers = [&](int k) {
      return leaf.numbers(g.at_expression(g.weights(n)[static_cast<std::size_t>(k)]));
    };
    for (int slot = 0; slot < n.weights.count; ++slot) {
      if (is_packed_before(g, i, slot)) continue;
      const expression& e = g.at_expression(g.weights(n)[static_cast<std::size_t>(slot)]);
      if (const typed_span one = numbers(slot); one.type() == dtype::f32 && is_for_all(one, e))
        for (std::int64_t c = 0; c < e.shape.count(); ++c) packed[c] = one.data()[0];
      else pack_slot(g, n, slot, numbers, packed);
      packed += packed_room(packed_size(g, n, slot));
    }
  }
}

constexpr std::int64_t count_weights(const graph_view& g) {
  std::int64_t sum = 0;
  for (const expression& e : g.expressions) sum += e.type ? 0 : e.shape.count();
  return sum;
}

/// Multiply-adds that make a network's weights, where they are products (rewrite/rules/products.hpp).
constexpr std::int64_t count_products(const graph_view& g) {
  std::int64_t sum = 0;
  for (const expression& e : g.expressions) {
    if (e.type == nullptr) continue;
    pool<extents> in;
    for (const expression_id a : g.arguments(e)) in.push_back(g.at_expression(a).shape);
    sum += e.type == &type_of<op::matmul> ? e.type->macs(g.fields_of(e.fields), in, {&e.shape, 1}) : 0;
  }
  return sum;
}

}  // namespace ir::detail
}  // namespace ctnn
