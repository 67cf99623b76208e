// SPDX-License-Identifier: BSL-1.0
// What users ask of a network in static_assert. Members of network<...> answer about the network itself (size, has).
#pragma once

#include "../rewrite/provenance.hpp"
#include "parameters.hpp"

namespace ctnn {

/// Arena of an engine, in bytes.
template <class Net>
inline constexpr std::size_t arena_bytes = executable<typename Net::network_type>::arena_size * sizeof(float);

/// Multiply-adds of one inference (convolutions and linear layers).
template <class Net>
inline constexpr std::int64_t macs = [] {
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < declared_graph<Net>.nodes.size(); ++n)
    sum += macs_of(declared_graph<Net>, static_cast<int>(n));
  return sum;
}();

/// Weights of a network, in numbers.
template <class Net>
inline constexpr std::int64_t parameter_count = detail::count_weights(declared_graph<Net>);

/// The shape of a layer's output: output_shape<net, "conv1"> == extents{16, 32, 32}.
template <class Net, fixed_string Layer>
inline constexpr extents output_shape = [] {
  for (const node& n : declared_graph<Net>.nodes)
    if (n.name == Layer.view()) return declared_graph<Net>.shape(n.outputs.first);
  return extents{};
}();

/// The layer that does the work of Layer after rewriting: itself if it is still there, "" if nothing does.
template <class Net, fixed_string Layer, class Rules = default_rules>
inline constexpr std::string_view fused_into =
    provenance_of(Layer, optimized_graph<Net, Rules>, detail::rewriting_history<Net, Rules>::steps).into;

/// What rewriting does to a network, in order: rule, layer consumed, layer that does its work.
template <class Net, class Rules = default_rules>
inline constexpr std::span<const rewrite_step> report{detail::rewriting_history<Net, Rules>::steps.begin(),
                                                      detail::rewriting_history<Net, Rules>::steps.end()};

}  // namespace ctnn
