// SPDX-License-Identifier: BSL-1.0
// Runs a network type: no heap, no exceptions, no locks. The arena is a member; weights are shared.
#pragma once

#include <cstddef>
#include <utility>

#include "dispatch.hpp"
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
  }
  /// Weights would be gone before the first inference.
  explicit engine(const parameters<Net>&&, target_id = {}) = delete;

  target_id target() const { return target_; }
  void use(target_id target) {
    run_ = ir::network_dispatch<network_type>::at(target);
    target_ = target;
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

  /// Inputs in the order of declaration, each of input_size<I> numbers, nchw. They are only read.
  void run(std::span<const float* const, inputs> input)
    requires(x::takes_f32)
  {
    run_({input.data(), weights_, arena()});
  }
  /// The same for inputs of any types: input_span<I> for each.
  template <class... Inputs>
    requires(sizeof...(Inputs) == inputs && !x::takes_f32)
  void run(const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {address_of(input_span<I>(input))...};
      run_({pointers, weights_, arena()});
    }(std::make_index_sequence<inputs>{});
  }

#if !defined(CTNN_PLAIN)
  /// The same with large layers in parts, the same bits for any number of threads.
  void run(std::span<const float* const, inputs> input, executor& threads)
    requires(x::takes_f32)
  {
    ir::threaded_dispatch<network_type>::at(target_)({input.data(), weights_, arena()}, threads);
  }
  template <class... Inputs>
    requires(sizeof...(Inputs) == inputs && !x::takes_f32)
  void run_on(executor& threads, const Inputs&... input) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const float* const pointers[] = {address_of(input_span<I>(input))...};
      ir::threaded_dispatch<network_type>::at(target_)({pointers, weights_, arena()}, threads);
    }(std::make_index_sequence<inputs>{});
  }
#endif

  /// Output I in the order of output<...>, nchw, valid until the next inference.
  template <std::size_t I>
  output_span<I> output() const {
    constexpr int p = x::plan.outputs[I];
    constexpr auto at = static_cast<std::size_t>(x::plan.at(x::plan.root(p)).offset + x::plan.shift(p));
    using type = typename output_span<I>::element_type;
    return output_span<I>(static_cast<type*>(static_cast<const void*>(arena_ + at * sizeof(float))), output_size<I>);
  }

 private:
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
