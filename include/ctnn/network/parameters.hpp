// SPDX-License-Identifier: BSL-1.0
// A network's weights packed for its kernels: folded by the compiler, or at start.
#pragma once

#include "given_weights.hpp"

namespace ctnn {

namespace ir {

template <class Net>
inline constexpr bool has_weights = executable<Net>::weights_size != 0;

/// Packed numbers where they lie.
template <class Net>
struct packed_numbers {
  alignas(64) float packed[executable<Net>::weights_size + 1];
};

}  // namespace ir

/// Says that weights are zeros, for now or for good: parameters<net> weights{zeros}.
struct zeros_t {
  explicit zeros_t() = default;
};
inline constexpr zeros_t zeros{};

/// Packed weights of Net, to be shared by any number of engines. They say where they come from: the compiler (fold,
/// pack), a file (weights::folded), a header that `ctnn header` wrote, or `zeros`, which load() and load_folded() fill.
template <class Net>
struct parameters : ir::packed_numbers<Net> {
  constexpr explicit parameters(zeros_t) : ir::packed_numbers<Net>{} {}
  /// Of a network without weights.
  constexpr parameters() requires(!ir::has_weights<Net>) : ir::packed_numbers<Net>{} {}
  // Compilers show the line.
  // clang-format off
  parameters() requires ir::has_weights<Net> = delete;  // ctnn: nobody gave these weights: name{zeros} are zeros
  // clang-format on
  /// As they are packed: those of headers.
  constexpr parameters(const ir::packed_numbers<Net>& numbers) : ir::packed_numbers<Net>(numbers) {}
  /// Of what fills them: weights::folded<net>(file). Throws what that throws.
  template <class Source>
  requires requires(const Source& from, parameters& to) { from.load_into(to); }
  explicit parameters(const Source& from) : parameters(zeros) { from.load_into(*this); }
};

namespace ir::detail {

enum class weights_are { the_same, packed_otherwise, of_another };

/// What the packed weights of One are to an engine of Net (shared_weights.hpp).
template <class Net, class One>
constexpr weights_are weights_beside();

}  // namespace ir::detail

/// The weights of Net where they lie, for engines: parameters<Net>, or those of the network that Net only gives a name
/// (struct Net : optimized<net> {}), or those of One, if Net is batched<One, 8>, stateful<One, 16>, or one of these
/// optimised, and its kernels want them packed the same way. They must outlive their readers.
template <class Net>
struct weights_of {
  const float* packed;
  constexpr weights_of(const parameters<Net>& weights) : packed(weights.packed) {}
  // clang-format off
  template <class One>
  requires(ir::detail::weights_beside<Net, One>() ==
           ir::detail::weights_are::the_same) constexpr weights_of(const parameters<One>& weights)
      : packed(weights.packed) {}
  template <class One> requires(ir::detail::weights_beside<Net, One>() == ir::detail::weights_are::packed_otherwise)
  weights_of(const parameters<One>&) = delete;  // ctnn: weights packed in another way: load them for this network, too
  template <class One> requires(ir::detail::weights_beside<Net, One>() == ir::detail::weights_are::of_another)
  weights_of(const parameters<One>&) = delete;  // ctnn: these are the weights of another network
  template <class Any>
  weights_of(const parameters<Any>&&) = delete;  // ctnn: these weights would be gone before the first inference
  // clang-format on
};

/// A constant network's weights are folded and packed by the compiler up to this many numbers (Clang's step limit);
/// beyond it, do it at start or let `ctnn header` write them packed.
inline constexpr std::int64_t constant_weights_limit = 65'536;

namespace ir::detail {

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
  parameters<optimized<Net, Rules>> out{zeros};
  if constexpr (ir::detail::are_right_for<Net, Given>())
    ir::detail::fold_and_pack(ir::optimized_graph<Net, Rules>, ir::detail::weights_for<Net, Given>(), out.packed);
  return out;
}

/// The packed weights of Net as it is, by the compiler.
template <class Net, const auto& Given = no_weights>
consteval auto pack() -> typename ir::detail::constant_weights<Net, Given>::type {
  parameters<Net> out{zeros};
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
