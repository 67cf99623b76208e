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
    if (!overlaps_) return assign();
    pool<std::int64_t> best;
    std::int64_t smallest = 0;
    const auto keep = [&] {
      smallest = plan_.arena_size;
      best = offsets();
    };
    // Rarely, what lies closer together leaves worse gaps.
    overlaps_ = false;
    assign();
    keep();
    overlaps_ = true;
    assign();
    if (plan_.arena_size <= smallest) keep();
    // What is to lie over its input may be in the way of others: then these come first.
    const std::int64_t least = least_size();
    for (int tries = 6; tries > 0 && smallest > least; --tries) {
      put_first(last_in_arena());
      assign();
      if (plan_.arena_size < smallest) keep();
    }
    plan_.arena_size = smallest;
    for (std::size_t p = 0; p < best.size(); ++p) plan_.placements[p].offset = best[p];
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

  constexpr pool<std::int64_t> offsets() const {
    pool<std::int64_t> all;
    for (const placement& p : plan_.placements) all.push_back(p.offset);
    return all;
  }
  /// Where in roots_ that value is which ends last in the arena.
  constexpr std::size_t last_in_arena() {
    std::size_t last = 0;
    const auto end = [&](std::size_t i) { return at(roots_[i]).offset + at(roots_[i]).size; };
    for (std::size_t i = 1; i < roots_.size(); ++i)
      if (end(i) > end(last)) last = i;
    return last;
  }
  constexpr void put_first(std::size_t i) {
    const int value = roots_[i];
    for (; i > 0; --i) roots_[i] = roots_[i - 1];
    roots_[0] = value;
  }
  /// What the values of any one step need, the result as close to the input it lies over as it may be.
  constexpr std::int64_t least_size() {
    std::int64_t most = 0;
    for (std::size_t s = 0; s <= plan_.steps.size(); ++s) {
      const int step = static_cast<int>(s);
      std::int64_t needed = 0;
      for (const int value : roots_) {
        const place now = place_of(value);
        if (now.first_step > step || now.last_step < step) continue;
        needed += now.size;
        if (now.over == none || now.first_step != step) continue;
        const std::int64_t in = round_up(at(now.over).size), both = in + now.size,
                           forwards = now.behind + in > now.size ? now.behind + in : now.size,
                           backwards = now.ahead + now.size > in ? now.ahead + now.size : in,
                           close = forwards < backwards ? forwards : backwards;
        if (close < both) needed -= both - close;
      }
      if (needed > most) most = needed;
    }
    return most;
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
