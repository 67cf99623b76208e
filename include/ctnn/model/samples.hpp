// SPDX-License-Identifier: BSL-1.0
// When a batch runs sample by sample, each through the whole network, instead of layer by layer. What lies between the
// layers of one sample stays in the caches, and threads that have a sample each wait for each other but once; layers of
// a whole batch read their weights but once.
#pragma once

#include <algorithm>

#include "../graph/cost.hpp"
#include "../kernels/byte_packing.hpp"
#include "../kernels/winograd.hpp"
#include "../rewrite/one_sample.hpp"

namespace ctnn::ir {

/// Whether it takes less, threads or not: values of the batch are more than a cache near a processor holds, a sample
/// takes long beside setting out, and each weight is used so often for one sample that reading it anew for the next
/// does not matter. Measured on one and two threads: by sample, networks for pictures of 224 x 224 take 0.86 to 1.01 of
/// the time, linear layers of 40 to 128 rows a sample 0.8 to 1.01, networks for smaller pictures as long, and linear
/// layers of one row up to four times as long.
inline bool pays_apart(const graph_view& g) {
  constexpr std::int64_t cache = std::int64_t{1} << 18, often = 32;  // numbers, multiply-adds a weight
  constexpr double long_enough = 50'000;                             // nanoseconds
  const int samples = samples_of(g);
  if (samples < 2) return false;
  std::int64_t largest = 0, macs = 0, weights = 0;
  double nanoseconds = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const node& n = g.nodes[i];
    for (int k = 0; k < n.outputs.count; ++k) largest = std::max(largest, g.shape(n.outputs.first + k).count());
    if (n.type == &type_of<op::input>) continue;
    macs += macs_of(g, static_cast<int>(i));
    nanoseconds += nanoseconds_of(g, static_cast<int>(i));
    for (const expression_id w : g.weights(n)) weights += g.at_expression(w).shape.count();
  }
  return largest > cache && nanoseconds >= long_enough * static_cast<double>(samples) &&
         macs / samples >= often * weights;
}

/// Whether the kernels of two graphs, whose nodes are the same but for shapes, want their weights packed the same way.
inline bool is_packed_the_same(const graph_view& a, const graph_view& b) {
  for (std::size_t i = 0; i < a.nodes.size(); ++i)
    if (packed_winograd_size(a, a.nodes[i]) != packed_winograd_size(b, b.nodes[i]) ||
        !(byte_rows_of(a, a.nodes[i]) == byte_rows_of(b, b.nodes[i])))
      return false;
  return true;
}

}  // namespace ctnn::ir
