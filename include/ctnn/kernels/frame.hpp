// SPDX-License-Identifier: BSL-1.0
// What passes between an engine and the code of a target: the memory of one inference.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../base/compiler.hpp"

namespace ctnn::ir {

struct frame {
  /// nchw, in the order of declaration; the addresses, whatever the elements are. Then, for each history, the arena as
  /// many numbers further on as it has advanced.
  const float* const* inputs;
  const float* weights;        ///< packed (weights/packed.hpp)
  float* arena;
};

/// Where the numbers of a step lie, as a constant.
struct memory_place {
  static constexpr std::int16_t nowhere = -3, in_arena = -2, in_weights = -1;  ///< else of an input or history

  std::int16_t base = nowhere;
  std::ptrdiff_t offset = 0;  ///< numbers
};
constexpr CTNN_INLINE const float* address_in(const frame& f, const memory_place& p) {
  switch (p.base) {
    case memory_place::nowhere: return nullptr;
    case memory_place::in_arena: return f.arena + p.offset;
    case memory_place::in_weights: return f.weights + p.offset;
    default: return f.inputs[p.base] + p.offset;
  }
}

}  // namespace ctnn::ir
