// SPDX-License-Identifier: BSL-1.0
// conv_transpose2d on every target this CPU has.
#include <ctnn/kernels/targets.hpp>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv_transpose2d.cpp"
#define HWY_COMPILE_ALL_ATTAINABLE
#include <hwy/foreach_target.h>

#include <ctnn/kernels/conv_transpose2d-inl.hpp>

CTNN_BEGIN_TARGET

inline void run_conv_transpose2d(const op::conv_transpose2d& p, const arguments& a) { run(p, a); }

CTNN_END_TARGET

#if HWY_ONCE

#include "conv_transpose2d_cases.hpp"
#include "targets_of_this_cpu.hpp"

namespace ctnn {

HWY_EXPORT(run_conv_transpose2d);

namespace {
void dispatched(const op::conv_transpose2d& p, const arguments& a) { HWY_DYNAMIC_DISPATCH(run_conv_transpose2d)(p, a); }
}  // namespace

TEST_CASE("conv_transpose2d: few and many outputs, odd channels, pitches, long sums") {
  for_each_target([] { sweep_transposed_sizes(dispatched); });
}
TEST_CASE("conv_transpose2d: kernel sizes, strides, dilation, uneven padding, output padding, groups, batches") {
  for_each_target([] { sweep_transposed_options(dispatched); });
}
TEST_CASE("depthwise conv_transpose2d") {
  for_each_target([] { sweep_transposed_depthwise(dispatched); });
}
TEST_CASE("conv_transpose2d with activations") {
  for_each_target([] { sweep_transposed_activations(dispatched); });
}

}  // namespace ctnn
#endif
