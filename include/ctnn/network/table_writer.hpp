// SPDX-License-Identifier: BSL-1.0
// Writes a graph's plan as a table of steps (step_table.hpp): of types as constants, of loaded models at run time.
#pragma once

#include "plan_steps.hpp"
#include "step_table.hpp"

namespace ctnn::ir {

/// `Places` says where everything lies: of(p) for placement p, and weight(i) for the slot in graph::operands[i].
template <class Places>
class table_writer {
 public:
  constexpr table_writer(const graph_view& g, const plan_view& plan, const Places& places = {})
      : g_(g), plan_(plan), places_(places) {}

  struct sizes {
    std::size_t steps, values, weights, elements, operators;  ///< the last: bytes
  };
  constexpr sizes needed() const {
    sizes n{plan_.steps.size(), 0, 0, 0, 0};
    for (const plan_step& s : plan_.steps) {
      const std::size_t values = plan_.own_inputs(s).size() + static_cast<std::size_t>(s.outputs.count);
      n.values += values;
      if (stands_for_reals(s)) n.elements += values;
      n.weights += weights_of_entry(s);
      n.steps += static_cast<std::size_t>(s.cascade.count);
      if (s.node != none && s.cascade.count == 0) n.operators += room_of(*g_.at(s.node).type);
      for (int i = 0; i < s.cascade.count; ++i) n.values += static_cast<std::size_t>(inputs_of_layer(s, i) + 1);
      for (const node_id layer : plan_.ids_of(s.cascade)) {
        n.weights += static_cast<std::size_t>(g_.at(layer).weights.count);
        n.operators += room_of(*g_.at(layer).type);
      }
    }
    return n;
  }

  /// How placement p lies, and where unless it is nowhere: between two layers of a cascade.
  constexpr step_value value_at(int p, bool is_somewhere = true) const {
    const placement& at = plan_.at(p);
    const value& v = g_.at_value(at.value);
    return {is_somewhere ? places_.of(p) : memory_place{}, {nullptr, v.shape, at.order, at.pitch, v.type}};
  }
  constexpr void write_values(step_value* to) const {
    each(
        [&](std::size_t, const plan_step& s) {
          for (const int p : plan_.own_inputs(s)) *to++ = value_at(p);
          for (const int p : plan_.ids_of(s.outputs)) *to++ = value_at(p);
        },
        [&](std::size_t, const plan_step& s, int i, node_id layer) {
          const auto in = plan_.ids_of(s.inputs);
          *to++ = i == 0 ? value_at(in[0]) : value_at(g_.inputs(g_.at(layer))[0], false);
          if (inputs_of_layer(s, i) == 2) *to++ = value_at(in[1]);
          *to++ = value_at(g_.at(layer).outputs.first, i + 1 == s.cascade.count);
        });
  }
  constexpr void write_elements(element* to) const {
    for (const plan_step& s : plan_.steps) {
      if (!stands_for_reals(s)) continue;
      for (const int p : plan_.own_inputs(s)) *to++ = g_.at_value(plan_.at(p).value).type;
      for (const int p : plan_.ids_of(s.outputs)) *to++ = g_.at_value(plan_.at(p).value).type;
    }
  }
  constexpr void write_weights(memory_place* to) const {
    each(
        [&](std::size_t, const plan_step& s) {
          for (std::size_t w = 0; w < weights_of_entry(s); ++w) *to++ = weight_of(s, w);
        },
        [&](std::size_t, const plan_step&, int, node_id layer) {
          const range& own = g_.at(layer).weights;
          for (int w = 0; w < own.count; ++w) *to++ = places_.weight(own.first + w);
        });
  }
  /// `own(i)` is the kernel of the user's operator that is step i; `nanoseconds(i)` what step i takes. Both of
  /// constants that are made before: the compiler's step limit is for each.
  constexpr void write_steps(table_step* all, auto&& own, auto&& nanoseconds) const {
    int value = 0, weight = 0, element_at = 0, layers = static_cast<int>(plan_.steps.size());
    std::size_t op = 0;
    const auto take = [](int& from, int count) { return range{(from += count) - count, count}; };
    const auto take_operator = [&](table_step& to, const node& n) {
      to.type = n.type;
      to.fields = g_.fields_of(n.fields);
      to.op = op;
      op += room_of(*n.type);
    };
    each(
        [&](std::size_t i, const plan_step& s) {
          using enum table_step::task;
          table_step& to = all[i];
          to.what = s.cascade.count > 0 ? runs_cascade
                    : s.packs != none   ? packs
                    : s.node != none    ? runs
                    : s.carries         ? carries
                                        : converts;
          to.name = name_of(g_, plan_, s);
          to.nanoseconds = nanoseconds(i);
          to.in = take(value, static_cast<int>(plan_.own_inputs(s).size()));
          to.out = take(value, s.outputs.count);
          if (stands_for_reals(s)) to.elements = take(element_at, to.in.count + to.out.count);
          to.weights = take(weight, static_cast<int>(weights_of_entry(s)));
          to.cascade = take(layers, s.cascade.count);
          to.backwards = s.backwards;
          to.packs = s.packs;
          to.own = own(i);
          if (s.scratch != none) {
            to.scratch = places_.of(s.scratch);
            to.scratch_size = plan_.at(s.scratch).size;
          }
          if (s.node == none || s.cascade.count > 0) return;
          take_operator(to, g_.at(s.node));
          to.takes_vectors = takes_vectors(g_, g_.at(s.node));
        },
        [&](std::size_t i, const plan_step& s, int k, node_id layer) {
          table_step& to = all[i];
          take_operator(to, g_.at(layer));
          to.in = take(value, inputs_of_layer(s, k));
          to.out = take(value, 1);
          to.weights = take(weight, g_.at(layer).weights.count);
        });
  }

 private:
  /// What a layer of a cascade takes: the first what the step takes, the last what is added as well.
  static constexpr int inputs_of_layer(const plan_step& s, int i) {
    return i + 1 == s.cascade.count ? s.inputs.count : 1;
  }
  constexpr std::size_t weights_of_entry(const plan_step& s) const {
    return s.runs_kernel() && s.cascade.count == 0 ? weights_of(g_, s) : 0;
  }
  /// Weight w of a step: among the network's weights, or an input of the step.
  constexpr memory_place weight_of(const plan_step& s, std::size_t w) const {
    const int given_before = count_slots(s.given & ((slot_set{1} << w) - 1));
    if ((s.given >> w & 1u) != 0) return places_.of(plan_.given_inputs(s)[static_cast<std::size_t>(given_before)]);
    return places_.weight(g_.at(s.node).weights.first + static_cast<int>(w) - given_before);
  }
  constexpr bool stands_for_reals(const plan_step& s) const {
    bool any = false;
    for (const int p : plan_.own_inputs(s)) any = any || g_.at_value(plan_.at(p).value).type.real;
    for (const int p : plan_.ids_of(s.outputs)) any = any || g_.at_value(plan_.at(p).value).type.real;
    return any;
  }
  static constexpr std::size_t room_of(const operator_type& type) {
    constexpr std::size_t apart = alignof(std::max_align_t);
    return (type.size + apart - 1) / apart * apart;
  }
  /// Hands every step to `step`, then the layers of cascades to `layer`, with the number of each.
  constexpr void each(auto&& step, auto&& layer) const {
    std::size_t at = 0;
    for (const plan_step& s : plan_.steps) step(at++, s);
    for (const plan_step& s : plan_.steps)
      for (int i = 0; i < s.cascade.count; ++i) layer(at++, s, i, plan_.ids_of(s.cascade)[static_cast<std::size_t>(i)]);
  }

  const graph_view& g_;
  const plan_view& plan_;
  Places places_;
};

}  // namespace ctnn::ir
