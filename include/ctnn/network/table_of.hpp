// SPDX-License-Identifier: BSL-1.0
// The table of a network type's steps (step_table.hpp), as constants.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include "step_table.hpp"
#include "steps.hpp"
#include "table_writer.hpp"
#include "target.hpp"

namespace ctnn::ir {

namespace detail {

template <class... Ops>
struct types_of : std::type_identity<Ops>... {};
template <class... Ops>
types_of<Ops...> as_types(operator_list<Ops...>);
/// Has the library a kernel of it? Else the one that stands beside its struct.
template <class Op>
inline constexpr bool is_in_library = std::is_base_of_v<std::type_identity<Op>, decltype(as_types(all_operators{}))>;
template <class Net, std::size_t S>
constexpr loaded_run own_kernel_of_step() {
  using x = executable<Net>;
  constexpr plan_step step = x::plan.steps[S];
  if constexpr (step.runs_kernel() && step.cascade.count == 0) {
    using op = typename x::template operator_at<step.node>;
    if constexpr (!is_in_library<op>) return &run_own<op>;
  }
  return nullptr;
}

#if defined(CTNN_COMPILED_KERNELS)
/// The operators whose kernels are looked at: all, which are compiled for loaded models.
template <class Net>
using kernel_list = all_operators;
#else
/// The operators whose kernels are compiled: the network's, each once.
template <class Net>
struct kernels_of_steps {
  using x = executable<Net>;
  static constexpr bool is_first(std::size_t s) {
    if (!x::plan.steps[s].runs_kernel()) return false;
    for (std::size_t i = 0; i < s; ++i)
      if (x::plan.steps[i].runs_kernel() && x::g.at(x::plan.steps[i].node).type == x::g.at(x::plan.steps[s].node).type)
        return false;
    return true;
  }
  static constexpr auto first_steps = [] {
    static_vector<std::size_t, x::plan.steps.size() + 1> all;
    for (std::size_t s = 0; s < x::plan.steps.size(); ++s)
      if (is_first(s)) all.push_back(s);
    return all;
  }();
  template <std::size_t... I>
  static auto list_of(std::index_sequence<I...>) {
    return operator_list<typename x::template operator_at<x::plan.steps[first_steps[I]].node>...>{};
  }
  using type = decltype(list_of(std::make_index_sequence<first_steps.size()>{}));
};
template <class Net>
using kernel_list = typename kernels_of_steps<Net>::type;
#endif

/// Where what the table of network Net names lies.
template <class Net>
struct places_of {
  static constexpr memory_place of(int p) { return memory_place_at<Net>(p); }
  static constexpr memory_place weight(int slot) {
    return {memory_place::in_weights,
            static_cast<std::ptrdiff_t>(executable<Net>::slot_offsets[static_cast<std::size_t>(slot)])};
  }
};

/// The table of a network's steps: functions of the plan, each a constant of its own, so that each has the compiler's
/// whole step limit.
template <class Net>
struct table_of {
  using x = executable<Net>;
  static constexpr const graph_view& g = x::g;
  static constexpr const plan_view& plan = x::plan;
  static constexpr table_writer<places_of<Net>> writer{g, plan};

  static constexpr auto needed = writer.needed();
  static constexpr auto values = [] {
    std::array<step_value, needed.values + 1> all{};
    writer.write_values(all.data());
    return all;
  }();
  static constexpr auto elements = [] {
    std::array<element, needed.elements + 1> all{};
    writer.write_elements(all.data());
    return all;
  }();
  static constexpr auto weights = [] {
    std::array<memory_place, needed.weights + 1> all{};
    writer.write_weights(all.data());
    return all;
  }();
  static constexpr auto nanoseconds = [] {
    std::array<double, plan.steps.size() + 1> all{};
    for (std::size_t i = 0; i < plan.steps.size(); ++i) all[i] = nanoseconds_of(g, plan, plan.steps[i]);
    return all;
  }();
  template <std::size_t... S>
  static constexpr std::array<loaded_run, sizeof...(S) + 1> own_kernels(std::index_sequence<S...>) {
    return {own_kernel_of_step<Net, S>()..., nullptr};
  }
  static constexpr auto steps = [] {
    constexpr auto own = own_kernels(std::make_index_sequence<plan.steps.size()>{});
    std::array<table_step, needed.steps + 1> all{};
    writer.write_steps(
        all.data(), [&](std::size_t i) { return own[i]; }, [&](std::size_t i) { return nanoseconds[i]; });
    return all;
  }();
  static constexpr step_table table() {
    return {{steps.data(), plan.steps.size()}, values.data(), weights.data(), elements.data()};
  }

  /// The structs of all operators, made when the program needs the first.
  struct operators {
    alignas(std::max_align_t) std::byte bytes[needed.operators + 1];
    operators() {
      for (std::size_t i = 0; i < needed.steps; ++i)
        if (const table_step& s = steps[i]; s.type) s.type->construct(s.fields, bytes + s.op);
    }
    static const std::byte* all() {
      static const operators made;
      return made.bytes;
    }
  };
  /// Looked up at the first inference on target number Target.
  template <int Target>
  static const table_kernels& kernels() {
    static std::array<loaded_kernel, plan.steps.size() + 1> of_steps;
    static const table_kernels chosen = [] {
      const table_kernels k{
          kernels_for<kernel_list<Net>>(target_id{Target}), {of_steps.data(), plan.steps.size()}, operators::all()};
      choose_kernels(table(), k);
      return k;
    }();
    return chosen;
  }
};

}  // namespace detail

}  // namespace ctnn::ir
