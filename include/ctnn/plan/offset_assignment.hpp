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
    pool<std::int64_t> offsets;
    for (const int r : roots_) offsets.push_back(at(r).offset);
    overlaps_ = false;
    assign();
    if (close <= plan_.arena_size) {
      plan_.arena_size = close;
      for (std::size_t i = 0; i < roots_.size(); ++i) at(roots_[i]).offset = offsets[i];
    }
    for (plan_step& step : plan_.steps) {
      if (step.outputs.count != 1) continue;
      const placement& out = at(first_id(step.outputs));
      if (out.over == none || root(first_id(step.inputs)) != out.over) continue;
      const placement& in = at(out.over);
      const bool forwards = out.offset + round_up(out.behind) <= in.offset;
      step.backwards = !forwards && out.offset >= in.offset && out.offset < in.offset + in.size;
    }
  }

 private:
  static constexpr std::int64_t round_up(std::int64_t n) {
    return (n + arena_alignment - 1) / arena_alignment * arena_alignment;
  }

  /// Where a value lies, and when.
  struct place {
    int value;
    std::int64_t offset, size;
    int first_step, last_step;
    int over;  ///< what it may lie over, at these distances
    std::int64_t behind, ahead;

    /// How far after this `next` must begin if it does not begin before it.
    constexpr std::int64_t room_before(const place& next) const {
      const std::int64_t close = over == next.value ? behind : next.over == value ? next.ahead : size;
      return close < size ? close : size;
    }
  };
  constexpr place place_of(int value) {
    const placement& p = at(value);
    return {value, 0, round_up(p.size), p.first_step, p.last_step, overlaps_ ? p.over : none, round_up(p.behind),
            round_up(p.ahead)};
  }

  /// Each at the first offset that none of those before it forbids.
  constexpr void assign() {
    plan_.arena_size = 0;
    pool<place> placed;  // by offset
    for (const int value : roots_) {
      place now = place_of(value);
      for (bool again = true; again;) {
        again = false;
        bool close = false;
        for (const place& other : placed) {
          if (other.last_step < now.first_step || other.first_step > now.last_step) continue;
          if (now.offset + now.size <= other.offset) break;
          if (now.offset + now.room_before(other) <= other.offset) {
            close = true;
            continue;
          }
          const std::int64_t end = other.offset + other.room_before(now);
          if (now.offset >= end) continue;
          now.offset = end;
          again = again || close;  // it may be too near now to what it lies over
        }
      }
      at(value).offset = now.offset;
      if (now.offset + now.size > plan_.arena_size) plan_.arena_size = now.offset + now.size;
      placed.push_back(now);
      for (std::size_t k = placed.size() - 1; k > 0 && placed[k].offset < placed[k - 1].offset; --k) {
        const place swap = placed[k];
        placed[k] = placed[k - 1];
        placed[k - 1] = swap;
      }
    }
  }

  pool<int> roots_;  // the largest first
  bool overlaps_ = false;
};

}  // namespace ctnn::ir::detail
