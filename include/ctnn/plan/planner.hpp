// SPDX-License-Identifier: BSL-1.0
// Makes the plan, in six phases.
#pragma once

#include "carried_placement.hpp"
#include "cascades.hpp"
#include "layout_choice.hpp"
#include "lifetimes.hpp"
#include "offset_assignment.hpp"
#include "part_placement.hpp"

namespace ctnn::ir {

constexpr memory_plan make_plan(const graph_view& g, const plan_options& options = {}) {
  detail::draft d{g, options.arena};
  detail::layout_choice(d).choose_layouts();
  if (options.cascades) detail::cascades(d).join_steps();
  detail::part_placement(d).place_parts();
  if (options.in_place) detail::carried_placement(d).place_carried();
  detail::lifetimes lives(d);
  lives.find_lifetimes();
  if (options.in_place) lives.write_in_place();
  if (options.in_place && options.overlap && options.arena) lives.find_overlaps();
  if (options.arena) detail::offset_assignment(d).assign_offsets();
  return static_cast<memory_plan&&>(d.plan);
}

}  // namespace ctnn::ir
