// SPDX-License-Identifier: BSL-1.0
// What users ask of a network in static_assert. Members of network<...> answer about the network itself (size, has).
#pragma once

#include "../rewrite/provenance.hpp"
#include "name_table.hpp"
#include "parameters.hpp"

namespace ctnn::ir::detail {

/// Is it a layer of the declared network, or one that stands for such a layer (rewrite/expansion.hpp)?
constexpr bool has_layer(const graph_view& g, std::string_view name) {
  for (const node& n : g.nodes)
    if (n.name == name) return true;
  return false;
}
template <class Net, fixed_string Layer>
constexpr bool knows_layer() {
  if constexpr (has_layer(declared_graph<Net>, Layer)) return true;
  else return has_layer(expanded_view<Net>(), Layer);
}
template <class Net>
constexpr std::string_view nearest_layer(std::string_view asked) {
  nearest_name nearest(asked);
  for (const node& n : declared_graph<Net>.nodes) nearest.consider(n.name);
  return nearest.name();
}

/// Of a network with a mistake that is the error, and no name is looked for.
template <class Net, fixed_string Layer, bool Known>
auto layer_error_of() {
  if constexpr (found_in<Net>::error.found) {
    return std::type_identity<error_in<found_in<Net>::error>>{};
  } else if constexpr (!Known && !knows_layer<Net, Layer>()) {
    constexpr std::string_view nearest = nearest_layer<Net>(Layer);
    constexpr fixed_string<nearest.size()> near(nearest);
    return std::type_identity<unknown_name<unknown_layer, layer_called, Layer, near>>{};
  } else {
    return std::type_identity<no_error>{};
  }
}
/// The output of the layer of this name, or "split.1" for the second of several; none if there is no such output.
constexpr value_id output_called(const graph_view& g, std::string_view name) {
  for (const node& n : g.nodes) {
    if (n.name == name) return n.outputs.first;
    if (n.outputs.count < 2 || !name.starts_with(n.name)) continue;
    const int k = name_table::index_of(name, n.name.size());
    if (k >= 0 && k < n.outputs.count) return n.outputs.first + k;
  }
  return none;
}
template <class Net, fixed_string Output>
inline constexpr bool declares_output = [] {
  if constexpr (found_in<Net>::error.found) return false;
  else return output_called(declared_graph<Net>, Output) != none;
}();

/// Compiles only if there is such a layer; its size is asked for outside of functions (check.hpp).
template <class Net, fixed_string Layer>
using layer_error = typename decltype(layer_error_of<Net, Layer, false>())::type;
template <class Net, fixed_string Output>
using output_error = typename decltype(layer_error_of<Net, Output, declares_output<Net, Output>>())::type;

}  // namespace ctnn::ir::detail

namespace ctnn {

/// Arena of an engine, in bytes.
template <class Net>
inline constexpr std::size_t arena_bytes = ir::executable<Net>::arena_size * sizeof(float);

/// Multiply-adds of one inference (convolutions and linear layers).
template <class Net>
inline constexpr std::int64_t macs = (void(ir::size_said<ir::error_in<ir::detail::found_in<Net>::error>>), [] {
  std::int64_t sum = 0;
  for (std::size_t n = 0; n < ir::declared_graph<Net>.nodes.size(); ++n)
    sum += ir::macs_of(ir::declared_graph<Net>, static_cast<int>(n));
  return sum;
}());

/// Weights of a network, in numbers.
template <class Net>
inline constexpr std::int64_t parameter_count =
    (void(ir::size_said<ir::error_in<ir::detail::found_in<Net>::error>>),
     ir::detail::count_weights(ir::declared_graph<Net>));

// A question about a layer that there is not is a compile error with the nearest name; network<...>::has alone, which
// knows no other network's layers, may be asked for any name.

/// The shape of a layer's output: output_shape<net, "conv1"> == extents{16, 32, 32}; of several "split.0", "split.1".
template <class Net, fixed_string Output>
inline constexpr extents output_shape = (void(sizeof(ir::detail::output_error<Net, Output>)), [] {
  const auto shape_in = [](const ir::graph_view& g) { return g.shape(ir::detail::output_called(g, Output)); };
  if constexpr (ir::detail::found_in<Net>::error.found) return extents{};
  else if constexpr (ir::detail::declares_output<Net, Output>) return shape_in(ir::declared_graph<Net>);
  else if constexpr (ir::detail::knows_layer<Net, Output>()) return shape_in(ir::detail::expanded_view<Net>());
  else return extents{};
}());

/// The m of a conv2d that vectors compute by Winograd's F(m, 3) (kernels/winograd.hpp); 0: product by product.
template <class Net, fixed_string Layer>
inline constexpr int winograd = (void(sizeof(ir::detail::layer_error<Net, Layer>)), [] {
  for (const ir::node& n : ir::declared_graph<Net>.nodes)
    if (n.name == Layer.view()) return ir::winograd_size(ir::declared_graph<Net>, n);
  return 0;
}());

/// The layer that does the work of Layer after rewriting: itself if it is still there, "" if nothing does.
template <class Net, fixed_string Layer, class Rules = default_rules>
inline constexpr std::string_view fused_into = (void(sizeof(ir::detail::layer_error<Net, Layer>)), [] {
  return ir::provenance_of(Layer, ir::optimized_graph<Net, Rules>, ir::detail::rewriting_history<Net, Rules>::steps)
      .into;
}());

/// Is Layer a layer of its own after rewriting? (Net::has may be asked for any name.)
template <class Net, fixed_string Layer, class Rules = default_rules>
inline constexpr bool survives = (void(sizeof(ir::detail::layer_error<Net, Layer>)),
                                  ir::detail::has_layer(ir::optimized_graph<Net, Rules>, Layer));

/// What rewriting does to a network, in order: rule, layer consumed, layer that does its work.
template <class Net, class Rules = default_rules>
inline constexpr std::span<const ir::rewrite_step> report{ir::detail::rewriting_history<Net, Rules>::steps.begin(),
                                                      ir::detail::rewriting_history<Net, Rules>::steps.end()};

}  // namespace ctnn
