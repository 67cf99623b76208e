// SPDX-License-Identifier: BSL-1.0
// The typed kernels of all operators behind pointers.
#pragma once

#include "../../base/compiled.hpp"
#include "../operator_code.hpp"  // before operators that compare their records
#include "../../graph/operators.hpp"
#include "../loaded_kernels.hpp"

namespace ctnn::ir {

/// An entry for every operator; without a kernel where it has none.
std::span<const loaded_kernel> typed_kernels();

}  // namespace ctnn::ir

#if !CTNN_COMPILED_ELSEWHERE

#include "all.hpp"

namespace ctnn::ir {

namespace typed {

template <class Op>
void run_erased(const void* op, const arguments& a, scratch_memory memory) {
  typed::run_widened(*static_cast<const Op*>(op), a, memory);
}
template <class Op>
constexpr loaded_kernel kernel_of() {
  if constexpr (has_kernel<Op>) return {&type_of<Op>, &run_erased<Op>};
  else return {&type_of<Op>, nullptr};
}
template <class... Ops>
constexpr std::array<loaded_kernel, sizeof...(Ops)> kernels_of(operator_list<Ops...>) {
  return {{kernel_of<Ops>()...}};
}

}  // namespace typed

CTNN_ONCE std::span<const loaded_kernel> typed_kernels() {
  static constexpr auto table = typed::kernels_of(all_operators{});
  return table;
}

}  // namespace ctnn::ir

#endif
