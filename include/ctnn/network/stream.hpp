// SPDX-License-Identifier: BSL-1.0
// A declared network that takes its sequence in parts of any size.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "parameters.hpp"
#include "stateful.hpp"
#include "stream_calls.hpp"
#include "table_of.hpp"
#if !defined(CTNN_COMPILED_KERNELS)
#include "dispatch.hpp"
#endif

namespace ctnn {

/// The most samples that a stream computes at once; more in one call are several blocks. Memory grows with it.
template <int Samples>
struct at_most {
  static_assert(Samples >= 1, "ctnn: at_most<n>: a block has samples");
  static constexpr int samples = Samples;
};

namespace ir::detail {

/// A network's table with what goes in, comes out and is carried behind the values of its steps.
template <class Net>
struct block_table_of {
  using x = executable<Net>;
  using table = table_of<Net>;
  static constexpr std::size_t ends = x::input_count + x::output_count + 2 * x::carried_count;
  static constexpr auto values = [] {
    std::array<step_value, table::needed.values + ends> all{};
    std::size_t n = 0;
    for (; n < table::needed.values; ++n) all[n] = table::values[n];
    for (std::size_t i = 0; i < x::input_count; ++i) all[n++] = table::writer.value_at(x::input_values[i]);
    for (std::size_t o = 0; o < x::output_count; ++o)
      all[n++] = table::writer.value_at(x::plan.outputs[x::output_places[o]]);
    for (std::size_t s = 0; s < x::carried_count; ++s) all[n++] = table::writer.value_at(x::carried_values[s]);
    for (std::size_t o = 0; o < x::g.outputs.size(); ++o)
      if (carried_into(x::g, x::g.outputs[o]) != none) all[n++] = table::writer.value_at(x::plan.outputs[o]);
    return all;
  }();
  static constexpr auto states = [] {
    std::array<block_state, x::carried_count + 1> all{};
    for (std::size_t s = 0; s < x::carried_count; ++s) {
      const int root = x::plan.root(x::carried_values[s]);
      const placement& whole = x::plan.at(root);
      all[s] = {whole.advance != 0 ? x::plan.histories_before(root) : none, whole.offset, whole.size,
                begins_with(x::g, x::carried_values[s])};
    }
    return all;
  }();
  /// Where the memory begins, in numbers, that what is carried next is in.
  static constexpr auto next_begins = [] {
    std::array<std::int64_t, x::carried_count + 1> all{};
    std::size_t n = 0;
    for (std::size_t o = 0; o < x::g.outputs.size(); ++o)
      if (carried_into(x::g, x::g.outputs[o]) != none) all[n++] = x::plan.at(x::plan.root(x::plan.outputs[o])).offset;
    return all;
  }();
  static constexpr step_table steps = {
      {table::steps.data(), x::plan.steps.size()}, values.data(), table::weights.data(), table::elements.data()};
  static constexpr std::size_t fields = [] {
    std::size_t sum = 1;
    for (const table_step& s : table::steps) sum += s.fields.size();
    return sum;
  }();
};

/// The axis along which a value is longer in the longer block.
constexpr stream_signal signal_of(const extents& longest, const extents& shorter) {
  for (int i = 0; i < longest.rank; ++i)
    if (longest[i] != shorter[i])
      return {static_cast<int>(longest.count(0, i)), static_cast<int>(longest.count(i + 1, longest.rank)),
              longest[i] - shorter[i]};
  return {static_cast<int>(longest.count()), 1, 0};
}

/// The blocks of Net's stream. `Keep`: samples of the input of which it carries what it carries, at least.
template <class Net, int AtMost, int Axis, int Keep = 0>
struct blocks_of {
  static constexpr auto found = streamed<Net, 0, Axis>::found;
  static constexpr int axis = found.how.axis;
  static constexpr int unit = unit_of_stream(expanded_view<Net>(), {0, axis});
  static constexpr int units = units_of_longest(AtMost, unit, found.carried);
  template <int Units>
  using declared = typename stateful_of<Net, Units * unit, axis,
                                        sizeof(Net) + sizeof(stream_error<Net, Units * unit, axis>), Keep>::type;
  using longest = any_block<optimized<declared<units>>>;
  using shorter = any_block<optimized<declared<units - 1>>, optimized<declared<units>>>;
};

template <class Blocks>
struct stream_of {
  using longest = block_table_of<typename Blocks::longest>;
  using shorter = block_table_of<typename Blocks::shorter>;
  using x = executable<typename Blocks::longest>;
  /// Is what is carried to the next block where it is said to be in every block?
  static constexpr bool carries_any_block = [] {
    for (std::size_t s = 0; s < x::carried_count; ++s) {
      const std::size_t next = longest::values.size() - x::carried_count + s;
      const step_value &a = longest::values[next], &b = shorter::values[next];
      if (longest::states[s].history == none && !is_there_in_any(a, b, Blocks::units, longest::next_begins[s]))
        return false;
    }
    return true;
  }();
  static_assert(x::input_count > 0 && x::output_count > 0, "ctnn: a stream has inputs and outputs");
  static_assert(x::takes_f32 && x::output_type(0) == dtype::f32, "ctnn: streams take and give f32");
  static_assert(longest::values.size() == shorter::values.size() &&
                    longest::table::needed.steps == shorter::table::needed.steps &&
                    are_alike(longest::steps, shorter::steps, longest::values.size(), longest::table::needed.steps),
                "ctnn: blocks of the longest size and of one unit less are computed in different steps: another "
                "at_most may do");

  template <bool IsInput, std::size_t Count>
  static constexpr auto signals() {
    std::array<stream_signal, Count + 1> all{};
    const std::size_t first = longest::table::needed.values + (IsInput ? 0 : x::input_count);
    for (std::size_t i = 0; i < Count; ++i)
      all[i] = signal_of(longest::values[first + i].like.shape, shorter::values[first + i].like.shape);
    return all;
  }
  static constexpr auto inputs = signals<true, x::input_count>();
  static constexpr auto outputs = signals<false, x::output_count>();
  static constexpr stream_description description = {
      .blocks = {.longest = longest::steps,
                 .shorter = shorter::steps,
                 .units = Blocks::units,
                 .values = longest::values.size(),
                 .inputs = x::input_count,
                 .outputs = x::output_count,
                 .states = {longest::states.data(), x::carried_count}},
      .signals = {{inputs.data(), x::input_count}, {outputs.data(), x::output_count}, Blocks::units},
      .receptive_field = Blocks::found.receptive_field,
      .prewarm = Blocks::found.receptive_field > 0 ? Blocks::found.receptive_field - 1 : 0,
      .delay = Blocks::found.offsets[0]};
};

template <class Net, int AtMost, int Axis>
auto stream_for() {
  using first = blocks_of<Net, AtMost, Axis>;
  if constexpr (stream_of<first>::carries_any_block) return std::type_identity<first>{};
  // Not all histories stay where they are. What is copied is longer than any block, so that it is never of the block
  // alone.
  else return std::type_identity<blocks_of<Net, AtMost, Axis, (first::units + 1) * first::unit>>{};
}

}  // namespace ir::detail

/// Net as a real-time object: process() takes any number of samples, computed in blocks of at most Most::samples, and
/// gives the same bits however they are cut into calls. All memory is a member; weights are shared. Net is declared for
/// the whole sequence, of whatever length; it is rewritten as optimized<stateful<...>> is. What stateful<> refuses does
/// not compile.
/// Its kernels are those of loaded models: with CTNN_COMPILED_KERNELS they are compiled already.
template <class Net, class Most = at_most<512>, int Axis = ir::automatic_axis>
class stream : public ir::stream_calls<stream<Net, Most, Axis>> {
  using blocks = typename decltype(ir::detail::stream_for<Net, Most::samples, Axis>())::type;
  using made = ir::detail::stream_of<blocks>;
  using x = typename made::x;
  using table = typename made::longest::table;

 public:
  /// Whose weights it takes: parameters<network>, which load_folded<declared>() fills; or fold<declared, ...>().
  using network = typename x::network;
  using declared = typename blocks::template declared<blocks::units>;
  static constexpr std::size_t inputs = x::input_count;
  static constexpr std::size_t outputs = x::output_count;
  /// How many samples before a sample of the output tell on it, and that one; 0: all.
  static constexpr std::int64_t receptive_field = made::description.receptive_field;
  static constexpr int at_most = made::description.signals.longest();

  /// `weights` must outlive the stream.
  explicit stream(weights_of<network> weights, target_id target = best_target()) : weights_(weights.packed) {
    use(target);
    this->reset();
  }
  /// Of a network without weights.
  stream() requires(x::weights_size == 0) : stream(weights_of<network>{}) {}
  /// Its own from here on.
  stream(const stream& other) { *this = other; }
  stream& operator=(const stream& other) {
    m_ = other.m_;
    kernels_ = other.kernels_;
    weights_ = other.weights_;
    flush_denormals = other.flush_denormals;
    m_.units = 0;  // what points into the other's memory is made anew
    return *this;
  }

  void use(target_id target) {
    static constexpr auto all = []<int... T>(std::integer_sequence<int, T...>) { return std::array{&kernels_on<T>...}; }
    (std::make_integer_sequence<int, 5>{});
    kernels_ = all[static_cast<std::size_t>(target.index)]();
  }
  /// Other weights from now on; they must outlive the stream.
  void use(weights_of<network> weights) { weights_ = weights.packed; }
  /// Input I, which is no sequence: the numbers must live as long as they are used. Zeros if none are given.
  template <std::size_t I>
  void set(std::span<const float, static_cast<std::size_t>(made::inputs[I].channels())> numbers) {
    static_assert(made::inputs[I].unit == 0, "ctnn: the input is the sequence: process() takes it");
    m_.inputs[I] = numbers.data();
  }

  /// Numbers that are nearly zero count as zeros while process() runs.
  bool flush_denormals = true;

 private:
  friend class ir::stream_calls<stream>;
  template <int Target>
  static const ir::table_kernels* kernels_on() {
    return &table::template kernels<Target>();
  }

  static constexpr const ir::stream_description& description() { return made::description; }
  bool flushes_denormals() const { return flush_denormals; }
  ir::table_kernels kernels() { return {kernels_->of_target, kernels_->of_steps, m_.operators}; }
  ir::stream_memory memory() {
    return {{m_.values.data(), m_.steps.data(), m_.fields.data(), m_.operators, m_.advanced.data(), m_.pointers.data(),
             static_cast<float*>(static_cast<void*>(m_.arena)), weights_, &m_.units},
            {m_.waiting.data(), m_.late.data(), m_.assembled.data(), &m_.waits},
            m_.inputs.data()};
  }

  static constexpr ir::stream_signals signals = made::description.signals;
  static constexpr std::size_t histories = static_cast<std::size_t>(x::plan.histories_before());
  static constexpr std::size_t constant_numbers = [] {
    std::size_t most = 1;
    for (std::size_t i = 0; i < inputs; ++i)
      if (made::inputs[i].unit == 0 && static_cast<std::size_t>(made::inputs[i].channels()) > most)
        most = static_cast<std::size_t>(made::inputs[i].channels());
    return most;
  }();
  static constexpr std::array<float, constant_numbers> zeros{};
  struct all_memory {
    alignas(64) std::byte arena[x::arena_size * sizeof(float) + 64]{};
    alignas(std::max_align_t) std::byte operators[table::needed.operators + 1];
    std::array<ir::step_value, made::longest::values.size()> values{};
    std::array<ir::table_step, table::needed.steps + 1> steps{};
    std::array<double, made::longest::fields> fields{};
    std::array<std::int32_t, histories + 1> advanced{};
    std::array<const float*, x::input_count + histories + 1> pointers{};
    std::array<const float*, x::input_count> inputs = [] {
      std::array<const float*, x::input_count> all{};
      for (const float*& p : all) p = zeros.data();
      return all;
    }();
    std::array<float, signals.waiting() + 1> waiting{};
    std::array<float, signals.late() + 1> late{};
    std::array<float, signals.assembled() + 1> assembled{};
    int units = 0, waits = 0;
  };

  all_memory m_{};
  const ir::table_kernels* kernels_ = nullptr;
  const float* weights_ = nullptr;
};

}  // namespace ctnn
