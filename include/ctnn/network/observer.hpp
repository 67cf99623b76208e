// SPDX-License-Identifier: BSL-1.0
// Who watches an inference layer by layer: times on the target, say, by a counter of cycles.
#pragma once

#include <string_view>

namespace ctnn {

/// `done` is told of each layer when it has been computed, in the order of computation; of a copy to another layout, or
/// from run to run, by the name of the layer that made the numbers. A name lives as long as the program.
struct layer_observer {
  void (*done)(void* context, std::string_view layer);
  void* context = nullptr;
};

}  // namespace ctnn
