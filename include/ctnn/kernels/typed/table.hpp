// SPDX-License-Identifier: BSL-1.0
// The typed kernels of all operators, for loaded models.
#pragma once

#include "../../base/compiled.hpp"
#include "../../graph/loaded_operators.hpp"
#include "../loaded_kernels.hpp"

namespace ctnn {

/// An entry for every operator; without a kernel where it has none.
std::span<const loaded_kernel> typed_kernels();

}  // namespace ctnn

#if !CTNN_COMPILED_ELSEWHERE

#include "attention.hpp"
#include "by_reference.hpp"
#include "counting.hpp"
#include "detection.hpp"
#include "elementwise.hpp"
#include "general_recurrent.hpp"
#include "indexing.hpp"
#include "int8.hpp"
#include "matrix.hpp"
#include "movement.hpp"
#include "pairwise.hpp"
#include "pointwise.hpp"
#include "quantized.hpp"
#include "reduction.hpp"
#include "sampling.hpp"
#include "signal.hpp"
#include "statistics.hpp"
#include "windows.hpp"

namespace ctnn {

namespace typed {

template <class Op>
void run_erased(const void* op, const arguments& a) {
  typed::run(*static_cast<const Op*>(op), a);
}
template <class Op>
constexpr loaded_kernel kernel_of() {
  if constexpr (requires(const Op& op, const arguments& a) { typed::run(op, a); }) return {&type_of<Op>, &run_erased<Op>};
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
