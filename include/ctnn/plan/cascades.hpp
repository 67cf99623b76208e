// SPDX-License-Identifier: BSL-1.0
// The second phase: a depthwise convolution with the 1 x 1 or the stem before it, the 1 x 1 behind it, or both becomes
// one step (kernels/cascade.hpp) where it pays; so does pooling with the 1 x 1 or the stem before it.
#pragma once

#include "../kernels/cascade.hpp"
#include "draft.hpp"

namespace ctnn::ir::detail {

class cascades : planning_phase {
 public:
  explicit constexpr cascades(draft& d) : planning_phase(d) {}

  /// But for those around nodes of `apart`.
  constexpr void join_steps(const pool<node_id>& apart) {
    step_of_ = pool<int>(g_.nodes.size(), none);
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      if (plan_.steps[s].runs_kernel()) step_of_[static_cast<std::size_t>(plan_.steps[s].node)] = static_cast<int>(s);
    pool<bool> gone(plan_.steps.size(), false);
    bool any = false;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const plan_step& step = plan_.steps[s];
      cascade_part part = step.runs_kernel() ? cascade_part_of(g_, step.node) : cascade_part::none;
      for (const node_id n : apart)
        if (n == step.node) part = cascade_part::none;
      if (part == cascade_part::depthwise) any = join_around(step.node, reader_of(step.node), gone) || any;
      else if (part == cascade_part::pool) any = join_around(step.node, none, gone) || any;
    }
    if (!any) return;
    pool<plan_step> kept;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s)
      if (!gone[s]) kept.push_back(plan_.steps[s]);
    plan_.steps = kept;
  }

 private:
  constexpr plan_step& step_at(node_id n) {
    return plan_.steps[static_cast<std::size_t>(step_of_[static_cast<std::size_t>(n)])];
  }
  /// The pointwise convolution that alone reads the result of node n, or none.
  constexpr node_id reader_of(node_id n) {
    const value_id v = g_.at(n).outputs.first;
    if (!lies_between(v) || step_at(n).inputs.count != 1) return none;
    for (const plan_step& s : plan_.steps)
      if (s.runs_kernel() && s.inputs.count > 0 && first_id(s.inputs) == v)
        return is_free(s.node, cascade_part::pointwise) ? s.node : none;
    return none;
  }
  /// The pointwise convolution or the stem whose result node n alone reads, or none.
  constexpr node_id producer_of(node_id n) {
    const int v = first_id(step_at(n).inputs);
    if (v >= static_cast<int>(g_.values.size()) || !lies_between(v)) return none;
    const node_id producer = g_.at_value(v).producer;
    const bool is_convolution = is_free(producer, cascade_part::pointwise) || is_free(producer, cascade_part::stem);
    // What it adds a residual to is the last one's alone.
    return is_convolution && step_at(producer).inputs.count == 1 ? producer : none;
  }
  /// Does nobody need value v but one step?
  constexpr bool lies_between(value_id v) {
    for (int o : plan_.outputs)
      if (at(o).value == v) return false;
    return g_.at_value(v).readers == 1 && at(v).order == layout::nhwc;
  }
  constexpr bool is_free(node_id n, cascade_part part) {
    return step_of_[static_cast<std::size_t>(n)] != none && cascade_part_of(g_, n) == part &&
           step_at(n).cascade.count == 0;
  }
  /// Does it read its input where it lies?
  constexpr bool reads_rows(node_id n) {
    return cascade_part_of(g_, n) == cascade_part::stem || at(first_id(step_at(n).inputs)).order == layout::nhwc;
  }

  /// The longest cascade with this layer, and perhaps the one behind it, that pays.
  constexpr bool join_around(node_id n, node_id behind, pool<bool>& gone) {
    node_id before = producer_of(n);
    if (before != none && !reads_rows(before)) before = none;
    for (const bool with_first : {true, false})
      for (const bool with_last : {true, false}) {
        if ((with_first && before == none) || (with_last && behind == none) || !(with_first || with_last)) continue;
        int nodes[longest_cascade]{};
        int count = 0;
        if (with_first) nodes[count++] = before;
        nodes[count++] = n;
        if (with_last) nodes[count++] = behind;
        const std::span<const int> all{nodes, static_cast<std::size_t>(count)};
        const std::int64_t room = reads_rows(nodes[0]) ? cascade_room(g_, all) : 0;
        if (room == 0) continue;
        join(all, room, gone);
        return true;
      }
    return false;
  }

  constexpr void join(std::span<const int> nodes, std::int64_t room, pool<bool>& gone) {
    placement rows;
    rows.value = g_.at(nodes.back()).outputs.first;
    rows.most = ctnn::words(scratch_for(room, sizeof(float)), dtype::i8);
    rows.size = ctnn::words(scratch_for(room / 2, sizeof(float)), dtype::i8);  // for one part
    const int scratch = static_cast<int>(plan_.placements.size());
    plan_.placements.push_back(rows);

    const plan_step first = step_at(nodes.front());
    plan_step& last = step_at(nodes.back());
    const int input = first_id(first.inputs), residual = last.inputs.count > 1 ? first_id(last.inputs, 1) : none;
    last.inputs = {static_cast<int>(plan_.ids.size()), residual == none ? 1 : 2};
    plan_.ids.push_back(input);
    if (residual != none) plan_.ids.push_back(residual);
    last.cascade = {static_cast<int>(plan_.ids.size()), static_cast<int>(nodes.size())};
    for (const int n : nodes) plan_.ids.push_back(n);
    last.scratch = scratch;
    for (const int n : nodes.first(nodes.size() - 1)) {
      int& step = step_of_[static_cast<std::size_t>(n)];
      gone[static_cast<std::size_t>(step)] = true;
      step = none;
    }
  }

  pool<int> step_of_;  ///< by node
};

}  // namespace ctnn::ir::detail
