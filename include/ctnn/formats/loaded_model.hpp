// SPDX-License-Identifier: BSL-1.0
// What every reader makes of a file: a graph, the numbers of its weights, and the names both refer to.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../graph/graph.hpp"

namespace ctnn {

/// The names in `network` are views into `names`, so a loaded_model can be moved but not copied.
struct loaded_model {
  graph network;
  std::map<std::pair<std::string_view, std::string_view>, std::vector<float>> weights;  ///< of (layer, slot)
  std::map<std::string_view, std::string_view> aliases;  ///< other names of a value, such as the outputs of ncnn's Split
  std::deque<std::string> names;

  loaded_model() = default;
  loaded_model(loaded_model&&) = default;
  loaded_model& operator=(loaded_model&&) = default;
  loaded_model(const loaded_model&) = delete;
  loaded_model& operator=(const loaded_model&) = delete;

  /// Keeps a name for as long as the model lives.
  std::string_view keep(std::string name) { return names.emplace_back(std::move(name)); }
};

}  // namespace ctnn
