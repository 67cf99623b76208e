// SPDX-License-Identifier: BSL-1.0
// What every reader makes of a file: a graph, the numbers of its weights, and the names both refer to.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../base/compiled.hpp"
#include "../graph/graph.hpp"
#include "../kernels/operator_code.hpp"
#include "../plan/carried.hpp"
#include "array.hpp"

namespace ctnn {

/// An input that a file declares. `needed` are the numbers the network was made for, if its shapes follow from them.
struct model_input {
  std::string_view name;
  extents shape;
  dtype type = dtype::f32;
  shared_array needed{};
  bool optional = false;  ///< the file has numbers for it
  bool left_out = false;  ///< and the network was made with these
};

/// The names in `network` are views into `names`, so a loaded_model can be moved but not copied.
struct loaded_model {
  ir::graph network;
  /// Of (layer, slot). Elements may be f16 or bf16 where the slot is f32: they are expanded when a kernel needs them.
  std::map<std::pair<std::string_view, std::string_view>, shared_array> weights;
  std::map<std::string_view, std::string_view>
      aliases;                      ///< other names of a value, such as the outputs of ncnn's Split
  std::vector<model_input> inputs;  ///< in the order of the file
  std::deque<std::string> names;
  bool without_numbers = false;  ///< an architecture alone: zeros stand for its weights
  int prewarm = 0;               ///< samples of silence that the file's own player runs before the first sample
  float prune_below = 0;         ///< channels whose weights all are this small, or smaller, count as zeros in rules

  loaded_model() = default;
  loaded_model(loaded_model&&) = default;
  loaded_model& operator=(loaded_model&&) = default;
  loaded_model(const loaded_model&) = delete;
  loaded_model& operator=(const loaded_model&) = delete;

  /// Keeps a name for as long as the model lives.
  std::string_view keep(std::string name) { return names.emplace_back(std::move(name)); }
  /// Gives the numbers of the weight that `leaf` stands for.
  void set_weight(const ir::expression& leaf, std::span<const float> numbers) {
    weights[{leaf.layer, leaf.name}] = std::make_shared<const array>(leaf.shape, numbers);
  }
  void set_weight(const ir::expression& leaf, shared_array numbers) {
    weights[{leaf.layer, leaf.name}] = std::move(numbers);
  }

  /// The inputs: as declared, or as the graph has them. What is carried from run to run is none of them.
  std::vector<model_input> all_inputs() const;
};

#if CTNN_DEFINES(CTNN_PART_MODEL)

CTNN_ONCE std::vector<model_input> loaded_model::all_inputs() const {
  if (!inputs.empty()) return inputs;
  std::vector<model_input> out;
  for (const ir::node& n : network.nodes)
    if (n.type == &ir::type_of<op::input> && !ir::is_carried(network.view(), n)) {
      const ir::value& v = network.view().at_value(n.outputs.first);
      out.push_back({v.name, v.shape, v.type, nullptr});
    }
  return out;
}

#endif

}  // namespace ctnn
