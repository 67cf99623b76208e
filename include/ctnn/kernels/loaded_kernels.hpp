// SPDX-License-Identifier: BSL-1.0
// Kernels behind pointers, for networks that are known at run time only.
#pragma once

#include "../graph/operator.hpp"
#include "tensor.hpp"

namespace ctnn {

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
  integer_product products;
};

}  // namespace ctnn
