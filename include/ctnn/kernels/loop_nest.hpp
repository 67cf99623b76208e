// SPDX-License-Identifier: BSL-1.0
// Nested loops over several operands at once, outermost first, with neighbouring loops merged wherever every operand
// allows: what broadcasting, permuting, concatenating and changing the layout have in common.
#pragma once

#include <cstddef>

#include "../base/shape.hpp"

namespace ctnn {

/// `Operands` offsets run together; a stride of 0 repeats an operand (broadcasting).
template <int Operands>
struct loop_nest {
  struct level {
    std::ptrdiff_t extent = 1;
    std::ptrdiff_t stride[Operands]{};
  };
  level levels[max_rank]{};
  int depth = 0;

  /// Adds a loop inside the ones there are.
  constexpr void push_back(const level& inner) {
    if (inner.extent == 1) return;
    if (depth > 0) {
      level& outer = levels[depth - 1];
      bool merges = true;
      for (int i = 0; i < Operands; ++i) merges = merges && outer.stride[i] == inner.extent * inner.stride[i];
      if (merges) {
        const std::ptrdiff_t extent = outer.extent * inner.extent;
        outer = inner;
        outer.extent = extent;
        return;
      }
    }
    levels[depth++] = inner;
  }

  /// Makes room for a body that takes the innermost `inside` loops itself: pads with loops of one step.
  constexpr void require(int inside) {
    while (depth < inside) {
      for (int i = depth; i > 0; --i) levels[i] = levels[i - 1];
      levels[0] = level{};
      ++depth;
    }
  }

  /// Calls body(offset of each operand as an array) for every step of all but the innermost `inside` loops.
  template <class Body>
  constexpr void walk(int inside, Body&& body) const {
    const int outer = depth - inside;
    std::ptrdiff_t offset[Operands]{};
    std::ptrdiff_t step[max_rank]{};
    while (true) {
      body(offset);
      int d = outer - 1;
      for (; d >= 0; --d) {
        const level& l = levels[d];
        for (int i = 0; i < Operands; ++i) offset[i] += l.stride[i];
        if (++step[d] < l.extent) break;
        for (int i = 0; i < Operands; ++i) offset[i] -= l.stride[i] * l.extent;
        step[d] = 0;
      }
      if (d < 0) return;
    }
  }
};

}  // namespace ctnn
