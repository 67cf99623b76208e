// SPDX-License-Identifier: BSL-1.0
// The loops of a reduction: over what stays, and inside over what is brought together.
#pragma once

#include "loop_nest.hpp"

namespace ctnn::ir {

/// `kept` offsets go through y, then x; `reduced` ones through x. In the order of x's memory, so that the innermost
/// loop of one of the two runs through neighbours. An axis i that bit i of `bits` names is reduced; y has it as 1 or
/// not at all.
struct reduction_walk {
  loop_nest<2> kept;
  loop_nest<1> reduced;
  bool kept_inside = false;  ///< the innermost loop is one of `kept`

  constexpr reduction_walk(const tensor& y, const const_tensor& x, unsigned bits) {
    const bool same_rank = y.shape.rank == x.shape.rank;
    for (int i = 0; i < x.shape.rank; ++i) {
      const int axis = memory_axis(x, i), extent = x.shape[axis];
      if (extent == 1) continue;
      kept_inside = (bits >> axis & 1u) == 0;
      if (!kept_inside) {
        reduced.push_back({extent, {stride_of(x, axis)}});
        continue;
      }
      int before = 0;  // axes in front that y has
      for (int k = 0; k < axis; ++k) before += same_rank || (bits >> k & 1u) == 0 ? 1 : 0;
      kept.push_back({extent, {stride_of(y, before), stride_of(x, axis)}});
    }
  }
};

}  // namespace ctnn::ir
