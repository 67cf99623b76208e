// SPDX-License-Identifier: BSL-1.0
// The one door to the kernels of this folder, which take every element type: run(op, arguments), with scratch memory as
// a third argument where a kernel takes some. They are found by their arguments: who includes a family's header has its
// kernels, and who does not pays nothing.
#pragma once

#include "../scratch.hpp"
#include "../tensor.hpp"

namespace ctnn::ir::typed {

/// Arguments whose type belongs to this namespace, for what stands in it to be found.
struct call : arguments {};

template <class Op>
concept takes_scratch = requires(const Op& op, const call& a, scratch_memory m) { run(op, a, m); };
template <class Op>
concept has_kernel = takes_scratch<Op> || requires(const Op& op, const call& a) { run(op, a); };

template <has_kernel Op>
void run_kernel(const Op& op, const arguments& a, scratch_memory memory) {
  if constexpr (takes_scratch<Op>) run(op, call{a}, memory);
  else run(op, call{a});
}
/// The same where there may be half precision, which kernels compute in float (widened.hpp).
template <has_kernel Op>
void run_widened(const Op& op, const arguments& a, scratch_memory memory);

}  // namespace ctnn::ir::typed
