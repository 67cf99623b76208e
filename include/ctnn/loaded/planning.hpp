// SPDX-License-Identifier: BSL-1.0
// The plan of a graph that is known at run time.
#pragma once

#include "../base/compiled.hpp"
#include "../plan/plan.hpp"

namespace ctnn::ir {

/// make_plan (plan/planner.hpp), compiled once.
memory_plan plan_loaded(const graph_view& g, const plan_options& options = {});

}  // namespace ctnn::ir

#if CTNN_DEFINES(CTNN_PART_PLANNING)

#include "../plan/planner.hpp"

namespace ctnn::ir {

CTNN_ONCE memory_plan plan_loaded(const graph_view& g, const plan_options& options) { return make_plan(g, options); }

}  // namespace ctnn::ir

#endif
