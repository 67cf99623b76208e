// SPDX-License-Identifier: BSL-1.0
// A network's weights: named arrays on the way in, packed for the kernels inside.
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

/// Packed weights of Net, to be shared by any number of engines.
template <class Net>
struct parameters {
  alignas(64) float packed[ir::executable<Net>::weights_size + 1]{};
};

namespace ir::detail {

/// Whether Many is One for several samples, and takes its packed weights (batched.hpp).
template <class Many, class One>
struct batch_of;

}  // namespace ir::detail

/// The weights of Net where they lie, for engines: parameters<Net>, or those of the network that Net only gives a name
/// (struct Net : optimized<net> {}), or of one sample, if Net is that network batched<...> and its kernels want them
/// packed the same way. They must outlive their readers.
template <class Net>
struct weights_of {
  const float* packed;
  constexpr weights_of(const parameters<Net>& weights) : packed(weights.packed) {}
  template <class Same>
  constexpr weights_of(const parameters<Same>& weights) : packed(weights.packed) {
    if constexpr (!std::is_same_v<typename Same::network_type, typename Net::network_type>) {
      using batch = ir::detail::batch_of<Net, Same>;
      static_assert(batch::is_it, "ctnn: these are the weights of another network");
      static_assert(!batch::is_it || batch::packs_alike,
                    "ctnn: for several samples a layer's weights are packed in another way: the batch has its own");
    }
  }
  template <class Any>
  weights_of(const parameters<Any>&&) = delete;  // would be gone before the first inference
};

/// A constant network's weights are folded and packed by the compiler up to this many numbers (Clang's step limit);
/// beyond it, do it at start or let `ctnn header` write them packed.
inline constexpr std::int64_t constant_weights_limit = 65'536;

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
      if (static_cast<std::int64_t>(w.numbers.size()) != e.shape.count())
        return {{mistake::weight_size_mismatch, e.name, {static_cast<int>(w.numbers.size())}, e.shape}, e.layer};
      if (w.shape.rank != 0 && !same_but_ones(w.shape, e.shape))
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

/// The given weights, and as floats those halves that graph g reads so: an expansion has it compute in f32.
struct widened_weights {
  pool<named_weight> all;
  pool<pool<float>> floats{};

  constexpr widened_weights(const graph_view& g, std::span<const named_weight> given) : all(given) {
    for (const named_weight& w : given)
      if (is_narrow(w.numbers.type()) && reads_floats(g, w)) widen(w);
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
    floats.push_back(static_cast<pool<float>&&>(wide));
    const pool<float>& kept = floats[floats.size() - 1];
    all.push_back({w.layer, w.name, {kept.data(), kept.size()}});
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
      pack_slot(g, n, slot, numbers, packed);
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

template <class Net, const auto& Given>
struct found_in_weights {
  // A network with a mistake is empty, and its weights are not to blame.
  static constexpr problem_report error =
      declared_graph<Net>.nodes.empty() ? problem_report{} : check_weights(declared_graph<Net>, Given);
};
/// Has the compiler the numbers?
constexpr bool read_numbers(std::span<const named_weight> given) {
  for (const named_weight& w : given)
    w.numbers.visit([](const auto* first, std::size_t n) { return n > 0 && first[0] == first[0]; });
  return true;
}
template <const auto& Given>
concept constant_numbers = requires {
  typename std::bool_constant<read_numbers(Given)>;
};

/// Compiles only if the weights are right.
template <class Net, const auto& Given>
auto weights_error_of() {
  if constexpr (constant_numbers<Given>) return std::type_identity<error_in<found_in_weights<Net, Given>::error>>{};
  else return std::type_identity<weights_of_run_time<Net>>{};
}
template <class Net, const auto& Given>
using weights_error = typename decltype(weights_error_of<Net, Given>())::type;

template <class Net, const auto& Given>
inline constexpr bool are_right = [] {
  if constexpr (constant_numbers<Given>) return !found_in_weights<Net, Given>::error.found;
  else return false;
}();

/// The packed weights of a network, if those given for Net are right.
template <class Net, const auto& Given, class Packed = Net>
struct constant_weights {
  static_assert(sizeof(weights_error<Net, Given>) > 0);
  static_assert(
      count_weights(declared_graph<Net>) <= constant_weights_limit,
      "ctnn: too many weights to fold in a constant (constant_weights_limit): use load() at start, or `ctnn header`");
  using type = parameters<Packed>;
};

/// Has it its weights with it (with_weights.hpp)?
template <class Net>
concept knows_weights = requires { Net::known_weights; };
template <class Net, const auto& Given>
struct takes_only_known_weights {
  static_assert(std::size(Given) == 0 || static_cast<const void*>(&Given) == &Net::known_weights,
                "ctnn: with_weights<...> was rewritten for its own weights: fold<> and pack<> take no others");
};
template <class Net, const auto& Given, class Packed>
  requires knows_weights<Net>
struct constant_weights<Net, Given, Packed> {
  static_assert(sizeof(takes_only_known_weights<Net, Given>) > 0);
  static_assert(count_weights(declared_graph<Net>) <= constant_weights_limit,
                "ctnn: too many weights to fold in a constant (constant_weights_limit): use `ctnn header`");
  using type = parameters<Packed>;
};
template <class Net, const auto& Given>
constexpr std::span<const named_weight> weights_for() {
  if constexpr (knows_weights<Net>) return Net::known_weights;
  else return Given;
}
template <class Net, const auto& Given>
constexpr bool are_right_for() {
  if constexpr (knows_weights<Net>) return Net::are_right();
  else return are_right<Net, Given>;
}

}  // namespace ir::detail

/// Those of a network that has none.
inline constexpr std::array<named_weight, 0> no_weights{};

/// The packed weights of optimized<Net>, folded by the compiler from constexpr arrays that belong to Net:
///   constexpr ctnn::named_weight given[] = {{"fc", "weight", fc_weight}, {"fc", "bias", fc_bias}};
///   constexpr auto folded = ctnn::fold<net, given>();
/// Missing, unknown or wrongly sized weights do not compile.
template <class Net, const auto& Given = no_weights, class Rules = default_rules>
consteval auto fold() -> typename ir::detail::constant_weights<Net, Given, optimized<Net, Rules>>::type {
  static_assert(ir::detail::count_products(ir::optimized_graph<Net, Rules>) <= constant_weights_limit,
                "ctnn: weights of layers in a row take too long to multiply in a constant: use load_folded() at start, "
                "`ctnn header`, or rules_without<default_rules, \"multiply_weights\">");
  parameters<optimized<Net, Rules>> out;
  if constexpr (ir::detail::are_right_for<Net, Given>())
    ir::detail::fold_and_pack(ir::optimized_graph<Net, Rules>, ir::detail::weights_for<Net, Given>(), out.packed);
  return out;
}

/// The packed weights of Net as it is, by the compiler.
template <class Net, const auto& Given = no_weights>
consteval auto pack() -> typename ir::detail::constant_weights<Net, Given>::type {
  parameters<Net> out;
  if constexpr (ir::detail::are_right_for<Net, Given>())
    ir::detail::pack_given(ir::declared_graph<Net>, ir::detail::weights_for<Net, Given>(), out.packed);
  return out;
}

/// Weights read at start, for a network that needs no folding; no heap. Returns what is wrong, naming layer and weight;
/// then `into` is unchanged.
template <class Net>
[[nodiscard]] constexpr problem_report load(parameters<Net>& into, std::span<const named_weight> given) {
  if (const problem_report error = ir::detail::check_weights(ir::declared_graph<Net>, given); error.found) return error;
  ir::detail::pack_given(ir::declared_graph<Net>, given, into.packed);
  return {};
}

/// Weights of Net folded at start into those of optimized<Net>, or of a struct that inherits it; needs a heap while it
/// works.
template <class Net, class Rules = default_rules, class Fused>
[[nodiscard]] constexpr problem_report load_folded(parameters<Fused>& into, std::span<const named_weight> given) {
  static_assert(!ir::detail::knows_weights<Net>,
                "ctnn: with_weights<...> was rewritten for its own weights: fold<> has them, others may not fit");
  static_assert(std::is_same_v<typename Fused::network_type, typename optimized<Net, Rules>::network_type>,
                "ctnn: these are the weights of another network");
  if (const problem_report error = ir::detail::check_weights(ir::declared_graph<Net>, given); error.found) return error;
  ir::detail::fold_and_pack(ir::optimized_graph<Net, Rules>, given, into.packed);
  return {};
}

/// Weights of a network, in arrays.
template <class Net>
inline constexpr std::size_t weight_count = [] {
  std::size_t n = 0;
  for (const ir::expression& e : ir::declared_graph<Net>.expressions) n += e.type ? 0u : 1u;
  return n;
}();

/// Splits one run of numbers into the weights of Net, in the order of layers and slots: what a blob of weights holds.
/// Returns false if the count is not exactly right, or if there are weights of other types than f32. `table` has as
/// many entries as Net has weights (weight_count<Net>).
template <class Net>
[[nodiscard]] constexpr bool split_blob(std::span<const float> blob,
                                        std::span<named_weight, weight_count<Net>> table) {
  if (static_cast<std::int64_t>(blob.size()) != ir::detail::count_weights(ir::declared_graph<Net>)) return false;
  std::size_t i = 0;
  for (const ir::expression& e : ir::declared_graph<Net>.expressions) {
    if (e.type) continue;
    if (e.element != dtype::f32) return false;
    const auto n = static_cast<std::size_t>(e.shape.count());
    table[i++] = {e.layer, e.name, blob.first(n)};
    blob = blob.subspan(n);
  }
  return true;
}

}  // namespace ctnn
