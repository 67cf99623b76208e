// SPDX-License-Identifier: BSL-1.0
// The typed kernels of all operators, for loaded models.
#pragma once

#include "../../base/compiled.hpp"
#include "../operator_code.hpp"  // before operators that compare their records
#include "../../graph/loaded_operators.hpp"
#include "../loaded_kernels.hpp"

namespace ctnn {

/// An entry for every operator; without a kernel where it has none.
std::span<const loaded_kernel> typed_kernels();

}  // namespace ctnn

#if !CTNN_COMPILED_ELSEWHERE

#include "all.hpp"

namespace ctnn {

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
template <class... A, class... B>
constexpr std::array<loaded_kernel, sizeof...(A) + sizeof...(B)> kernels_of(operator_list<A...>, operator_list<B...>) {
  return {{kernel_of<A>()..., kernel_of<B>()...}};
}

}  // namespace typed

CTNN_ONCE std::span<const loaded_kernel> typed_kernels() {
  static constexpr auto table = typed::kernels_of(all_operators{}, loaded_operators{});
  return table;
}

}  // namespace ctnn

#endif
