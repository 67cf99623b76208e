// SPDX-License-Identifier: BSL-1.0
// The fifth phase: histories. What windows reach back to lies before the numbers of the present run, and in the next
// run begins that much later. Where nothing else is in that memory, it is not moved to its beginning: the memory is
// longer, everything in it lies further on in every run, and only when the end is reached it is moved back. So a number
// is written once, and rarely moved.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class history_placement : planning_phase {
 public:
  /// `always`: also what is moved back in every run.
  constexpr history_placement(draft& d, bool always) : planning_phase(d), always_(always) {}

  constexpr void place_histories() {
    leave_out(
        [&](const plan_step& step) { return step.carries && advances(first_id(step.inputs), first_id(step.outputs)); });
  }

 private:
  /// `next` becomes `past` in the next run: by advancing, if it can.
  constexpr bool advances(int next, int past) {
    const int whole = root(past);
    const std::int64_t by = shift_of(next) - shift_of(past);
    if (root(next) != whole || by <= 0 || at(whole).advance != 0 || shift_of(past) != 0) return false;
    if (at(next).order != at(past).order || at(whole).fed || size_of(type_at(whole)) != 4) return false;
    // What is moved back is one piece.
    if (!is_one_piece(past, whole) || !is_one_piece(next, whole)) return false;
    for (std::size_t o = 0; o < plan_.outputs.size(); ++o)  // an engine says where outputs are
      if (root(plan_.outputs[o]) == whole && plan_.outputs[o] != next) return false;
    for (std::size_t p = 0; p < plan_.placements.size(); ++p)  // nothing else is kept there
      if (static_cast<int>(p) != past && at(static_cast<int>(p)).kept && root(static_cast<int>(p)) == whole)
        return false;
    // Half as much memory again lets each number be moved about twice.
    const std::int64_t farthest = at(past).size / 2 / by * by;
    if (farthest == 0 && !always_) return false;
    at(whole).advance = by;
    at(whole).farthest = farthest;
    at(whole).size += farthest;
    return true;
  }
  constexpr std::int64_t shift_of(int p) { return plan_.view().shift(p); }
  /// Do its numbers lie next to each other? In rows of pixels that are as wide as the whole's.
  constexpr bool is_one_piece(int p, int whole) {
    return at(p).order == at(whole).order && (at(p).order == layout::nchw || channels_of(p) == channels_of(whole));
  }

  bool always_;
};

}  // namespace ctnn::ir::detail
