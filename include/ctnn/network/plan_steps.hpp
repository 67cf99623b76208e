// SPDX-License-Identifier: BSL-1.0
// What is to be known of a plan's step: its name, about how long it takes, how many weights it has.
#pragma once

#include "../graph/cost.hpp"
#include "../kernels/frame.hpp"
#include "../kernels/operator_code.hpp"
#include "../plan/plan.hpp"

namespace ctnn::ir {

/// Where placement p lies, of a network of so many inputs; `input_of` says which of them a value is, `slot_offset`
/// where among the weights the slot in graph::operands[i] begins.
constexpr memory_place place_in(const graph_view& g, const plan_view& plan, int p, int inputs, auto&& input_of,
                                auto&& slot_offset) {
  const placement& root = plan.at(plan.root(p));
  const auto shift = static_cast<std::ptrdiff_t>(plan.shift(p));
  if (root.advance != 0)
    return {static_cast<std::int16_t>(inputs + plan.histories_before(plan.root(p))),
            static_cast<std::ptrdiff_t>(root.offset) + shift};
  if (!root.external) return {memory_place::in_arena, static_cast<std::ptrdiff_t>(root.offset) + shift};
  const node& producer = g.at(g.at_value(root.value).producer);
  if (producer.type == &type_of<op::constant>)
    return {memory_place::in_weights, static_cast<std::ptrdiff_t>(slot_offset(producer.weights.first)) + shift};
  return {static_cast<std::int16_t>(input_of(root.value)), shift};
}

/// Whose numbers a step computes, or copies.
constexpr std::string_view name_of(const graph_view& g, const plan_view& plan, const plan_step& step) {
  const node_id n = step.node != none ? step.node : g.at_value(plan.at(plan.ids_of(step.inputs)[0]).value).producer;
  return g.at(n).name;
}

/// About what a step takes on one thread, if its kernel divides; 0 where it may not.
constexpr double nanoseconds_of(const graph_view& g, const plan_view& plan, const plan_step& step) {
  if (step.carries) return 0;
  if (step.node == none) return static_cast<double>(g.shape(plan.at(plan.ids_of(step.inputs)[0]).value).count());
  if (step.packs != none) return 0;
  if (step.cascade.count > 0) return nanoseconds_of(g, plan.ids_of(step.cascade));
  const node& n = g.at(step.node);
  // Else parts would share what a kernel writes to.
  const bool apart = step.scratch == none || n.type->is.divides_scratch;
  return apart && !n.type->refuses(g.fields_of(n.fields)) ? nanoseconds_of(g, step.node) : 0;
}

/// How many weights a step has.
constexpr std::size_t weights_of(const graph_view& g, const plan_step& step) {
  if (step.node == none) return 0;
  return static_cast<std::size_t>(g.at(step.node).weights.count + count_slots(step.given));
}

}  // namespace ctnn::ir
