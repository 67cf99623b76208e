// SPDX-License-Identifier: BSL-1.0
// What passes between the executors and the code of a target: the memory of one inference, a table of kernels.
#pragma once

#include "../graph/operator.hpp"
#include "../kernels/tensor.hpp"

namespace ctnn {

struct frame {
  const float* const* inputs;  ///< nchw, in the order of declaration
  const float* weights;        ///< packed (weights/packed.hpp)
  float* arena;
};

/// The kernel of an operator for loaded models; `run` takes the operator's struct. One that divides honours
/// arguments::share.
struct loaded_kernel {
  const operator_type* type;
  void (*run)(const void* op, const arguments&);
  bool divides = false;
};
struct loaded_kernels {
  std::span<const loaded_kernel> table;
  void (*convert)(const tensor& to, const const_tensor& from, const work_share&);
};

}  // namespace ctnn
