// SPDX-License-Identifier: BSL-1.0
// The typed kernels of all operators behind pointers, and which kernel runs a node.
#pragma once

#include "../../base/compiled.hpp"
#include "../operator_code.hpp"  // before operators that compare their records
#include "../../graph/operators.hpp"
#include "../loaded_kernels.hpp"

namespace ctnn::ir {

/// An entry for every operator; without a kernel where it has none.
std::span<const loaded_kernel> typed_kernels();
/// The kernel for any element types, or null.
loaded_run find_typed_kernel(const operator_type* type);
/// The kernel for vectors where there is one and it takes the node's elements, else the typed one.
loaded_kernel choose_kernel(const loaded_kernels& of_target, const operator_type& type, bool takes_vectors);

}  // namespace ctnn::ir

#if CTNN_DEFINES(CTNN_PART_TYPED) || CTNN_DEFINES(CTNN_PART_LOOPS)

#include "all.hpp"

namespace ctnn::ir::typed {

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

#if !CTNN_DEFINES(CTNN_PART_LOOPS)
#define CTNN_LOOPS_ELSEWHERE(name) \
  extern template void run_erased<op::name>(const void*, const arguments&, scratch_memory);
CTNN_OPERATORS(CTNN_LOOPS_ELSEWHERE)
#undef CTNN_LOOPS_ELSEWHERE
#endif

}  // namespace ctnn::ir::typed

#endif

#if CTNN_DEFINES(CTNN_PART_TYPED)

namespace ctnn::ir {

CTNN_ONCE std::span<const loaded_kernel> typed_kernels() {
  static constexpr auto table = typed::kernels_of(all_operators{});
  return table;
}

CTNN_ONCE loaded_run find_typed_kernel(const operator_type* type) {
  for (const loaded_kernel& k : typed_kernels())
    if (k.type == type) return k.run;
  return nullptr;
}

CTNN_ONCE loaded_kernel choose_kernel(const loaded_kernels& of_target, const operator_type& type, bool takes_vectors) {
  if (takes_vectors)
    for (const loaded_kernel& k : of_target.table)
      if (k.type == &type && k.run != nullptr) return k;
  return {&type, find_typed_kernel(&type), type.is.divides(true)};
}

}  // namespace ctnn::ir

#endif
