// SPDX-License-Identifier: BSL-1.0
// Nested loops over several operands at once, outermost first, with neighbouring loops merged wherever every operand
// allows: what broadcasting, permuting, concatenating and changing the layout have in common.
#pragma once

#include <cstddef>

#include "../../base/shape.hpp"
#include "../tensor.hpp"

namespace ctnn::ir {

/// The axis that is `i`-th from the outside in t's memory: loops in this order end in t's contiguous axis.
template <class T>
constexpr int memory_axis(const basic_tensor<T>& t, int i) {
  if (t.order == layout::nchw) return i;
  const int c = t.shape.rank - 1 - axes_of_pixels(t.order);
  if (i < c) return i;
  return i == t.shape.rank - 1 ? c : i + 1;
}

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
};

/// Runs through all but the innermost `inside` loops of a nest: offset[i] is where operand i stands.
///   loop_cursor at(nest, 1);
///   do work(at.offset); while (at.next());
template <int Operands>
struct loop_cursor {
  std::ptrdiff_t offset[Operands]{};

  constexpr loop_cursor(const loop_nest<Operands>& n, int inside) : nest(n), outer(n.depth - inside) {}

  /// False after the last step.
  constexpr bool next() {
    for (int d = outer - 1; d >= 0; --d) {
      const auto& l = nest.levels[d];
      for (int i = 0; i < Operands; ++i) offset[i] += l.stride[i];
      if (++step[d] < l.extent) return true;
      for (int i = 0; i < Operands; ++i) offset[i] -= l.stride[i] * l.extent;
      step[d] = 0;
    }
    return false;
  }

 private:
  const loop_nest<Operands>& nest;
  int outer;
  std::ptrdiff_t step[max_rank]{};
};

/// The loops of a binary operator: operands are the output, the first and the second input, broadcast from the right.
/// Any layouts.
constexpr loop_nest<3> broadcast_loops(const tensor& out, const const_tensor& a, const const_tensor& b) {
  loop_nest<3> nest;
  for (int i = 0; i < out.shape.rank; ++i) {
    const int axis = memory_axis(out, i);
    const auto stride = [&](const const_tensor& t) {
      const int own = axis - (out.shape.rank - t.shape.rank);
      return own < 0 || t.shape[own] == 1 ? std::ptrdiff_t{0} : stride_of(t, own);
    };
    nest.push_back({out.shape[axis], {stride_of(out, axis), stride(a), stride(b)}});
  }
  return nest;
}

}  // namespace ctnn::ir
