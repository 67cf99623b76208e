// SPDX-License-Identifier: BSL-1.0
// Which convolutions may have the memory that Winograd's filtering takes: its weights are up to seven times those of
// the file (kernels/winograd.hpp).
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "../weights/packed.hpp"

namespace ctnn::ir {

/// Numbers that a network's weights count for at least: of fewer, what is added does not matter to a process.
inline constexpr std::int64_t least_weights = std::int64_t{1} << 22;

/// Has convolutions whose weights would be packed in Winograd's transforms make them in each run, or add product by
/// product: those that lose the least time a byte first, until all the others together take at most `most_growth` times
/// the weights of the network, or `least` numbers, beyond their own.
inline void limit_winograd(graph& g, double most_growth, std::int64_t least = least_weights) {
  if (most_growth == std::numeric_limits<double>::infinity()) return;
  struct layer {
    std::size_t node;
    double gain;
    std::int64_t growth;
  };
  std::vector<layer> layers;
  std::int64_t all = packed_total(g.view());
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    const graph_view now = g.view();
    const node& n = g.nodes[i];
    const int m = packed_winograd_size(now, n);
    if (m == 0) continue;
    const auto p = decode<op::conv2d>(now.fields_of(n.fields));
    auto lean = p;
    lean.winograd = op::winograd_use::each_run;
    const extents& in = now.shape(now.inputs(n)[0]);
    const extents& weight = now.at_expression(now.weights(n)[0]).shape;
    const std::int64_t direct = n.type->packed_count(now.fields_of(n.fields), 0, weight, channel_block);
    const std::int64_t growth = winograd_packed_count(m, weight) - direct;
    const double otherwise = convolution_cost(winograd_size(lean, in), lean, in);
    layers.push_back({i, otherwise - convolution_cost(m, p, in), growth});
    all -= growth;
  }
  std::ranges::sort(layers, std::greater<>(), [](const layer& l) { return l.gain / static_cast<double>(l.growth); });
  double left = most_growth * static_cast<double>(std::max(all, least));
  for (const layer& l : layers) {
    if (l.gain > 0 && static_cast<double>(l.growth) <= left) left -= static_cast<double>(l.growth);
    else set_winograd(g, g.nodes[l.node], op::winograd_use::each_run);
  }
}

}  // namespace ctnn::ir
