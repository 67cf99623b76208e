// SPDX-License-Identifier: BSL-1.0
// What of the arena no value takes during a step.
#pragma once

#include "plan.hpp"

namespace ctnn::ir {

constexpr std::int64_t round_up_in_arena(std::int64_t numbers) {
  return (numbers + arena_alignment - 1) / arena_alignment * arena_alignment;
}

/// Numbers [offset, offset + size) of the arena.
struct free_room {
  std::int64_t offset = 0, size = 0;
};

/// The largest that ends before `end`, as if placement `but` were not there.
constexpr free_room largest_room(span<const placement> placements, int step, std::int64_t end, int but) {
  free_room best;
  for (std::int64_t offset = 0; offset < end;) {
    // The first that begins from here on, and where those end that begin before it.
    std::int64_t next = end, behind = offset;
    for (std::size_t p = 0; p < placements.size(); ++p) {
      const placement& now = placements[p];
      if (static_cast<int>(p) == but || now.parent != none || now.external || now.offset == none) continue;
      if (now.first_step > step || now.last_step < step || now.size == 0) continue;
      const std::int64_t last = now.offset + round_up_in_arena(now.size);
      if (last <= offset) continue;
      if (now.offset <= offset) behind = behind < last ? last : behind;
      else next = now.offset < next ? now.offset : next;
    }
    if (behind == offset && next - offset > best.size) best = {offset, next - offset};
    offset = behind > offset ? behind : next;
  }
  return best;
}

}  // namespace ctnn::ir
