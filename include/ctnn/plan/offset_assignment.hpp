// SPDX-License-Identifier: BSL-1.0
// The last phase: offsets in the arena, the largest value first.
#pragma once

#include "draft.hpp"
#include "free_room.hpp"

namespace ctnn::ir::detail {

class offset_assignment : planning_phase {
 public:
  explicit constexpr offset_assignment(draft& d) : planning_phase(d) {}

  constexpr void assign_offsets() {
    pool<int> late;
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) {
      const placement& now = plan_.placements[p];
      if (now.parent != none || now.external || now.last_step < 0) continue;
      if (now.late) late.push_back(static_cast<int>(p));
      else roots_.push_back(static_cast<int>(p));
      overlaps_ = overlaps_ || now.over != none;
    }
    arrange();
    if (late.size() > 0) add_late(late);
    for (plan_step& step : plan_.steps) {
      if (step.outputs.count != 1) continue;
      const placement& out = at(first_id(step.outputs));
      if (out.over == none || root(first_id(step.inputs)) != out.over) continue;
      const placement& in = at(out.over);
      const bool forwards = out.offset + round_up_in_arena(out.behind) <= in.offset;
      step.backwards = !forwards && out.offset >= in.offset && out.offset < in.offset + in.size;
    }
    for (const plan_step& step : plan_.steps)
      if (step.scratch != none) grow(step.scratch);
  }

 private:
  /// Gives each of roots_ its offset.
  constexpr void arrange() {
    // Largest first; of equal ones the earliest.
    for (std::size_t i = 1; i < roots_.size(); ++i)
      for (std::size_t k = i; k > 0 && at(roots_[k]).size > at(roots_[k - 1]).size; --k) {
        const int swap = roots_[k];
        roots_[k] = roots_[k - 1];
        roots_[k - 1] = swap;
      }
    arrangement best;
    // What ends last, or is to lie over its input, may be in the way of others: then it comes first.
    const auto try_others = [&](std::int64_t tries) {
      const std::int64_t least = least_size();
      for (; tries > 0 && best.arena_size > least; --tries) {
        put_first(last_in_arena());
        assign();
        if (plan_.arena_size < best.arena_size) best = now();
      }
    };
    const pool<int> by_size = roots_;
    const bool overlaps = overlaps_;
    overlaps_ = false;
    assign();
    best = now();
    // Of many values a compiler has no time for it.
    const auto count = static_cast<std::int64_t>(roots_.size());
    try_others(min_of(6, 20000 / (count * count + 1)));
    overlaps_ = overlaps;
    if (overlaps) {  // Rarely, what lies closer together leaves worse gaps.
      roots_ = by_size;
      assign();
      if (plan_.arena_size <= best.arena_size) best = now();
      try_others(6);
    }
    take(best);
  }
  /// Lets those that may wait lie where the others left room, or, if that needs less, be arranged with them.
  constexpr void add_late(const pool<int>& late) {
    const std::int64_t without = plan_.arena_size;
    for (const int p : late) {
      const std::int64_t size = round_up_in_arena(at(p).size);
      std::int64_t end = 0;  // of all that there is at the time
      for (const int other : roots_)
        if (at(other).first_step <= at(p).last_step && at(other).last_step >= at(p).first_step)
          end = max_of(end, at(other).offset + round_up_in_arena(at(other).size));
      const free_room room = largest_room(plan_.placements, at(p).first_step, end, p);
      at(p).offset = room.size >= size ? room.offset : end;
      plan_.arena_size = max_of(plan_.arena_size, at(p).offset + size);
    }
    if (plan_.arena_size == without) return;
    const arrangement behind = now();
    for (const int p : late) roots_.push_back(p);
    arrange();
    if (plan_.arena_size >= behind.arena_size) take(behind);
  }
  /// A kernel's memory takes what is free while it runs.
  constexpr void grow(int scratch) {
    placement& p = at(scratch);
    if (p.most <= p.size) return;
    const free_room room = largest_room(plan_.placements, p.first_step, plan_.arena_size, scratch);
    if (room.size <= p.size) return;
    p.offset = room.offset;
    p.size = p.most < room.size ? p.most : room.size;
  }
  static constexpr std::int64_t max_of(std::int64_t a, std::int64_t b) { return a < b ? b : a; }
  static constexpr std::int64_t min_of(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

  struct arrangement {
    pool<std::int64_t> offsets;
    std::int64_t arena_size = 0;
  };
  constexpr arrangement now() const {
    arrangement all;
    for (const placement& p : plan_.placements) all.offsets.push_back(p.offset);
    all.arena_size = plan_.arena_size;
    return all;
  }
  constexpr void take(const arrangement& all) {
    plan_.arena_size = all.arena_size;
    for (std::size_t p = 0; p < all.offsets.size(); ++p) plan_.placements[p].offset = all.offsets[p];
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
    return {value,
            0,
            round_up_in_arena(p.size),
            p.first_step,
            p.last_step,
            overlaps_ ? p.over : none,
            round_up_in_arena(p.behind),
            round_up_in_arena(p.ahead)};
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
    pool<std::int64_t> more(plan_.steps.size() + 3, 0);  // from the step before the first on, than at the one before
    pool<std::int64_t> less(plan_.steps.size() + 3, 0);  // at that step alone
    for (const int value : roots_) {
      const place p = place_of(value);
      const auto first = static_cast<std::size_t>(p.first_step + 1);
      more[first] += p.size;
      more[static_cast<std::size_t>(p.last_step + 2)] -= p.size;
      if (p.over == none) continue;
      const std::int64_t in = round_up_in_arena(at(p.over).size);
      const std::int64_t close = min_of(max_of(p.behind + in, p.size), max_of(p.ahead + p.size, in));
      if (close < in + p.size) less[first] += in + p.size - close;
    }
    std::int64_t most = 0, needed = 0;
    for (std::size_t s = 0; s < more.size(); ++s) {
      needed += more[s];
      most = max_of(most, needed - less[s]);
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
