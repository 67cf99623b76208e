// SPDX-License-Identifier: BSL-1.0
// Makes the plan, in seven phases; where cascades cost memory once more without them.
#pragma once

#include "carried_placement.hpp"
#include "cascades.hpp"
#include "history_placement.hpp"
#include "layout_choice.hpp"
#include "lifetimes.hpp"
#include "offset_assignment.hpp"
#include "part_placement.hpp"

namespace ctnn::ir {

namespace detail {

/// With cascades but around nodes of `apart`.
constexpr memory_plan plan_with(const graph_view& g, const plan_options& options, const pool<node_id>& apart) {
  draft d{g, options.arena};
  layout_choice(d).choose_layouts();
  if (options.cascades) cascades(d).join_steps(apart);
  part_placement(d).place_parts();
  if (options.in_place) carried_placement(d).place_carried();
  if (options.arena && options.in_place) history_placement(d, options.any_block).place_histories();
  lifetimes lives(d);
  lives.find_lifetimes();
  if (options.in_place) lives.write_in_place();
  if (options.in_place && options.overlap && options.arena) lives.find_overlaps();
  if (options.arena) offset_assignment(d).assign_offsets();
  else
    for (placement& p : d.plan.placements) p.size = p.most > p.size ? p.most : p.size;
  return static_cast<memory_plan&&>(d.plan);
}

/// Numbers that some convolution reads and makes, which layer by layer are in the arena together.
constexpr std::int64_t largest_convolution(const graph_view& g) {
  std::int64_t most = 0;
  for (const node& n : g.nodes) {
    if (n.type != &type_of<op::conv2d>) continue;
    const node& maker = g.at(g.at_value(g.inputs(n)[0]).producer);
    const bool outside = maker.type == &type_of<op::input> || maker.type == &type_of<op::constant>;
    const std::int64_t both = g.shape(n.outputs.first).count() + (outside ? 0 : g.shape(g.inputs(n)[0]).count());
    if (both > most) most = both;
  }
  return most;
}

/// Nodes of cascades whose step needs more than so many numbers, with the least memory for their rows.
constexpr pool<node_id> nodes_of_large_cascades(const memory_plan& plan, std::int64_t numbers) {
  pool<node_id> large;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const plan_step& step = plan.steps[s];
    if (step.cascade.count == 0) continue;
    const int now = static_cast<int>(s);
    std::int64_t all = 0;
    for (const placement& p : plan.placements)
      if (p.parent == none && !p.external && p.first_step <= now && p.last_step >= now)
        all += round_up_in_arena(p.most > 0 ? p.most / 2 : p.size);
    if (all > numbers)
      for (const int n : plan.view().ids_of(step.cascade)) large.push_back(n);
  }
  return large;
}

}  // namespace detail

/// A network in cascades takes no more memory than layer by layer: those that would are none.
constexpr memory_plan make_plan(const graph_view& g, const plan_options& options = {}) {
  memory_plan joined = detail::plan_with(g, options, {});
  if (!options.arena || !options.cascades || joined.arena_size <= detail::largest_convolution(g)) return joined;
  bool joins = false;
  for (const plan_step& step : joined.steps) joins = joins || step.cascade.count > 0;
  if (!joins) return joined;
  plan_options apart = options;
  apart.cascades = false;
  memory_plan by_layer = detail::plan_with(g, apart, {});
  if (joined.arena_size <= by_layer.arena_size) return joined;
  memory_plan fewer = detail::plan_with(g, options, detail::nodes_of_large_cascades(joined, by_layer.arena_size));
  if (fewer.arena_size <= by_layer.arena_size) return fewer;
  return by_layer;
}

}  // namespace ctnn::ir
