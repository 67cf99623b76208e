// SPDX-License-Identifier: BSL-1.0
// The fifth phase: which steps a value lives for, and operators that write over their input.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class lifetimes : planning_phase {
 public:
  explicit constexpr lifetimes(draft& d) : planning_phase(d) {}

  constexpr void find_lifetimes() {
    const int end = static_cast<int>(plan_.steps.size());
    for (placement& p : plan_.placements) {
      p.first_step = end;
      p.last_step = -1;
    }
    for (int s = 0; s < end; ++s) {
      const plan_step& step = plan_.steps[static_cast<std::size_t>(s)];
      for (int i = 0; i < step.inputs.count; ++i) touch(first_id(step.inputs, i), s);
      for (int i = 0; i < step.outputs.count; ++i) touch(first_id(step.outputs, i), s);
      if (step.scratch != none) touch(step.scratch, s);
    }
    for (int p : plan_.outputs) touch(p, end);
    // What the caller writes is there before the first step, what is kept behind the last.
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) {
      const placement& now = plan_.placements[p];
      if (!now.kept && !now.fed) continue;
      for (const int step : {now.fed ? -1 : 0, now.fed ? 0 : end}) touch(static_cast<int>(p), step);
    }
    // A part of something wider takes its pixels' distance.
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) inherit_pitch(static_cast<int>(p));
  }

  /// An operator whose input dies with it writes over it.
  constexpr void write_in_place() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const plan_step step = plan_.steps[s];
      if (!step.runs_kernel()) continue;
      const int out = first_id(step.outputs);
      if (at(out).parent != none || step.outputs.count != 1) continue;
      for (int i = 0; i < step.inputs.count; ++i) {
        const int in = first_id(step.inputs, i);
        if (!may_overwrite(step, i) || !can_overwrite(in, out, static_cast<int>(s), step)) continue;
        const int last = at(out).last_step;
        at(out).parent = in;
        at(out).shift = 0;
        plan_.steps[s].overwrites = true;
        touch(in, last);
        for (std::size_t p = 0; p < plan_.placements.size(); ++p) inherit_pitch(static_cast<int>(p));
        break;
      }
    }
  }

  /// An operator whose first input dies with it may write over it at a distance, if its kernel walks from row to row.
  constexpr void find_overlaps() {
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      const plan_step step = plan_.steps[s];
      if (!step.runs_kernel() || step.outputs.count != 1 || step.inputs.count == 0) continue;
      if (step.cascade.count > 0) continue;  // it reads rows that another part may have written over
      const int in = first_id(step.inputs), out = first_id(step.outputs), whole = root(in), now = static_cast<int>(s);
      if (root(out) != out || at(out).kept || at(out).first_step != now) continue;
      if (at(whole).external || at(whole).kept || at(whole).last_step != now || at(whole).first_step >= now) continue;
      if (plan_.view().shift(in) != 0 || at(in).size != at(whole).size) continue;
      bool alone = true;
      for (int i = 1; i < step.inputs.count; ++i) alone = alone && root(first_id(step.inputs, i)) != whole;
      if (!alone) continue;
      const overlap o = overlap_of(g_, g_.at(step.node), like(in), like(out));
      if (!o.possible) continue;
      at(out).over = whole;
      at(out).behind = o.behind;
      at(out).ahead = o.ahead;
    }
  }

 private:
  constexpr const_tensor like(int p) { return {nullptr, shape(p), at(p).order, at(p).pitch, type_at(p)}; }
  constexpr void touch(int p, int step) {
    placement& r = at(root(p));
    if (step < r.first_step) r.first_step = step;
    if (step > r.last_step) r.last_step = step;
  }
  constexpr void inherit_pitch(int p) {
    if (at(p).order == layout::nchw || at(p).parent == none) return;
    int q = p;
    while (at(q).parent != none && at(at(q).parent).order == at(p).order) q = at(q).parent;
    at(p).pitch = at(q).pitch;
  }
  constexpr bool can_overwrite(int in, int out, int step, const plan_step& now) {
    const int r = root(in);
    if (at(r).external || at(r).last_step != step || r == root(out)) return false;
    // Parts of the result would inherit a pitch they were not laid out for: only whole buffers are passed on.
    if (r != in || !lie_alike(in, out)) return false;
    // The other inputs must not be parts of the same memory; an operator that reads `in` twice may, if it could write
    // over either: a convolution of its own residual could not, nor a sum of three or more.
    for (int i = 0; i < now.inputs.count; ++i) {
      const int other = first_id(now.inputs, i);
      if (other == in && !may_overwrite(now, i)) return false;
      if (other != in && root(other) == r) return false;
    }
    return true;
  }
};

}  // namespace ctnn::ir::detail
