// SPDX-License-Identifier: BSL-1.0
// What to run and where every value lies: layouts, values that share memory, and the offsets of the rest in one arena.
// Constant functions of the graph, used for networks as types and for loaded models.
#pragma once

#include "../graph/graph.hpp"
#include "../kernels/tensor.hpp"

namespace ctnn::ir {

/// Where a value lies, or a copy of it in another layout.
struct placement {
  value_id value = none;
  layout order = layout::nchw;
  int pitch = 0;                 ///< nhwc, nwc: of the memory it lies in, see tensor.hpp
  int parent = none;             ///< another placement whose memory this one is a part of
  std::int64_t shift = 0;        ///< numbers from the parent's first to this one's first
  std::int64_t size = 0;         ///< numbers it needs if it has no parent
  std::int64_t most = 0;         ///< and what a kernel's memory is where there is room for it
  bool late = false;             ///< may wait until the others have their offsets
  std::int64_t offset = none;    ///< in the arena, in numbers; only without parent
  int first_step = 0, last_step = 0;  ///< from the step that writes it to the last one that reads it
  bool external = false;         ///< a network input (the caller's memory) or a constant (among the weights)
  bool kept = false;             ///< from run to run: a carried input
  std::int64_t advance = 0;      ///< numbers that what is kept lies further on in the next run: history_placement.hpp
  std::int64_t farthest = 0;     ///< at most: then it begins anew
  bool fed = false;              ///< an input in the arena: the caller writes it before the first step
  int over = none;               ///< a placement that it may lie over, at these distances (kernels/overlap.hpp)
  std::int64_t behind = 0, ahead = 0;
};

/// One thing to do: run a node's kernel, pack one of its weights that is an input, or (node none) convert the input to
/// the output's layout.
struct plan_step {
  node_id node = none;
  range inputs{};   ///< in plan::ids: placements
  range outputs{};
  slot_set given = 0;       ///< the last inputs are these weights of the node
  int packs = none;         ///< only pack this weight of the node
  bool overwrites = false;  ///< writes its result over an input nobody reads any more
  bool backwards = false;   ///< because the result lies over the input, and further on
  int scratch = none;       ///< placement of the kernel's own memory
  range cascade{};          ///< in plan::ids: nodes that run some rows at a time, `node` last (kernels/cascade.hpp)
  bool carries = false;     ///< the input is what the output, which is kept, will be in the next run; they may overlap

  /// A node's kernel, not only packing for one, a conversion or what is carried on?
  constexpr bool runs_kernel() const { return node != none && packs == none; }
};

struct plan_view {
  std::span<const placement> placements;  ///< the first ones are the graph's values, in order
  std::span<const plan_step> steps;
  std::span<const int> ids;
  std::span<const int> outputs;  ///< placements of the network outputs, nchw; of carried ones in any layout
  std::int64_t arena_size = 0;   ///< numbers

  constexpr std::span<const int> ids_of(range r) const {
    return ids.subspan(static_cast<std::size_t>(r.first), static_cast<std::size_t>(r.count));
  }
  /// The step's inputs without those that are weights, and those.
  constexpr std::span<const int> own_inputs(const plan_step& s) const {
    return ids_of({s.inputs.first, s.inputs.count - count_slots(s.given)});
  }
  constexpr std::span<const int> given_inputs(const plan_step& s) const {
    const int n = count_slots(s.given);
    return ids_of({s.inputs.first + s.inputs.count - n, n});
  }
  constexpr const placement& at(int p) const { return placements[static_cast<std::size_t>(p)]; }
  /// The placement whose memory p lies in.
  constexpr int root(int p) const {
    while (at(p).parent != none) p = at(p).parent;
    return p;
  }
  /// Numbers from the root's first to p's first.
  constexpr std::int64_t shift(int p) const {
    std::int64_t sum = 0;
    for (; at(p).parent != none; p = at(p).parent) sum += at(p).shift;
    return sum;
  }
  /// How many placements advance from run to run before p; all of them for p none.
  constexpr int histories_before(int p = none) const {
    int n = 0;
    for (std::size_t i = 0; i < placements.size() && static_cast<int>(i) != p; ++i) n += placements[i].advance != 0;
    return n;
  }
};

struct memory_plan {
  pool<placement> placements;
  pool<plan_step> steps;
  pool<int> ids;
  pool<int> outputs;
  std::int64_t arena_size = 0;

  constexpr plan_view view() const { return {placements, steps, ids, outputs, arena_size}; }
};

/// Offsets in the arena are multiples of this many numbers: a cache line.
inline constexpr int arena_alignment = 16;

struct plan_options {
  bool in_place = true;  ///< let an operator write over an input nobody reads any more
  bool overlap = true;   ///< at a distance, too
  bool cascades = true;  ///< run some layers a few rows at a time; values between them are nowhere then
  /// Choose offsets in one arena, in which carried inputs stay from run to run; who gives every value memory of its own
  /// needs none and feeds what is carried.
  bool arena = true;
  /// For blocks of any size up to the graph's, which lie where that has its first numbers (network/block_table.hpp):
  /// nothing is told apart by distances, and what is carried advances in any case.
  bool any_block = false;
};
/// Of networks that take blocks of any size.
inline constexpr plan_options for_any_block{.overlap = false, .cascades = false, .any_block = true};
/// What is in the arena begins where it does in the plan of the longest block, which has the same values.
constexpr void lie_as(std::span<placement> shorter, std::span<const placement> longest) {
  for (std::size_t p = 0; p < shorter.size() && p < longest.size(); ++p)
    if (shorter[p].parent == none) shorter[p].offset = longest[p].offset;
}

}  // namespace ctnn::ir
