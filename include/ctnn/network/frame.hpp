// SPDX-License-Identifier: BSL-1.0
// What passes between an engine and the code of a target: the memory of one inference.
#pragma once

namespace ctnn::ir {

struct frame {
  const float* const* inputs;  ///< nchw, in the order of declaration; the addresses, whatever the elements are
  const float* weights;        ///< packed (weights/packed.hpp)
  float* arena;
};

}  // namespace ctnn::ir
