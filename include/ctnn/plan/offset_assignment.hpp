// SPDX-License-Identifier: BSL-1.0
// The last phase: offsets in the arena, the largest value first.
#pragma once

#include "draft.hpp"

namespace ctnn::ir::detail {

class offset_assignment : planning_phase {
 public:
  explicit constexpr offset_assignment(draft& d) : planning_phase(d) {}

  constexpr void assign_offsets() {
    pool<int> roots;
    for (std::size_t p = 0; p < plan_.placements.size(); ++p) {
      const placement& now = plan_.placements[p];
      if (now.parent == none && !now.external && now.last_step >= 0) roots.push_back(static_cast<int>(p));
    }
    // Largest first; of equal ones the earliest.
    for (std::size_t i = 1; i < roots.size(); ++i)
      for (std::size_t k = i; k > 0 && at(roots[k]).size > at(roots[k - 1]).size; --k) {
        const int swap = roots[k];
        roots[k] = roots[k - 1];
        roots[k - 1] = swap;
      }
    pool<int> placed;  // by offset
    for (int r : roots) {
      const std::int64_t size = round_up(at(r).size);
      std::int64_t offset = 0;
      for (int other : placed) {
        const placement& o = at(other);
        if (o.last_step < at(r).first_step || o.first_step > at(r).last_step) continue;
        if (offset + size <= o.offset) break;
        if (o.offset + round_up(o.size) > offset) offset = o.offset + round_up(o.size);
      }
      at(r).offset = offset;
      if (offset + size > plan_.arena_size) plan_.arena_size = offset + size;
      placed.push_back(r);
      for (std::size_t k = placed.size() - 1; k > 0 && at(placed[k]).offset < at(placed[k - 1]).offset; --k) {
        const int swap = placed[k];
        placed[k] = placed[k - 1];
        placed[k - 1] = swap;
      }
    }
  }

 private:
  static constexpr std::int64_t round_up(std::int64_t n) {
    return (n + arena_alignment - 1) / arena_alignment * arena_alignment;
  }
};

}  // namespace ctnn::ir::detail
