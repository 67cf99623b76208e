// SPDX-License-Identifier: BSL-1.0
// Kernels on half precision: the floats it is widened to are the heap's.
#pragma once

#include "../../graph/operators/pointwise.hpp"
#include "../../graph/operators/shape.hpp"
#include "dispatch.hpp"
#include "run.hpp"

namespace ctnn::ir::typed {

/// Does the kernel take elements of any type as they are?
template <class Op>
inline constexpr bool takes_bits =
    traits_of<Op>.copies || std::is_same_v<Op, op::constant> || std::is_same_v<Op, op::bit_cast>;

/// The one place where half precision is widened, for operators that compute.
template <has_kernel Op>
void run_widened(const Op& op, const arguments& a, scratch_memory memory) {
  if (takes_bits<Op> || !has_halves(a)) return run_kernel(op, a, memory);
  if constexpr (!takes_bits<Op>) {
    if (a.share.index > 0) return;  // what is widened is not cut
    arguments whole = a;
    whole.share = {};
    pool<extents> shapes;
    for (const const_tensor& t : a.in) shapes.push_back(t.shape);
    std::vector<const_tensor> slots;
    for (const weight_slot& s : weights_of(op, inputs(shapes.data(), shapes.size()))) {
      if (slots.size() == a.weights.size()) break;
      const dtype type = s.type == dtype::f32 && is_narrow(a.in[0].type) ? a.in[0].type : s.type.type;
      slots.push_back({a.weights[slots.size()], s.shape, layout::nchw, 0, type});
    }
    in_floats(
        whole, [&](const arguments& b) { run_kernel(op, b, memory); }, slots);
  }
}

}  // namespace ctnn::ir::typed
