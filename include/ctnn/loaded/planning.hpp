// SPDX-License-Identifier: BSL-1.0
// The plan of a graph that is known at run time.
#pragma once

#include "../base/compiled.hpp"
#include "../plan/plan.hpp"

namespace ctnn::ir {

// Functions of plan/planner.hpp and plan/arena_budget.hpp, compiled once.
memory_plan plan_loaded(const graph_view& g, const plan_options& options = {});
/// Of a graph as it was read: weights that it has as constants are weights.
std::int64_t loaded_arena_by_layer(const graph_view& g);
/// Has the rewritten network take no more than the declared one layer by layer.
void put_arena_first(graph& rewritten, const graph_view& declared);

}  // namespace ctnn::ir

#if CTNN_DEFINES(CTNN_PART_PLANNING)

#include "../plan/arena_budget.hpp"
#include "../rewrite/driver.hpp"

namespace ctnn::ir {

CTNN_ONCE memory_plan plan_loaded(const graph_view& g, const plan_options& options) { return make_plan(g, options); }
CTNN_ONCE std::int64_t loaded_arena_by_layer(const graph_view& g) {
  return arena_by_layer(bind_weights(thaw(g)).view());
}
CTNN_ONCE void put_arena_first(graph& rewritten, const graph_view& declared) {
  if (goes_by_winograd(rewritten.view())) fit_winograd(rewritten, loaded_arena_by_layer(declared));
}

}  // namespace ctnn::ir

#endif
