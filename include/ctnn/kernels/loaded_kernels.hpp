// SPDX-License-Identifier: BSL-1.0
// Kernels behind pointers, for networks that are known at run time only, or whose kernels are compiled elsewhere.
#pragma once

#include "cascade.hpp"
#include "operator_code.hpp"
#include "scratch.hpp"
#include "tensor.hpp"

namespace ctnn::ir {

/// A kernel behind a pointer: takes the operator's struct.
using loaded_run = void (*)(const void* op, const arguments&, scratch_memory);

/// The kernel that stands beside an operator's struct: a user's.
template <class Op>
void run_own(const void* op, const arguments& a, scratch_memory memory) {
  if constexpr (requires(const Op& p) { run(p, a, memory); }) run(*static_cast<const Op*>(op), a, memory);
  else run(*static_cast<const Op*>(op), a);
}

/// The kernel of an operator for loaded models. One that divides honours arguments::share.
struct loaded_kernel {
  const operator_type* type;
  loaded_run run;
  bool divides = false;
};
struct loaded_kernels {
  std::span<const loaded_kernel> table;
  void (*convert)(const tensor& to, const const_tensor& from, const work_share&);
  void (*carry)(const tensor& to, const const_tensor& from, const work_share&);
  integer_kernels integers;
  void (*cascade)(const cascade_call&, const work_share&, scratch_memory) = nullptr;
};

}  // namespace ctnn::ir
