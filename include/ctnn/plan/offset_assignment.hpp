// SPDX-License-Identifier: BSL-1.0
// The last phase: offsets in the arena, the largest value first.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class offset_assignment : planning_phase {
 public:
  explicit constexpr offset_assignment(draft& d) : planning_phase(d) {}

  constexpr void assign_offsets() {
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) {
      const placement& now = plan_.placements[p];
      if (now.parent == none && !now.external && now.last_step >= 0) roots_.push_back(static_cast<int>(p));
      overlaps_ = overlaps_ || now.over != none;
    }
    // Largest first; of equal ones the earliest.
    for (std::size_t i = 1; i < roots_.size(); ++i)
      for (std::size_t k = i; k > 0 && at(roots_[k]).size > at(roots_[k - 1]).size; --k) {
        const int swap = roots_[k];
        roots_[k] = roots_[k - 1];
        roots_[k - 1] = swap;
      }
    assign();
    if (!overlaps_) return;
    // Rarely, what lies closer together leaves worse gaps.
    const std::int64_t close = plan_.arena_size;
    overlaps_ = false;
    assign();
    if (close <= plan_.arena_size) {
      overlaps_ = true;
      assign();
    }
    for (plan_step& step : plan_.steps) {
      if (step.outputs.count != 1) continue;
      const placement& out = at(first_id(step.outputs));
      if (out.over == none || root(first_id(step.inputs)) != out.over) continue;
      const placement& in = at(out.over);
      step.backwards = out.offset >= in.offset && out.offset < in.offset + in.size;
    }
  }

 private:
  static constexpr std::int64_t round_up(std::int64_t n) {
    return (n + arena_alignment - 1) / arena_alignment * arena_alignment;
  }

  /// Each at the first offset that none of those before it forbids.
  constexpr void assign() {
    plan_.arena_size = 0;
    for (std::size_t i = 0; i < roots_.size(); ++i) {
      const int now = roots_[i];
      pool<int> others;
      for (std::size_t k = 0; k < i; ++k) {
        const placement& o = at(roots_[k]);
        if (o.last_step >= at(now).first_step && o.first_step <= at(now).last_step) others.push_back(roots_[k]);
      }
      std::int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (int other : others) {
          const std::int64_t first = at(other).offset;
          if (offset <= first - room(now, other) || offset >= first + room(other, now)) continue;
          offset = first + room(other, now);
          moved = true;
        }
      }
      at(now).offset = offset;
      if (offset + round_up(at(now).size) > plan_.arena_size) plan_.arena_size = offset + round_up(at(now).size);
    }
  }
  /// How far after `first` the placement `second` must begin if it does not begin before it.
  constexpr std::int64_t room(int first, int second) {
    const std::int64_t apart = round_up(at(first).size);
    std::int64_t close = apart;
    if (overlaps_ && at(first).over == second) close = round_up(at(first).behind);
    if (overlaps_ && at(second).over == first) close = round_up(at(second).ahead);
    return close < apart ? close : apart;
  }

  pool<int> roots_;
  bool overlaps_ = false;
};

}  // namespace ctnn::ir::detail
