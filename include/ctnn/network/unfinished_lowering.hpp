// SPDX-License-Identifier: BSL-1.0
// A lowering that stops between two entries, as a constant from which another goes on: Clang allows each constant a
// million steps, and a layer takes one or two thousand of them.
#pragma once

#include "frozen_graph.hpp"
#include "lower.hpp"

namespace ctnn::ir::detail {

/// What an unfinished lowering holds.
struct lowering_sizes {
  graph_capacity graph{};
  std::size_t names = 0, slots = 0, frames = 0, outputs = 0;

  constexpr bool fits_in(const lowering_sizes& s) const {
    return graph.fits_in(s.graph) && names <= s.names && slots <= s.slots && frames <= s.frames && outputs <= s.outputs;
  }
};
constexpr lowering_sizes sizes_of(const lowering& l, const lowering_position& p) {
  return {capacity_of(l.g.view()), p.names.all().size(), p.names.numbers().size(), p.frames.size(), p.outputs.size()};
}

/// In `Sizes`, if they are enough: `needed` tells what would have been.
template <lowering_sizes Sizes>
struct unfinished_lowering {
  lowering_sizes needed;
  bool fits;
  problem error;
  std::string_view layer;
  frozen_graph<Sizes.graph> g;
  static_vector<name_table::named, Sizes.names + 1> names{};
  static_vector<int, Sizes.slots + 1> slots{};
  bool any_several;
  static_vector<frame_of_group, Sizes.frames + 1> frames{};
  static_vector<const layer_record*, Sizes.outputs + 1> outputs{};
  std::size_t at;
  int previous;

  constexpr unfinished_lowering(const lowering& l, const lowering_position& p)
      : needed(sizes_of(l, p)),
        fits(needed.fits_in(Sizes)),
        error(l.error),
        layer(l.layer),
        g(fits ? l.g.view() : graph_view{}),
        any_several(p.names.any_several()),
        at(p.at),
        previous(p.previous) {
    if (!fits) return;
    copy_items(p.names.all(), names);
    copy_items(p.names.numbers(), slots);
    copy_items(span<const frame_of_group>(p.frames), frames);
    copy_items(span<const layer_record* const>(p.outputs), outputs);
  }

  /// Into arguments, as lower().
  constexpr void resume(lowering& l, lowering_position& p) const {
    l.g = thaw(g.view());
    l.error = error;
    l.layer = layer;
    p.names = name_table({names.data(), names.size()}, {slots.data(), slots.size()}, any_several);
    p.at = at;
    p.previous = previous;
    p.frames = pool<frame_of_group>({frames.data(), frames.size()});
    p.outputs = pool<const layer_record*>({outputs.data(), outputs.size()});
  }
};

}  // namespace ctnn::ir::detail
