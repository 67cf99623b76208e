// SPDX-License-Identifier: BSL-1.0
// Runs a network type: no heap, no exceptions, no locks. The arena is a member; weights are shared.
#pragma once

#include <cstddef>
#include <utility>

#include "dispatch.hpp"
#include "named_values.hpp"
#include "parameters.hpp"

namespace ctnn {

template <class Net>
class engine {
  using network_type = typename Net::network_type;
  using x = ir::executable<network_type>;

 public:
  static constexpr std::size_t inputs = x::input_count;
  static constexpr std::size_t outputs = x::output_count;

  /// `weights` must outlive the engine. `target` is one of supported_targets(), by default the best.
  explicit engine(const parameters<Net>& weights, target_id target = best_target()) : weights_(weights.packed) {
    use(target);
    reset();
  }
  /// Weights would be gone before the first inference.
  explicit engine(const parameters<Net>&&, target_id = {}) = delete;

  target_id target() const { return target_; }
  void use(target_id target) {
    run_ = ir::network_dispatch<network_type>::at(target);
    target_ = target;
  }

  /// A new sequence: what is carried from run to run (of stateful<...>, say) is zeros again.
  void reset() {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (clear<x::carried_values[I]>(), ...); }
    (std::make_index_sequence<x::carried_count>{});
  }

  /// Size of input or output I, in numbers.
  template <std::size_t I = 0>
  static constexpr std::size_t input_size = x::input_size(I);
  template <std::size_t I = 0>
  static constexpr std::size_t output_size = x::output_size(I);

  /// Input or output I: float, or what else was declared (ctnn::element says what holds it).
  template <std::size_t I = 0>
  using input_span = std::span<const element<x::input_type(I)>, x::input_size(I)>;
  template <std::size_t I = 0>
  using output_span = std::span<const element<x::output_type(I)>, x::output_size(I)>;

  /// One inference of a network with one input: the first output, valid until the next inference.
  output_span<0> operator()(input_span<0> input)
    requires(inputs == 1)
  {
    const float* const pointers[] = {address_of(input)};
    run_({pointers, weights_, arena()});
    return output<0>();
  }

  /// Of what is not as long, or does not say how long it is.
  template <class Other>
  requires(inputs == 1 && !std::is_convertible_v<const Other&, input_span<0>>) void operator()(const Other&) {
    static_assert(sizeof(Other*) == 0,
                  "ctnn: the input is an array or std::span of input_size<> numbers; of a vector "
                  "engine::input_span<>(vector.data(), vector.size())");
  }

  /// Inputs in the order of declaration, each of input_size<I> numbers, nchw. They are only read.
  void run(std::span<const float* const, inputs> input)
    requires(x::takes_f32)
  {
    run_({input.data(), weights_, arena()});
  }
  /// The same for inputs of any types: input_span<I> for each.
  template <class... Inputs>
  requires(sizeof...(Inputs) == inputs && !x::takes_f32 &&
           !(ir::is_named_span<Inputs> || ...)) void run(const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {address_of(input_span<I>(input))...};
      run_({pointers, weights_, arena()});
    }(std::make_index_sequence<inputs>{});
  }

  /// By name, in any order: run(in<"x">(numbers), in<"h">(state), into<"y">(memory)). Each input once; outputs that are
  /// asked for are copied.
  template <class... Named>
    requires(sizeof...(Named) > 0 && (ir::is_named_span<Named> && ...))
  void run(const Named&... named) {
    run_named([&](const ir::frame& f) { run_(f); }, named...);
  }

#if !defined(CTNN_PLAIN)
  /// The same with large layers in parts, the same bits for any number of threads.
  void run(std::span<const float* const, inputs> input, executor& threads)
    requires(x::takes_f32)
  {
    ir::threaded_dispatch<network_type>::at(target_)({input.data(), weights_, arena()}, threads);
  }
  template <class... Inputs>
  requires(sizeof...(Inputs) == inputs && !x::takes_f32 &&
           !(ir::is_named_span<Inputs> || ...)) void run_on(executor& threads, const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {address_of(input_span<I>(input))...};
      ir::threaded_dispatch<network_type>::at(target_)({pointers, weights_, arena()}, threads);
    }(std::make_index_sequence<inputs>{});
  }
  template <class... Named>
    requires(sizeof...(Named) > 0 && (ir::is_named_span<Named> && ...))
  void run_on(executor& threads, const Named&... named) {
    run_named([&](const ir::frame& f) { ir::threaded_dispatch<network_type>::at(target_)(f, threads); }, named...);
  }
#endif

  /// Output I in the order of output<...>, nchw, valid until the next inference.
  template <std::size_t I>
  output_span<I> output() const {
    constexpr std::size_t at = place_in_arena(x::plan.outputs[x::output_places[I]]);
    using type = typename output_span<I>::element_type;
    return output_span<I>(static_cast<type*>(static_cast<const void*>(arena_ + at)), output_size<I>);
  }
  /// The output of this name.
  template <fixed_string Name>
  auto output() const {
    using names = ir::detail::value_names<network_type, true>;
    ir::detail::require_value<network_type, true, Name>();
    if constexpr (names::has(Name.view())) return output<names::of(Name.view())>();
    else return output<0>();
  }

 private:
  /// Bytes before placement p.
  static constexpr std::size_t place_in_arena(int p) {
    return static_cast<std::size_t>(x::plan.at(x::plan.root(p)).offset + x::plan.shift(p)) * sizeof(float);
  }
  template <ir::value_id V>
  void clear() {
    constexpr std::size_t at = place_in_arena(V);
    constexpr auto bytes = static_cast<std::size_t>(x::g.shape(V).count() * size_of(x::g.at_value(V).type));
    for (std::size_t i = 0; i < bytes; ++i) arena_[at + i] = std::byte{};
  }

  template <class Named>
  using names_of = ir::detail::value_names<network_type, Named::into>;
  template <class Named>
  static constexpr std::size_t place_of = names_of<Named>::of(Named::name.view());
  /// Said once of each: a name that there is, as many numbers as it has, of its type.
  template <class Named, class Span>
  static constexpr void check() {
    static_assert(sizeof(ir::as_long<Named::extent, Span::extent>) > 0);
    static_assert(sizeof(ir::of_type<const typename Named::type, typename Span::element_type>) > 0);
  }
  template <class... Named>
  void run_named(const auto& compute, const Named&... named) {
    const float* pointers[inputs + 1];
    (place(named, pointers), ...);
    check_inputs<Named...>();
    compute(ir::frame{pointers, weights_, arena()});
    (fetch(named), ...);
  }
  template <class Named>
  static void place(const Named& named, const float** pointers) {
    ir::detail::require_value<network_type, Named::into, Named::name>();
    if constexpr (!Named::into && place_of<Named> < inputs) {
      check<Named, input_span<place_of<Named>>>();
      pointers[place_of<Named>] = address_of(named.numbers);
    }
  }
  template <class Named>
  void fetch(const Named& named) const {
    if constexpr (Named::into && place_of<Named> < outputs) {
      using span = output_span<place_of<Named>>;
      check<Named, span>();
      const span from = output<place_of<Named>>();
      if constexpr (Named::extent == span::extent)
        for (std::size_t i = 0; i < span::extent; ++i) named.numbers[i] = from[i];
    }
  }
  template <std::size_t I, class... Named>
  static constexpr std::size_t times_given = ((!Named::into && place_of<Named> == I ? 1u : 0u) + ... + 0u);
  template <class... Named>
  static constexpr void check_inputs() {
    if constexpr ((names_of<Named>::has(Named::name.view()) && ...)) []<std::size_t... I>(std::index_sequence<I...>) {
        static_assert((sizeof(ir::given_once<times_given<I, Named...>>) + ... + 1u) > 0);
      }
    (std::make_index_sequence<inputs>{});
  }

  /// Kernels take the address of any elements as that of floats.
  static const float* address_of(auto elements) {
    return static_cast<const float*>(static_cast<const void*>(elements.data()));
  }
  float* arena() { return static_cast<float*>(static_cast<void*>(arena_)); }

  alignas(64) std::byte arena_[(x::arena_size + 1) * sizeof(float)];
  const float* weights_;
  void (*run_)(const ir::frame&);
  [[no_unique_address]] target_id target_;  ///< that of run_; asking which targets there are means asking the CPU
};

}  // namespace ctnn
