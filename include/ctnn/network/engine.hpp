// SPDX-License-Identifier: BSL-1.0
// Runs a network type: no heap, no exceptions, no locks. The arena is a member, or the caller's; weights are shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <utility>

#if defined(CTNN_COMPILED_KERNELS)
#include "run_by_table.hpp"
#else
#include "dispatch.hpp"
#endif
#include "named_values.hpp"
#include "questions.hpp"
#include "weights_image.hpp"

namespace ctnn {

namespace ir {
constexpr std::size_t largest(std::initializer_list<std::size_t> sizes) {
  std::size_t most = sizeof(float);
  for (std::size_t n : sizes) most = n > most ? n : most;
  return most;
}
}  // namespace ir

/// Memory for engines of the caller's, in bytes.
template <std::size_t Bytes>
struct alignas(64) arena_memory {
  std::byte bytes[Bytes];
};
/// Memory for any of these networks: enough for the largest.
template <class... Nets>
using arena = arena_memory<ir::largest({arena_bytes<Nets>...})>;

/// Says that an engine has no memory of its own: engine<net, shared_arena>.
struct shared_arena {
  std::byte* bytes_;
};

namespace ir {

template <std::size_t Got, std::size_t Needed>
struct arena_of {
  static_assert(Got != std::dynamic_extent, "ctnn: an engine's memory is an arena<...> or a std::span of fixed extent");
  static_assert(Got >= Needed, "ctnn: the memory has fewer bytes than the network's arena_bytes, of a span 63 more");
};

/// Nothing is written to it before the first inference; yet it may be a constant's.
template <class Net>
struct own_arena {
  union {
    std::byte none_{};
    alignas(64) std::byte bytes_[largest({arena_bytes<Net>})];
  };
};
/// What is carried from run to run begins with zeros.
template <class Net>
  requires(executable<Net>::carried_count > 0)
struct own_arena<Net> {
  alignas(64) std::byte bytes_[largest({arena_bytes<Net>})]{};
};

}  // namespace ir

/// Runs Net. Memory: arena_bytes<Net> of its own; or, as engine<Net, shared_arena>, of the caller's, where several
/// engines take turns: what one gives is valid until the next inference of any of them. What such an engine carries
/// from run to run, state_bytes<Net>, it keeps for itself, and copies it into the arena and back.
///   nn::arena<first_net, second_net> memory;
///   nn::engine<first_net, nn::shared_arena> first{first_weights, memory};
/// Such engines may be `constinit`: they take no code at start, and ask for the CPU's target at their first inference.
/// Engines with memory of their own may not: the initial value of all of it would lie in the program, too (in flash).
template <class Net, class Arena = ir::own_arena<Net>>
class engine {
  using x = ir::executable<Net>;  // not of Net::network_type: compilers write the name in every symbol
  static constexpr bool owns = !std::is_same_v<Arena, shared_arena>;
  // One for each input, by place: not pointers, nor what has a name.
  template <class Given>
  static constexpr bool is_pointers =
      std::is_convertible_v<const Given&, std::span<const float* const, x::input_count>>;
  template <class... Given>
  static constexpr bool are_numbers =
      sizeof...(Given) == x::input_count && !((ir::is_named_span<Given> || is_pointers<Given>) || ...);

 public:
  static constexpr std::size_t inputs = x::input_count;
  static constexpr std::size_t outputs = x::output_count;

  /// `weights` must outlive the engine. `target` is one of supported_targets(), by default the best.
  explicit engine(weights_of<Net> weights) requires(owns) : weights_(weights.packed) { use_best(), begin(); }
  engine(weights_of<Net> weights, target_id target) requires(owns) : weights_(weights.packed) { use(target), begin(); }
  /// Of a network without weights.
  engine() requires(owns && x::weights_size == 0) : weights_(nullptr) { use_best(), begin(); }
  // Compilers show the line.
  // clang-format off
  engine() requires(owns && x::weights_size != 0) = delete;  // this network has weights: engine<net> name{weights}
  // clang-format on
  /// In memory that must outlive the engine, too.
  template <std::size_t Bytes>
  constexpr engine(weights_of<Net> weights, arena_memory<Bytes>& memory)
    requires(!owns)
      : arena_{memory.bytes}, weights_(weights.packed) {
    static_assert(sizeof(ir::arena_of<Bytes, arena_bytes<Net>>) > 0);
    use_best(), begin();
  }
  /// The same in any bytes: 63 more, of which some are left out so that the others are aligned.
  template <std::size_t Bytes>
  engine(weights_of<Net> weights, std::span<std::byte, Bytes> memory)
    requires(!owns)
      : arena_{memory.data() + (-reinterpret_cast<std::uintptr_t>(memory.data()) & 63)}, weights_(weights.packed) {
    static_assert(sizeof(ir::arena_of<Bytes, arena_bytes<Net> + 63>) > 0);
    use_best(), begin();
  }

  target_id target() const { return run_ ? target_ : best_target(); }
  constexpr void use(target_id target) {
    run_ = ir::network_dispatch<Net>::at(target);
    target_ = target;
  }

  /// Other weights from now on; they must outlive the engine.
  constexpr void use(weights_of<Net> weights) { weights_ = weights.packed; }
  /// Those of an image, if nothing is wrong with it; else the engine keeps what it has.
  [[nodiscard]] image_error use(const weights_image<Net>& image) {
    const image_error wrong = image.check();
    if (wrong == image_error::none) weights_ = image.numbers();
    return wrong;
  }

  /// A new sequence: what is carried from run to run (of stateful<...>, say) is zeros again, or what stands for zero.
  constexpr void reset() {
    begin_histories();
    [&]<std::size_t... I>(std::index_sequence<I...>) { (clear<I>(), ...); }
    (std::make_index_sequence<x::carried_count>{});
  }

  /// Size of input or output I, in numbers.
  template <std::size_t I = 0>
  static constexpr std::size_t input_size = x::input_size(I);
  template <std::size_t I = 0>
  static constexpr std::size_t output_size = x::output_size(I);

  /// Input or output I: float, or what else was declared (ctnn::element says what holds it).
  template <std::size_t I = 0>
  using input_span = std::span<const cpp_type<x::input_type(I)>, x::input_size(I)>;
  template <std::size_t I = 0>
  using output_span = std::span<const cpp_type<x::output_type(I)>, x::output_size(I)>;

  /// One inference of a network with one input: the first output, valid until the next inference.
  output_span<0> operator()(input_span<0> input)
    requires(inputs == 1)
  {
    const float* const pointers[] = {address_of(input)};
    execute(frame_of(pointers));
    return output<0>();
  }

  /// The same of inputs that are all in_arena: of what input<>() was filled with.
  output_span<0> operator()()
    requires(x::all_in_arena)
  {
    run();
    return output<0>();
  }
  void run()
    requires(x::all_in_arena)
  {
    const float* const nowhere[inputs]{};
    start_with_state(frame_of(nowhere));
  }

  /// Of what is not as long, or does not say how long it is.
  template <class Other>
    requires(inputs == 1 && !std::is_convertible_v<const Other&, input_span<0>>)
  output_span<0> operator()(const Other& other) {
    numbers_of<0>(other);
    return output<0>();
  }

  /// Inputs in the order of declaration, each of input_size<I> numbers, nchw. They are only read.
  void run(std::span<const float* const, inputs> input)
    requires(x::takes_f32)
  {
    execute(frame_of(input.data()));
  }
  /// The same before an observer, which sees how long each layer takes.
  void run(std::span<const float* const, inputs> input, const layer_observer& observer) requires(x::takes_f32) {
    execute(frame_of(input.data()), observer);
  }
  /// The same of inputs of any types, in the order of declaration: run_before(observer, image).
  template <class... Inputs>
  requires(are_numbers<Inputs...>) void run_before(const layer_observer& observer, const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {numbers_of<I>(input)...};
      execute(frame_of(pointers), observer);
    }
    (std::make_index_sequence<inputs>{});
  }
  /// The same by name: run_before(observer, in<"x">(numbers), into<"y">(memory)).
  template <class... Named>
  requires(sizeof...(Named) > 0 && (ir::is_named_span<Named> && ...)) void run_before(const layer_observer& observer,
                                                                                      const Named&... named) {
    static_assert(sizeof(ir::detail::times_error<Net, Named...>) > 0);
    static_assert(((sizeof(ir::detail::span_error<Net, Named>) > 0) && ...));
    run_named([&](const ir::frame& f) { execute(f, observer); }, named...);
  }
  /// The same of inputs of any types: an array or std::span of input_size<I> numbers each.
  template <class... Inputs>
    requires(are_numbers<Inputs...>)
  void run(const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {numbers_of<I>(input)...};
      execute(frame_of(pointers));
    }(std::make_index_sequence<inputs>{});
  }

  /// By name, in any order: run(in<"x">(numbers), in<"h">(state), into<"y">(memory)). Each input once; outputs that are
  /// asked for are copied.
  template <class... Named>
    requires(sizeof...(Named) > 0 && (ir::is_named_span<Named> && ...))
  void run(const Named&... named) {
    static_assert(sizeof(ir::detail::times_error<Net, Named...>) > 0);
    static_assert(((sizeof(ir::detail::span_error<Net, Named>) > 0) && ...));
    run_named([&](const ir::frame& f) { execute(f); }, named...);
  }

#if !defined(CTNN_PLAIN)
  /// The same with large layers in parts, the same bits for any number of threads.
  void run(std::span<const float* const, inputs> input, executor& threads)
    requires(x::takes_f32)
  {
    execute(frame_of(input.data()), threads);
  }
  /// The same of inputs of any types, in the order of declaration: run_on(pool, image).
  template <class... Inputs>
    requires(are_numbers<Inputs...>)
  void run_on(executor& threads, const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {numbers_of<I>(input)...};
      execute(frame_of(pointers), threads);
    }(std::make_index_sequence<inputs>{});
  }
  /// The same by name: run_on(pool, in<"x">(numbers), into<"y">(memory)).
  template <class... Named>
    requires(sizeof...(Named) > 0 && (ir::is_named_span<Named> && ...))
  void run_on(executor& threads, const Named&... named) {
    static_assert(sizeof(ir::detail::times_error<Net, Named...>) > 0);
    static_assert(((sizeof(ir::detail::span_error<Net, Named>) > 0) && ...));
    run_named([&](const ir::frame& f) { execute(f, threads); }, named...);
  }
#endif

  /// The memory of input I, an in_arena one, to be filled before each inference. That takes the place of what the last
  /// one gave, and later values take the input's. Other numbers, run(x), are copied there.
  template <std::size_t I = 0>
  auto input() {
    constexpr bool is_ours = x::is_in_arena(I);
    static_assert(is_ours, "ctnn: the input's memory is the caller's; with ctnn::in_arena it is the engine's");
    // Constants, that the graph stays in the compiler at -O0, too.
    constexpr std::size_t at = place_in_arena(x::input_values[I]);
    using type = std::remove_const_t<typename input_span<I>::element_type>;
    return std::span<type, input_size<I>>(static_cast<type*>(static_cast<void*>(arena_.bytes_ + at)), input_size<I>);
  }
  template <fixed_string Name>
  auto input() {
    using names = ir::detail::value_names<Net, false>;
    static_assert(sizeof(ir::detail::value_error<Net, false, Name>) > 0);
    if constexpr (names::has(Name.view())) return input<names::of(Name.view())>();
  }

  /// Output I in the order of output<...>, nchw, valid until the next inference.
  template <std::size_t I>
  output_span<I> output() const {
    constexpr std::size_t at = place_in_arena(x::plan.outputs[x::output_places[I]]);
    using type = typename output_span<I>::element_type;
    return output_span<I>(static_cast<type*>(static_cast<const void*>(arena_.bytes_ + at)), output_size<I>);
  }
  /// The output of this name.
  template <fixed_string Name>
  auto output() const {
    using names = ir::detail::value_names<Net, true>;
    static_assert(sizeof(ir::detail::value_error<Net, true, Name>) > 0);
    if constexpr (names::has(Name.view())) return output<names::of(Name.view())>();
    else return output<0>();
  }

 private:
  /// Bytes before placement p.
  static constexpr std::size_t place_in_arena(int p) {
    return static_cast<std::size_t>(x::plan.at(x::plan.root(p)).offset + x::plan.shift(p)) * sizeof(float);
  }
  /// Is what is carried from run to run apart from the arena, which others use?
  static constexpr bool keeps_state = !owns && x::carried_count != 0;
  /// Bytes of what is carried as the I-th, and of those before it.
  static constexpr std::size_t state_size(std::size_t i) {
    const ir::value& v = x::g.at_value(x::carried_values[i]);
    return static_cast<std::size_t>(v.shape.count() * size_of(v.type));
  }
  static constexpr std::size_t state_before(std::size_t i) {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < i; ++k) sum += state_size(k);
    return sum;
  }
  constexpr void begin_histories() {
    if constexpr (histories != 0)
      for (std::int32_t& n : advanced_.numbers) n = 0;
  }
  /// Where it is in the arena after a run.
  template <std::size_t I>
  constexpr std::byte* state_in_arena() {
    constexpr int p = x::carried_values[I], whole = x::plan.root(p);
    std::byte* const at = arena_.bytes_ + place_in_arena(p);
    if constexpr (x::plan.at(whole).advance == 0) return at;
    else return at + advanced_.numbers[x::plan.histories_before(whole)] * std::ptrdiff_t{sizeof(float)};
  }
  /// Where it is between two runs.
  template <std::size_t I>
  constexpr std::byte* state() {
    if constexpr (owns) return state_in_arena<I>();
    else return state_.bytes + state_before(I);
  }
  template <std::size_t I>
  constexpr void clear() {
    constexpr ir::value_id v = x::carried_values[I];
    constexpr auto size = static_cast<std::size_t>(size_of(x::g.at_value(v).type));
    constexpr auto zero = std::bit_cast<std::array<std::byte, 4>>(ir::begins_with(x::g, v));  // of 8 bytes it is 0
    constexpr std::size_t first = std::endian::native == std::endian::little ? 0 : 8 - size;
    std::byte* const to = state<I>();
    for (std::size_t i = 0; i < state_size(I); ++i) to[i] = zero[(first + i % size) % 4];
  }
  /// Others may have used a shared arena since the last run.
  void compute(auto&& run) {
    if constexpr (!keeps_state) {
      run();
      advance();
    } else {
      const auto each = [&](auto&& copy) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          (copy(state_in_arena<I>(), state<I>(), state_size(I)), ...);
        }
        (std::make_index_sequence<x::carried_count>{});
      };
      each([](std::byte* there, const std::byte* here, std::size_t n) { std::memcpy(there, here, n); });
      run();
      advance();
      each([](const std::byte* there, std::byte* here, std::size_t n) { std::memcpy(here, there, n); });
    }
  }

  template <class Named>
  using names_of = ir::detail::value_names<Net, Named::into>;
  template <class Named>
  static constexpr std::size_t place_of = names_of<Named>::of(Named::name.view());
  template <class... Named>
  void run_named(const auto& compute, const Named&... named) {
    const float* pointers[inputs + 1];
    (place(named, pointers), ...);
    compute(frame_of(pointers));
    (fetch(named), ...);
  }
  template <class Named>
  static void place(const Named& named, const float** pointers) {
    if constexpr (!Named::into && place_of<Named> < inputs) pointers[place_of<Named>] = address_of(named.numbers);
  }
  template <class Named>
  void fetch(const Named& named) const {
    if constexpr (Named::into && place_of<Named> < outputs) {
      using span = output_span<place_of<Named>>;
      const span from = output<place_of<Named>>();
      if constexpr (std::is_same_v<ir::detail::span_error<Net, Named>, ir::detail::no_error>)
        for (std::size_t i = 0; i < span::extent; ++i) named.numbers[i] = from[i];
    }
  }
  /// Kernels take the address of any elements as that of floats.
  static const float* address_of(auto elements) {
    return static_cast<const float*>(static_cast<const void*>(elements.data()));
  }
  template <std::size_t I, class Given>
  static const float* numbers_of(const Given& given) {
    constexpr bool fits = std::is_convertible_v<const Given&, input_span<I>>;
    static_assert(fits, "ctnn: the input is an array or std::span of input_size<> numbers; of a vector "
                        "engine::input_span<>(vector.data(), vector.size())");
    if constexpr (fits) return address_of(input_span<I>(given));
    else return nullptr;
  }
  /// By how many numbers histories lie further on than before the first run.
  static constexpr auto histories = static_cast<std::size_t>(x::plan.histories_before());
  /// What a run is given: the inputs, and where histories lie now.
  struct advanced_frame : ir::frame {
    const float* all[engine::inputs + histories];

    advanced_frame(const float* const* given, const engine& e, float* arena) : ir::frame{all, e.weights_, arena} {
      for (std::size_t i = 0; i < engine::inputs; ++i) all[i] = given[i];
      for (std::size_t k = 0; k < histories; ++k) all[engine::inputs + k] = arena + e.advanced_.numbers[k];
    }
    advanced_frame(const advanced_frame&) = delete;
    advanced_frame& operator=(const advanced_frame&) = delete;
  };
  auto frame_of(const float* const* pointers) {
    if constexpr (keeps_state) begin_histories();
    if constexpr (histories == 0) return ir::frame{pointers, weights_, arena()};
    else return advanced_frame(pointers, *this, arena());
  }
  /// At the end of a run histories lie further on, or what has come as far as it may is moved to where it began.
  void advance() {
    if constexpr (histories != 0) {
      [&]<std::size_t... I>(std::index_sequence<I...>) { (advance<I>(), ...); }
      (std::make_index_sequence<x::carried_count>{});
    }
  }
  template <std::size_t I>
  void advance() {
    constexpr int past = x::carried_values[I], whole = x::plan.root(past);
    constexpr ir::placement history = x::plan.at(whole);
    if constexpr (history.advance != 0) {
      std::int32_t& now = advanced_.numbers[x::plan.histories_before(whole)];
      float* const begin = arena() + history.offset;
      if (now < history.farthest) {
        now += static_cast<std::int32_t>(history.advance);
      } else {
        std::memmove(begin, begin + now + history.advance, state_size(I));
        now = 0;
      }
    }
  }
  float* arena() { return static_cast<float*>(static_cast<void*>(arena_.bytes_)); }

  /// There are zeros; not all that is carried begins with them.
  constexpr void begin() {
    constexpr bool has_zero_points = [] {
      for (std::size_t i = 0; i < x::carried_count; ++i)
        if (ir::begins_with(x::g, x::carried_values[i]) != 0) return true;
      return false;
    }();
    if constexpr (has_zero_points) reset();
  }
  /// Asking which targets there are means asking the CPU: constants wait for the first inference.
  constexpr void use_best() {
    if (ir::is_target_known || !CTNN_IN_CONSTANT()) use(best_target());
  }
  /// Inputs whose memory is the arena's.
  template <std::size_t I>
  void take(const ir::frame& f) {
    if constexpr (x::is_in_arena(I)) {
      void* const to = input<I>().data();
      if (const void* const from = f.inputs[I]; from != to) std::memmove(to, from, input<I>().size_bytes());
    }
  }
  void take_inputs(const ir::frame& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (take<I>(f), ...); }(std::make_index_sequence<inputs>{});
  }
  void execute(const ir::frame& f) {
    take_inputs(f);
    start_with_state(f);
  }
  void start_with_state(const ir::frame& f) {
    if constexpr (keeps_state) compute([&] { start(f); });
    else start(f), advance();  // no lambda, which would change what compilers inline
  }
  void execute(const ir::frame& f, const layer_observer& observer) {
    if (!ir::is_target_known && !run_) use_best();
    take_inputs(f);
    compute([&] { ir::observed_dispatch<Net>::at(target_)(f, observer); });
  }
  void start(const ir::frame& f) {
    if (!ir::is_target_known && !run_) use_best();
    run_(f);
  }
#if !defined(CTNN_PLAIN)
  void execute(const ir::frame& f, executor& threads) {
    if (!run_) use_best();
    take_inputs(f);
    compute([&] { ir::threaded_dispatch<Net>::at(target_)(f, threads); });
  }
#endif

  Arena arena_;
  const float* weights_;
  void (*run_)(const ir::frame&) = nullptr;
  [[no_unique_address]] target_id target_{};  ///< that of run_
  struct no_state {};
  struct no_advance {};
  struct own_advance {
    std::int32_t numbers[histories + 1]{};
  };
  [[no_unique_address]] std::conditional_t<histories != 0, own_advance, no_advance> advanced_{};
  struct own_state {
    std::byte bytes[state_before(x::carried_count) + 1]{};
  };
  [[no_unique_address]] std::conditional_t<keeps_state, own_state, no_state> state_{};
};

/// Of a network with a mistake, whose one error is said here: whatever is asked of its engine is no second one.
template <class Net, class Arena>
  requires(ir::stands_in<Net> || static_cast<bool>(ir::detail::found_in<Net>::error.found))
class engine<Net, Arena> {
  using error = ir::error_in<ir::detail::found_in<Net>::error>;
  static_assert(sizeof(std::conditional_t<ir::stands_in<Net>, char, error>) > 0);

 public:
  constexpr explicit engine(const auto&...) {}
  template <std::size_t I = 0>
  static constexpr std::size_t input_size = std::dynamic_extent;
  template <std::size_t I = 0>
  static constexpr std::size_t output_size = std::dynamic_extent;
  template <std::size_t I = 0>
  using input_span = std::span<const float>;
  template <std::size_t I = 0>
  using output_span = std::span<const float>;
  output_span<> operator()(const auto&...) { return {}; }
  void run(const auto&...) {}
  void run_on(const auto&...) {}
  void run_before(const auto&...) {}
  template <auto Which>
  output_span<> output() const {
    return {};
  }
  template <fixed_string Name>
  output_span<> output() const {
    return {};
  }
  void reset() {}
  void use(target_id) {}
  target_id target() const { return best_target(); }
};

}  // namespace ctnn
