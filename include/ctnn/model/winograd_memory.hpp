// SPDX-License-Identifier: BSL-1.0
// Which convolutions may have the memory that Winograd's filtering takes: its weights are up to seven times those of
// the file (kernels/winograd.hpp).
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "../weights/packed.hpp"

namespace ctnn::ir {

/// Has convolutions add product by product, those that gain the least time a byte first, until all the others together
/// take at most `most_growth` times the weights of the network beyond their own.
inline void limit_winograd(graph& g, double most_growth) {
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
    const int m = winograd_size(now, n);
    if (m == 0) continue;
    const auto p = decode<op::conv2d>(now.fields_of(n.fields));
    const extents& in = now.shape(now.inputs(n)[0]);
    const extents& weight = now.at_expression(now.weights(n)[0]).shape;
    const std::int64_t direct = n.type->packed_count(now.fields_of(n.fields), 0, weight, channel_block);
    const std::int64_t growth = winograd_packed_count(m, weight) - direct;
    layers.push_back({i, convolution_cost(0, p, in) - convolution_cost(m, p, in), growth});
    all -= growth;
  }
  std::ranges::sort(layers, std::greater<>(), [](const layer& l) { return l.gain / static_cast<double>(l.growth); });
  double left = most_growth * static_cast<double>(all);
  for (const layer& l : layers) {
    if (static_cast<double>(l.growth) <= left) left -= static_cast<double>(l.growth);
    else make_convolution_exact(g, g.nodes[l.node]);
  }
}

}  // namespace ctnn::ir
