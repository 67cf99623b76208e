// SPDX-License-Identifier: BSL-1.0
// Winograd's filtering in no more memory than a network takes without: what its convolutions may have of the arena.
#pragma once

#include "planner.hpp"

namespace ctnn::ir {

/// Numbers of the arena layer by layer: convolutions add product by product, nothing runs in cascades, and results lie
/// over inputs only where they are all of them.
constexpr std::int64_t arena_by_layer(const graph_view& g) {
  graph plain = thaw(g);
  make_convolutions_exact(plain);
  return make_plan(plain.view(), {.overlap = false, .cascades = false}).arena_size;
}

constexpr bool goes_by_winograd(const graph_view& g) {
  for (const node& n : g.nodes)
    if (winograd_size(g, n) > 0) return true;
  return false;
}

/// The convolution as it goes by Winograd's filtering in so many bytes, or, where it would not be faster, without.
constexpr op::conv2d with_winograd_in(std::int64_t bytes, op::conv2d p, const extents& in) {
  p.winograd_bytes = bytes < 1 ? 1 : bytes < 2147483647 ? static_cast<int>(bytes) : 2147483647;
  const int m = winograd_size(p, in);
  if (m == 0) p.winograd = op::winograd_use::none;
  p.winograd_bytes =
      m == 0 ? 0 : static_cast<int>(winograd_work_of(m, p, in).scratch_size() * std::int64_t{sizeof(float)});
  return p;
}

/// Gives every convolution by Winograd's filtering what the others leave free of so many numbers while it runs: it
/// computes as many tiles at a time as fit there, or adds product by product where that is as fast.
constexpr void fit_winograd(graph& g, std::int64_t arena_size) {
  graph plain = thaw(g.view());
  make_convolutions_exact(plain);
  const memory_plan plan = make_plan(plain.view());
  const std::int64_t end = arena_size < plan.arena_size ? plan.arena_size : arena_size;
  bool in_cascades = false;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    const plan_step& step = plan.steps[s];
    in_cascades = in_cascades || step.cascade.count > 0;
    if (!step.runs_kernel() || step.cascade.count > 0) continue;
    node& n = g.nodes[static_cast<std::size_t>(step.node)];
    if (winograd_size(g.view(), n) == 0) continue;
    const std::int64_t room =
        largest_room(plan.placements, static_cast<int>(s), end, none).size * std::int64_t{sizeof(float)};
    if (kernel_scratch_bytes(g.view(), n) <= room) continue;
    const extents in = g.view().shape(g.view().inputs(n)[0]);
    n.fields = g.store_fields_of(with_winograd_in(room, decode<op::conv2d>(g.view().fields_of(n.fields)), in));
  }
  // Cascades are chosen by the memory of all.
  if (in_cascades && make_plan(g.view()).arena_size > end) make_convolutions_exact(g);
}

}  // namespace ctnn::ir
