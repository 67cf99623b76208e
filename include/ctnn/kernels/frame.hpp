// SPDX-License-Identifier: BSL-1.0
// What passes between an engine and the code of a target: the memory of one inference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../base/compiler.hpp"

namespace ctnn::ir {

struct frame {
  const float* const* inputs;  ///< nchw, in the order of declaration; the addresses, whatever the elements are
  const float* weights;        ///< packed (weights/packed.hpp)
  float* arena;
  std::int32_t* advanced = nullptr;  ///< numbers by which each history lies further on in this run
};

/// Where the numbers of a step lie, as a constant.
struct memory_place {
  static constexpr std::int16_t nowhere = -3, in_arena = -2, in_weights = -1;  ///< else the number of an input
  static constexpr std::int16_t first_history = -4;  ///< in the arena, with the first history; -5: with the next

  std::int16_t base = nowhere;
  std::ptrdiff_t offset = 0;  ///< numbers
};
constexpr CTNN_INLINE const float* address_in(const frame& f, const memory_place& p) {
  switch (p.base) {
    case memory_place::nowhere: return nullptr;
    case memory_place::in_arena: return f.arena + p.offset;
    case memory_place::in_weights: return f.weights + p.offset;
    default:
      if (p.base <= memory_place::first_history)
        return f.arena + p.offset + f.advanced[memory_place::first_history - p.base];
      return f.inputs[p.base] + p.offset;
  }
}

/// A history in the arena: values that lie further on in every run.
struct advancing {
  int number = 0;                     ///< among frame::advanced
  std::int64_t begin = 0;             ///< where it lies in the first run
  std::int64_t size = 0;              ///< numbers that the next run reads
  std::int64_t by = 0, farthest = 0;  ///< numbers a run, and at most
};
/// To be called at the end of a run. What has come as far as it may is moved to where it began.
CTNN_INLINE void advance(const frame& f, const advancing& h) {
  std::int32_t& now = f.advanced[h.number];
  if (now < h.farthest) {
    now += static_cast<std::int32_t>(h.by);
    return;
  }
  float* const begin = f.arena + h.begin;
  std::memmove(begin, begin + now + h.by, static_cast<std::size_t>(h.size) * sizeof(float));
  now = 0;
}

}  // namespace ctnn::ir
