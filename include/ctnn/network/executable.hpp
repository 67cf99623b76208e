// SPDX-License-Identifier: BSL-1.0
// Everything about running a network type, as constants: its graph, its plan, where its weights are.
#pragma once

#include "../plan/planner.hpp"
#include "../weights/packed.hpp"
#include "compiled.hpp"
#include "lift.hpp"

namespace ctnn::ir {

namespace detail {

/// A plan as a constant; the capacities are exact.
template <std::size_t Placements, std::size_t Steps, std::size_t Ids, std::size_t Outputs>
struct frozen_plan {
  std::array<placement, Placements + 1> placements{};
  std::array<plan_step, Steps + 1> steps{};
  std::array<int, Ids + 1> ids{};
  std::array<int, Outputs + 1> outputs{};
  std::int64_t arena_size = 0;

  constexpr plan_view view() const {
    return {{placements.data(), Placements},
            {steps.data(), Steps},
            {ids.data(), Ids},
            {outputs.data(), Outputs},
            arena_size};
  }
};

template <class Net, plan_options Options = plan_options{}>
struct planned {
  static constexpr graph_view g = declared_graph<Net>;
  struct size {
    std::size_t placements, steps, ids, outputs;
  };
  static constexpr void make(memory_plan& p) { p = make_plan(g, Options); }
  static constexpr size measure() {
    memory_plan p;
    make(p);
    return {p.placements.size(), p.steps.size(), p.ids.size(), p.outputs.size()};
  }
  static constexpr size needed = measure();
  static constexpr auto freeze() {
    memory_plan p;
    make(p);
    frozen_plan<needed.placements, needed.steps, needed.ids, needed.outputs> out;
    for (std::size_t i = 0; i < needed.placements; ++i) out.placements[i] = p.placements[i];
    for (std::size_t i = 0; i < needed.steps; ++i) out.steps[i] = p.steps[i];
    for (std::size_t i = 0; i < needed.ids; ++i) out.ids[i] = p.ids[i];
    for (std::size_t i = 0; i < needed.outputs; ++i) out.outputs[i] = p.outputs[i];
    out.arena_size = p.arena_size;
    return out;
  }
  static constexpr auto frozen = freeze();
};

}  // namespace detail

/// Net planned for blocks of any size up to that of network Longest, whose memory it has (block_table.hpp).
template <class Net, class Longest = Net>
struct any_block;

namespace detail {

template <class Net>
struct plan_of {
  using network = Net;
  static constexpr plan_view view = planned<typename network_behind<Net>::type>::frozen.view();
};
template <class Net, class Longest>
struct plan_of<any_block<Net, Longest>> {
  using network = Net;
  static constexpr auto frozen = [] {
    auto plan = planned<typename network_behind<Net>::type, for_any_block>::frozen;
    constexpr const auto& longest = planned<typename network_behind<Longest>::type, for_any_block>::frozen;
    lie_as(std::span(plan.placements), std::span(longest.placements));
    return plan;
  }();
  static constexpr plan_view view = frozen.view();
};

}  // namespace detail

/// What the static executor runs.
template <class Net>
struct executable {
  using network = typename detail::plan_of<Net>::network;
  static_assert(sizeof(error_in<detail::found_in<network>::error>) > 0);
  static constexpr graph_view g = declared_graph<network>;
  static constexpr plan_view plan = detail::plan_of<Net>::view;
  static constexpr std::size_t arena_size = static_cast<std::size_t>(plan.arena_size);

  // The caller's: inputs and outputs that are carried from run to run are the engine's own.
  static constexpr bool is_input(const node& n) { return n.type == &type_of<op::input> && !is_carried(g, n); }
  static constexpr std::size_t input_count = [] {
    std::size_t n = 0;
    for (const node& x : g.nodes) n += is_input(x) ? 1u : 0u;
    return n;
  }();
  static constexpr std::size_t output_count = [] {
    std::size_t n = 0;
    for (const network_output& o : g.outputs) n += carried_into(g, o) == none ? 1u : 0u;
    return n;
  }();
  static constexpr std::size_t carried_count = g.outputs.size() - output_count;
  /// Values of the inputs, in the order of declaration.
  static constexpr auto input_values = [] {
    std::array<value_id, input_count + 1> v{};
    std::size_t n = 0;
    for (const node& x : g.nodes)
      if (is_input(x)) v[n++] = x.outputs.first;
    return v;
  }();
  /// Places of the outputs among the graph's, and the values that are carried.
  static constexpr auto output_places = [] {
    std::array<std::size_t, output_count + 1> at{};
    std::size_t n = 0;
    for (std::size_t o = 0; o < g.outputs.size(); ++o)
      if (carried_into(g, g.outputs[o]) == none) at[n++] = o;
    return at;
  }();
  static constexpr auto carried_values = [] {
    std::array<value_id, carried_count + 1> v{};
    std::size_t n = 0;
    for (const network_output& o : g.outputs)
      if (const value_id next = carried_into(g, o); next != none) v[n++] = next;
    return v;
  }();
  static constexpr const network_output& output_at(std::size_t i) { return g.outputs[output_places[i]]; }
  /// Of the i-th input and output.
  static constexpr dtype input_type(std::size_t i) { return g.at_value(input_values[i]).type; }
  static constexpr dtype output_type(std::size_t i) { return g.at_value(output_at(i).value).type; }
  static constexpr std::size_t input_size(std::size_t i) {
    return static_cast<std::size_t>(g.shape(input_values[i]).count());
  }
  static constexpr std::size_t output_size(std::size_t i) {
    return static_cast<std::size_t>(g.shape(output_at(i).value).count());
  }
  static constexpr bool is_in_arena(std::size_t i) { return plan.at(input_values[i]).fed; }
  static constexpr bool all_in_arena = [] {
    for (std::size_t i = 0; i < input_count; ++i)
      if (!is_in_arena(i)) return false;
    return input_count != 0;
  }();
  static constexpr bool takes_f32 = [] {
    for (std::size_t i = 0; i < input_count; ++i)
      if (input_type(i) != dtype::f32) return false;
    return true;
  }();
  static constexpr std::size_t input_index(value_id v) {
    std::size_t i = 0;
    while (input_values[i] != v) ++i;
    return i;
  }

  static constexpr std::size_t weights_size = static_cast<std::size_t>(packed_total(g));
  /// Where the slot in graph::operands[i] begins among the packed weights.
  static constexpr auto slot_offsets = [] {
    std::array<std::int64_t, g.operands.size() + 1> at{};
    for_each_slot(g, [&](const node& n, int slot, expression_id, std::int64_t offset, std::int64_t, bool) {
      at[static_cast<std::size_t>(n.weights.first + slot)] = offset;
    });
    return at;
  }();

  template <node_id N>
  using operator_at = struct_of<g.at(N).type>;
};

}  // namespace ctnn::ir
