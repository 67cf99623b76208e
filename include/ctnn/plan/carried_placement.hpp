// SPDX-License-Identifier: BSL-1.0
// The fourth phase: what is carried from run to run is computed where it is carried to, if what was there is not read
// any more.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class carried_placement : planning_phase {
 public:
  explicit constexpr carried_placement(draft& d) : planning_phase(d) {}

  constexpr void place_carried() {
    leave_out(
        [&](const plan_step& step) { return step.carries && becomes(first_id(step.inputs), first_id(step.outputs)); });
  }

 private:
  /// Lets `now` be the memory of `kept`, if it can.
  constexpr bool becomes(int now, int kept) {
    const placement& a = at(now);
    if (a.parent != none || at(kept).parent != none || a.external || a.kept || a.fed || !lie_alike(now, kept))
      return false;
    // What it was may be an output.
    for (const int o : plan_.outputs)
      if (root(o) == kept) return false;
    bool written = false;  // all of it or, of a concatenation, a part
    for (const plan_step& step : plan_.steps) {
      int result = none;
      bool writes = false;
      for (int k = 0; k < step.outputs.count; ++k) {
        if (first_id(step.outputs, k) == now) result = k;
        writes = writes || root(first_id(step.outputs, k)) == now;
      }
      for (int i = 0; i < step.inputs.count; ++i) {
        if (root(first_id(step.inputs, i)) != kept) continue;
        if (written || (writes && !may_lie_over(step, i, result, kept))) return false;
      }
      written = written || writes;
    }
    at(now).parent = kept;
    return true;
  }
  /// May result k of a step, if it is one, be written over its input i, which is all of `kept`?
  constexpr bool may_lie_over(const plan_step& step, int i, int k, int kept) {
    return k != none && step.runs_kernel() && step.cascade.count == 0 && first_id(step.inputs, i) == kept &&
           may_overwrite(step, i, k);
  }
};

}  // namespace ctnn::ir::detail
