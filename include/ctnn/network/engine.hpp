// SPDX-License-Identifier: BSL-1.0
// Runs a network type: no heap, no exceptions, no locks. The arena is a member; weights are shared.
#pragma once

#include "dispatch.hpp"
#include "parameters.hpp"

namespace ctnn {

template <class Net>
class engine {
  using network_type = typename Net::network_type;
  using x = executable<network_type>;

 public:
  static constexpr std::size_t inputs = x::input_count;
  static constexpr std::size_t outputs = x::output_count;

  /// `weights` must outlive the engine. `target` is one of supported_targets(), by default the best.
  explicit engine(const parameters<Net>& weights, target_id target = best_target()) : weights_(weights.packed) { use(target); }
  /// Weights would be gone before the first inference.
  explicit engine(const parameters<Net>&&, target_id = {}) = delete;

  void use(target_id target) { run_ = network_dispatch<network_type>::at(target); }

  /// Size of input or output I, in numbers.
  template <std::size_t I = 0>
  static constexpr std::size_t input_size = static_cast<std::size_t>(x::g.shape(x::input_values[I]).count());
  template <std::size_t I = 0>
  static constexpr std::size_t output_size = static_cast<std::size_t>(x::g.shape(x::g.outputs[I].value).count());

  /// One inference of a network with one input: the first output, valid until the next inference.
  std::span<const float, output_size<0>> operator()(std::span<const float, input_size<0>> input)
    requires(inputs == 1)
  {
    const float* const pointers[] = {input.data()};
    run(pointers);
    return output<0>();
  }

  /// Inputs in the order of declaration, each of input_size<I> numbers, nchw. They are only read.
  void run(std::span<const float* const, inputs> input) { run_({input.data(), weights_, arena_}); }

#if !defined(CTNN_PLAIN)
  /// The same with large layers in parts, the same bits for any number of threads. Only who calls this compiles it.
  void run(std::span<const float* const, inputs> input, executor& threads) {
    for (target_id t : supported_targets())
      if (network_dispatch<network_type>::at(t) == run_)
        return threaded_dispatch<network_type>::at(t)({input.data(), weights_, arena_}, threads);
  }
#endif

  /// Output I in the order of output<...>, nchw, valid until the next inference.
  template <std::size_t I>
  std::span<const float, output_size<I>> output() const {
    constexpr int p = x::plan.outputs[I];
    constexpr auto at = static_cast<std::size_t>(x::plan.at(x::plan.root(p)).offset + x::plan.shift(p));
    return std::span<const float, output_size<I>>(arena_ + at, output_size<I>);
  }

 private:
  alignas(64) float arena_[x::arena_size + 1];
  const float* weights_;
  void (*run_)(const frame&);
};

}  // namespace ctnn
